//! Reports the reactions of the selected clients to the faults in a skill. Clients with a fault at the same position
//! share a finding.
//!
//! Each rule of the family covers one consequence. A fault without a known reaction is not reported.
//!
//! Design: R1, R3.

mod words;

use std::collections::BTreeMap;

use skillc_core::clients::{Client, Consequence, Fault, Faults, Reaction};
use skillc_core::{Document, Skill, Span};
use skillc_lint::Findings;

use words::{clauses, sources};

/// A client, and its reaction to a fault.
struct Reacting<'a> {
    client: &'a Client,
    fault: Fault,
    reaction: &'a Reaction,
    /// The name of the field, if the fault is a field that the client does not know.
    field: Option<String>,
}

/// Reports every fault to which a selected client reacts with the consequence `of`.
pub(crate) fn report(main: &Document, skill: &Skill, of: Consequence, out: &mut Findings<'_>) {
    let clients = out.clients();
    if clients.is_empty() {
        return;
    }
    let faults = Faults::new(main, &skill.at);
    let mut found: BTreeMap<(Span, String), Vec<Reacting<'_>>> = BTreeMap::new();
    for client in clients {
        for (&fault, reaction) in &client.faults {
            if reaction.consequence(fault) != Some(of) {
                continue;
            }
            for place in faults.places(fault, client, reaction.does) {
                let reacting = Reacting {
                    client,
                    fault,
                    reaction,
                    field: place.field,
                };
                let key = (place.at, place.subject);
                found.entry(key).or_default().push(reacting);
            }
        }
    }
    for ((at, subject), reacting) in found {
        let clauses = clauses(&reacting);
        // A client that ignores a field does not see the faults in the field's value, so the message only mentions the
        // field.
        let is_field = reacting.iter().all(|one| one.field.is_some());
        let field = subject
            .rsplit_once(" is ")
            .map_or(&*subject, |(field, _)| field);
        let ignored = (is_field && of == Consequence::FieldIgnored)
            .then(|| clauses.replacen(" it", &format!(" the {field}"), 1));
        out.at(
            at,
            ignored.unwrap_or_else(|| format!("{subject}; {clauses}")),
        )
        .help(sources(&reacting));
    }
}

/// Formats where and when a reaction was observed.
pub(crate) fn seen(id: &str, origin: &skillc_core::clients::Origin) -> String {
    format!("{id}: {}", origin.seen())
}
