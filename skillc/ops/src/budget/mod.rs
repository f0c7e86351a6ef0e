//! `skc budget`: the size of the skill descriptions in each client's listing, and by how much they exceed its limit.
//!
//! Counts names and descriptions as a client lists them, without the text around them, which is not known for most
//! clients. If a listing is too long, the report shows what the client is known to leave out, but not which skills are
//! affected: that is not known for any client.
//!
//! Design: R1, R12.

mod cost;
mod places;
mod report;

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::clients::{Client, Clients};
use skillc_core::{Error, Result};

use self::cost::{budget, entry, fewest};
use self::places::{Head, Skills};
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict};
use crate::toolkit::Toolkit;

pub use report::{Budget, BudgetResponse, BudgetUnit, ClientListing, EntryState, ListedSkill};

/// Arguments of `skc budget`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct BudgetRequest {
    /// Skill names, paths, globs or folders [default: what clients find]
    #[cfg_attr(feature = "clap", arg(value_name = "SKILL"))]
    #[serde(default)]
    pub skill: Vec<String>,
    /// Only these clients, for example codex,claude-code
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "client",
            long = "client",
            alias = "for",
            value_name = "ID,…",
            value_delimiter = ','
        )
    )]
    #[serde(default, rename = "client", alias = "for")]
    pub for_clients: Vec<String>,
    /// Context window size in tokens, for example 200000
    #[cfg_attr(feature = "clap", arg(long, value_name = "TOKENS"))]
    #[serde(default)]
    pub context: Option<usize>,
    /// Fail if a listing has more tokens than this
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    pub max: Option<usize>,
}

/// Implements `skc budget`.
pub struct BudgetOfSkills;

impl Operation for BudgetOfSkills {
    const NAME: &'static str = "budget";
    const ABOUT: &'static str = "Show how many tokens each client spends on skill descriptions";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc budget",
            does: "the skills that each client finds here",
        },
        Example {
            command: "skc budget --client claude-code --context 200000",
            does: "one client, with this context window",
        },
        Example {
            command: "skc budget ./skills --max 4000",
            does: "in CI: fail above 4000 tokens",
        },
    ];
    type Request = BudgetRequest;
    type Response = BudgetResponse;

    fn run(toolkit: &Toolkit, request: BudgetRequest, notes: &mut Notes) -> Result<BudgetResponse> {
        if request.context == Some(0) {
            return Err(Error::InvalidOption {
                message: "--context must be greater than 0".into(),
                hint: Some(
                    "Give the context window in tokens, for example: --context 200000".into(),
                ),
            });
        }
        let clients = clients(&request.for_clients)?;
        let mut skills = Skills::find(toolkit, &request.skill, notes)?;
        let mut listings = Vec::with_capacity(clients.len());
        for client in clients {
            toolkit.stop.check()?;
            let heads = skills.for_client(client, notes);
            listings.push(listing(client, &heads, &request));
        }
        Ok(BudgetResponse {
            context: request.context,
            max: request.max,
            clients: listings,
        })
    }

    fn verdict(response: &BudgetResponse) -> Verdict {
        if response.clients.iter().any(|client| client.over_max > 0) {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}

/// Returns the named clients, without duplicates; without names, the clients whose listing is at least partly known.
fn clients(named: &[String]) -> Result<Vec<&'static Client>> {
    let all = Clients::shared();
    if named.is_empty() {
        let known = all.clients.iter().filter(|client| client.listing.is_some());
        return Ok(known.collect());
    }
    let mut clients: Vec<&'static Client> = Vec::new();
    for name in named {
        let client = all.client(name.trim())?;
        if clients.iter().all(|known| known.id != client.id) {
            clients.push(client);
        }
    }
    Ok(clients)
}

fn listing(client: &Client, heads: &[Head], request: &BudgetRequest) -> ClientListing {
    let known = client.listing.as_ref();
    let mut skills: Vec<ListedSkill> = heads.iter().map(|head| entry(head, client)).collect();
    skills.sort_by_key(|skill| Reverse(skill.characters));
    let sum = |of: fn(&ListedSkill) -> usize| skills.iter().map(of).sum();
    let (characters, bytes): (usize, usize) = (sum(|s| s.characters), sum(|s| s.bytes));
    let tokens: usize = sum(|skill| skill.tokens);
    let listed = skills.iter().filter(|s| s.state.is_listed()).count();
    let budget = budget(known, request.context);
    let used = budget.map(|budget| (budget.used(characters, tokens, bytes), budget));
    let over = used.map_or(0, |(used, budget)| used.saturating_sub(budget.amount));
    let max_skills = known.and_then(|listing| listing.max_entries);
    let size = |s: &ListedSkill| budget.map_or(0, |b| b.used(s.characters, s.tokens, s.bytes));
    let mut sizes: Vec<usize> = skills.iter().map(size).collect();
    sizes.sort_unstable_by_key(|size| Reverse(*size));
    ClientListing {
        client: client.id.clone(),
        source: client.origin.seen(),
        listed,
        characters,
        tokens,
        bytes,
        percent: used.map(|(used, budget)| percent(used, budget.amount)),
        over,
        over_skills: listed.saturating_sub(max_skills.unwrap_or(usize::MAX)),
        over_max: tokens.saturating_sub(request.max.unwrap_or(usize::MAX)),
        leaves_out: known.and_then(|listing| listing.drops.clone()),
        fewest: fewest(&sizes, over).filter(|count| *count > 0),
        budget,
        max_skills,
        skills,
    }
}

/// Returns `used` as a percentage of `whole`, rounded up. If `whole` is 0, the result is 0 if `used` is 0 too, and
/// otherwise the maximum.
const fn percent(used: usize, whole: usize) -> usize {
    match (used, whole) {
        (0, _) => 0,
        (_, 0) => usize::MAX,
        _ => used.saturating_mul(100).div_ceil(whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_of_a_budget_is_rounded_up() {
        assert_eq!(percent(0, 0), 0);
        assert_eq!(percent(1, 8000), 1);
        assert_eq!(percent(8000, 8000), 100);
        assert_eq!(percent(8001, 8000), 101);
        assert_eq!(percent(1, 0), usize::MAX);
    }
}
