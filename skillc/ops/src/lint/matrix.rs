//! `skc lint --matrix`: how each client handles each skill.
//!
//! The matrix is a view of the CLT rules, which run for one client at a time, regardless of configured severities. How
//! a client reacts to a fault is not always known. To find faults with an unknown reaction, CLT104 also runs for a copy
//! of the client that is assumed to warn about these faults. If CLT104 reports such a fault, the cell shows "unknown".
//!
//! Design: R1, R3, R15.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;
use skillc_core::clients::{Behaviour, Client, Clients, Consequence, Fault, Reaction};
use skillc_core::layout::SKILL_FILE;
use skillc_core::{Error, Frontmatter, Result, Skill};
use skillc_lint::rule::run::client_root;
use skillc_lint::{Choice, Diagnostic, Linter, PluginRegistry, Settings};

use super::check::{Compiled, read_skill};
use super::config::Linters;
use super::scope::{FoundSkill, Scope};
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The family of rules about clients.
const FAMILY: &str = "CLT";

/// The rule that reports the faults that clients warn about. When it runs for the [`doubtful`] copy of a client, it
/// reports the faults to which the client's reaction is not known.
const WARNS: &str = "CLT104";

/// The rule that reports missing frontmatter.
const NO_FRONTMATTER: &str = "SKL100";

/// Layout of the result. Not available in JSON requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MatrixRequest {
    /// Show how each client handles each skill, instead of findings
    #[cfg_attr(feature = "clap", arg(long, conflicts_with_all = ["fix", "diff", "statistics"]))]
    pub matrix: bool,
}

impl MatrixRequest {
    /// Refuses formats that can only show findings.
    ///
    /// # Errors
    /// E100 for such a format.
    pub(super) fn check_format(self, format: &str) -> Result<()> {
        if !self.matrix || matches!(format, "text" | "json") {
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!("--matrix does not support format '{format}'"),
            hint: Some("Use --format text or --format json.".into()),
        })
    }
}

/// How clients handle skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Matrix {
    /// Ids of the clients, in table order: the clients that are selected for any of the skills, or all clients if none
    /// are selected.
    pub clients: Vec<String>,
    /// Ids of the clients whose reactions to faults are all unknown.
    pub unknown: Vec<String>,
    /// The skills, in the order of the run.
    pub skills: Vec<MatrixSkill>,
}

/// How clients handle one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatrixSkill {
    /// The skill's directory name.
    pub skill: String,
    /// The skill's directory.
    pub path: String,
    /// The directory as displayed: see `SkillReport::folder`.
    #[serde(skip)]
    pub folder: String,
    /// Whether the skill is build output and was skipped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// The reason why the skill could not be read; `None` if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// One cell per client, in the order of the clients; empty if the skill was not read.
    pub cells: Vec<Cell>,
    /// Ids of the clients that are selected for this skill.
    #[serde(skip)]
    pub named: BTreeSet<String>,
}

/// How a client handles a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The client's id.
    pub client: String,
    /// The worst result among the reasons.
    pub result: CellResult,
    /// The reasons, worst first.
    pub reasons: Vec<Reason>,
}

/// The result for a skill, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellResult {
    /// No known problem.
    Ok,
    /// The skill loads, with a warning.
    Warned,
    /// The client ignores a field, a value or a placeholder.
    FieldIgnored,
    /// A value is truncated or replaced.
    Altered,
    /// Nothing is known about the client, or about its reaction to a fault of the skill.
    Unknown,
    /// The client's source suggests that the skill cannot be used; no report confirms it.
    MayBeDropped,
    /// The client cannot use the skill.
    Dropped,
    /// The skill is nested deeper than the client searches.
    NotFound,
}

