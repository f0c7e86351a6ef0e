//! A downstream build lints with its own rule as well as with the built-in ones.

mod program;

use std::fs;

use tempfile::TempDir;

use program::skc;

/// A temporary project with a skill that has additional lines in its frontmatter.
struct World {
    dir: TempDir,
}

impl World {
    fn new(more: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let world = Self { dir };
        let head = "name: tuning\ndescription: Settings. Use when tuning.\n";
        let text = format!("---\n{head}{more}---\n# Tuning\n");
        world.write(".skillc/skills/tuning/SKILL.md", &text);
        world
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.dir.path().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(file, text).expect("a file");
    }

    /// Runs a command that must succeed; returns its standard output.
    fn says(&self, args: &[&str]) -> String {
        let output = skc(args, self.dir.path());
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Lints the skill; returns the findings.
    fn findings(&self, args: &[&str]) -> String {
        let output = skc(&[&["lint", "tuning"], args].concat(), self.dir.path());
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    }
}

const NO_OWNER: &str = "metadata:\n  version: \"1\"\n";

#[test]
fn own_finding_is_shown_at_its_position_with_help() {
    let found = World::new(NO_OWNER).findings(&[]);
    for part in [
        "ACME001 acme-owner: the metadata names no owner\n",
        "SKILL.md:4:1\n",
        "4 | metadata:\n",
        "= help: write 'owner: <team>' below 'metadata'\n",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
}

#[test]
fn own_finding_is_in_json_output() {
    let said = World::new("").says(&["lint", "tuning", "--format", "json"]);
    let said: String = said.split_whitespace().collect();
    let finding = r#"{"rule":"ACME001","name":"acme-owner","code":"W300","severity":"warning","file":"SKILL.md","line":1,"column":1,"#;
    assert!(said.contains(finding), "{said}");
}

#[test]
fn own_finding_goes_away_when_fixed() {
    for (more, count) in [
        ("metadata:\n  owner: platform-team\n", 0),
        ("metadata:\n  owner: ' '\n", 1),
        ("metadata:\n  owner:\n", 1),
    ] {
        let found = World::new(more).findings(&["--select", "ACME"]);
        assert_eq!(found.matches("ACME001").count(), count, "{more}: {found}");
    }
}

#[test]
fn own_rule_is_listed_and_explained() {
    let world = World::new("");
    let listed = world.says(&["rules"]);
    let row = listed.lines().find(|line| line.contains("ACME001"));
    let row = row.expect("a row").split_whitespace().collect::<Vec<_>>();
    let row = row.join(" ");
    assert!(
        row.contains("acme-owner")
            && row.contains("Reports a skill whose metadata does not name an owner"),
        "{row}"
    );
    let page = world.says(&["explain", "ACME001"]);
    for part in [
        "acme-owner",
        "Acme's rules for skills",
        "owner: platform-team",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn own_rule_can_be_disabled_by_option_and_by_configuration() {
    let world = World::new(NO_OWNER);
    assert_ne!(world.findings(&[]), "");
    let selectors = ["ACME001", "acme-owner", "ACME"];
    for selector in selectors {
        assert_eq!(world.findings(&["--ignore", selector]), "", "{selector}");
    }
    for selector in selectors {
        let config = format!("[lint.rules]\n{selector} = \"off\"\n");
        world.write(".skillc/config.toml", &config);
        assert_eq!(world.findings(&[]), "", "{selector}");
    }
}
