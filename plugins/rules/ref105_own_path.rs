//! REF105 own-path.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::{Document, RelPath, Skill, Span, Target};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::mentions::{Around, is_about_installing};

declare_rule! {
    /// Reports a file of the skill that the text names by the place where the author has it.
    ///
    /// ## Why
    /// `~/.codex/skills/pdf/scripts/fill.py` is there for one client, and for those who installed the skill in that folder.
    /// Elsewhere an agent finds nothing at this path, though it has the file. Clients tell the agent where a skill lies, so a path
    /// from the skill's own folder works in all of them. The same is true of `skills/pdf/…`, a path in the author's repository,
    /// and of a link to that file on GitHub, which also shows whatever the file is there by now.
    ///
    /// All Markdown files of a skill are looked at, but for README and CHANGELOG. The files of a document are one finding.
    ///
    /// ## What is not reported
    /// A file that the skill does not have; its `SKILL.md`; a path below `${CLAUDE_PLUGIN_ROOT}`; one file by several such paths,
    /// of which each is for another client; and a path in a text about installing or copying the skill, or in an example. Files of other skills are
    /// not looked for.
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
    /// The path is written from the skill's folder. This is unsafe: a command that is run in another folder needs more.
    pub(crate) struct OwnPath {
        code: "REF105",
        name: "own-path",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The most places that are shown beside the first.
const MAX_SHOWN: usize = 5;

/// The folder that skills lie in.
const SKILLS: &str = "skills/";

/// Where files of a repository are shown.
const HOSTS: [&str; 2] = ["https://github.com/", "https://raw.githubusercontent.com/"];

/// What an absolute path is in a client that knows it.
const KNOWN: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "path/to/"];

/// A place that names a file of the skill from outside.
struct Place<'d> {
    /// With what stands before the path: `~`, `@`.
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
        let mut places: Vec<Place<'_>> = Vec::new();
        for reference in skill.references().of(&doc.path) {
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
        let is_meant = |place: &&Place<'_>| {
            let around = Around::new(doc, place.span);
            !around.is_example() && !is_about_installing(&around)
        };
        let mut places = places.iter().filter(is_meant);
        let Some(first) = places.next() else {
            return;
        };
        let others: Vec<&Place<'_>> = places.collect();
        let written = format!("{}{}", first.prefix, first.rest);
        let message = if first.prefix.starts_with("http") {
            format!("'{written}' is a file of this skill on the web")
        } else {
            format!("'{written}' is where one installation has the file")
        };
        let edit = |place: &Place<'_>| Edit {
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
            .help(format!("write '{}', its path in the skill", first.rest))
            .fix(Fix::unsafe_(title, edits));
    }
}

/// Reads a path from outside of the skill to something in it. `span`: where the path stands, or a part that has its end.
fn place<'d>(doc: &'d Document, span: Span, skill: &Skill) -> Option<Place<'d>> {
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
    is_own.then(|| Place {
        span: Span::new(start, start + written.len()),
        prefix,
        rest,
    })
}

fn is_file(path: &str, skill: &Skill) -> bool {
    RelPath::parse(path).is_ok_and(|path| skill.tree.get(&path).is_some())
}
