//! CLT301 client-placeholder.

use std::collections::BTreeSet;

use skillc_core::clients::{Client, Clients, joined};
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::seen;

/// The placeholder for a numbered argument. The rule ignores it, because prices and shell arguments look the same.
const NUMBER: &str = "$N";

/// Placeholders for the skill's root, with which links may start.
const ROOTS: [&str; 2] = ["{baseDir}", "${CLAUDE_SKILL_DIR}"];

declare_rule! {
    /// Reports a placeholder in `SKILL.md` that a selected client does not replace.
    ///
    /// ## Why
    /// Some clients replace `${CLAUDE_SKILL_DIR}`, `{baseDir}` or `$ARGUMENTS` before the agent sees the text. Other
    /// clients leave them unchanged: the agent gets an invalid path, and commands fail. A path relative to the skill's
    /// folder works everywhere.
    ///
    /// Each placeholder is reported at its first occurrence. A placeholder escaped with a backslash is not reported,
    /// and neither is `$1`. The rule only checks clients that are selected with `--client` or in the configuration, and
    /// whose placeholders are known.
    ///
    /// ## Example
    /// With `--client codex`:
    /// ```markdown
    /// Run `python ${CLAUDE_SKILL_DIR}/scripts/format.py`.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Run `python scripts/format.py` in this skill's folder.
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
    pub(crate) struct ClientPlaceholder {
        code: "CLT301",
        name: "client-placeholder",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientPlaceholder {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, _: &Skill, out: &mut Findings<'_>) {
        if out.clients().is_empty() {
            return;
        }
        let table = Clients::shared();
        let known = table
            .clients
            .iter()
            .flat_map(|c| c.placeholders.iter().flatten());
        let known: BTreeSet<&String> = known.filter(|name| *name != NUMBER).collect();
        for name in known {
            let leaves = |client: &&Client| {
                let fills = client.placeholders.as_ref();
                fills.is_some_and(|fills| !fills.contains(name))
            };
            let clients: Vec<&Client> = out.clients().iter().filter(leaves).collect();
            let places = places(main, name);
            let (Some(first), false) = (places.first(), clients.is_empty()) else {
                continue;
            };
            let ids: Vec<&str> = clients.iter().map(|client| client.id.as_str()).collect();
            let sources: Vec<String> = clients.iter().map(|c| seen(&c.id, &c.origin)).collect();
            out.at(*first, left(name, places.len(), &ids))
                .help(sources.join("; "));
        }
    }
}

/// Returns the positions of a placeholder in the body. Excludes placeholders that are escaped, part of a longer name,
/// or part of a link's destination. Placeholders for the skill's root are included even in destinations.
fn places(main: &Document, name: &str) -> Vec<Span> {
    let body = &main.text[main.body_start..];
    let is_whole = |at: usize| {
        let after = body[at + name.len()..].chars().next();
        let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !body[..at].ends_with('\\') && (name.ends_with('}') || !after.is_some_and(goes_on))
    };
    let is_linked = |span: &Span| {
        let holds = |link: Span| link.start <= span.start && span.end <= link.end;
        !ROOTS.contains(&name) && main.links.iter().any(|link| holds(link.dest_span))
    };
    let found = body.match_indices(name).map(|(at, _)| at);
    let spans = found.filter(|at| is_whole(*at)).map(|at| {
        let start = main.body_start + at;
        Span::new(start, start + name.len())
    });
    spans.filter(|span| !is_linked(span)).collect()
}

fn left(name: &str, times: usize, ids: &[&str]) -> String {
    let leave = if ids.len() == 1 { "leaves" } else { "leave" };
    let times = match times {
        1 => String::new(),
        times => format!(" ({times} times)"),
    };
    format!("{} {leave} '{name}' as it is{times}", joined(ids))
}
