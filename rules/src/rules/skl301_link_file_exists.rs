//! SKL301 link-file-exists.
//!
//! Design: C-REGISTRY.18, D-LINK-SCOPE.

use std::collections::BTreeMap;

use skillc_core::{Document, Reference, RelPath, Skill, Target};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, Safety, declare_rule};

use crate::support::fixes::set_destination;
use crate::support::links::grouped;
use crate::support::places::{is_about_repository, is_sample};
use crate::support::targets::Targets;
use crate::support::text::shown;

/// Links into one missing folder are reported as one finding if there are at least this many.
const MANY: usize = 3;

/// The maximum number of links that are shown in addition to the first, and the maximum number of links that are fixed
/// together.
const MAX_SHOWN: usize = 5;
const MAX_AT_ONCE: usize = 1_000;

/// The maximum number of links around a destination that are examined to find the link with this destination. There can
/// be several, because an image can be nested in the text of a link.
const MAX_AROUND: usize = 4;

/// Placeholder destinations in text about links: `[click here](link)`.
const EXAMPLES: [&str; 16] = [
    "link",
    "links",
    "url",
    "uri",
    "href",
    "path",
    "file",
    "filename",
    "dest",
    "destination",
    "target",
    "address",
    "page",
    "here",
    "example",
    "...",
];

declare_rule! {
    /// Reports a link or image whose target does not exist in the skill.
    ///
    /// ## Why
    /// An agent follows links to find more information. At a broken link, the agent makes a call that fails, and never
    /// reads the intended content. Links are relative to the file that contains them, as usual in Markdown.
    ///
    /// Only relative links are checked. URLs, mail addresses, absolute paths, links in code, and destinations with a
    /// placeholder such as `{name}` or `<name>` are not checked. A query (`?raw=1`) is ignored, and `%20` is decoded.
    /// Other notations are not checked either: `href` and `src` in HTML, wiki links such as `[[page]]`, and
    /// `[text][label]` without a definition of the label.
    ///
    /// A link with a path relative to the skill's root is a warning if the file exists there: the standard recommends
    /// such paths, but Markdown viewers do not resolve them. Links in templates, examples, fixtures, tests, sample
    /// output, a `README` or a `CHANGELOG` are also warnings, and they are only reported if a file with the name of the
    /// target exists elsewhere in the skill. Placeholder destinations, as in `[click here](link)`, are not checked.
    /// Links to the same file in one document are reported as a single finding, and so are three or more links into one
    /// missing folder.
    ///
    /// ## Example
    /// In `references/api.md`, to link to `references/errors.md`:
    /// ```markdown
    /// See [errors](references/errors.md).
    /// ```
    /// Write instead:
    /// ```markdown
    /// See [errors](errors.md).
    /// ```
    ///
    /// ## Fix
    /// Changes the destination to the intended file. This is safe if only the notation was wrong: the path is relative
    /// to the skill's root, contains `\` instead of `/`, or has letters in the wrong case. It is also safe if the
    /// link's text is the correct path. A fix that links to a file with a similar name, with another extension, or with
    /// the same name in another folder, is a guess that needs review: a link to the wrong file is worse than a broken
    /// link.
    pub(crate) struct LinkFileExists {
        code: "SKL301",
        name: "link-file-exists",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for LinkFileExists {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let mut targets = Targets::new(doc, skill);
        let links = skill.references().in_document(&doc.path).iter();
        let links = links.filter(|link| link.is_link());
        let missing = links.filter_map(|link| match &link.target {
            Target::Missing(path) => Some((link, path)),
            _ => None,
        });
        let mut missing: Vec<(&Reference, &RelPath)> = missing.collect();
        let is_by_the_letter = out.is_by_the_letter();
        let is_elsewhere_right =
            !is_by_the_letter && (is_sample(&doc.path) || is_about_repository(&doc.path));
        if is_elsewhere_right {
            missing.retain(|(_, path)| targets.has_name_of(path));
        }
        if !is_by_the_letter {
            missing.retain(|(link, _)| !is_example(&link.written));
            report_folders(doc, &targets, &mut missing, is_elsewhere_right, out);
        }
        for links in grouped(missing, |(_, path)| path, is_by_the_letter) {
            let (link, path) = links[0];
            if out.is_full() {
                return;
            }
            let is_from_root = !is_by_the_letter && targets.is_from_root(&link.written, path);
            let message = if is_from_root {
                from_root(link)
            } else {
                not_found(link)
            };
            let finding = out.at(link.span, message);
            if is_from_root || is_elsewhere_right {
                finding.warning();
            }
            for (link, _) in links[1..].iter().take(MAX_SHOWN) {
                finding.label(link.span, "here too");
            }
            let Some((meant, _)) = meant_by(doc, link, path, &mut targets) else {
                continue;
            };
            finding.help(format!("did you mean '{}'?", shown(&meant)));
            let mut safety = Safety::Safe;
            let edits: Option<Vec<Edit>> = links
                .iter()
                .take(MAX_AT_ONCE + 1)
                .map(|(link, path)| {
                    let (meant, of_link) = meant_by(doc, link, path, &mut targets)?;
                    safety = safety.max(of_link);
                    set_destination(doc, link, 0, &meant)
                })
                .collect();
            if let Some(edits) = edits.filter(|edits| edits.len() <= MAX_AT_ONCE) {
                let fix = Fix::safe(format!("link to '{}'", shown(&meant)), edits);
                finding.fix(Fix { safety, ..fix });
            }
        }
    }
}

/// Returns the corrected destination of a link, and whether the correction is certain. The corrected destination is the
/// link's text if that is the path of an existing file. Otherwise it is an existing path that is similar to the written
/// path.
fn meant_by<'a>(
    doc: &Document,
    link: &'a Reference,
    path: &RelPath,
    targets: &mut Targets<'a>,
) -> Option<(String, Safety)> {
    let by_text = text_of(doc, link).and_then(|text| targets.named_by_text(text));
    by_text
        .map(|meant| (meant, Safety::Safe))
        .or_else(|| targets.meant(&link.written, path))
}

