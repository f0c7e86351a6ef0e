//! SKL303 link-no-escape.
//!
//! Source: RFC-0008 C-REGISTRY, SKL303; LEDGER D-LINK-SCOPE.

use std::path::{Path, PathBuf};

use skillc_core::layout::SKILL_FILE;
use skillc_core::lint::config::TOPS;
use skillc_core::{
    Diagnostic, Document, Findings, Reference, Rule, RuleMeta, Skill, Target, declare_rule,
};

use crate::support::links::grouped;
use crate::support::text::shown;

declare_rule! {
    /// Reports a link that leads out of the skill.
    ///
    /// ## Why
    /// A skill is installed, copied and shared as one folder. What lies beside that folder on your machine is not there on
    /// another one, and clients refuse to read it. It makes no difference whether the target exists where you are.
    ///
    /// A link leads out if it climbs above the skill's root with `..`, or if a symbolic link on its way does. Links of a file to
    /// the same place are one finding.
    ///
    /// A link to another skill beside this one, such as `../other/SKILL.md`, is a warning: where both are installed it may
    /// work, but a client finds a skill by its name. A skill within another skill may link to what is in the outer one, with
    /// which it is installed.
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
        let references = skill.references().of(&doc.path).iter();
        let outside = references.filter(|link| matches!(link.target, Target::Outside));
        let is_by_the_letter = out.is_by_the_letter();
        let groups = grouped(outside, |link| &*link.written, is_by_the_letter);
        if groups.is_empty() {
            return;
        }
        let outermost = outermost(skill);
        for links in groups {
            // For each of them the disk is asked.
            if out.is_full() {
                return;
            }
            let end = end_of(doc, skill, links[0]).filter(|_| !is_by_the_letter);
            let is_in =
                |end: &PathBuf| outermost.as_ref().is_some_and(|root| end.starts_with(root));
            if end.as_ref().is_some_and(is_in) {
                continue;
            }
            let finding = report(links[0], end.as_deref(), skill, out);
            for link in links[1..].iter().take(MAX_SHOWN) {
                finding.label(link.span, "here too");
            }
        }
    }
}

const COPY: &str = "copy what is needed into the skill and link to the copy; name a file of the project by its path, without a link";

/// The most links to one place that are shown beside the first.
const MAX_SHOWN: usize = 5;

/// Reports a link. `end`: where it leads by its text alone, if it does so by `..`.
fn report<'o>(
    link: &Reference,
    end: Option<&Path>,
    skill: &Skill,
    out: &'o mut Findings<'_>,
) -> &'o mut Diagnostic {
    let Some(end) = end else {
        return out.at(link.span, leads_out(link)).help(COPY);
    };
    let is_there = end.symlink_metadata().is_ok();
    match sibling(skill, end) {
        Some(other) if is_there => {
            let message = format!(
                "link leads to another skill: '{}'; name the skill instead",
                shown(&link.written)
            );
            out.at(link.span, message)
                .warning()
                .help(format!("write 'the {} skill'", shown(&other)))
        }
        Some(other) => out.at(link.span, leads_out(link)).help(format!(
            "the skill '{}' is there, but has no such file; name the skill instead",
            shown(&other)
        )),
        None if is_there => out.at(link.span, leads_out(link)).help(COPY),
        None => {
            let named = end.parent().filter(|_| end.ends_with(SKILL_FILE));
            let named = named.and_then(Path::file_name);
            out.at(link.span, leads_out(link)).help(match named {
                Some(name) => format!(
                    "nothing is there; name the skill instead: 'the {} skill'",
                    shown(&name.to_string_lossy())
                ),
                None => {
                    "nothing is there; put the file into the skill, or take the link out".to_owned()
                }
            })
        }
    }
}

/// How many folders above a skill are looked at for the outermost one that it is in.
const MAX_ABOVE: usize = 16;

/// Returns the folder of the outermost skill that a skill is in, if it is in one.
fn outermost(skill: &Skill) -> Option<PathBuf> {
    let above = skill.at.canonical.ancestors().skip(1).take(MAX_ABOVE);
    let within = above.take_while(|dir| !TOPS.iter().any(|top| dir.join(top).exists()));
    let skills = within.filter(|dir| dir.join(SKILL_FILE).is_file());
    skills.last().map(Path::to_path_buf)
}

/// Returns where a link leads by its text alone, links of the file system not followed; `None` if it is not by `..`.
fn end_of(doc: &Document, skill: &Skill, link: &Reference) -> Option<PathBuf> {
    let written = link.written.trim();
    let path = &written[..written.find(['#', '?']).unwrap_or(written.len())];
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

/// Returns the name of the skill beside this one that a path leads into. Nothing else outside of the skill is looked at.
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

fn leads_out(link: &Reference) -> String {
    format!("link leads out of the skill: '{}'", shown(&link.written))
}
