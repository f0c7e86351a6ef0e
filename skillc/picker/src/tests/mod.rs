//! Tests the picker without a terminal, with key events as input and a rendered screen as output.

#[cfg(target_os = "linux")]
mod panics;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use skillc_core::Context;
use skillc_core::context::SystemClock;
use skillc_ops::catalog::model::Switches;
use skillc_ops::catalog::model::{Catalog, CatalogEntry, Scope};
use skillc_ops::catalog::settings;
use skillc_ops::catalog::write::Turn;
use tempfile::TempDir;

use crate::model::{Model, Press, Step, Told};
use crate::{lines, text, view};

/// Creates a working directory and a home directory with these skills. Each skill is given by scope, name and
/// description.
fn skills(all: &[(Scope, &str, &str)]) -> (TempDir, Vec<CatalogEntry>) {
    let dir = tempfile::tempdir().expect("a directory");
    let (home, cwd) = (dir.path().join("home"), dir.path().join("work"));
    fs::create_dir_all(cwd.join(".git")).expect("it is made");
    fs::create_dir_all(&home).expect("it is made");
    let mut off = String::new();
    for (scope, name, description) in all {
        let place = match scope {
            Scope::Repo => &cwd,
            Scope::User => &home,
        };
        let skill = place.join(".agents/skills").join(name);
        fs::create_dir_all(&skill).expect("it is made");
        let text =
            format!("---\nname: {name}\ndescription: \"{description}\"\n---\n\n# About {name}\n");
        fs::write(skill.join("SKILL.md"), text).expect("it is written");
        if description.contains("(off)") {
            off += &format!("[[skills.override]]\nname = \"{name}\"\nenabled = false\n");
        }
    }
    let config = home.join(".skillc/config.toml");
    fs::create_dir_all(config.parent().expect("a folder")).expect("it is made");
    fs::write(config, format!("version = 1\n{off}")).expect("it is written");
    let context = Context::new(cwd, Some(home), BTreeMap::new(), Arc::new(SystemClock));
    let context = context.expect("a context");
    let catalog = Catalog::scan(&context, settings(&context).0);
    (dir, catalog.skills().to_vec())
}

fn some() -> (TempDir, Vec<CatalogEntry>) {
    skills(&[
        (
            Scope::Repo,
            "draft-release",
            "Draft release notes from commits",
        ),
        (Scope::Repo, "old-helper", "Help with what is old (off)"),
        (
            Scope::User,
            "review",
            "Look at a change before it is merged",
        ),
    ])
}

/// Renders a model on a screen of a given size.
fn drawn(model: &Model, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
    let lines = lines(model.meant().map(|entry| entry.path.as_str()));
    let drawn = terminal.draw(|frame| view::draw(frame, model, &lines));
    text(drawn.expect("a picture").buffer)
}

fn names(model: &Model) -> Vec<&str> {
    model.shown().map(|entry| entry.name.as_str()).collect()
}

fn typed(model: &mut Model, text: &str) {
    for c in text.chars() {
        assert_eq!(model.press(Press::Type(c)), Step::Stay);
    }
}

/// CAT-PICK.1, CAT-PICK.5.
#[test]
fn each_skill_has_a_mark_a_scope_a_name_and_a_description() {
    let (_dir, entries) = some();
    let picture = drawn(&Model::new(entries, "", None), (80, 24));
    let lines: Vec<&str> = picture.lines().collect();
    assert_eq!(
        lines[0],
        "Skills  scope=all  enabled=2/3  query=_  (type to filter)"
    );
    for line in [
        "> * repo  draft-release  Draft release notes from commits",
        "  x repo  old-helper     Help with what is old (off)",
        "  * user  review         Look at a change before it is merged",
    ] {
        assert!(lines.contains(&line), "{picture}");
    }
    assert!(picture.contains("draft-release/SKILL.md "), "{picture}");
    assert!(lines.contains(&"# About draft-release"), "{picture}");
    let keys = "Up/Down move  PgUp/PgDn text  Tab scope  Space on/off  Enter choose  Esc leave";
    assert_eq!(lines[23], keys);
}

