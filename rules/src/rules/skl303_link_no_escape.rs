//! SKL303 link-no-escape.
//!
//! Design: C-REGISTRY.20, D-LINK-SCOPE.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Document, Reference, Skill, Target};
use skillc_lint::config::TOPS;
use skillc_lint::{Diagnostic, Findings, Rule, RuleMeta, declare_rule};

use crate::support::links::grouped;
use crate::support::text::shown;

declare_rule! {
    /// Reports a link to a target outside the skill.
    ///
    /// ## Why
    /// A skill is installed, copied and shared as one folder. Files next to that folder on your machine are missing on
    /// other machines, and clients refuse to read them. Therefore the link is reported even if the target exists on
    /// your machine.
    ///
    /// A link leads outside if it climbs above the skill's root with `..`, or goes through a symlink that leads
    /// outside. Links in one file are grouped: a single finding reports all links to the same target, all links into
    /// one folder if they have three or more targets, all links to existing skills, or all links to missing skills.
    ///
    /// A link to a neighbouring skill, such as `../other/SKILL.md`, is only reported as a warning, because it may work
    /// if both skills are installed. Name the other skill instead of linking to it: clients find a skill by its name. A
    /// nested skill may link to files of the outer skill, because the two are installed together.
    ///
    /// ## Example
    /// ```markdown
    /// See [our style](../../docs/style.md).
    /// ```
    /// Copy the file into the skill and write:
    /// ```markdown
    /// See [our style](references/style.md).
    /// ```
    pub(crate) struct LinkNoEscape {
        code: "SKL303",
        name: "link-no-escape",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for LinkNoEscape {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let references = skill.references().in_document(&doc.path).iter();
        let outside = references.filter(|link| matches!(link.target, Target::Outside));
        let is_by_the_letter = out.is_by_the_letter();
        let groups = grouped(outside, without_fragment, is_by_the_letter);
        if groups.is_empty() {
            return;
        }
        let outermost = outermost(skill);
        let is_in = |end: &PathBuf| outermost.as_ref().is_some_and(|root| end.starts_with(root));
        let ends = groups.into_iter().take(MAX_ASKED).map(|links| {
            let end = end_of(doc, skill, links[0]).filter(|_| !is_by_the_letter);
            (links, end)
        });
        let ends: Vec<(Vec<&Reference>, Option<PathBuf>)> = ends
            .filter(|(_, end)| !end.as_ref().is_some_and(is_in))
            .collect();
        // The folders whose `SKILL.md` the document links to.
        let named = ends.iter().filter_map(|(_, end)| end.as_ref());
        let named = named.filter(|end| end.ends_with(SKILL_FILE));
        let named: BTreeSet<PathBuf> = named.filter_map(|end| Some(end.parent()?.into())).collect();
        let mut ways: Vec<Way<'_>> = Vec::new();
        // Resolving a link accesses the disk, so stop if no more findings are accepted.
        for (links, end) in ends {
            if out.is_full() {
                return;
            }
            ways.push(Way::new(skill, links, end, &named));
        }
        // Group links into the same folder, because the advice for them is the same.
        for ways in grouped(&ways, |way| &way.into, is_by_the_letter) {
            let many = match &ways[0].into {
                Destination::Unknown => usize::MAX,
                Destination::Skills | Destination::NoSkills => MANY_SKILLS,
                Destination::Folder(_) => MANY,
            };
            if ways.len() < many {
                for way in ways {
                    way.report(out);
                }
            } else {
                report_many(&ways, out);
            }
        }
    }
}

const COPY: &str = "copy what is needed into the skill and link to the copy; refer to a project file by its path, without a link";

/// The maximum number of links that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// Targets in one folder are reported as one finding if there are at least this many.
const MANY: usize = 3;

/// Links to existing skills are reported as one finding if there are at least this many. The same applies to links to
/// missing skills. The number is lower than [`MANY`], because the advice is the same for all these links.
const MANY_SKILLS: usize = 2;

/// The maximum number of targets that are looked up per document.
const MAX_ASKED: usize = 2_000;

/// The links of a document to one target outside the skill.
struct Way<'d> {
    links: Vec<&'d Reference>,
    target: End,
    into: Destination,
}

/// The destination of a link. If there are enough links with the same destination, they are reported as one finding.
#[derive(PartialEq, Eq, Hash)]
enum Destination {
    /// Unknown: the link does not leave the skill through `..`.
    Unknown,
    /// Existing skills.
    Skills,
    /// Missing skills.
    NoSkills,
    Folder(PathBuf),
}

/// The target of a link.
enum End {
    /// An existing file or folder of another skill, with the skill's name.
    OfSkill(String),
    /// A missing file of another skill, with the skill's name.
    NotInSkill(String),
    /// A missing skill, or a file of a missing skill, with the skill's name.
    NoSkill(String),
    /// Another existing file or folder, or a target that was not looked up.
    Other,
    Nothing,
}

