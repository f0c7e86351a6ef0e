//! SET103 listing-room.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_lint::{Rule, RuleMeta, RunFindings, RunSkill, declare_rule};

declare_rule! {
    /// Reports skills whose names and descriptions together exceed a client's limit.
    ///
    /// ## Why
    /// A client shows an agent the name and the description of each skill, up to a limit on the number of skills or the
    /// total size. Beyond the limit, the client truncates descriptions or drops skills, and the agent never uses a
    /// skill that it does not see.
    ///
    /// The rule checks the limits of the clients that are selected with `--client`, as in
    /// `skc lint --client claude-code`, or with `clients` in the configuration. Like SET101, it considers skills of the
    /// same run that are in the same place. It adds up the sizes of their names and descriptions, and leaves out skills
    /// with `disable-model-invocation`. Skills in other places count toward the client's limit too, but the rule does
    /// not include them. `skc budget` shows the cost of each skill.
    ///
    /// ## Example
    /// A directory contains 200 skills with descriptions of 300 characters each, and the client has a limit of 16,000
    /// characters. Shorten the descriptions, or divide the skills among several plug-ins of the client, and enable each
    /// plug-in only where it is needed.
    pub(crate) struct ListingRoom {
        code: "SET103",
        name: "listing-room",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ListingRoom {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_run(&self, skills: &[RunSkill], out: &mut RunFindings<'_>) {
        let mut roots: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (at, skill) in skills
            .iter()
            .enumerate()
            .filter(|(_, skill)| skill.is_listed)
        {
            roots.entry(skill.root()).or_default().push(at);
        }
        for listed in roots.values() {
            let texts = || {
                listed
                    .iter()
                    .map(|at| [&skills[*at].name, &skills[*at].description])
            };
            let chars: usize = texts().flatten().map(|text| text.chars().count()).sum();
            let bytes: usize = texts().flatten().map(String::len).sum();
            for client in out.clients() {
                let Some(listing) = &client.listing else {
                    continue;
                };
                let count = listed.len();
                let needs = [
                    (count, listing.max_entries, "skills"),
                    (chars, listing.fallback_chars, "characters"),
                    (bytes, listing.max_bytes, "bytes"),
                ];
                let over = needs.into_iter().find_map(|(needed, room, unit)| {
                    let room = room.filter(|room| needed > *room)?;
                    Some((needed, room, unit))
                });
                let Some((needed, room, unit)) = over else {
                    continue;
                };
                // Report the longest description, where the most space can be saved.
                let longest = listed
                    .iter()
                    .max_by_key(|at| skills[**at].description.len());
                let at = longest.copied().unwrap_or_default();
                let message = format!(
                    "the {count} skills here need {needed} {unit} in the listing of {}, which has a limit of {room}",
                    client.id
                );
                let help = "shorten the descriptions, starting with this one; 'skc budget' shows the cost of each skill";
                out.at(skills, at, skills[at].description_span, message)
                    .help(help);
            }
        }
    }
}
