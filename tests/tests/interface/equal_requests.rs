//! A request has two forms, command line and JSON, derived from one type. These tests compare both forms of each field.

use std::any::TypeId;
use std::collections::BTreeSet;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use schemars::schema_for;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillc_ops::lint::{Lint, LintRequest};
use skillc_ops::{Operation, Toolkit, perform};
use skillc_render::{Render, Visitor, visit_all};
use skillc_tests::{NOT_OF_REQUESTS, World};

fn parse(name: &str, args: &[String]) -> ArgMatches {
    let words = ["skc"].into_iter().chain(name.split(' '));
    let words = words.map(str::to_owned).chain(args.iter().cloned());
    let matches = skillc::command()
        .try_get_matches_from(words)
        .unwrap_or_else(|e| panic!("{name} {args:?}: {e}"));
    let command = name.split(' ').fold(&matches, |matches, name| {
        matches.subcommand_matches(name).expect("the subcommand")
    });
    command.clone()
}

/// Returns a command by name; a grouped command has a space in its name.
fn command(name: &str) -> Command {
    let root = skillc::command();
    let found = name.split(' ').fold(&root, |command, name| {
        command.find_subcommand(name).expect(name)
    });
    found.clone()
}

/// Counts the commands that are operations.
fn operations() -> usize {
    let root = skillc::command();
    let all = root.get_subcommands();
    let own =
        all.filter(|command| !["tour", "lsp", "completions", "man"].contains(&command.get_name()));
    // The picker needs an interactive terminal.
    let of_group = |group: &Command| {
        let all = group.get_subcommands();
        all.filter(|command| command.get_name() != "pick").count()
    };
    own.map(|command| match of_group(command) {
        0 => 1,
        grouped => grouped,
    })
    .sum()
}

/// Fields that exist only in the JSON form. For example, JSON has separate fields for a name and a path, but on the
/// command line, a single argument can be either.
const OF_ONE_FORM: [(&str, &str); 5] = [
    ("catalog inspect", "include_skills"),
    ("catalog inspect", "run"),
    ("catalog list", "scope"),
    ("catalog load", "path"),
    ("catalog load", "run"),
];

fn has_both_forms(name: &str, field: &str) -> bool {
    !OF_ONE_FORM.contains(&(name, field))
}

/// Returns the arguments of a command that are fields of its request.
fn fields(name: &str) -> Vec<Arg> {
    let command = command(name);
    let all = command
        .get_arguments()
        .filter(|arg| !NOT_OF_REQUESTS.contains(&arg.get_id().as_str()))
        .filter(|arg| has_both_forms(name, arg.get_id().as_str()));
    all.cloned().collect()
}

/// Returns whether JSON requires a field. For lint, build and stats, tools require the skill, but the command line
/// defaults to all skills. For search, tools also require the query, but on the command line, the first word of the
/// query can take the position of the skill (with `--all`).
fn is_needed(name: &str, arg: &Arg) -> bool {
    let of_tool = match name {
        "lint" | "scan" | "build" | "stats" => "skill",
        "search" => "query",
        _ => "",
    };
    arg.is_required_set() || arg.get_id() == of_tool
}

/// Returns a sample value of a field, both as command-line words and as JSON. In JSON, only one skill can be built.
fn sample(name: &str, arg: &Arg) -> (Vec<String>, Value) {
    let option = arg.get_long().map(|long| format!("--{long}"));
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return (option.into_iter().collect(), json!(true));
    }
    let kind = arg.get_value_parser().type_id();
    let choice = arg
        .get_possible_values()
        .first()
        .map(|value| value.get_name().to_owned());
    let (word, value) = if kind == TypeId::of::<usize>() || kind == TypeId::of::<u8>() {
        ("3".to_owned(), json!(3))
    } else if arg.get_value_delimiter() == Some(',') {
        ("one,two".to_owned(), json!(["one", "two"]))
    } else if matches!(arg.get_action(), ArgAction::Append) && name != "build" {
        let word = format!("some {}", arg.get_id());
        (word.clone(), json!([word]))
    } else {
        let word = choice.unwrap_or_else(|| format!("some {}", arg.get_id()));
        (word.clone(), json!(word))
    };
    (option.into_iter().chain([word]).collect(), value)
}

