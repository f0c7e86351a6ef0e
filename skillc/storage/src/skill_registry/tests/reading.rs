//! Queries of a registry.

use super::*;

fn described(name: &str, description: &str, capabilities: &[&str]) -> SkillRow {
    SkillRow {
        description: description.into(),
        capabilities: capabilities.iter().map(|&text| text.into()).collect(),
        ..skill(name)
    }
}

/// Creates an in-memory registry with these rows.
fn registry_with(rows: Vec<SkillRow>) -> SkillRegistry {
    let mut registry = SkillRegistry::in_memory().unwrap();
    Disk::with(rows).sync(&mut registry).unwrap();
    registry
}

fn some() -> SkillRegistry {
    registry_with(vec![
        described("deploy", "Rolls out to 100% of users", &["read", "write"]),
        described("grep-a_b", "Finds TEXT in files", &["readwrite"]),
        described("tier1", "Überblick; C:\\dir", &[]),
        described(
            "zeta",
            "ΣΟΦΌΣ, 🦀 and \"quotes\"",
            &["Read", "a\"b", "c\\d", "%"],
        ),
    ])
}

fn found(registry: &SkillRegistry, search: &str, capability: &str) -> String {
    let rows = registry.list(SkillFilter {
        search: Some(search),
        capability: Some(capability),
    });
    let names: Vec<String> = rows.unwrap().into_iter().map(|row| row.name).collect();
    names.join(",")
}

/// REG-READ.1.
#[test]
fn a_skill_is_its_whole_row_with_capabilities_decoded() {
    let (_place, registry) = registry(&["a", "b"]);
    let row = registry.skill("b").unwrap().unwrap();
    let expected = SkillRow {
        loaded_at: "2026-01-31T08:15:00.123Z".into(),
        ..skill("b")
    };
    assert_eq!(row, expected);
    assert_eq!(row.capabilities, ["read", "write"]);
    assert_eq!(row.source_path, ".agents/skills/b/SKILL.md");
}

/// REG-READ.1: every listed row can be found by its name.
#[test]
fn every_row_can_be_found_by_name() {
    let registry = some();
    for row in registry.list(SkillFilter::default()).unwrap() {
        assert_eq!(registry.skill(&row.name).unwrap(), Some(row));
    }
}

/// REG-READ.2.
#[test]
fn an_unknown_empty_or_blank_name_finds_nothing() {
    let registry = registry_with(vec![skill("a"), skill(""), skill(" ")]);
    for name in ["b", "A", "a ", "%", "", " ", "\t\n"] {
        assert_eq!(registry.skill(name).unwrap(), None, "{name:?}");
    }
}

/// REG-READ.3.
#[test]
fn without_a_filter_all_rows_come_bytewise_by_name() {
    let registry = registry_with(["b", "a-b", "a", "B", "é", "a0", "ab"].map(skill).to_vec());
    assert_eq!(names(&registry), "B,a,a-b,a0,ab,b,é");
}

/// REG-READ.4.
#[test]
fn a_search_matches_substrings_of_name_or_description_in_any_case() {
    let registry = some();
    for (search, expected) in [
        ("deploy", "deploy"),
        ("rolls out", "deploy"),
        ("IN FILES", "grep-a_b"),
        ("TIER", "tier1"),
        ("überBLICK", "tier1"),
        ("ÜBER", "tier1"),
        ("σοφός", "zeta"),
        ("σοφόσ", "zeta"),
        ("e", "deploy,grep-a_b,tier1,zeta"),
        ("nothing like it", ""),
        ("", "deploy,grep-a_b,tier1,zeta"),
        ("  ", ""),
    ] {
        assert_eq!(found(&registry, search, ""), expected, "{search:?}");
    }
}

/// REG-READ.5.
#[test]
fn wildcards_quotes_and_emoji_are_literal() {
    let registry = some();
    for (search, expected) in [
        ("100%", "deploy"),
        ("1%0", ""),
        ("%", "deploy"),
        ("a_b", "grep-a_b"),
        ("_", "grep-a_b"),
        ("r_lls", ""),
        ("\\", "tier1"),
        ("c:\\d", "tier1"),
        ("\"Quotes\"", "zeta"),
        ("'", ""),
        ("🦀", "zeta"),
        ("🦁", ""),
        ("' OR 1=1 --", ""),
        ("*", ""),
        ("?1", ""),
    ] {
        assert_eq!(found(&registry, search, ""), expected, "{search:?}");
    }
}

/// REG-READ.6, REG-READ.7.
#[test]
fn a_capability_matches_whole_elements_case_sensitively() {
    let registry = some();
    for (capability, expected) in [
        ("read", "deploy"),
        ("readwrite", "grep-a_b"),
        ("Read", "zeta"),
        ("READ", ""),
        ("write", "deploy"),
        ("a\"b", "zeta"),
        ("c\\d", "zeta"),
        ("%", "zeta"),
        ("r%", ""),
        ("[]", ""),
        ("", "deploy,grep-a_b,tier1,zeta"),
    ] {
        assert_eq!(found(&registry, "", capability), expected, "{capability:?}");
    }
}

/// REG-READ.6: capabilities that look like numbers or JSON keywords are still text.
#[test]
fn capabilities_are_compared_as_texts() {
    let registry = registry_with(vec![described(
        "a",
        "",
        &["1", "true", "null", "1.0", "[1]", "n\0l"],
    )]);
    for (capability, expected) in [
        ("1", "a"),
        ("1.0", "a"),
        ("01", ""),
        ("1.00", ""),
        ("true", "a"),
        ("null", "a"),
        ("[1]", "a"),
        ("n", ""),
        ("n\0l", "a"),
    ] {
        assert_eq!(found(&registry, "", capability), expected, "{capability:?}");
    }
}

/// REG-READ.8.
#[test]
fn both_conditions_must_hold() {
    let registry = some();
    assert_eq!(found(&registry, "rolls", "read"), "deploy");
    assert_eq!(found(&registry, "rolls", "readwrite"), "");
    assert_eq!(found(&registry, "nothing", "read"), "");
}

/// REG-READ.9.
#[test]
fn reading_writes_nothing() {
    let (place, registry) = registry(&["a", "b"]);
    drop(registry);
    let before = place.files();
    let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    registry.skill("a").unwrap();
    assert_eq!(found(&registry, "does", "read"), "a,b");
    registry.sources().unwrap();
    drop(registry);
    assert!(place.files() == before);
    // Even a registry that is open for writing writes nothing when it is read.
    let registry = SkillRegistry::open(&place.db).unwrap();
    assert_eq!(found(&registry, "does", "read"), "a,b");
    drop(registry);
    assert!(place.files() == before);
}

#[test]
fn a_reader_does_not_create_a_missing_file() {
    let place = TempDatabase::new();
    assert!(SkillRegistry::open_to_read(&place.db).unwrap().is_none());
    assert!(!place.folder().exists());
    place.make_folder();
    std::fs::write(&place.db, "").unwrap();
    assert!(SkillRegistry::open_to_read(&place.db).unwrap().is_none());
    assert_eq!(std::fs::read(&place.db).unwrap(), b"");
}
