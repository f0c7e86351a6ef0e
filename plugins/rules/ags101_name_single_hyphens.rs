//! AGS101 name-single-hyphens.

use skillc_core::{Document, Skill, Span};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::frontmatter::{field, shown};

declare_rule! {
    /// Reports a name with two or more consecutive hyphens.
    ///
    /// ## Why
    /// The standard allows lower-case letters and digits, with single hyphens between them. Its validator and the
    /// validator for uploads to Claude reject `a--b`, and some clients drop a skill with such a name.
    ///
    /// SKL102 reports invalid characters, and hyphens at the start or end.
    ///
    /// ## Example
    /// ```yaml
    /// name: sql--format
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    ///
    /// ## Fix
    /// Replaces consecutive hyphens with a single one. This is safe if the directory already has the resulting name.
    /// Otherwise the fix needs review: the directory must be renamed too, and references to the skill may need to be
    /// updated.
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `name`; its validator, skills-ref (2026-08-09).
    pub(crate) struct NameSingleHyphens {
        code: "AGS101",
        name: "name-single-hyphens",
        severity: Error,
        since: "0.3.0",
    }
}

impl Rule for NameSingleHyphens {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let Some((name, written)) =
            field(doc, "name").and_then(|field| Some((field.value.text()?, field.value_span)))
        else {
            return;
        };
        if !name.contains("--") || !is_name(name) {
            return;
        }
        let right = with_single_hyphens(name);
        let is_of_directory = skill.at.name == right;
        let found = out.at(written, doubled(name));
        found.help(if is_of_directory {
            format!("write 'name: {}', the directory's name", shown(&right))
        } else {
            format!(
                "write 'name: {}', and rename the directory to match",
                shown(&right)
            )
        });
        let Some(at) = place_of(name, written, doc) else {
            return;
        };
        let title = format!("change the name to '{}'", shown(&right));
        let edits = vec![Edit {
            file: doc.path.clone(),
            span: at,
            text: right,
        }];
        found.fix(if is_of_directory {
            Fix::safe(title, edits)
        } else {
            Fix::unsafe_(title, edits)
        });
    }
}

/// Returns whether a name is valid except for consecutive hyphens. SKL102 reports other names.
fn is_name(name: &str) -> bool {
    let is_known = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    name.chars().all(is_known) && !name.starts_with('-') && !name.ends_with('-')
}

fn with_single_hyphens(name: &str) -> String {
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Returns the position of a name without its quotes; `None` if the name does not occur literally, for example because
/// it is an alias.
fn place_of(name: &str, written: Span, doc: &Document) -> Option<Span> {
    let at = written.start + doc.text[written.start..written.end].find(name)?;
    Some(Span::new(at, at + name.len()))
}

fn doubled(name: &str) -> String {
    format!("name '{}' has consecutive hyphens", shown(name))
}
