//! CLT301 client-placeholder.

use std::collections::BTreeSet;

use skillc_core::clients::{Client, Clients, joined};
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::seen;

/// Any number: too much else is written so, prices and the arguments of scripts.
const NUMBER: &str = "$N";

/// Names of the skill's root, which links may begin with.
const ROOTS: [&str; 2] = ["{baseDir}", "${CLAUDE_SKILL_DIR}"];

declare_rule! {
    /// Reports a placeholder in `SKILL.md` that a named client does not fill in.
    ///
    /// ## Why
    /// `${CLAUDE_SKILL_DIR}`, `{baseDir}` and `$ARGUMENTS` are filled in by the client before the agent sees the text. Another
    /// client leaves them as they are: the agent gets a path that is none, and a command that fails. A path from the skill's
    /// own folder works everywhere.
    ///
    /// Reported is the first place of each. One with a backslash before it is no placeholder, and `$1` is never reported. The
    /// rule speaks only of clients that you name, with `--for` or in the configuration, and of which it is known what they
    /// fill in.
    ///
    /// ## Example
    /// With `--for codex`:
    /// ```markdown
    /// Run `python ${CLAUDE_SKILL_DIR}/scripts/format.py`.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Run `python scripts/format.py` in this skill's folder.
    /// ```
    ///
    /// ## Source
    /// The source or the documents of each client; the finding names them, with their date.
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

/// Returns where a placeholder stands in the body: not escaped, not the beginning of a longer name, and not in the middle of
/// a link, of which nobody can say where it leads.
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
