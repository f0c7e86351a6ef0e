//! REF105 own-path.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::{Document, RelPath, Skill, Span, Target};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::mentions::{Around, is_about_installing};

declare_rule! {
    /// Reports a file of the skill that is referenced by its location on the author's machine.
    ///
    /// ## Why
    /// The path `~/.codex/skills/pdf/scripts/fill.py` exists for only one client, and only for users who installed the
    /// skill in that folder. Elsewhere, an agent does not find the file at this path, although the skill contains the
    /// file. Clients tell the agent the skill's location, so a path relative to the skill's folder works in all
    /// clients. Paths in the author's repository, such as `skills/pdf/…`, have the same problem. So do links to the
    /// file on GitHub, where the file may also have changed.
    ///
    /// The rule checks all Markdown files of a skill except files with a common name, such as `README.md` or
    /// `CHANGELOG.md`. It reports all such paths in a file as a single finding.
    ///
    /// ## What is not reported
    /// - Files that do not exist in the skill, the skill's `SKILL.md`, and files of other skills.
    /// - Paths below `${CLAUDE_PLUGIN_ROOT}`.
    /// - A file for which the text contains several such paths, for example one for each client.
    /// - Paths in examples, and in text about installing or copying the skill.
    ///
    /// ## Example
    /// ```markdown
    /// Run `python ~/.claude/skills/pdf/scripts/fill.py`.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Run `python scripts/fill.py`.
    /// ```
    ///
    /// ## Fix
    /// Replaces the path with one relative to the skill's folder. This is unsafe: a command that runs in another folder
    /// does not find the file at the relative path.
    pub(crate) struct OwnPath {
        code: "REF105",
        name: "own-path",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of positions that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// The folder that contains skills.
const SKILLS: &str = "skills/";

/// Sites that show the files of repositories.
const HOSTS: [&str; 2] = ["https://github.com/", "https://raw.githubusercontent.com/"];

/// Paths that contain one of these strings are not reported: a variable that clients replace, and a placeholder.
const KNOWN: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "path/to/"];

/// A reference to a file of the skill by a path that starts outside the skill.
struct OutsidePath<'d> {
    /// The span of the reference, including text before the path: `~`, `@`.
    span: Span,
    prefix: &'d str,
    rest: &'d str,
}

impl Rule for OwnPath {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        if doc.path.has_common_name() && !skill.is_main(doc) {
            return;
        }
        let mut places: Vec<OutsidePath<'_>> = Vec::new();
        for reference in skill.references().in_document(&doc.path) {
            if matches!(reference.target, Target::File(_) | Target::Directory(_)) {
                places.extend(place(doc, reference.span, skill));
            }
        }
        for link in &doc.links {
            if HOSTS.iter().any(|host| link.dest.starts_with(host)) {
                let place = place(doc, link.dest_span, skill);
                places.extend(place.filter(|place| is_file(place.rest, skill)));
            }
        }
        let mut ways: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for place in &places {
            let prefix = place.prefix.trim_start_matches('@');
            ways.entry(place.rest).or_default().insert(prefix);
        }
        places.retain(|place| ways[place.rest].len() == 1);
        places.sort_by_key(|place| place.span);
        let is_meant = |place: &&OutsidePath<'_>| {
            let around = Around::new(doc, place.span);
            !around.is_example() && !is_about_installing(&around)
        };
        let mut places = places.iter().filter(is_meant);
        let Some(first) = places.next() else {
            return;
        };
        let others: Vec<&OutsidePath<'_>> = places.collect();
        let written = format!("{}{}", first.prefix, first.rest);
        let message = if first.prefix.starts_with("http") {
            format!("'{written}' is a web copy of a file in this skill")
        } else {
            format!("'{written}' is the file's location in one installation only")
        };
        let edit = |place: &OutsidePath<'_>| Edit {
            file: doc.path.clone(),
            span: place.span,
            text: place.rest.to_owned(),
        };
        let edits = std::iter::once(edit(first)).chain(others.iter().map(|place| edit(place)));
        let edits = edits.collect();
        let finding = out.at(first.span, message);
        for other in others.iter().take(MAX_SHOWN) {
            finding.label(other.span, "here too");
        }
        let title = format!("write '{}'", first.rest);
        finding
            .help(format!("use its path in the skill, '{}'", first.rest))
            .fix(Fix::unsafe_(title, edits));
    }
}

/// Parses a path that starts outside the skill and leads to a file in it. `span`: the span of the path, without a `~`
/// or `@` before it.
fn place<'d>(doc: &'d Document, span: Span, skill: &Skill) -> Option<OutsidePath<'d>> {
    let before = &doc.text[..span.start];
    let home = before.ends_with(['~', '@']);
    let start = span.start - usize::from(home);
    let written = &doc.text[start..span.end];
    let written = written.split(['#', '?']).next()?;
    let name = &*skill.at.name;
    let mut ends = written.rmatch_indices('/').map(|(at, _)| at);
    let end = ends.find(|at| {
        let before = written[..*at].strip_suffix(name);
        before.is_some_and(|before| before.ends_with('/'))
    })?;
    let (prefix, rest) = written.split_at(end + 1);
    let is_from_outside = prefix.contains(SKILLS) || prefix.starts_with("http");
    let is_known = KNOWN.iter().any(|known| prefix.contains(known));
    let is_part = rest.contains('/') || rest.contains('.');
    let is_own = is_from_outside && !is_known && is_part && rest != "SKILL.md";
    is_own.then(|| OutsidePath {
        span: Span::new(start, start + written.len()),
        prefix,
        rest,
    })
}

fn is_file(path: &str, skill: &Skill) -> bool {
    RelPath::parse(path).is_ok_and(|path| skill.tree.get(&path).is_some())
}