impl<'d> Way<'d> {
    /// Resolves links to one target. `end`: the lexical target of the links if they leave the skill through `..`.
    /// `named`: the folders whose `SKILL.md` the document links to.
    fn new(
        skill: &Skill,
        links: Vec<&'d Reference>,
        end: Option<PathBuf>,
        named: &BTreeSet<PathBuf>,
    ) -> Self {
        let Some(end) = end else {
            return Self {
                links,
                target: End::Other,
                into: Destination::Unknown,
            };
        };
        let is_there = end.symlink_metadata().is_ok();
        let folder = end.parent().unwrap_or(&end);
        let of_skill = folder.file_name().filter(|_| named.contains(folder));
        let of_skill = of_skill.map(|name| name.to_string_lossy().into_owned());
        let target = match (sibling(skill, &end), of_skill) {
            (Some(other), _) | (None, Some(other)) if is_there => End::OfSkill(other),
            (Some(other), _) => End::NotInSkill(other),
            (None, Some(other)) => End::NoSkill(other),
            (None, None) if is_there => End::Other,
            (None, None) => End::Nothing,
        };
        let into = match target {
            End::OfSkill(_) => Destination::Skills,
            End::NoSkill(_) => Destination::NoSkills,
            _ => Destination::Folder(folder.to_path_buf()),
        };
        Self {
            links,
            target,
            into,
        }
    }

    /// Reports the links as one finding.
    fn report<'o>(&self, out: &'o mut Findings<'_>) -> &'o mut Diagnostic {
        let link = self.links[0];
        let written = shown(&link.written);
        let finding = match &self.target {
            End::OfSkill(_) => {
                let message = format!(
                    "link points to another skill: '{written}'; refer to it by name instead"
                );
                out.at(link.span, message).warning()
            }
            _ => out.at(
                link.span,
                format!("link points outside the skill: '{written}'"),
            ),
        };
        for link in self.links[1..].iter().take(MAX_SHOWN) {
            finding.label(link.span, "here too");
        }
        finding.help(self.help())
    }

    fn help(&self) -> String {
        match &self.target {
            End::OfSkill(other) => format!("write 'the {} skill'", shown(other)),
            End::NotInSkill(other) => format!(
                "the skill '{}' exists, but has no such file; refer to the skill by name instead",
                shown(other)
            ),
            End::NoSkill(other) => format!(
                "the target does not exist; refer to the skill by name instead: 'the {} skill'",
                shown(other)
            ),
            End::Other => COPY.to_owned(),
            End::Nothing => {
                "the target does not exist; add the file to the skill, or remove the link"
                    .to_owned()
            }
        }
    }
}

/// Reports links to several targets as one finding. All these links have the same [`Destination`].
fn report_many(ways: &[&Way<'_>], out: &mut Findings<'_>) {
    let (first, others) = (ways[0], &ways[1..]);
    let written = shown(&first.links[0].written);
    let message = match first.target {
        End::OfSkill(_) => format!(
            "links point to {} other skills, the first to '{written}'; refer to them by name instead",
            ways.len()
        ),
        End::NoSkill(_) => format!(
            "links point outside the skill: '{written}' and {} more to missing skills",
            others.len()
        ),
        _ => format!(
            "links point outside the skill: '{written}' and {} more in the same folder",
            others.len()
        ),
    };
    let finding = out.at(first.links[0].span, message);
    if matches!(first.target, End::OfSkill(_)) {
        finding.warning();
    }
    for other in others.iter().take(MAX_SHOWN) {
        finding.label(other.links[0].span, "here too");
    }
    finding.help(first.help());
}

/// Returns the destination of a link as written, without its fragment and without trailing slashes.
fn without_fragment(link: &Reference) -> &str {
    let written = link.written.trim();
    let path = &written[..written.find('#').unwrap_or(written.len())];
    path.trim_end_matches('/')
}

/// The maximum number of parent folders that are searched for an outer skill.
const MAX_ABOVE: usize = 16;

/// Returns the folder of the outermost skill that contains a skill, if any.
fn outermost(skill: &Skill) -> Option<PathBuf> {
    let above = skill.at.canonical.ancestors().skip(1).take(MAX_ABOVE);
    let within = above.take_while(|dir| !TOPS.iter().any(|top| dir.join(top).exists()));
    let skills = within.filter(|dir| dir.join(SKILL_FILE).is_file());
    skills.last().map(Path::to_path_buf)
}

/// Returns the lexical target of a link, without following symlinks; `None` if it does not leave the skill through
/// `..`.
fn end_of(doc: &Document, skill: &Skill, link: &Reference) -> Option<PathBuf> {
    let written = without_fragment(link);
    let path = &written[..written.find('?').unwrap_or(written.len())];
    let folder = doc
        .path
        .as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut end = skill.at.canonical.join(folder);
    let mut is_out = false;
    for part in path.replace("%20", " ").split('/') {
        match part {
            "" | "." => {}
            ".." => {
                end.pop();
                is_out |= !end.starts_with(&skill.at.canonical);
            }
            part => end.push(part),
        }
    }
    is_out.then_some(end)
}

/// Returns the name of the neighbouring skill into which a path leads, if any.
fn sibling(skill: &Skill, end: &Path) -> Option<String> {
    if end.starts_with(&skill.at.canonical) {
        return None;
    }
    let folder = skill.at.canonical.parent()?;
    let name = end
        .strip_prefix(folder)
        .ok()?
        .components()
        .next()?
        .as_os_str();
    let is_skill = folder.join(name).join(SKILL_FILE).is_file();
    is_skill.then(|| name.to_string_lossy().into_owned())
}
