//! Compares a stub with its source from the point of view of a client.
//!
//! A client sees only the stub. A difference from the source matters if the client reads the differing field, or reacts
//! to a fault that is only in the stub or only in the source.

use std::collections::BTreeSet;

use skillc_core::clients::{Behaviour, Client, Consequence, Fault, Faults};
use skillc_core::{Document, Field, SkillRef, Value};

/// A stub and its source.
pub(crate) struct StubAndSource<'a> {
    pub(crate) stub: &'a Document,
    pub(crate) source: &'a Document,
    /// The skill, whose directory name is compared with the names in the stub and in the source.
    pub(crate) at: &'a SkillRef,
}

/// A field that differs.
pub(crate) struct DifferentField<'a> {
    pub(crate) key: &'a str,
    /// The difference: `the stub lacks 'model', which its source has`.
    pub(crate) message: String,
}

impl StubAndSource<'_> {
    /// Returns the fields that a client reads and that differ, in the client's order.
    pub(crate) fn fields<'a>(&self, client: &'a Client) -> Vec<DifferentField<'a>> {
        let field = |of: &'_ Document, key: &str| -> Option<Value> {
            let field = of.frontmatter.fields()?.get(key)?;
            Some(field.value.clone())
        };
        let compared = client.fields().filter_map(|key| {
            let message = match (field(self.source, key), field(self.stub, key)) {
                (Some(source), Some(stub)) if !same_value(&source, &stub) => {
                    format!("the stub and its source have different values for '{key}'")
                }
                (Some(_), None) => format!("the stub lacks '{key}', which its source has"),
                (None, Some(_)) => format!("the stub has '{key}', which its source lacks"),
                _ => return None,
            };
            Some(DifferentField { key, message })
        });
        compared.collect()
    }

    /// Returns remarks about effects that the author of a skill may not expect: differing fields, and faults to which
    /// the client reacts, whether in the stub or only in the source.
    pub(crate) fn remarks(&self, client: &Client) -> Vec<String> {
        let mut remarks: Vec<String> = self
            .fields(client)
            .into_iter()
            .map(|field| field.message)
            .collect();
        for fault in Fault::ALL {
            let Some(reaction) = client.faults.get(&fault) else {
                continue;
            };
            let effect = reaction.effect(fault);
            if effect.is_none_or(|effect| effect == Consequence::Warned) {
                continue;
            }
            let (does, _) = client.does(fault, reaction);
            let in_stub = subjects(self.stub, self.at, fault, client, reaction.does);
            let in_source = subjects(self.source, self.at, fault, client, reaction.does);
            for subject in &in_stub {
                remarks.push(format!("{subject}; {} {does}", client.id));
            }
            for subject in in_source.difference(&in_stub) {
                remarks.push(format!(
                    "only in the source: {subject}; {} {does}",
                    client.id
                ));
            }
        }
        remarks
    }
}

fn subjects(
    main: &Document,
    at: &SkillRef,
    fault: Fault,
    client: &Client,
    does: Behaviour,
) -> BTreeSet<String> {
    let places = Faults::new(main, at).places(fault, client, does);
    places.into_iter().map(|place| place.subject).collect()
}

/// Returns whether two values are equal, regardless of position. Nesting is limited by the frontmatter parser.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            let mut both = a.iter().zip(b.iter());
            a.len() == b.len() && both.all(|(a, b)| same_value(&a.value, &b.value))
        }
        (Value::Map(a), Value::Map(b)) => {
            let same = |(a, b): (&Field, &Field)| a.key == b.key && same_value(&a.value, &b.value);
            a.len() == b.len() && a.iter().zip(b.iter()).all(same)
        }
        (Value::Null, Value::Null) => true,
        (Value::Text(a), Value::Text(b)) => a == b,
        _ => false,
    }
}