/// Returns both forms of a request with the fields that `pick` selects.
fn forms(name: &str, pick: impl Fn(&Arg) -> bool) -> (Vec<String>, Value) {
    let (mut words, mut object) = (Vec::new(), Map::new());
    for arg in fields(name).iter().filter(|arg| pick(arg)) {
        let (argument, value) = sample(name, arg);
        words.extend(argument);
        object.insert(arg.get_id().to_string(), value);
    }
    (words, object.into())
}

fn from_words<O: Operation>(words: &[String]) -> O::Request {
    O::Request::from_arg_matches(&parse(O::NAME, words)).expect("arguments that were parsed")
}

fn from_json<O: Operation>(value: &Value) -> O::Request {
    O::Request::deserialize(value).unwrap_or_else(|e| panic!("{}: {value}: {e}", O::NAME))
}

/// Runs a check for every operation and asserts that none is left out.
macro_rules! for_every_operation {
    (|$operation:ident| $check:block) => {{
        struct Check(usize);
        impl Visitor for Check {
            fn visit<$operation: Operation>(&mut self)
            where
                $operation::Response: Render,
            {
                self.0 += 1;
                $check
            }
        }
        let mut check = Check(0);
        visit_all(&mut check);
        assert_eq!(check.0, operations());
    }};
}

/// C-COMMANDS.9: field names and defaults are the same.
#[test]
fn minimal_and_full_requests_are_equal_from_words_and_json() {
    for_every_operation!(|O| {
        let (words, value) = forms(O::NAME, |arg| is_needed(O::NAME, arg));
        assert_eq!(
            from_words::<O>(&words),
            from_json::<O>(&value),
            "{}",
            O::NAME
        );
        let (words, value) = forms(O::NAME, |_| true);
        assert_eq!(
            from_words::<O>(&words),
            from_json::<O>(&value),
            "{}",
            O::NAME
        );
    });
}

/// D-LINT-ALL, C-COMMANDS.9.
#[test]
fn skills_to_lint_are_a_string_or_a_list() {
    let words = |skills: &[&str]| {
        let words: Vec<String> = skills.iter().copied().map(str::to_owned).collect();
        from_words::<Lint>(&words)
    };
    let list = from_json::<Lint>(&json!({"skill": ["a", "b/*"]}));
    assert_eq!(words(&["a", "b/*"]), list);
    assert_eq!(words(&["a"]), from_json::<Lint>(&json!({"skill": "a"})));
    assert_eq!(words(&[]), from_json::<Lint>(&json!({"skill": []})));
    for wrong in [json!({}), json!({"skill": 1}), json!({"skill": [1]})] {
        assert!(serde_json::from_value::<LintRequest>(wrong).is_err());
    }
    let schema = schema_for!(LintRequest).to_value();
    assert_eq!(schema["required"], json!(["skill"]));
    let kinds = json!([{"type": "string"}, {"type": "array", "items": {"type": "string"}}]);
    assert_eq!(schema["properties"]["skill"]["anyOf"], kinds);
}

/// C-COMMANDS.9: each optional field is tested separately, so that no field masks a fault of another.
#[test]
fn every_field_is_equal_in_both_forms() {
    for_every_operation!(|O| {
        let least = forms(O::NAME, |arg| is_needed(O::NAME, arg));
        for field in fields(O::NAME)
            .iter()
            .filter(|arg| !is_needed(O::NAME, arg))
        {
            let is_it = |arg: &Arg| is_needed(O::NAME, arg) || arg.get_id() == field.get_id();
            let (words, value) = forms(O::NAME, is_it);
            let request = from_words::<O>(&words);
            assert_eq!(
                request,
                from_json::<O>(&value),
                "{} {}",
                O::NAME,
                field.get_id()
            );
            let is_default = least.0 != words && request == from_words::<O>(&least.0);
            assert!(!is_default, "{} {} has no effect", O::NAME, field.get_id());
        }
    });
}

