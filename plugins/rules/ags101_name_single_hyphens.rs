//! AGS101 name-single-hyphens.

use skillc_core::{Document, Skill, Span};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::frontmatter::{field, shown};

declare_rule! {
    /// Reports a name with two hyphens or more in a row.
    ///
    /// ## Why
    /// The standard has words of small letters and digits with one hyphen between them. Its validator refuses `a--b`, and so
    /// does the one for uploads; some clients leave such a skill out.
    ///
    /// Other signs in a name, and hyphens first or last, are SKL102's.
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
    /// Writes the name with single hyphens. It is safe if the directory is called so already. Otherwise the directory has to
    /// be renamed as well, and perhaps what others wrote to call the skill: look at it first.
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
            format!(
                "write 'name: {}', as the directory is called",
                shown(&right)
            )
        } else {
            format!("write 'name: {}', and call the directory so", shown(&right))
        });
        let Some(at) = place_of(name, written, doc) else {
            return;
        };
        let title = format!("write the name '{}'", shown(&right));
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

/// Says whether a name is one but for its doubled hyphens; of any other SKL102 speaks.
fn is_name(name: &str) -> bool {
    let is_known = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    name.chars().all(is_known) && !name.starts_with('-') && !name.ends_with('-')
}

fn with_single_hyphens(name: &str) -> String {
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Returns where a name stands, without quotes around it; `None` if it stands elsewhere, behind an alias.
fn place_of(name: &str, written: Span, doc: &Document) -> Option<Span> {
    let at = written.start + doc.text[written.start..written.end].find(name)?;
    Some(Span::new(at, at + name.len()))
}

fn doubled(name: &str) -> String {
    format!("name '{}' has hyphens in a row", shown(name))
}