/// Reports links into missing folders, one finding per folder, and removes these links from the list. `is_mild`:
/// whether the findings are warnings.
fn report_folders(
    doc: &Document,
    targets: &Targets<'_>,
    missing: &mut Vec<(&Reference, &RelPath)>,
    is_mild: bool,
    out: &mut Findings<'_>,
) {
    let mut folders: BTreeMap<&str, Vec<(&Reference, &RelPath)>> = BTreeMap::new();
    for (link, path) in missing.iter() {
        if let Some(folder) = targets.missing_folder(path)
            && !targets.is_from_root(&link.written, path)
        {
            folders.entry(folder).or_default().push((link, path));
        }
    }
    folders.retain(|_, links| links.len() >= MANY);
    for (folder, links) in &folders {
        if out.is_full() {
            break;
        }
        let names = links.iter().map(|(_, path)| path.file_name());
        let finding = out.at(
            links[0].0.span,
            format!(
                "{} links point into '{}/', which does not exist",
                links.len(),
                shown(folder)
            ),
        );
        if is_mild {
            finding.warning();
        }
        for (link, _) in links[1..].iter().take(MAX_SHOWN) {
            finding.label(link.span, "here too");
        }
        let Some((there, count)) = targets.folder_with(names.take(MAX_AT_ONCE)) else {
            continue;
        };
        let shown_folder = match &*there {
            "" => "the skill's own folder".to_owned(),
            there => format!("'{}'", shown(there)),
        };
        finding.help(format!("{shown_folder} contains {count} of these files"));
        if count < links.len() || links.len() > MAX_AT_ONCE {
            continue;
        }
        let edits: Option<Vec<Edit>> = links
            .iter()
            .map(|(link, path)| {
                let rest = link
                    .written
                    .find(['#', '?'])
                    .map_or("", |at| &link.written[at..]);
                let target = RelPath::parse(&format!("{there}{}", path.file_name())).ok()?;
                set_destination(doc, link, 0, &(targets.written(&target) + rest))
            })
            .collect();
        if let Some(edits) = edits {
            finding.fix(Fix::unsafe_(
                format!("link to the files in {shown_folder}"),
                edits,
            ));
        }
    }
    let is_reported = |(link, path): &(&Reference, &RelPath)| {
        let folder = targets.missing_folder(path);
        let is_many = folder.is_some_and(|folder| folders.contains_key(folder));
        is_many && !targets.is_from_root(&link.written, path)
    };
    missing.retain(|missing| !is_reported(missing));
}

/// Returns whether a destination is a placeholder in text about links.
fn is_example(written: &str) -> bool {
    let written = written.trim().trim_end_matches('/');
    EXAMPLES
        .iter()
        .any(|example| example.eq_ignore_ascii_case(written))
        || written.starts_with("path/to/")
        || written.starts_with("./path/to/")
        || is_variable(written)
}

/// Returns whether a word is a placeholder, such as `audio_url` or `FILE_PATH`.
fn is_variable(written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    let is_word = written
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word
        && ["_url", "_link", "_path", "_uri", "_href"]
            .iter()
            .any(|end| lower.ends_with(end))
}

/// Returns the text of a link written as `[text](destination)`.
fn text_of<'d>(doc: &'d Document, link: &Reference) -> Option<&'d str> {
    let at = doc
        .links
        .partition_point(|of| of.span.start < link.span.start);
    let of = doc.links[..at]
        .iter()
        .rev()
        .take(MAX_AROUND)
        .find(|of| of.dest_span == link.span)?;
    let before = doc.text.get(of.span.start..link.span.start)?;
    let text = before.strip_prefix('[')?;
    Some(&text[..text.rfind("](")?])
}

fn not_found(link: &Reference) -> String {
    format!("link target not found: '{}'", shown(&link.written))
}

fn from_root(link: &Reference) -> String {
    format!(
        "link target not found from this file, only from the skill's root: '{}'",
        shown(&link.written)
    )
}
