//! Tests of the reference graph, with skills on disk.

use std::fs;
use std::path::Path;

use super::*;
use crate::skill::Skill;
use crate::testkit::{context, write_files};

const HEAD: &str = "---\nname: demo\ndescription: A demo.\n---\n\n# Demo\n\n";

/// Creates the skill `demo` with a body and files, and reads the skill.
fn skill(body: &str, files: &[&str]) -> (tempfile::TempDir, Skill) {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", &format!("{HEAD}{body}"))]);
    for file in files {
        write_files(&dir, &[(file, "# File\n")]);
    }
    let read = read(&dir);
    (root, read)
}

fn read(dir: &Path) -> Skill {
    let context = context(dir, &dir.join("home"));
    Skill::read(crate::resolve(&context, ".").unwrap()).unwrap()
}

/// Returns the target of each reference in `SKILL.md`.
fn targets(skill: &Skill) -> Vec<String> {
    let main = &skill.main().unwrap().path;
    let of = |reference: &Reference| match &reference.target {
        Target::Elsewhere => "elsewhere".to_owned(),
        Target::Placeholder(_) => "placeholder".to_owned(),
        Target::File(path) => format!("file {path}"),
        Target::Directory(path) => format!("dir {path}"),
        Target::Glob(pattern) => format!("glob {}", pattern.as_str()),
        Target::Missing(path) => format!("missing {path}"),
        Target::Outside => "outside".to_owned(),
    };
    skill
        .references()
        .in_document(main)
        .iter()
        .map(of)
        .collect()
}

#[track_caller]
fn assert_targets(body: &str, files: &[&str], expected: &[&str]) {
    let (_root, skill) = skill(body, files);
    assert_eq!(targets(&skill), expected, "{body}");
}

/// Returns the paths of the reachable documents other than `SKILL.md`.
fn reached(skill: &Skill, follow: Follow) -> Vec<&str> {
    let documents = skill.documents().filter(|doc| !skill.is_main(doc));
    let reached = documents.filter(|doc| skill.references().is_reachable(&doc.path, follow));
    reached.map(|doc| doc.path.as_str()).collect()
}

/// C-REGISTRY.18, D-LINK-SCOPE, F-43.
#[test]
fn links_of_every_kind_resolve_to_files_directories_or_nothing() {
    assert_targets(
        "[x](a.md) ![i](b/i.png?raw=1) [y][r]\n\n[r]: <b/c d.md>\n",
        &["a.md", "b/i.png", "b/c d.md"],
        &["file a.md", "file b/i.png", "file b/c d.md"],
    );
    assert_targets(
        "[x](b) [y](b/) [z](./b/../a%20b.md)\n",
        &["a b.md", "b/c.md"],
        &["dir b", "dir b", "file a b.md"],
    );
    assert_targets("[x](a%20b.md)\n", &["a%20b.md"], &["file a%20b.md"]);
    assert_targets(
        "[x](gone.md#y) <https://a.b> <me@x.com> [t](tel:+1) [r](/etc)\n",
        &[],
        &[
            "missing gone.md",
            "elsewhere",
            "elsewhere",
            "elsewhere",
            "elsewhere",
        ],
    );
    assert_targets(
        "[x](#demo) []() [x](.hidden)\n",
        &[".hidden"],
        &["file SKILL.md", "elsewhere", "file .hidden"],
    );
}

/// C-REGISTRY.20, F-47.
#[test]
fn a_link_out_of_the_skill_is_outside_whether_or_not_it_exists() {
    assert_targets(
        "[x](../demo/a.md) [y](b/../../gone.md) [z](../)\n",
        &["a.md"],
        &["outside", "outside", "outside"],
    );
}

/// F-05, F-47.
#[cfg(unix)]
#[test]
fn a_link_through_an_outside_symlink_is_outside() {
    let (root, _) = skill("", &[]);
    let dir = root.path().join("demo");
    fs::write(root.path().join("secret.md"), "# Secret\n").unwrap();
    std::os::unix::fs::symlink("../secret.md", dir.join("s.md")).unwrap();
    std::os::unix::fs::symlink("..", dir.join("up")).unwrap();
    fs::write(
        dir.join("SKILL.md"),
        format!("{HEAD}[x](s.md#secret) [y](up/secret.md) [z](up)\n"),
    )
    .unwrap();
    assert_eq!(targets(&read(&dir)), ["outside"; 3]);
}

#[test]
fn placeholders_are_resolved_only_below_the_root() {
    assert_targets(
        "[x]({baseDir}/a.md) [y](${CLAUDE_SKILL_DIR}/b/gone.md) [z](b/<x>.md) [w]({x}/a.md)\n",
        &["a.md"],
        &[
            "file a.md",
            "missing b/gone.md",
            "placeholder",
            "placeholder",
        ],
    );
}