/// CAT-PICK.2.
#[test]
fn typing_filters_names_descriptions_and_paths_in_any_case() {
    let (_dir, entries) = some();
    let mut model = Model::new(entries, "", None);
    for (query, wanted) in [
        ("DRAFT", &["draft-release"][..]),
        ("Merged", &["review"]),
        ("home/.agents", &["review"]),
        ("elease not", &["draft-release"]),
        ("e", &["draft-release", "old-helper", "review"]),
    ] {
        model.press(Press::Clear);
        typed(&mut model, query);
        assert_eq!(names(&model), wanted, "{query}");
    }
    model.press(Press::Erase);
    assert_eq!(model.query(), "");
}

/// CAT-PICK.3, CAT-PICK.5.
#[test]
fn tab_cycles_through_all_project_and_user_scope() {
    let (_dir, entries) = some();
    let mut model = Model::new(entries, "", None);
    for (scope, count) in [("repo", 2), ("user", 1), ("all", 3)] {
        model.press(Press::NextScope);
        assert_eq!(names(&model).len(), count);
        let header = format!("scope={scope}  enabled=2/3");
        assert!(drawn(&model, (80, 24)).contains(&header));
    }
}

/// CAT-PICK.4.
#[test]
fn toggling_requests_the_opposite_state() {
    let (_dir, entries) = some();
    let mut model = Model::new(entries, "", None);
    assert_eq!(model.press(Press::Switch), Step::Switch(0, Turn::Off));
    assert_eq!(model.press(Press::Down(1)), Step::Stay);
    assert_eq!(model.press(Press::Switch), Step::Switch(1, Turn::On));
    model.follow(&Switches::default());
    assert_eq!(model.enabled(), (3, 3));
    model.told = Some(Told::Done("old-helper is enabled".to_owned()));
    let picture = drawn(&model, (80, 24));
    assert!(picture.contains("* repo  old-helper"), "{picture}");
    assert!(picture.ends_with("\nold-helper is enabled"), "{picture}");
}

/// CAT-PICK.8.
#[test]
fn no_matches_are_reported_and_cannot_be_chosen() {
    let (_dir, entries) = some();
    let mut model = Model::new(entries, "zzz", None);
    assert!(drawn(&model, (80, 24)).contains("\n(no skills matched)\n"));
    for press in [
        Press::Choose,
        Press::Switch,
        Press::Last,
        Press::Down(9),
        Press::Forth,
    ] {
        assert_eq!(model.press(press), Step::Stay, "{press:?}");
    }
    let mut model = Model::new(Vec::new(), "", None);
    assert!(drawn(&model, (80, 24)).contains("enabled=0/0"));
    assert_eq!(model.press(Press::Choose), Step::Stay);
    assert_eq!(model.press(Press::Leave), Step::Leave);
}

/// CAT-PICK.6.
#[test]
fn the_selected_skill_is_chosen_and_stays_selected_while_typing() {
    let (_dir, entries) = some();
    let mut model = Model::new(entries, "", None);
    model.press(Press::Last);
    assert_eq!(model.press(Press::Choose), Step::Choose(2));
    typed(&mut model, "re");
    assert_eq!(names(&model), ["draft-release", "review"]);
    assert_eq!(model.press(Press::Choose), Step::Choose(2));
    model.press(Press::First);
    assert_eq!(model.press(Press::Choose), Step::Choose(0));
    model.press(Press::Up(1));
    assert_eq!(model.at(), 0);
}

#[test]
fn any_size_and_any_text_can_be_rendered() {
    let all: Vec<_> = (0..300).map(|n| format!("skill-{n}")).collect();
    let mut many = vec![(
        Scope::User,
        "evil",
        "\\u202Eevil \\x1b[31mred 漢字漢字 🎉 é\\u0301 a\\nb",
    )];
    let more = all
        .iter()
        .map(|name| (Scope::Repo, name.as_str(), "One of many"));
    many.extend(more);
    let (_dir, entries) = skills(&many);
    assert_eq!(entries.len(), 301);
    let mut model = Model::new(entries, "", None);
    for size in [(80, 24), (200, 60), (20, 6), (3, 3), (1, 1), (80, 2)] {
        for press in [Press::Last, Press::Up(150), Press::First] {
            model.press(press);
            let picture = drawn(&model, size);
            let is_harmless = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
            assert!(picture.chars().all(is_harmless), "{picture:?}");
        }
    }
    model.press(Press::Last);
    let picture = drawn(&model, (80, 24));
    assert!(picture.contains("301 of 301"), "{picture}");
    assert!(picture.contains("> * user  evil"), "{picture}");
    assert!(picture.contains("漢字漢字 🎉"), "{picture}");
}
