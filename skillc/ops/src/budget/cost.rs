//! The cost of a skill in a client's listing: lengths, truncation and sums. No I/O.
//!
//! Design: R1.

use skillc_core::clients::{Behaviour, Client, Consequence, Fault, Listing, Unit};
use skillc_core::tokens::tokens;

use super::places::Head;
use super::report::{Budget, BudgetUnit, EntryState, ListedSkill};

/// The frontmatter field that hides a skill from agents.
const HIDDEN: &str = "disable-model-invocation";

/// Words besides `true` that some clients accept as true.
const TRUE: [&str; 3] = ["yes", "on", "1"];

/// Returns a skill's entry in a client's listing.
pub(super) fn entry(head: &Head, client: &Client) -> ListedSkill {
    let (state, text) = listed(head, client);
    let text = match state {
        EntryState::Hidden | EntryState::Shadowed | EntryState::NotLoaded => String::new(),
        _ => head.name.clone() + text.as_str(),
    };
    ListedSkill {
        skill: head.name.clone(),
        path: head.path.clone(),
        state,
        characters: text.chars().count(),
        tokens: tokens(&text),
        bytes: text.len(),
    }
}

/// Returns the state of a skill in a listing, and the text that is listed in addition to its name.
fn listed(head: &Head, client: &Client) -> (EntryState, String) {
    let does = |fault: Fault| client.faults.get(&fault);
    let is_lost = |fault: Fault| is_lost(client, fault);
    if head.is_shadowed {
        return (EntryState::Shadowed, String::new());
    }
    if head
        .fault
        .and_then(does)
        .is_some_and(|of| of.does == Behaviour::Empty)
    {
        return (EntryState::NameOnly, String::new());
    }
    if faults_of_name(head, client).chain(head.fault).any(is_lost) {
        return (EntryState::NotLoaded, String::new());
    }
    if head.text(HIDDEN).is_some_and(|flag| hides(client, flag)) {
        return (EntryState::Hidden, String::new());
    }
    let counted = client.description.counts.iter().map(String::as_str);
    let others = counted.filter(|key| *key != "description");
    let texts = std::iter::once("description").chain(others);
    let text: String = texts.filter_map(|key| head.text(key)).collect();
    if head.text("description").is_none() && is_lost(Fault::NoDescription) {
        return (EntryState::NotLoaded, text);
    }
    let limits = &client.description;
    let over = limits.max.filter(|max| limits.unit.count(&text) > *max);
    let cuts = does(Fault::DescriptionOver).is_some_and(|of| of.does == Behaviour::Cut);
    match over {
        Some(_) if is_lost(Fault::DescriptionOver) => (EntryState::NotLoaded, text),
        Some(max) if cuts => (EntryState::Cut, cut(&text, max, limits.unit).to_owned()),
        _ if text.is_empty() => (EntryState::NameOnly, text),
        _ => (EntryState::Listed, text),
    }
}

/// Returns whether a client treats a value of [`HIDDEN`] as true. If it is not known which words the client accepts,
/// only `true` hides a skill, so that the size of the listing is not underestimated.
fn hides(client: &Client, flag: &str) -> bool {
    let flag = flag.trim().to_ascii_lowercase();
    let is_word = client.booleans.contains(&flag) && TRUE.contains(&&*flag);
    client.has_field(HIDDEN) && (flag == "true" || is_word)
}

/// Returns whether a client drops, or may drop, a skill that has a fault.
fn is_lost(client: &Client, fault: Fault) -> bool {
    let reaction = client.faults.get(&fault);
    let effect = reaction.and_then(|reaction| reaction.effect(fault));
    matches!(
        effect,
        Some(Consequence::Refused | Consequence::MayBeRefused)
    )
}

/// Returns the faults of a skill's name according to a client's limits.
fn faults_of_name(head: &Head, client: &Client) -> impl Iterator<Item = Fault> {
    let limits = &client.name;
    let name = head.text("name");
    let is_too_long = |name: &str| limits.max.is_some_and(|max| limits.unit.count(name) > max);
    let has_wrong_form = |name: &str| {
        let is_odd = limits.pattern.is_some_and(|of| !of.matches(name));
        is_odd || limits.forbid.iter().any(|sign| name.contains(sign))
    };
    let faults = [
        (Fault::NoName, name.is_none()),
        (Fault::NameOver, name.is_some_and(is_too_long)),
        (Fault::NameCharacters, name.is_some_and(has_wrong_form)),
        (
            Fault::DirMismatch,
            name.is_some_and(|name| name != head.dir),
        ),
    ];
    faults
        .into_iter()
        .filter_map(|(fault, is_there)| is_there.then_some(fault))
}