#[test]
fn words_that_are_exactly_a_path_are_mentions() {
    for body in [
        "Read b/c.md.",
        "Read (b/c.md), then",
        "`b/c.md`",
        "`cat b/c.md | wc`",
        "**b/c.md**: more",
        "./b/c.md",
        "b/c.md#part",
        "b/c.md:12",
        "\"b/c.md\"",
        "--file=b/c.md",
        "<a href=\"b/c.md\">",
        "<a\nhref='b/%63.md?x=1'>",
        "<img src=b/c.md#x>",
        "<workflow>\nRead [it](b/c.md) first\n</workflow>",
        "_b/c.md_ and",
        "~~b/c.md~~ and",
        "{ref: b/c.md}",
        "x=b/c.md&y=1",
        "\"b/c.md\\n\"",
        "<!-- see b/c.md -->",
        "```\ncat b/c.md\n```",
        "x.md,b/c.md",
        "{baseDir}/b/c.md",
        "~/.claude/skills/demo/b/c.md",
        "demo/b/c.md",
        "@b/c.md",
        "[[b/c]]",
        "[[c|the c]]",
        "![[c.md]]",
        "请阅读b/c.md文件。",
        "参考：b/c.md。",
        "→b/c.md",
    ] {
        assert_targets(body, &["b/c.md"], &["file b/c.md"]);
    }
    assert_targets(
        "见资料/指南.md吧",
        &["资料/指南.md"],
        &["file 资料/指南.md"],
    );
    assert_targets(
        "`c d.md` `b`",
        &["c d.md", "b/x.md"],
        &["file c d.md", "dir b"],
    );
    assert_targets(
        "in b/ and b/*.md and `b/{x,y}.md`",
        &["b/x.md"],
        &["dir b", "glob b/*.md", "glob b/{x,y}.md"],
    );
}

#[test]
fn inexact_paths_are_not_mentions() {
    for body in [
        "xb/c.md",
        "<a href=\"../b/c.md\">",
        "b/c.mdx",
        "b",
        "https://x.y/b/c.md",
        "other/b/c.md",
        "./",
        "`.`",
        "*.*",
        "`[x](b/c.md)`",
        "```\n[x](b/c.md)\n```",
    ] {
        assert_targets(body, &["b/c.md"], &[]);
    }
}

#[test]
fn a_path_clearly_meant_for_a_file_of_the_skill_can_be_missing() {
    let files = ["b/c.md", "forms.md", "scripts/run.py", "README.md"];
    for (body, missing) in [
        ("See references/x.md.", "missing references/x.md"),
        ("`python scripts/ran.py --fast`", "missing scripts/ran.py"),
        ("```sh\nbash ./scripts/x.sh\n```", "missing scripts/x.sh"),
        ("`${CLAUDE_SKILL_DIR}/lib/x.py`", "missing lib/x.py"),
        ("`~/.claude/skills/demo/lib/x.py`", "missing lib/x.py"),
        ("See FORMS.md.", "missing FORMS.md"),
        ("`Forms.md`", "missing Forms.md"),
        ("See B/c.md.", "missing B/c.md"),
        ("请看references/x.md吧", "missing references/x.md"),
        ("`Scripts/run.py`", "missing Scripts/run.py"),
    ] {
        assert_targets(body, &files, &[missing]);
    }
    for body in [
        "x.md and lib/x.py",
        "scripts/x",
        "references/",
        "references/*.md",
        "references/{name}.md",
        "../scripts/x.py",
        "other/scripts/x.py",
        "readme.md",
        "Node.JS",
        "Forms.js",
    ] {
        assert_targets(body, &files, &[]);
    }
}

#[test]
fn missing_files_are_listed_up_to_a_bound() {
    let body: String = (0..150)
        .map(|n| format!("scripts/run-{n}.py"))
        .collect::<Vec<_>>()
        .join("\n");
    let missing: Vec<String> = (0..100)
        .map(|n| format!("missing scripts/run-{n}.py"))
        .collect();
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    assert_targets(&body, &[], &missing);
}

#[test]
fn a_name_without_its_folder_is_a_mention_if_one_file_has_it() {
    let files = ["b/c.md", "d/limits.md", "e/limits.md", "e/index.md"];
    assert_targets("see c.md", &files, &["file b/c.md"]);
    assert_targets("<a href=\"c.md\">", &files, &["file b/c.md"]);
    assert_targets("see `c.md`.", &files, &["file b/c.md"]);
    assert_targets("see limits.md, index.md and c", &files, &[]);
}

/// C-REGISTRY.21.
#[test]
fn links_and_mentions_make_files_reachable_transitively() {
    let (root, _) = skill(
        "[a](a.md) and `b.md`\n",
        &[
            "alone.md",
            "d/e.md",
            "sub/SKILL.md",
            "sub/g.md",
            "sub/h/i.md",
        ],
    );
    let dir = root.path().join("demo");
    write_files(
        &dir,
        &[
            ("a.md", "[c](c.md) [self](a.md)\n"),
            ("c.md", "[a](a.md)\n"),
            ("b.md", "see d/\n"),
            ("sub/SKILL.md", "`g.md`\n"),
            ("sub/g.md", "sub/h/i.md\n"),
        ],
    );
    let skill = read(&dir);
    assert_eq!(
        reached(&skill, Follow::All),
        [
            "a.md",
            "b.md",
            "c.md",
            "d/e.md",
            "sub/SKILL.md",
            "sub/g.md",
            "sub/h/i.md"
        ]
    );
    assert_eq!(
        reached(&skill, Follow::Links),
        ["a.md", "c.md", "sub/SKILL.md"]
    );
}