/// C-COMMANDS.9: names are in snake case, and both forms have the same help text and default.
#[test]
fn a_field_has_one_name_one_description_and_one_default() {
    for_every_operation!(|O| {
        let schema = schema_for!(O::Request).to_value();
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let args = fields(O::NAME);
        let ids: BTreeSet<&str> = args.iter().map(|arg| arg.get_id().as_str()).collect();
        let names = properties.keys().map(String::as_str);
        let names: BTreeSet<&str> = names.filter(|name| has_both_forms(O::NAME, name)).collect();
        assert_eq!(ids, names, "{}", O::NAME);
        let required = |name: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(name)))
        };
        // On the command line, `name` may also be a path, which is a separate field in JSON.
        let is_alike = |arg: &&Arg| (O::NAME, arg.get_id().as_str()) != ("catalog load", "name");
        for arg in args.iter().filter(is_alike) {
            let name = arg.get_id().as_str();
            let property = &properties[name];
            let help = arg.get_help().map(ToString::to_string);
            assert_eq!(
                property["description"].as_str(),
                help.as_deref(),
                "{} {name}",
                O::NAME
            );
            assert_eq!(
                required(name),
                is_needed(O::NAME, arg),
                "{} {name}",
                O::NAME
            );
            if let Some(long) = arg.get_long() {
                let longs = arg.get_all_aliases().unwrap_or_default().into_iter();
                let mut longs = longs.chain([long]).map(|long| long.replace('-', "_"));
                assert!(longs.any(|long| long == name), "{name}: {long}");
            }
            let defaults = arg.get_default_values();
            let on_line: Vec<_> = defaults
                .iter()
                .map(|value| value.to_string_lossy())
                .collect();
            let in_schema = match &property["default"] {
                Value::Null | Value::Bool(false) => String::new(),
                Value::Array(all) => all
                    .iter()
                    .filter_map(Value::as_str)
                    .collect::<Vec<_>>()
                    .join(","),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(on_line.join(","), in_schema, "{} {name}", O::NAME);
        }
    });
}

/// C-COMMANDS.9: JSON is as strict as the command line.
#[test]
fn unknown_missing_and_mistyped_fields_are_rejected() {
    for_every_operation!(|O| {
        let (_, least) = forms(O::NAME, |arg| is_needed(O::NAME, arg));
        let refused = |value: Value| {
            serde_json::from_value::<O::Request>(value)
                .err()
                .map(|e| e.to_string())
        };
        let mut unknown = least.clone();
        unknown["bogus"] = json!(1);
        assert!(
            refused(unknown).is_some_and(|why| why.contains("bogus")),
            "{}",
            O::NAME
        );
        for arg in fields(O::NAME) {
            let mut wrong = least.clone();
            wrong[arg.get_id().as_str()] = json!({"no": "such type"});
            assert!(refused(wrong).is_some(), "{} {}", O::NAME, arg.get_id());
            let mut missing = least.clone();
            let taken = missing
                .as_object_mut()
                .and_then(|all| all.remove(arg.get_id().as_str()));
            // Every field of `catalog load` is optional, because either the name or the path will do.
            let is_needed = taken.is_some() && O::NAME != "catalog load";
            assert_eq!(
                refused(missing).is_some(),
                is_needed,
                "{} {}",
                O::NAME,
                arg.get_id()
            );
        }
    });
}

