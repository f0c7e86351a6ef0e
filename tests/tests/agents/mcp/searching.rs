//! `skill_search`: matches and limits.

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::Era;

use crate::mcp::catalog::{names, world};
use crate::mcp::of_catalog::{agents, client_of, code, data, error, skill};

/// CAT-SEARCH.11, CAT-PROTO.8.
#[test]
fn acceptance_4_a_search_for_release_finds_names_and_descriptions() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let result = client.call("skill_search", &json!({"query": "release"}));
        let found = data(&result);
        let mut said = names(&found["results"]);
        said.sort_unstable();
        assert_eq!(said, ["draft-notes", "tagging"]);
        assert_eq!(
            (&found["count"], &found["truncated"]),
            (&json!(2), &json!(false))
        );
        assert_eq!(found["results"][0]["reason"], "token_overlap");
        let result = client.call("skill_search", &json!({"query": "release", "limit": 1}));
        assert_eq!(data(&result)["truncated"], true);
        let result = client.call(
            "skill_search",
            &json!({"query": "release", "scope": "user"}),
        );
        assert_eq!(names(&data(&result)["results"]), ["tagging"]);
    }
}

/// CAT-SEARCH.7, CAT-SEARCH.8: a too large limit is capped, other invalid values are errors.
#[test]
fn limit_and_scope_of_a_search_are_validated() {
    let world = World::project();
    for number in 0..60 {
        let name = format!("of-many-{number}");
        skill(&agents(&world.home), &name, "One of many");
    }
    let mut client = client_of(&world, Era::Stateless);
    for (limit, count) in [
        (Value::Null, 8),
        (json!(999), 50),
        (json!(3), 3),
        (json!(1e9), 50),
    ] {
        let arguments = json!({"query": "many", "limit": limit});
        let result = client.call("skill_search", &arguments);
        let found = data(&result);
        assert_eq!(
            (&found["count"], &found["truncated"]),
            (&json!(count), &json!(true))
        );
        assert_eq!(names(&found["results"]).len(), count);
    }
    for (key, value) in [
        ("limit", json!(0)),
        ("limit", json!(-1)),
        ("limit", json!(1.5)),
        ("limit", json!("3")),
        ("scope", json!("world")),
        ("scope", json!("")),
        ("scope", json!(1)),
    ] {
        let result = client.call("skill_search", &json!({"query": "many", key: value}));
        assert_eq!(code(&result), "INVALID_PARAMS", "{key} {value}");
        assert_eq!(error(&result)["details"]["issues"][0]["path"], json!([key]));
    }
    for scope in ["project", "repo"] {
        let result = client.call("skill_search", &json!({"query": "many", "scope": scope}));
        assert_eq!(data(&result)["count"], 0, "{scope}");
    }
}