/// A reason for the result of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The result that this reason alone would cause.
    #[serde(skip)]
    pub result: CellResult,
    /// The rule's code; `None` if the reaction is not known, or if the skill is nested deeper than the client searches.
    pub rule: Option<String>,
    /// The fault, and the client's reaction.
    pub message: String,
    /// The source of the information about the client's reaction, with its date; `None` if no source is known.
    pub help: Option<String>,
}

impl CellResult {
    /// Every result, from best to worst.
    pub const ALL: [Self; 8] = [
        Self::Ok,
        Self::Warned,
        Self::FieldIgnored,
        Self::Altered,
        Self::Unknown,
        Self::MayBeDropped,
        Self::Dropped,
        Self::NotFound,
    ];

    const fn from_consequence(consequence: Consequence) -> Self {
        match consequence {
            Consequence::Refused => Self::Dropped,
            Consequence::MayBeRefused => Self::MayBeDropped,
            Consequence::Altered => Self::Altered,
            Consequence::Warned => Self::Warned,
            Consequence::FieldIgnored => Self::FieldIgnored,
        }
    }

    /// Returns the result that corresponds to a finding of a CLT rule.
    fn from_rule(code: &str) -> Self {
        match code {
            "CLT101" => Self::Dropped,
            "CLT102" => Self::MayBeDropped,
            "CLT103" => Self::Altered,
            "CLT201" | "CLT202" | "CLT301" => Self::FieldIgnored,
            _ => Self::Warned,
        }
    }
}

impl Matrix {
    /// Returns true if any selected client cannot find or use a skill, or if any skill cannot be read.
    pub fn has_failed(&self) -> bool {
        let is_lost = |cell: &Cell| cell.result >= CellResult::Dropped;
        self.skills.iter().any(|skill| {
            let mut named = skill
                .cells
                .iter()
                .filter(|c| skill.named.contains(&c.client));
            skill.failure.is_some() || named.any(is_lost)
        })
    }
}

/// Creates the matrix of a run.
///
/// # Errors
/// In a run over a single skill, the error from reading the skill. Otherwise, the skill's row contains this error.
pub(super) fn matrix(
    toolkit: &Toolkit,
    linters: &Linters<'_>,
    scope: &Scope,
    compiled: Compiled,
    notes: &mut Notes,
) -> Result<Matrix> {
    let mut rows = Vec::with_capacity(scope.skills.len());
    for found in &scope.skills {
        rows.push(row(found, linters)?);
    }
    let named: BTreeSet<&String> = rows.iter().flat_map(|row| &row.named).collect();
    let is_asked = |client: &&Client| named.is_empty() || named.contains(&client.id);
    let clients = Clients::shared().clients.iter().filter(is_asked);
    let columns = clients.map(|client| Column::new(client, toolkit.plugins()));
    let columns: Vec<Column<'_>> = columns.collect::<Result<_>>()?;
    let work = toolkit.work("Checking clients", rows.len());
    let fill = |(row, found): (&mut MatrixSkill, &FoundSkill)| {
        let mut own = Notes::default();
        let before = if scope.is_single { "." } else { &found.folder };
        let skill = work
            .advance()
            .and_then(|()| read_skill(found, before, compiled, &mut own));
        match &skill {
            Ok(None) => row.skipped = true,
            Ok(Some(skill)) => {
                row.cells = columns.iter().map(|column| column.cell(skill)).collect();
            }
            Err(error) => row.failure = Some(error.to_string()),
        }
        (skill.err(), own)
    };
    let rows_of = rows.par_iter_mut().zip(&scope.skills);
    let done: Vec<(Option<Error>, Notes)> = rows_of.with_max_len(1).map(fill).collect();
    toolkit.stop.check()?;
    for (error, own) in done {
        notes.append(own);
        match error {
            Some(error) if scope.is_single => return Err(error),
            _ => {}
        }
    }
    let unknown = columns.iter().filter(|column| !column.is_known);
    Ok(Matrix {
        clients: columns.iter().map(|c| c.client.id.clone()).collect(),
        unknown: unknown.map(|c| c.client.id.clone()).collect(),
        skills: rows,
    })
}