/// Truncates a string to at most `max` units, at a character boundary.
fn cut(text: &str, max: usize, unit: Unit) -> &str {
    &text[..unit.first_over(text, max).unwrap_or(text.len())]
}

/// Returns the limit of a client's listing, in the unit in which it is known; `None` if the limit is not known.
///
/// `context`: the size of the context window, in tokens.
pub(super) fn budget(listing: Option<&Listing>, context: Option<usize>) -> Option<Budget> {
    let listing = listing?;
    let of_context = listing
        .percent
        .zip(context)
        .map(|(percent, context)| Budget {
            unit: BudgetUnit::Tokens,
            amount: context.saturating_mul(percent) / 100,
        });
    let of = |unit: BudgetUnit, amount: Option<usize>| amount.map(|amount| Budget { amount, unit });
    of_context
        .or_else(|| of(BudgetUnit::Characters, listing.fallback_chars))
        .or_else(|| of(BudgetUnit::Bytes, listing.max_bytes))
}

/// Returns how many of the largest entries to drop so that the remaining entries fit; `None` if no entry would remain.
///
/// `sizes`: largest first; `over`: the excess, in the same unit.
pub(super) fn fewest(sizes: &[usize], over: usize) -> Option<usize> {
    let mut gone = 0_usize;
    if over == 0 {
        return Some(0);
    }
    let enough = sizes.iter().position(|size| {
        gone = gone.saturating_add(*size);
        gone >= over
    });
    enough.map(|at| at + 1).filter(|count| *count < sizes.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use skillc_core::clients::Clients;

    use super::*;

    fn head(fields: &[(&str, &str)]) -> Head {
        let fields = fields
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Head {
            name: "demo".to_owned(),
            path: "/x/demo".to_owned(),
            dir: "demo".to_owned(),
            fault: None,
            is_shadowed: false,
            texts: std::iter::once(("name".to_owned(), "demo".to_owned()))
                .chain(fields)
                .collect::<BTreeMap<_, _>>(),
        }
    }

    fn listed_in(client: &str, fields: &[(&str, &str)]) -> ListedSkill {
        let clients = Clients::builtin();
        entry(&head(fields), clients.client(client).expect("a client"))
    }

    #[test]
    fn name_and_description_are_counted_in_characters_tokens_and_bytes() {
        let entry = listed_in("codex", &[("description", "Füllt PDF 表格")]);
        assert_eq!(entry.state, EntryState::Listed);
        assert_eq!((entry.characters, entry.bytes), (16, 21));
        // 4 tokens for the 14 letters and blanks, and 1 token for each of the 2 Chinese characters.
        assert_eq!(entry.tokens, 6);
    }

    #[test]
    fn a_description_is_truncated_as_by_the_client() {
        let long = "x".repeat(1600);
        let cases = [
            ("codex", EntryState::Cut, 1024 + 4),
            ("claude-code", EntryState::Cut, 1536 + 4),
            ("codelia", EntryState::NotLoaded, 0),
            ("pi", EntryState::Listed, 1600 + 4),
        ];
        for (client, state, characters) in cases {
            let entry = listed_in(client, &[("description", &long)]);
            assert_eq!(
                (entry.state, entry.characters),
                (state, characters),
                "{client}"
            );
        }
    }

    #[test]
    fn a_fault_that_drops_a_skill_removes_it_from_the_listing() {
        let state = |client: &str, head: &Head| {
            let clients = Clients::builtin();
            entry(head, clients.client(client).expect("a client")).state
        };
        let of = |fault| Head {
            fault: Some(fault),
            ..head(&[("description", "x: y")])
        };
        assert_eq!(
            state("claude-code", &of(Fault::Colon)),
            EntryState::NameOnly
        );
        assert_eq!(state("codex", &of(Fault::Colon)), EntryState::Listed);
        assert_eq!(state("kiro", &of(Fault::Colon)), EntryState::NotLoaded);
        assert_eq!(
            state("goose", &of(Fault::NoFrontmatter)),
            EntryState::NotLoaded
        );
        let elsewhere = Head {
            dir: "other".to_owned(),
            ..head(&[("description", "x")])
        };
        assert_eq!(state("codelia", &elsewhere), EntryState::NotLoaded);
        assert_eq!(state("codex", &elsewhere), EntryState::Listed);
        let nameless = Head {
            texts: BTreeMap::from([("description".to_owned(), "x".to_owned())]),
            ..elsewhere
        };
        assert_eq!(state("gemini-cli", &nameless), EntryState::NotLoaded);
        assert_eq!(state("codex", &nameless), EntryState::Listed);
    }

    #[test]
    fn fields_counted_together_are_truncated_together() {
        let (half, rest) = ("d".repeat(1000), "w".repeat(1000));
        let fields = [("description", &*half), ("when_to_use", &*rest)];
        assert_eq!(listed_in("claude-code", &fields).characters, 1536 + 4);
        assert_eq!(listed_in("codex", &fields).characters, 1000 + 4);
    }

    #[test]
    fn an_emoji_is_two_utf16_units_and_never_split() {
        assert_eq!(cut("a🎉b", 2, Unit::Utf16), "a");
        assert_eq!(cut("a🎉b", 3, Unit::Utf16), "a🎉");
        assert_eq!(cut("a🎉b", 2, Unit::Characters), "a🎉");
        assert_eq!(cut("ab", 2, Unit::Utf16), "ab");
    }

    #[test]
    fn a_skill_without_description_or_user_only_costs_less() {
        assert_eq!(listed_in("codex", &[]).state, EntryState::NotLoaded);
        let entry = listed_in("claude-code", &[]);
        assert_eq!((entry.state, entry.characters), (EntryState::NameOnly, 4));
        let fields = [("description", "x"), ("disable-model-invocation", "true")];
        assert_eq!(listed_in("claude-code", &fields).state, EntryState::Hidden);
        assert_eq!(listed_in("codex", &fields).state, EntryState::Listed);
    }

    #[test]
    fn a_flag_hides_a_skill_with_the_values_that_the_client_accepts() {
        let state = |client, flag| {
            let fields = [("description", "x"), ("disable-model-invocation", flag)];
            listed_in(client, &fields).state
        };
        for flag in ["true", "True", "yes", "on", "1"] {
            assert_eq!(state("claude-code", flag), EntryState::Hidden, "{flag}");
        }
        for flag in ["false", "no", "off", "0", "y"] {
            assert_eq!(state("claude-code", flag), EntryState::Listed, "{flag}");
        }
        assert_eq!(state("pi", "true"), EntryState::Hidden);
        assert_eq!(state("pi", "yes"), EntryState::Listed);
        assert_eq!(state("cursor", "yes"), EntryState::Listed);
    }

    #[test]
    fn a_budget_is_a_share_of_the_context_or_its_substitute() {
        let clients = Clients::builtin();
        let of = |client: &str, context: Option<usize>| {
            let client = clients.client(client).expect("a client");
            budget(client.listing.as_ref(), context).map(|b| (b.amount, b.unit))
        };
        assert_eq!(
            of("claude-code", None),
            Some((8000, BudgetUnit::Characters))
        );
        assert_eq!(
            of("claude-code", Some(200_000)),
            Some((2000, BudgetUnit::Tokens))
        );
        assert_eq!(of("codex", Some(200_000)), Some((4000, BudgetUnit::Tokens)));
        assert_eq!(
            of("codelia", Some(200_000)),
            Some((32_768, BudgetUnit::Bytes))
        );
        assert_eq!(of("pi", Some(200_000)), None);
        assert_eq!(
            of("codex", Some(usize::MAX)).map(|(_, unit)| unit),
            Some(BudgetUnit::Tokens)
        );
    }

    #[test]
    fn the_fewest_skills_to_drop_are_the_largest() {
        assert_eq!(fewest(&[50, 30, 20], 0), Some(0));
        assert_eq!(fewest(&[50, 30, 20], 50), Some(1));
        assert_eq!(fewest(&[50, 30, 20], 51), Some(2));
        assert_eq!(fewest(&[50, 30, 20], 81), None);
        assert_eq!(fewest(&[], 1), None);
    }
}
