//! For each code of the catalog, the skill registry and the picker, a run that produces it.

use std::fs;

use skillc_tests::{Output, World};

use crate::PROGRAM;
use crate::code_cases::{Given, Way};

/// The runs that produce these codes.
pub(crate) const WAYS: &[(&str, Way)] = &[
    ("E060", ambiguous_name),
    ("E061", path_not_in_catalog),
    ("E062", permission_denied),
    ("E063", confirmation_needed),
    ("E064", skill_disabled),
    ("E065", skills_disabled),
    ("E066", registry_unusable),
    ("E067", no_terminal),
    ("W060", many_definitions),
    ("W061", catalog_skipped),
    ("W062", root_missing),
    ("W064", catalog_truncated),
    ("W065", names_differ),
];

/// Creates a project with the skill `demo` and this configuration.
fn configured(text: &str) -> World {
    let world = World::demo(&[]);
    fs::write(world.cwd.join(".skillc/config.toml"), text).expect("a file");
    world
}

/// Creates a project with two skills of the same name; also returns the path of the skill that takes precedence.
fn twins() -> (World, String) {
    let world = World::demo(&[]);
    world.global_skill("demo", &[]);
    let first = world.demo_source().join("SKILL.md");
    (world, first.display().to_string())
}

fn given(output: Output, line: impl Into<String>) -> Given {
    (output, line.into())
}

fn ambiguous_name() -> Given {
    given(
        twins().0.skc(["catalog", "load", "demo"]),
        "error[E060]: ambiguous skill name 'demo': 2 candidates",
    )
}

fn path_not_in_catalog() -> Given {
    given(
        World::demo(&[]).skc(["catalog", "load", "./elsewhere"]),
        "error[E061]: path not in catalog: './elsewhere'",
    )
}

fn permission_denied() -> Given {
    given(
        configured("[permissions]\ndefault = \"deny\"\n").skc(["catalog", "load", "demo"]),
        "error[E062]: permission denied for skill 'demo'",
    )
}

fn confirmation_needed() -> Given {
    given(
        configured("[permissions]\ndefault = \"confirm\"\n").skc(["catalog", "load", "demo"]),
        "error[E063]: confirmation needed for skill 'demo'; use --yes or run 'skc catalog allow demo'",
    )
}

fn skill_disabled() -> Given {
    let world = World::demo(&[]);
    world.skc(["catalog", "disable", "demo"]).success();
    given(
        world.skc(["catalog", "load", "demo"]),
        "error[E064]: skill 'demo' is disabled",
    )
}

fn skills_disabled() -> Given {
    given(
        configured("[skills]\nenabled = false\n").skc(["catalog", "load", "demo"]),
        "error[E065]: skills are disabled by configuration",
    )
}

fn registry_unusable() -> Given {
    let world = World::demo(&[]);
    fs::write(world.cwd.join("x.db"), "not a database").expect("a file");
    let path = world.cwd.join("x.db");
    given(
        world.skc(["registry", "list", "--db", "x.db"]),
        format!("error[E066]: registry unusable: '{}…", path.display()),
    )
}

fn no_terminal() -> Given {
    let world = World::demo(&[]);
    let output = world.process(PROGRAM, &["catalog", "pick"]).output();
    given(
        Output::new(output.expect("should run")),
        "error[E067]: the picker needs a terminal",
    )
}

fn many_definitions() -> Given {
    let (world, first) = twins();
    given(
        world.skc(["registry", "sync"]),
        format!("warning[W060]: skill name 'demo' has 2 definitions; registry uses '{first}'"),
    )
}

fn catalog_skipped() -> Given {
    let world = World::demo(&[("SKILL.md", "# No frontmatter\n")]);
    let path = world.demo_source().join("SKILL.md");
    given(
        world.skc(["registry", "sync"]),
        format!(
            "warning[W061]: skill skipped: '{}': no frontmatter",
            path.display()
        ),
    )
}

fn root_missing() -> Given {
    given(
        World::new().skc(["registry", "sync"]),
        "warning[W062]: skills root missing: '…",
    )
}

fn catalog_truncated() -> Given {
    let world = configured("[catalog]\nmax_dirs = 1\n");
    world.project_skill("other", &[]);
    given(
        world.skc(["catalog", "list"]),
        "warning[W064]: catalog truncated at '…",
    )
}

fn names_differ() -> Given {
    let world = configured("[catalog]\nname_mismatch = \"warn\"\n");
    let path = world.project_skill("other", &[]).join("SKILL.md");
    given(
        world.skc(["catalog", "list"]),
        format!(
            "warning[W065]: 1 skill name(s) differ from their directory, for example '{}'",
            path.display()
        ),
    )
}
