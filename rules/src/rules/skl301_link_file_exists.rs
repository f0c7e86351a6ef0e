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

/// From how many links into one folder that is not there they are one finding.
const MANY: usize = 3;

/// The most of them that are shown beside the first, and that are mended at once.
const MAX_SHOWN: usize = 5;
const MAX_AT_ONCE: usize = 1_000;

/// How many links that begin before a destination it may belong to: an image can stand in the text of a link.
const MAX_AROUND: usize = 4;

/// What stands for a link where links are written about: `[click here](link)`.
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
    /// Reports a link or image whose file is not in the skill.
    ///
    /// ## Why
    /// An agent follows links to read on. A link to nothing costs it a failed call, and what you meant to say there is
    /// never read. Links are relative to the file they stand in, as everywhere in Markdown.
    ///
    /// Only relative links are looked at: no URLs, no mail addresses, no paths from the root of the disk, nothing in code,
    /// and no destination with a placeholder such as `{name}` or `<name>`. A query (`?raw=1`) is ignored, and `%20` may
    /// stand for a space. What is no link of Markdown is not checked either: `href` and `src` in HTML, wiki links such as
    /// `[[page]]`, and `[text][label]` without a definition of the label.
    ///
    /// A path that counts from the skill's root, where the file is, is a warning: the standard recommends such paths, and
    /// readers of Markdown do not find it. So is a link in templates, examples, fixtures, tests, samples of output, a `README`
    /// or a `CHANGELOG`, and it is reported only if a file of that name is elsewhere in the skill. Destinations that stand
    /// for any, as in `[click here](link)`, are not checked. Links to the same file, in one
    /// document, are one finding. Three links or more into one folder that is not there are one
    /// finding.
    ///
    /// ## Example
    /// In `references/api.md`, where `references/errors.md` is meant:
    /// ```markdown
    /// See [errors](references/errors.md).
    /// ```
    /// Write instead:
    /// ```markdown
    /// See [errors](errors.md).
    /// ```
    ///
    /// ## Fix
    /// The destination becomes the file that was meant. This is safe where only the way of writing the path was wrong: it
    /// counts from the skill's root, has `\` for `/`, or letters in the wrong case, or where the text of the link is the right
    /// path. A file with a similar name, another extension, or the same name in another folder is a guess for you to check: a
    /// link to the wrong file misleads more than one to nothing.
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
        let links = skill.references().of(&doc.path).iter();
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

/// Returns what to write for a link, and whether that is plainly meant: what its text says, if that is a path, else what it is like.
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

/// Reports links into folders that are not there, each folder once, and takes them out. `is_mild`: as warnings.
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
                "{} links lead into '{}/', which is not there",
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
        finding.help(format!("{shown_folder} has {count} of these files"));
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

/// Says whether a destination stands for any, where links are written about.
fn is_example(written: &str) -> bool {
    let written = written.trim().trim_end_matches('/');
    EXAMPLES
        .iter()
        .any(|example| example.eq_ignore_ascii_case(written))
        || written.starts_with("path/to/")
        || written.starts_with("./path/to/")
        || is_variable(written)
}

/// Says whether a word stands for a value, as `audio_url` or `FILE_PATH`.
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

/// Returns the text of a link that is written `[text](destination)`.
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
