//! REF101 mention-exists.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::{Document, Reference, RelPath, Skill, Span, Target};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::mentions::{Around, Written};

declare_rule! {
    /// Reports a file that `SKILL.md` mentions in code, or tells the agent to read, but that does not exist in the
    /// skill.
    ///
    /// ## Why
    /// An agent that is told to run `scripts/check.py` or to read `references/limits.md` tries to do so. If the file is
    /// missing, the agent searches for it, guesses, or continues without it. Usually the file was renamed, or was not
    /// copied with the skill.
    ///
    /// The rule checks only `SKILL.md`. It looks for paths below `references/`, `scripts/` and `assets/`, and for paths
    /// that start at the skill's root (`${CLAUDE_SKILL_DIR}/…`). It checks such a path in each of these cases:
    ///
    /// - The path is a whole code span.
    /// - A command runs the file.
    /// - The path is part of a list of paths in a code block.
    /// - A sentence tells the agent to read the file.
    ///
    /// Three or more files in a missing folder are reported as a single finding. SKL301 checks links, and REF102 checks
    /// names in the wrong case.
    ///
    /// ## What is not reported
    /// - Paths that are examples according to the sentence itself, the line before it or a heading above it.
    /// - Files that the text says to create, and files that are optional according to the text.
    /// - Files of another skill, or of the project that contains the skill.
    /// - Paths with a placeholder.
    /// - Scripts, if the skill has no folder `scripts/`: they may belong to the project. A script that
    ///   `python scripts/…` runs is reported anyway.
    /// - Files in `assets/`, if the skill has no such folder.
    /// - In a skill about writing skills, all files except those that the text says to read.
    ///
    /// ## Example
    /// ```markdown
    /// Run `python scripts/check_limits.py` first.
    /// ```
    /// The skill has `scripts/check.py`. Write instead:
    /// ```markdown
    /// Run `python scripts/check.py` first.
    /// ```
    pub(crate) struct MentionExists {
        code: "REF101",
        name: "mention-exists",
        severity: Warning,
        since: "0.3.0",
    }
}

/// A skill is about writing skills if it mentions `SKILL.md` at least this often, and if its name or description
/// mentions writing skills.
const ABOUT_SKILLS: usize = 3;

/// Stems of verbs in the name or description of a skill about writing skills.
const MAKES: &str =
    "creat|writ|author|build|scaffold|improv|review|evaluat|lint|develop|package|maintain";

/// Returns whether a skill is about writing skills.
fn is_about_skills(doc: &Document) -> bool {
    let fields = doc.frontmatter.fields();
    let text = |key: &str| {
        fields
            .and_then(|fields| fields.text(key))
            .unwrap_or_default()
    };
    let head = format!("{} {}", text("name"), text("description")).to_lowercase();
    MAKES.split('|').any(|verb| head.contains(verb))
        && head.replace("this skill", "").contains("skill")
        && doc.text.matches("SKILL.md").nth(ABOUT_SKILLS - 1).is_some()
}

/// Names that do not refer to a particular file, without their extensions.
const ANY_FILE: &str = "example|examples|foo|bar|baz|file|filename|name|script|some_script|somescript|topic|doc|xxx|xyz|sample|helper|\
    module|feature|page|a|b|c|x|y|z";

impl Rule for MentionExists {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let mut missing: BTreeMap<&RelPath, Vec<&Reference>> = BTreeMap::new();
        let mut linked: BTreeSet<&RelPath> = BTreeSet::new();
        for reference in skill.references().in_document(&doc.path) {
            match &reference.target {
                Target::Missing(path) if reference.is_link() => _ = linked.insert(path),
                Target::Missing(path) => missing.entry(path).or_default().push(reference),
                _ => {}
            }
        }
        missing.retain(|path, _| {
            !linked.contains(path) && is_definite(path) && !has_in_other_case(skill, path)
        });
        if missing.is_empty() {
            return;
        }
        let is_about_skills = is_about_skills(doc);
        let mut found: Vec<(&RelPath, Span)> = Vec::new();
        for (path, mentions) in missing {
            let around = mentions
                .iter()
                .map(|mention| Around::new(doc, mention.span));
            let around: Vec<Around<'_>> = around.collect();
            if around.iter().any(Around::is_made) {
                continue;
            }
            let is_meant = |(around, mention): (&Around<'_>, &&Reference)| {
                let is_rooted =
                    mention.written.contains(['$', '{']) || mention.written.contains("skills/");
                let may_be = match around.written() {
                    Written::Otherwise => false,
                    Written::Read => path.as_str().starts_with("reference"),
                    _ if is_about_skills => false,
                    _ if is_rooted => true,
                    written => is_of_skill(path, written, skill),
                };
                may_be && !around.is_example()
            };
            let at = around.iter().zip(&mentions).position(is_meant);
            if let Some(at) = at.filter(|_| !is_above(path, skill)) {
                found.push((path, mentions[at].span));
            }
        }
        report(&mut found, skill, out);
    }
}

