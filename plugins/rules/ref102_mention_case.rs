//! REF102 mention-case.

use std::collections::{BTreeMap, HashMap};

use skillc_core::{Reference, RelPath, Skill, Target};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a file name in the text that differs from the file's actual name only in upper and lower case.
    ///
    /// ## Why
    /// `FORMS.md` and `forms.md` are the same file on most authors' computers, but not on Linux, where many agents run:
    /// there, the agent does not find the file.
    ///
    /// The rule checks names of Markdown files, and paths that contain a folder, in text and in code. SKL301 checks
    /// links, and also fixes their case.
    ///
    /// ## Example
    /// The file is `references/forms.md`:
    /// ```markdown
    /// To fill in a form, read references/FORMS.md.
    /// ```
    /// Write instead:
    /// ```markdown
    /// To fill in a form, read references/forms.md.
    /// ```
    ///
    /// ## Fix
    /// Replaces the mention with the file's actual name. This is safe, because no other file has a name that differs
    /// only in case.
    pub(crate) struct MentionCase {
        code: "REF102",
        name: "mention-case",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of positions that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

impl Rule for MentionCase {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        // Maps each lower-case path to the actual path, or to `None` if several files have the same lower-case path.
        let mut files: Option<HashMap<String, Option<&str>>> = None;
        for doc in skill.documents() {
            let mut named: BTreeMap<&RelPath, Vec<&Reference>> = BTreeMap::new();
            let mentions = skill.references().in_document(&doc.path).iter();
            for mention in mentions.filter(|mention| !mention.is_link()) {
                if let Target::Missing(path) = &mention.target {
                    named.entry(path).or_default().push(mention);
                }
            }
            for (path, mentions) in named {
                if out.is_full() {
                    return;
                }
                let files = files.get_or_insert_with(|| in_lower_case(skill));
                let lower = path.as_str().to_ascii_lowercase();
                let Some(actual) = files.get(&lower).copied().flatten() else {
                    continue;
                };
                let message = format!("'{path}' differs from the file '{actual}' in case");
                let finding = out.within(&doc.path, mentions[0].span, message);
                for mention in mentions.iter().skip(1).take(MAX_SHOWN) {
                    finding.label(mention.span, "here too");
                }
                let edits: Option<Vec<Edit>> = mentions
                    .iter()
                    .map(|mention| {
                        Some(Edit {
                            file: doc.path.clone(),
                            span: mention.span,
                            text: mended(mention, actual)?,
                        })
                    })
                    .collect();
                if let Some(edits) = edits {
                    finding.fix(Fix::safe(format!("write '{actual}'"), edits));
                }
            }
        }
    }
}

fn in_lower_case(skill: &Skill) -> HashMap<String, Option<&str>> {
    let mut files: HashMap<String, Option<&str>> = HashMap::new();
    for entry in &skill.tree.entries {
        let path = entry.path.as_str();
        let same = files.entry(path.to_ascii_lowercase());
        same.and_modify(|only| *only = None).or_insert(Some(path));
    }
    files
}

/// Returns the mention with the case of the file's actual path, keeping a fragment or line number. Returns `None` if
/// the mention differs from the path in more than case. Additional folders at the start of the mention or the path are
/// ignored.
fn mended(mention: &Reference, actual: &str) -> Option<String> {
    let written = &*mention.written;
    let end = written.find(['#', ':']).unwrap_or(written.len());
    let shared = end.min(actual.len());
    let (start, old) = (
        written.get(..end - shared)?,
        written.get(end - shared..end)?,
    );
    let new = actual.get(actual.len() - shared..)?;
    let is_same = old.eq_ignore_ascii_case(new);
    is_same.then(|| format!("{start}{new}{}", &written[end..]))
}