/// Returns a sample request of an operation, as words and as JSON.
fn sample_request(name: &str) -> (&'static [&'static str], Value) {
    match name {
        "init" | "audit" | "budget" | "doctor" | "mcp status" | "plugin list" | "plugin check"
        | "plugin doc" | "plugin test" | "registry sync" | "registry list" | "registry path"
        | "catalog list" | "catalog context" | "catalog inspect" | "self check" => (&[], json!({})),
        "registry get" => (&["demo"], json!({"name": "demo"})),
        "mcp install" | "mcp uninstall" => (
            &["--client", "cursor", "--dry-run"],
            json!({"client": ["cursor"], "dry_run": true}),
        ),
        "catalog search" => (&["demo"], json!({"query": "demo"})),
        // Without `--force`, the second load would be a reminder.
        "catalog load" => (&["demo", "--force"], json!({"name": "demo", "force": true})),
        "catalog enable" | "catalog allow" | "catalog deny" => (
            &["demo", "--global"],
            json!({"skill": "demo", "global": true}),
        ),
        "plugin new" => (
            &["rule", "no-todo"],
            json!({"kind": "rule", "name": "no-todo"}),
        ),
        "remove" => (
            &["demo", "--dry-run"],
            json!({"skill": ["demo"], "dry_run": true}),
        ),
        "clean" | "sync" => (&["--dry-run"], json!({"dry_run": true})),
        "explain" => (&["SKL205"], json!({"rule": "SKL205"})),
        "rules" => (&["--select", "SKL2"], json!({"select": ["SKL2"]})),
        "schema" => (&["lint"], json!({"of": "lint"})),
        "list" => (&["--status", "normal"], json!({"status": "normal"})),
        "search" => (
            &["demo", "hello"],
            json!({"skill": "demo", "query": "hello"}),
        ),
        "path" => (
            &["demo", "SKILL.md"],
            json!({"skill": "demo", "file": "SKILL.md"}),
        ),
        "show" => (
            &["demo", "--section", "demo"],
            json!({"skill": "demo", "section": "demo"}),
        ),
        "open" => (
            &["demo", "SKILL.md"],
            json!({"skill": "demo", "path": "SKILL.md"}),
        ),
        // Count only runs before a date in the past; otherwise the second run would also count the first.
        "stats" => (
            &["demo", "--until", "2026-01-31"],
            json!({"skill": "demo", "until": "2026-01-31"}),
        ),
        _ => (&["demo"], json!({"skill": "demo"})),
    }
}

/// Asserts that a value has exactly the fields of the schema.
fn check_fields(value: &Value, schema: &Value, root: &Value) {
    let target = schema["$ref"]
        .as_str()
        .and_then(|path| root.pointer(path.strip_prefix('#')?));
    let schema = target.unwrap_or(schema);
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| check_fields(item, &schema["items"], root)),
        Value::Object(fields) if schema["properties"].is_object() => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for name in required.iter().filter_map(Value::as_str) {
                assert!(fields.contains_key(name), "no '{name}' in {value}");
            }
            for (name, field) in fields {
                let property = &schema["properties"][name];
                assert!(!property.is_null(), "'{name}' is not in the schema");
                check_fields(field, property, root);
            }
        }
        _ => {}
    }
}

/// ADR3.1: the command line adds nothing to the response. G-INTRO.3: each result is data that matches its schema.
#[test]
fn json_output_is_the_response_of_the_operation() {
    for_every_operation!(|O| {
        let world = World::built(&[("guide.md", "# Guide\n\n## Use\n")]);
        let (words, request) = sample_request(O::NAME);
        let context = world.context_at(&world.cwd);
        let (mut toolkit, _) = Toolkit::new(context).expect("plug-ins");
        toolkit.features = skillc::FEATURES;
        let outcome = perform::<O>(&toolkit, from_json::<O>(&request));
        let response = outcome.result.expect(O::NAME);
        let response = serde_json::to_value(response).expect("JSON");
        // Delete the output of the first run, so that the second run does not find it.
        if O::NAME == "plugin new" {
            std::fs::remove_dir_all(world.cwd.join(".skillc/plugins")).expect("a folder");
        }
        if O::NAME.starts_with("catalog ") {
            for dir in [&world.cwd, &world.home] {
                std::fs::remove_file(dir.join(".skillc/config.toml")).unwrap_or_default();
            }
        }
        let printed = world.skc_at(
            &world.cwd,
            &[
                &O::NAME.split(' ').collect::<Vec<_>>(),
                words,
                &["--format", "json"],
            ]
            .concat(),
        );
        // The output for a single skill also contains the skill's root.
        let mut expected = response.clone();
        if let (Some(members), Some(root)) = (expected.as_object_mut(), outcome.notes.root) {
            let root = root.to_str().expect("UTF-8").into();
            assert_eq!(members.insert("root".to_owned(), root), None, "{}", O::NAME);
        }
        let mut printed = printed.success().json();
        // Only the command line prints hashes, which `skc scan --since` reads.
        if O::NAME == "scan" {
            let skill = printed["skills"][0].as_object_mut().expect("a skill");
            assert!(skill.remove("hash").is_some());
        }
        assert_eq!(printed, expected, "{}", O::NAME);
        let schema = schema_for!(O::Response).to_value();
        check_fields(&response, &schema, &schema);
    });
}
