//! Reads the test cases of a script: `no-todo.test.toml` for `no-todo.rhai`.
//!
//! Unknown keys and values are faults, reported with their position: otherwise, a misspelt key would silently test
//! nothing.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use skillc_core::clients::{Client, Clients};
use skillc_core::did_you_mean::nearest;
use skillc_core::layout::SKILL_FILE;
use skillc_core::path::is_one_component;
use skillc_core::toml_cost;
use skillc_core::{LineIndex, RelPath};
use skillc_lint::Rule;
use skillc_lint::rule::code;
use skillc_script::{Script, ScriptedIndexer, ScriptedRule};
use toml_edit::{Document, Item, Key, TableLike};

use super::cases::{Case, Cases, FormatCase, RuleCase, SectionText, Subject};
use super::keys::{CaseFault, Read, check_keys, fault, json, path, start};

/// The size limit of a case file, in bytes.
pub(super) const MAX_CASES_BYTES: usize = 1 << 20;

/// The maximum memory that the parser may use for a case file, in bytes.
const MAX_CASES_COST: usize = 256 << 20;

/// The maximum number of cases per script.
const MAX_CASES: usize = 1_000;

/// The maximum number of files per case, and the maximum number of other skills per case.
const MAX_FILES: usize = 100;

/// The default name of a case's skill.
const SKILL: &str = "demo";

/// The only top-level key: a list of tables.
const CASE: &str = "case";

/// The keys of every case.
const OF_ALL: [&str; 3] = ["name", "file", "text"];

/// The keys of a case about a rule.
const OF_RULES: [&str; 8] = [
    "rule", "skill", "files", "beside", "options", "clients", "found", "fixed",
];

/// The keys of a case about an indexer.
const OF_FORMATS: [&str; 2] = ["format", "sections"];

/// The keys of a section.
const OF_SECTIONS: [&str; 3] = ["lines", "heading", "content"];