/// At least this many files in a missing folder are reported as one finding.
const MANY: usize = 3;

/// The maximum number of files that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// Reports missing files. If [`MANY`] or more are in the same missing folder, reports them as one finding. `found`:
/// sorted by path.
fn report(found: &mut [(&RelPath, Span)], skill: &Skill, out: &mut Findings<'_>) {
    let folder = |path: &RelPath| missing_folder(path, skill).map(str::to_owned);
    for of_folder in found.chunk_by_mut(|(a, _), (b, _)| folder(a) == folder(b)) {
        let folder = folder(of_folder[0].0);
        if let Some(folder) = folder.filter(|_| of_folder.len() >= MANY) {
            of_folder.sort_by_key(|(_, span)| *span);
            let [(_, first), others @ ..] = of_folder else {
                continue;
            };
            let count = others.len() + 1;
            let message = format!(
                "the skill has no folder '{folder}/', but {count} files in it are mentioned"
            );
            let finding = out.at(*first, message);
            for (_, span) in others.iter().take(MAX_SHOWN) {
                finding.label(*span, "here too");
            }
            finding.help("add the folder, or remove the references to its files");
            continue;
        }
        for (path, span) in of_folder {
            let finding = out.at(*span, format!("the skill has no file '{path}'"));
            finding.help(match near(path, skill) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "add the file, or remove the reference to it".to_owned(),
            });
        }
    }
}

/// Returns the topmost missing folder of a path.
fn missing_folder<'p>(path: &'p RelPath, skill: &Skill) -> Option<&'p str> {
    let ends = path.as_str().match_indices('/').map(|(at, _)| at);
    let mut folders = ends.map(|end| &path.as_str()[..end]);
    folders.find(|folder| RelPath::parse(folder).is_ok_and(|folder| !skill.tree.has_dir(&folder)))
}

/// Returns whether a path refers to a particular file. For example, `scripts/my-script.py` does not.
fn is_definite(path: &RelPath) -> bool {
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let stem = stem.to_ascii_lowercase();
    let is_own = ["my", "your", "some"].iter().any(|word| {
        let rest = stem.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with(['-', '_']))
    });
    let is_any = ANY_FILE.split('|').any(|word| stem == word);
    let in_capitals = path.file_name().split('.').next().is_some_and(|stem| {
        stem.len() == 1 || stem.starts_with("XX") || stem.starts_with("NN") || stem.contains("YYYY")
    });
    !is_own && !is_any && !in_capitals && !path.as_str().contains("path/to/")
}

fn has_in_other_case(skill: &Skill, path: &RelPath) -> bool {
    let entries = skill.tree.entries.iter();
    let mut paths = entries.map(|entry| entry.path.as_str());
    paths.any(|other| other.eq_ignore_ascii_case(path.as_str()))
}

/// Returns whether a path in a command or a code span belongs to the skill, not to the project around it.
fn is_of_skill(path: &RelPath, written: Written, skill: &Skill) -> bool {
    let Some((folder, rest)) = path.as_str().split_once('/') else {
        return true;
    };
    match folder {
        "references" | "reference" => true,
        "scripts" if written == Written::Python && !rest.contains('/') => true,
        _ => RelPath::parse(folder).is_ok_and(|folder| skill.tree.has_dir(&folder)),
    }
}

/// The maximum number of parent folders that are searched for a file of the project.
const MAX_ABOVE: usize = 6;

/// Returns whether the path exists relative to a folder above the skill. If so, the text refers to a file of the
/// project.
fn is_above(path: &RelPath, skill: &Skill) -> bool {
    let above = skill.at.canonical.ancestors().skip(1).take(MAX_ABOVE);
    let mut places = above.map(|folder| path.under(folder));
    places.any(|place| place.symlink_metadata().is_ok())
}

/// Returns the file of the skill to which a path probably refers: a file with the same name in another folder, or a
/// file with a similar name.
fn near<'s>(path: &RelPath, skill: &'s Skill) -> Option<&'s str> {
    let mut named = skill
        .tree
        .named(path.file_name())
        .filter(|_| !path.has_common_name());
    if let Some(only) = named.next().filter(|_| named.next().is_none()) {
        return Some(only.path.as_str());
    }
    let entries = skill.tree.entries.iter();
    skillc_core::did_you_mean::mistyped(path.as_str(), entries.map(|entry| entry.path.as_str()))
}