/// Creates the row of a skill that has not been read yet.
fn row(found: &FoundSkill, linters: &Linters<'_>) -> Result<MatrixSkill> {
    let linter = linters.for_dir(&found.at.canonical)?;
    let named = linter.clients().iter().map(|client| client.id.clone());
    Ok(MatrixSkill {
        skill: found.at.name.clone(),
        path: found.at.source.display().to_string(),
        folder: found.folder.clone(),
        skipped: false,
        failure: None,
        cells: Vec::new(),
        named: named.collect(),
    })
}

/// A client, with the linters that check skills for it.
struct Column<'a> {
    client: &'a Client,
    linter: Linter,
    /// Lints for the [`doubtful`] copy of the client, to find the faults to which its reaction is not known.
    doubts: Linter,
    /// Whether any reaction of the client to a fault is known.
    is_known: bool,
}

impl<'a> Column<'a> {
    fn new(client: &'a Client, plugins: &PluginRegistry) -> Result<Self> {
        let of = |selector: &str, client: Client| {
            let choice = Choice {
                select: vec![selector.to_owned()],
                ..Choice::default()
            };
            let settings = Settings {
                clients: vec![client],
                ..Settings::default()
            };
            Linter::new(plugins, &choice, settings)
        };
        let linter = of(FAMILY, client.clone())?;
        let has_rules = linter.rules().next().is_some();
        let is_known = has_rules && !client.faults.is_empty();
        let doubts = if has_rules { WARNS } else { FAMILY };
        Ok(Self {
            client,
            linter,
            doubts: of(doubts, doubtful(client))?,
            is_known,
        })
    }

    fn cell(&self, skill: &Skill) -> Cell {
        let found = self.linter.run(skill).into_iter().map(known);
        let doubts = self.doubts.run(skill).into_iter();
        let mut reasons: Vec<Reason> = found.collect();
        reasons.extend(doubts.map(|found| self.unknown(&found)));
        reasons.extend(self.beside_fields(skill));
        reasons.extend(self.not_found(skill));
        if !self.is_known {
            reasons.push(self.blank());
        }
        reasons.sort_by_key(|reason| Reverse(reason.result));
        let worst = reasons.first().map(|reason| reason.result);
        Cell {
            client: self.client.id.clone(),
            result: worst.unwrap_or(CellResult::Ok),
            reasons,
        }
    }

    /// Reports a skill that is nested deeper below a directory of skills than the client searches.
    fn not_found(&self, skill: &Skill) -> Option<Reason> {
        let most = self.client.max_depth?;
        let dir = &skill.at.canonical;
        let root = client_root(dir);
        let depth = dir.strip_prefix(root).ok()?.components().count();
        let folder = root.file_name().unwrap_or_default().to_string_lossy();
        let levels = if most == 1 { "level" } else { "levels" };
        (depth > most).then(|| Reason {
            result: CellResult::NotFound,
            rule: None,
            message: format!(
                "it is {depth} levels below '{folder}'; {} searches {most} {levels} deep",
                self.client.id
            ),
            help: None,
        })
    }

    /// Reports missing or unclosed frontmatter, or a wrong file name: the CLT rules check only fields.
    fn beside_fields(&self, skill: &Skill) -> Option<Reason> {
        let main = skill.main()?;
        let reaction = self.client.faults.get(&Fault::NoFrontmatter);
        let subject = "there is no frontmatter";
        match (&main.frontmatter, reaction) {
            (Frontmatter::Absent, Some(reaction)) if reaction.does != Behaviour::Unknown => {
                self.without_frontmatter(subject, reaction)
            }
            (Frontmatter::Absent, _) => Some(self.doubt(subject)),
            (Frontmatter::Unclosed, _) => Some(self.doubt("the frontmatter has no closing '---'")),
            _ if main.path.as_str() != SKILL_FILE => {
                Some(self.doubt("the file is not named 'SKILL.md'"))
            }
            _ => None,
        }
    }

