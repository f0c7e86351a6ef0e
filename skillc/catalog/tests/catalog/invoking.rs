//! Tests skills that only the user or only a model may invoke.

use skillc_catalog::text::skills_context;
use skillc_catalog::{
    Audience, Catalog, Invocation, Query, Refusal, Resend, Versions, Wanted, load, read_reference,
    reference, resolve, search,
};

use crate::support::{World, configure, skill, write};

/// A project with a skill `open`, a user-only skill `deploy`, a model-only skill `hook`, and a user-only skill `inner`
/// inside `open`.
fn world() -> World {
    let world = World::new();
    let skills = world.repo.join(".agents/skills");
    skill(skills.join("open"));
    restricted(&world, "deploy", "disable-model-invocation: true");
    restricted(&world, "hook", "user-invocable: false");
    restricted(&world, "open/inner", "disable-model-invocation: yes");
    world
}

fn restricted(world: &World, path: &str, field: &str) {
    let dir = world.repo.join(".agents/skills").join(path);
    let name = dir.file_name().expect("a name").display();
    let text = format!("---\nname: {name}\ndescription: Deploys things.\n{field}\n---\n# Body\n");
    write(&dir.join("SKILL.md"), &text);
}

fn names(catalog: &Catalog, audience: Audience) -> Vec<&str> {
    let visible = catalog.visible(audience);
    visible.map(|entry| entry.name.as_str()).collect()
}

fn found(catalog: &Catalog, text: &str, audience: Audience) -> Vec<String> {
    let query = Query {
        text: text.into(),
        audience,
        ..Query::default()
    };
    let found = search(catalog, &query).expect("a result");
    found.results.into_iter().map(|hit| hit.name).collect()
}

fn wanted(argument: &str, audience: Audience) -> Wanted {
    Wanted {
        audience,
        ..Wanted::argument(argument)
    }
}

#[test]
fn entries_say_who_may_invoke_them() {
    let world = world();
    let catalog = world.catalog();
    let of = |name| catalog.named(name)[0].invocation;
    assert_eq!(of("open"), Invocation::Anyone);
    assert_eq!(of("deploy"), Invocation::Person);
    assert_eq!(of("hook"), Invocation::Model);
    let json = |name| serde_json::to_value(catalog.named(name)[0]).expect("JSON");
    assert_eq!(json("deploy")["invocation"], "person");
    assert_eq!(json("hook")["invocation"], "model");
    assert!(json("open").get("invocation").is_none());
}

#[test]
fn user_only_skills_are_hidden_from_models() {
    let world = world();
    let catalog = world.catalog();
    assert_eq!(names(&catalog, Audience::Model), ["hook", "open"]);
    assert_eq!(
        names(&catalog, Audience::Person),
        ["deploy", "hook", "inner", "open"]
    );
    let told = skills_context(&catalog).expect("a block");
    assert_eq!((told.entries, told.left_out), (2, 0));
    assert!(!told.text.contains("deploy"), "{}", told.text);
    for query in ["deploy", "dep", "deploys", &catalog.named("deploy")[0].path] {
        let of_model = found(&catalog, query, Audience::Model);
        assert!(!of_model.contains(&"deploy".to_owned()), "{query}");
        let of_person = found(&catalog, query, Audience::Person);
        assert!(of_person.contains(&"deploy".to_owned()), "{query}");
    }
    assert_eq!(found(&catalog, "deploys", Audience::Model), ["hook"]);
    let listed = catalog.passed_on(Audience::Model).skills;
    assert!(listed.iter().all(|entry| entry.invocation.by_model()));
    assert_eq!(catalog.passed_on(Audience::Person).skills.len(), 4);
}