/// Reads the cases of a script.
///
/// # Errors
/// Returns the first fault of the file.
pub(super) fn read(bytes: &[u8], script: &Script) -> Read<Cases> {
    if bytes.len() > MAX_CASES_BYTES {
        return fault(None, format!("larger than {} MiB", MAX_CASES_BYTES >> 20));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| CaseFault {
        at: Some(error.valid_up_to()),
        message: "is not UTF-8 from here on".to_owned(),
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let lined = text.replace("\r\n", "\n");
    if let Some(reason) = toml_cost::refusal(&lined, MAX_CASES_COST) {
        return fault(None, format!("cannot be parsed: {reason}"));
    }
    let document = Document::parse(&*lined).map_err(|error| CaseFault {
        at: error.span().map(|span| span.start),
        message: error.message().replace('\n', ", "),
    })?;
    let index = LineIndex::new(lined.as_bytes());
    let table = document.as_table();
    check_keys(table, &[CASE])?;
    let mut cases = Vec::new();
    if let Some(item) = table.get(CASE) {
        let Some(tables) = item.as_array_of_tables() else {
            return fault(start(item), "cases are tables: start each with [[case]]");
        };
        for (number, table) in tables.iter().enumerate() {
            let at = table.span().map(|span| span.start);
            if number == MAX_CASES {
                return fault(at, format!("more than {MAX_CASES} cases"));
            }
            let line = index.line(at.unwrap_or_default());
            let reader = CaseReader { script, table, at };
            cases.push(reader.case(number + 1, line)?);
        }
    }
    Ok(Cases {
        has_mark: bytes.len() > text.len(),
        has_crlf: text.contains('\n')
            && text
                .split('\n')
                .rev()
                .skip(1)
                .all(|line| line.ends_with('\r')),
        all: cases,
        text: lined,
    })
}

/// Reads one case.
struct CaseReader<'t> {
    script: &'t Script,
    table: &'t dyn TableLike,
    at: Option<usize>,
}

impl CaseReader<'_> {
    fn case(&self, number: usize, line: usize) -> Read<Case> {
        check_keys(self.table, &[&OF_ALL[..], &OF_RULES, &OF_FORMATS].concat())?;
        let name = self.text("name")?;
        let Some(text) = self.text("text")? else {
            return fault(self.at, "a case needs a 'text'");
        };
        let (subject, usual) = if self.is_of_rule()? {
            (Subject::Rule(self.rule_case()?), SKILL_FILE.to_owned())
        } else {
            let indexer = self.indexer()?;
            let meta = skillc_core::Indexer::meta(indexer);
            let usual = format!("example.{}", meta.extensions[0]);
            let of = FormatCase {
                id: meta.id.to_string(),
                sections: self.sections()?,
            };
            (Subject::Format(of), usual)
        };
        let file = match self.text("file")? {
            Some(file) => path(&file, self.place("file"))?,
            None => RelPath::parse(&usual).map_err(|error| self.refused(&error))?,
        };
        if let Subject::Format(of) = &subject {
            self.check_extension(&file, &of.id)?;
        }
        Ok(Case {
            name: name.unwrap_or_else(|| format!("case {number}")),
            line,
            file,
            text,
            subject,
        })
    }

    /// Returns whether the case is about a rule; a case with keys of both kinds is a fault.
    fn is_of_rule(&self) -> Read<bool> {
        let has = |key: &&&str| self.table.contains_key(key);
        let (rule, format) = (OF_RULES.iter().find(has), OF_FORMATS.iter().find(has));
        match (rule, format) {
            (Some(rule), Some(format)) => fault(
                self.place(format),
                format!("'{format}' is for indexers and '{rule}' for rules: write two cases"),
            ),
            (Some(_), None) => Ok(true),
            (None, Some(_)) => Ok(false),
            (None, None) => match (self.script.rules(), self.script.indexers()) {
                (_, []) => Ok(true),
                ([], _) => Ok(false),
                _ => fault(
                    self.at,
                    "the script has rules and indexers: choose one with rule = \"…\" or format = \"…\"",
                ),
            },
        }
    }

    fn rule_case(&self) -> Read<RuleCase> {
        let rule = self.rule()?;
        let skill = self.text("skill")?;
        if let Some(name) = skill.as_ref().filter(|name| !is_one_component(name)) {
            let message = format!("'{name}' is not a valid directory name");
            return fault(self.place("skill"), message);
        }
        let skill = skill.unwrap_or_else(|| SKILL.to_owned());
        Ok(RuleCase {
            code: rule.meta().code.to_string(),
            beside: self.beside(&skill)?,
            skill,
            files: self.files()?,
            options: self.options(rule)?,
            clients: self.clients()?,
            found: self.texts("found")?,
            fixed: self.text("fixed")?,
        })
    }

    fn rule(&self) -> Read<&ScriptedRule> {
        let rules = self.script.rules();
        let Some(asked) = self.text("rule")? else {
            return match rules {
                [only] => Ok(only),
                [] => fault(self.at, "the script has no rules"),
                _ => fault(
                    self.at,
                    "the script has several rules: choose one with rule = \"…\"",
                ),
            };
        };
        let is_meant = |rule: &&ScriptedRule| {
            let meta = rule.meta();
            meta.code.eq_ignore_ascii_case(&asked) || meta.name.eq_ignore_ascii_case(&asked)
        };
        let mut all = rules.iter().map(|rule| &**rule);
        all.find(is_meant).ok_or_else(|| {
            let near = code::nearest(&asked, rules.iter().map(|rule| &**rule as &dyn Rule));
            self.unknown("rule", &asked, near)
        })
    }

    fn indexer(&self) -> Read<&ScriptedIndexer> {
        let indexers = self.script.indexers();
        let id = |of: &ScriptedIndexer| skillc_core::Indexer::meta(of).id.to_string();
        let Some(asked) = self.text("format")? else {
            return match indexers {
                [only] => Ok(only),
                [] => fault(self.at, "the script has no indexers"),
                _ => fault(
                    self.at,
                    "the script has several indexers: choose one with format = \"…\"",
                ),
            };
        };
        let mut all = indexers.iter().map(|indexer| &**indexer);
        all.find(|indexer| id(indexer) == asked).ok_or_else(|| {
            let near = nearest(&asked, indexers.iter().map(|indexer| id(indexer)));
            self.unknown("format", &asked, near)
        })
    }

    fn check_extension(&self, file: &RelPath, id: &str) -> Read<()> {
        let metas = self.script.indexers().iter();
        let mut metas = metas.map(|indexer| skillc_core::Indexer::meta(&**indexer));
        let is_claimed = metas.any(|meta| {
            let extension = file.extension().unwrap_or_default();
            meta.id == id && meta.extensions.iter().any(|claimed| **claimed == extension)
        });
        if is_claimed {
            return Ok(());
        }
        let message = format!("indexer '{id}' does not read '{file}'");
        fault(self.place("file"), message)
    }

    fn files(&self) -> Read<BTreeMap<RelPath, String>> {
        let mut files = BTreeMap::new();
        let Some(table) = self.inner("files")? else {
            return Ok(files);
        };
        self.check_count("files", table)?;
        for (key, item) in table.iter() {
            let place = table.key(key).and_then(Key::span).map(|span| span.start);
            let Some(text) = item.as_str() else {
                return fault(
                    start(item).or(place),
                    format!("file '{key}' must be a string"),
                );
            };
            files.insert(path(key, place)?, text.to_owned());
        }
        Ok(files)
    }

    fn beside(&self, skill: &str) -> Read<BTreeMap<String, String>> {
        let mut skills = BTreeMap::new();
        let Some(table) = self.inner("beside")? else {
            return Ok(skills);
        };
        self.check_count("beside", table)?;
        for (name, item) in table.iter() {
            let place = table.key(name).and_then(Key::span).map(|span| span.start);
            if !is_one_component(name) || name == skill {
                let message = format!("'{name}' is not a valid directory name for another skill");
                return fault(place, message);
            }
            let Some(text) = item.as_str() else {
                return fault(
                    start(item).or(place),
                    format!("skill '{name}' must be a string"),
                );
            };
            skills.insert(name.to_owned(), text.to_owned());
        }
        Ok(skills)
    }

    fn options(&self, rule: &ScriptedRule) -> Read<BTreeMap<String, Json>> {
        let mut options = BTreeMap::new();
        let Some(table) = self.inner("options")? else {
            return Ok(options);
        };
        for (key, item) in table.iter() {
            let place = table.key(key).and_then(Key::span).map(|span| span.start);
            let known = rule.options().iter().find(|option| option.is_named(key));
            let Some(known) = known else {
                let names = rule.options().iter().map(|option| &*option.name);
                let near = nearest(key, names).map(ToString::to_string);
                let near = near.map(|near| format!("; did you mean '{near}'?"));
                let code = &rule.meta().code;
                let near = near.unwrap_or_default();
                return fault(place, format!("rule {code} has no option '{key}'{near}"));
            };
            let value = item.as_value().and_then(json);
            let Some(value) = value.filter(|value| known.kind.takes(value)) else {
                let message = format!("'{key}' takes {}", known.kind.expected());
                return fault(start(item).or(place), message);
            };
            if options.insert(known.name.to_string(), value).is_some() {
                return fault(place, format!("'{}' is set twice", known.name));
            }
        }
        Ok(options)
    }

    fn clients(&self) -> Read<Vec<Client>> {
        let named = self.texts("clients")?.unwrap_or_default();
        let client = |name: &String| {
            let found = Clients::shared().client(name).cloned();
            found.map_err(|error| CaseFault {
                at: self.place("clients"),
                message: error.message(),
            })
        };
        named.iter().map(client).collect()
    }

    fn sections(&self) -> Read<Option<Vec<SectionText>>> {
        let Some(item) = self.table.get("sections") else {
            return Ok(None);
        };
        let mut tables: Vec<&dyn TableLike> = Vec::new();
        if let Some(all) = item.as_array_of_tables() {
            tables.extend(all.iter().map(|table| table as &dyn TableLike));
        } else if let Some(all) = item.as_array() {
            for value in all {
                let Some(table) = value.as_inline_table() else {
                    let at = value.span().map(|span| span.start);
                    return fault(
                        at,
                        "a section must be a table: { lines = [1, 2], heading = \"…\", content = \"…\" }",
                    );
                };
                tables.push(table);
            }
        } else {
            return fault(
                start(item),
                "'sections' is a list: start each with [[case.sections]]",
            );
        }
        let sections = tables.into_iter().map(|table| self.section(table));
        sections.collect::<Read<_>>().map(Some)
    }

    fn section(&self, table: &dyn TableLike) -> Read<SectionText> {
        check_keys(table, &OF_SECTIONS)?;
        let text = |key| CaseReader { table, ..*self }.text(key);
        let lines = table.get("lines");
        let pair = lines.and_then(Item::as_array).map(|pair| {
            let number = |at| usize::try_from(pair.get(at)?.as_integer()?).ok();
            (pair.len() == 2).then(|| Some((number(0)?, number(1)?)))
        });
        let Some(lines) = pair.flatten().flatten() else {
            let at = lines.and_then(start).or(self.place("sections")).or(self.at);
            return fault(
                at,
                "a section needs 'lines', with its first and last line: lines = [1, 2]",
            );
        };
        Ok(SectionText {
            heading: text("heading")?.unwrap_or_default(),
            lines,
            content: text("content")?.unwrap_or_default(),
        })
    }

    fn check_count(&self, key: &str, table: &dyn TableLike) -> Read<()> {
        if table.len() <= MAX_FILES {
            return Ok(());
        }
        let message = format!("'{key}' has more than {MAX_FILES} entries");
        fault(self.place(key), message)
    }

    fn text(&self, key: &str) -> Read<Option<String>> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        match item.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => fault(
                start(item).or(self.place(key)),
                format!("'{key}' must be a string"),
            ),
        }
    }

    fn texts(&self, key: &str) -> Read<Option<Vec<String>>> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let texts = item.as_array().map(|list| {
            let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        match texts.flatten() {
            Some(texts) => Ok(Some(texts)),
            None => fault(
                start(item).or(self.place(key)),
                format!("'{key}' must be a list of strings"),
            ),
        }
    }

    fn inner(&self, key: &str) -> Read<Option<&dyn TableLike>> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        match item.as_table_like() {
            Some(table) => Ok(Some(table)),
            None => fault(
                start(item),
                format!("'{key}' must be a table: {key} = {{ … }}"),
            ),
        }
    }

    /// Returns the position of a key.
    fn place(&self, key: &str) -> Option<usize> {
        let place = self.table.key(key).and_then(Key::span);
        place.map(|span| span.start).or(self.at)
    }

    fn refused(&self, error: &skillc_core::Error) -> CaseFault {
        CaseFault {
            at: self.at,
            message: error.message(),
        }
    }

    fn unknown(&self, what: &str, name: &str, near: Option<String>) -> CaseFault {
        let near = near.map(|near| format!("; did you mean '{near}'?"));
        CaseFault {
            at: self.place(what),
            message: format!("unknown {what} '{name}'{}", near.unwrap_or_default()),
        }
    }
}