    fn without_frontmatter(&self, subject: &str, reaction: &Reaction) -> Option<Reason> {
        let consequence = reaction.effect(Fault::NoFrontmatter)?;
        let (id, (does, _)) = (&self.client.id, reaction.does.words());
        Some(Reason {
            result: CellResult::from_consequence(consequence),
            rule: Some(NO_FRONTMATTER.to_owned()),
            message: format!("{subject}; {id} {does}"),
            help: Some(format!("{id}: {}", self.client.origin_of(reaction).seen())),
        })
    }

    /// Converts a finding of the `doubts` linter to a reason. That linter assumes that the client warns; the reason's
    /// message says instead that the client's reaction is not known.
    fn unknown(&self, found: &Diagnostic) -> Reason {
        let (does, _) = Behaviour::Warn.words();
        let clause = format!("; {} {does}", self.client.id);
        let subject = found.message.strip_suffix(&clause);
        self.doubt(subject.unwrap_or(&found.message))
    }

    fn doubt(&self, subject: &str) -> Reason {
        not_known(format!(
            "{subject}; the reaction of {} is not known",
            self.client.id
        ))
    }

    /// Reports that nothing is known about the client.
    fn blank(&self) -> Reason {
        let id = &self.client.id;
        not_known(format!("how {id} handles faults is not known"))
    }
}

/// Returns a copy of a client that reacts only with warnings: one for each grave fault to which the client's real
/// reaction is not known.
fn doubtful(client: &Client) -> Client {
    let is_known = |fault: &Fault| {
        let reaction = client.faults.get(fault);
        reaction.is_some_and(|reaction| reaction.does != Behaviour::Unknown)
    };
    let warns = Reaction {
        does: Behaviour::Warn,
        since: None,
        until: None,
        confirmed: true,
        origin: None,
    };
    let grave = Fault::ALL.into_iter().filter(|fault| fault.is_grave());
    let doubts = grave.filter(|fault| !is_known(fault));
    Client {
        faults: doubts.map(|fault| (fault, warns.clone())).collect(),
        ..client.clone()
    }
}

fn not_known(message: String) -> Reason {
    Reason {
        result: CellResult::Unknown,
        rule: None,
        message,
        help: None,
    }
}

fn known(found: Diagnostic) -> Reason {
    Reason {
        result: CellResult::from_rule(&found.rule),
        rule: Some(found.rule.into_owned()),
        message: found.message,
        help: found.help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(id: &str) -> Client {
        let clients = Clients::builtin();
        clients.client(id).expect("a client").clone()
    }

    #[test]
    fn results_are_listed_from_good_to_bad() {
        assert!(CellResult::ALL.is_sorted());
    }

    #[test]
    fn only_unknown_behaviour_is_in_doubt() {
        let doubts = doubtful(&client("claude-code")).faults;
        assert!(doubts.contains_key(&Fault::Bom));
        assert!(!doubts.contains_key(&Fault::Colon) && !doubts.contains_key(&Fault::DirMismatch));
        assert_eq!(doubtful(&client("cursor")).faults.len(), 11);
        let doubts = doubtful(&client("gemini-cli")).faults;
        assert_eq!(doubts.len(), 0, "{doubts:?}");
    }

    #[test]
    fn the_result_of_a_finding_follows_from_its_consequence() {
        for (code, consequence) in [
            ("CLT101", Consequence::Refused),
            ("CLT102", Consequence::MayBeRefused),
            ("CLT103", Consequence::Altered),
            ("CLT104", Consequence::Warned),
            ("CLT201", Consequence::FieldIgnored),
        ] {
            assert_eq!(
                CellResult::from_rule(code),
                CellResult::from_consequence(consequence)
            );
        }
    }
}
