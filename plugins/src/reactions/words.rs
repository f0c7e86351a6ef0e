//! Descriptions of client reactions.

use skillc_core::clients::joined;

use super::{Reacting, seen};

/// Describes the reaction of each client, grouped: `spec refuses the skill, pi and goose ignore it`.
pub(super) fn clauses(reacting: &[Reacting<'_>]) -> String {
    let mut groups: Vec<(String, Vec<&Reacting<'_>>)> = Vec::new();
    for one in reacting {
        let words = done(one, Number::One);
        match groups.iter_mut().find(|(other, _)| *other == words) {
            Some((_, together)) => together.push(one),
            None => groups.push((words, vec![one])),
        }
    }
    let clause = |(words, together): (String, Vec<&Reacting<'_>>)| {
        let ids: Vec<&str> = together.iter().map(|one| one.client.id.as_str()).collect();
        let words = match together[..] {
            [_] => words,
            _ => done(together[0], Number::Many),
        };
        format!("{} {words}", joined(&ids))
    };
    let clauses: Vec<String> = groups.into_iter().map(clause).collect();
    clauses.join(", ")
}

/// Formats where and when each reaction was observed, and earlier reactions.
pub(super) fn sources(reacting: &[Reacting<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for one in reacting {
        let mut line = seen(&one.client.id, one.client.origin_of(one.reaction));
        if let Some(since) = &one.reaction.since {
            line += &format!(", since {since}");
        }
        if let Some(until) = &one.reaction.until {
            line += &format!(", until {} it {}", until.when, until.does.past());
        }
        let instead = one.field.as_ref();
        if let Some(instead) = instead.and_then(|field| one.client.instead.get(field)) {
            line += &format!(", which has '{instead}' instead");
        }
        lines.push(line);
    }
    lines.join("; ")
}

#[derive(Clone, Copy)]
enum Number {
    One,
    Many,
}

fn done(one: &Reacting<'_>, number: Number) -> String {
    let (singular, plural) = one.client.does(one.fault, one.reaction);
    match number {
        Number::One => singular,
        Number::Many => plural,
    }
}