/// A slash between two words does not refer to a folder, not even to the document's own folder.
#[test]
fn a_slash_between_words_is_not_a_folder_mention() {
    let (root, _) = skill("[a](r/a.md)\n", &["r/b.md"]);
    let dir = root.path().join("demo");
    write_files(&dir, &[("r/a.md", "this / that ./ . ... // /. `/`\n")]);
    assert_eq!(reached(&read(&dir), Follow::All), ["r/a.md"]);
}

#[test]
fn directories_globs_and_placeholders_cover_what_is_in_them() {
    let files = ["r/a.md", "r/b/c.md", "r-2/d.md", "e.md"];
    for (body, expected) in [
        ("[x](r/)", vec!["r/a.md", "r/b/c.md"]),
        ("r/", vec!["r/a.md", "r/b/c.md"]),
        ("r/*.md", vec!["r/a.md"]),
        ("r/**/*.md", vec!["r/a.md", "r/b/c.md"]),
        ("`r/{topic}.md`", vec!["r/a.md"]),
        ("[x](r/{topic}.md)", vec!["r/a.md"]),
        ("r/<topic>.md", vec!["r/a.md", "r/b/c.md"]),
        ("[x](.)", vec![]),
    ] {
        let (_root, skill) = skill(body, &files);
        assert_eq!(reached(&skill, Follow::All), expected, "{body}");
    }
}

/// C-REGISTRY.19, D-ANCHORS.
#[test]
fn fragments_are_looked_up_in_markdown_only() {
    use Anchor::{Missing, Present, Unchecked};
    let (_root, skill) = skill(
        "# Part\n[a](#part) [b](#gone) [c](a.md#file) [d](a.md#gone) [e](x.py#gone) [f](gone.md#x)\n",
        &["a.md", "x.py"],
    );
    let anchors: Vec<Anchor> = skill
        .references()
        .in_document(&skill.main().unwrap().path)
        .iter()
        .map(|reference| reference.anchor)
        .collect();
    assert_eq!(
        anchors,
        [Present, Missing, Present, Missing, Unchecked, Unchecked]
    );
}

/// C-REGISTRY.18: a reference is located at its link definition, no matter how many links use the definition.
#[test]
fn a_reference_counts_once_at_its_definition() {
    let text = "[one][r] [two][r] [r] ![i][R]\n\n[r]: gone.md \"r\"\n";
    let (_root, skill) = skill(text, &[]);
    let main = skill.main().unwrap();
    let found = skill.references().in_document(&main.path);
    assert_eq!(found.len(), 1, "{found:?}");
    let at = &main.text[found[0].span.start..];
    assert!(at.starts_with("gone.md \"r\""), "{at}");
}

/// C-REGISTRY.19.
#[test]
fn a_tag_over_several_lines_has_its_anchor() {
    let (_root, skill) = skill("[x](#here)\n\n<div\n  id=\"here\">\n", &[]);
    let main = skill.main().unwrap();
    let found = skill.references().in_document(&main.path);
    assert_eq!(found[0].anchor, Anchor::Present);
}

/// Each string with a glob or a placeholder is matched against every file, so the number of such strings is bounded.
#[test]
fn excessive_globs_are_tried_up_to_the_bound() {
    let files: Vec<String> = (0..1_000).map(|at| format!("d/{at}.md")).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let globs: Vec<String> = (0..100_000)
        .map(|at| format!("[a](d/x{{y}}n{at}<i>.md) z{at}/*.md"))
        .collect();
    let (root, _) = skill(&globs.join(" "), &names);
    let dir = root.path().join("demo");
    for name in &names {
        write_files(&dir, &[(name, "q*/{a}.md r*/<b>.md s*/*.md\n")]);
    }
    assert_eq!(reached(&read(&dir), Follow::All), [""; 0]);
}

/// The maximum number of identical mentions that are kept.
const MAX_SAME: usize = 100;

/// Time is linear in the size of malformed input.
#[test]
fn long_targets_many_links_and_many_words_are_read() {
    let long = "x/".repeat(500_000);
    let (_root, far) = skill(&format!("[x]({long}) {long} `{long}`\n"), &[]);
    assert!(targets(&far)[0].starts_with("missing x/x"));
    let (_root, many) = skill(
        &"[a](a.md#file) [b](gone/b.md) a/b.c {a}/* [[a]] ".repeat(20_000),
        &["a.md"],
    );
    assert_eq!(
        many.references()
            .in_document(&many.main().unwrap().path)
            .len(),
        40_000 + MAX_SAME
    );
    let (_root, open) = skill(&"[".repeat(1_000_000), &[]);
    assert_eq!(targets(&open), [""; 0]);
    let (_root, wiki) = skill(&"[[a]] [[gone/b]] ".repeat(200_000), &["a.md"]);
    assert_eq!(targets(&wiki).len(), MAX_SAME);
}