#[test]
fn a_model_cannot_load_a_user_only_skill_by_name_path_or_reference() {
    let world = world();
    let catalog = world.catalog();
    let deploy = catalog.named("deploy")[0];
    for argument in ["deploy", "$deploy", &deploy.path, &deploy.dir] {
        let refusal = resolve(&catalog, &wanted(argument, Audience::Model)).unwrap_err();
        let expected = Refusal::NotForModels {
            skill: "deploy".into(),
        };
        assert_eq!(refusal, expected, "{argument}");
        assert_eq!(refusal.code(), "PERMISSION_DENIED");
        let error = refusal.error();
        assert_eq!(error.code(), "E062");
        let hint = error.details().expect("a hint");
        assert!(hint.ends_with("skc catalog load deploy"), "{hint}");
        let resolved = resolve(&catalog, &wanted(argument, Audience::Person)).unwrap();
        assert_eq!(resolved.entry().name, "deploy");
    }
    let refusal = read_reference(&catalog, &reference(deploy)).unwrap_err();
    assert_eq!(refusal.code(), "PERMISSION_DENIED");
    assert!(resolve(&catalog, &wanted("hook", Audience::Model)).is_ok());
}

/// A server rescans at most once a second, so its catalog may be older than the file. The current content of the file
/// decides who may load the skill.
#[test]
fn a_skill_that_just_became_user_only_is_not_given_to_a_model() {
    let world = world();
    let catalog = world.catalog();
    restricted(&world, "open", "disable-model-invocation: true");
    let loaded = |audience| {
        let resolved = resolve(&catalog, &wanted("open", audience)).unwrap();
        let permitted = resolved.permitted().unwrap();
        load(&catalog, permitted, Resend::Always, &Versions::default())
    };
    let refused = Refusal::NotForModels {
        skill: "open".into(),
    };
    assert_eq!(loaded(Audience::Model).unwrap_err(), refused);
    assert!(loaded(Audience::Person).is_ok());
    let uri = reference(catalog.named("open")[0]);
    assert_eq!(read_reference(&catalog, &uri).unwrap_err(), refused);
}

#[test]
fn suggestions_to_a_model_are_limited_to_visible_skills() {
    let world = world();
    let catalog = world.catalog();
    let suggested = |audience| match resolve(&catalog, &wanted("deplyo", audience)) {
        Err(Refusal::Unknown { suggestions, .. }) => suggestions,
        other => panic!("{other:?}"),
    };
    assert_eq!(suggested(Audience::Model), [""; 0]);
    assert_eq!(suggested(Audience::Person), ["deploy"]);
}

#[test]
fn of_two_skills_with_one_name_a_model_gets_the_visible_one() {
    let world = world();
    skill(world.home.join(".agents/skills/deploy"));
    let catalog = world.catalog();
    let resolved = resolve(&catalog, &wanted("deploy", Audience::Model)).unwrap();
    assert!(resolved.entry().invocation.is_anyone());
    let refusal = resolve(&catalog, &wanted("deploy", Audience::Person)).unwrap_err();
    assert_eq!(refusal.code(), "AMBIGUOUS_NAME");
}

#[test]
fn a_rule_is_reported_before_the_field() {
    let world = world();
    let rule = "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"deploy\" }]\n";
    configure(&world.repo, rule);
    let catalog = world.catalog();
    let refusal = resolve(&catalog, &wanted("deploy", Audience::Model)).unwrap_err();
    assert!(matches!(refusal, Refusal::Denied { .. }), "{refusal:?}");
}

#[test]
fn files_of_a_nested_user_only_skill_are_listed_only_for_users() {
    let world = world();
    let catalog = world.catalog();
    let files = |audience| {
        let resolved = resolve(&catalog, &wanted("open", audience)).unwrap();
        let permitted = resolved.permitted().unwrap();
        let loaded = load(&catalog, permitted, Resend::Always, &Versions::default());
        loaded.unwrap().files
    };
    assert_eq!(files(Audience::Model), [""; 0]);
    let inner = &catalog.named("inner")[0].path;
    assert_eq!(files(Audience::Person), [inner.as_str()]);
    let outer = reference(catalog.named("open")[0]);
    let uri = outer.replace("SKILL.md", "inner/SKILL.md");
    assert_eq!(
        read_reference(&catalog, &uri).unwrap_err().code(),
        "PERMISSION_DENIED"
    );
}
