//! The plan of a run: which rules run, their severities per file, and their settings.
//!
//! Design: R1, R3, R41.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use skillc_core::Stop;
use skillc_core::clients::Clients;
use skillc_core::error::Result;
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;

use crate::choice::Choice;
use crate::config::{Level, Overrides, PlannedLayer};
use crate::directive::{self, Directives, Standing};
use crate::plugin_registry::PluginRegistry;
use crate::rule::Rule;
use crate::rule::code::family;
use crate::rule::diagnostic::{Diagnostic, Severity};
use crate::rule::settings::Settings;

/// The plan of a run.
pub struct Plan {
    /// The rules that run, sorted by code.
    pub(crate) rules: Vec<Planned>,
    pub(crate) settings: Settings,
    layers: Vec<Arc<PlannedLayer>>,
    /// Every rule, sorted by code.
    known: Vec<Known>,
    /// Whether the clients were specified for this run, not by the configuration.
    has_own_clients: bool,
}

/// A rule of the registry.
struct Known {
    rule: Arc<dyn Rule>,
    /// Whether the rule runs without selectors.
    is_usual: bool,
    /// The index of the rule among those that run.
    planned: Option<usize>,
}

/// The family of the rules that report nothing without clients.
const CLIENTS: &str = "CLT";

pub(crate) struct Planned {
    pub(crate) rule: Arc<dyn Rule>,
    /// The severity of the rule's findings; `None` if only an override enables the rule.
    pub(crate) severity: Option<Severity>,
    /// Whether the configuration sets the level, which then applies to all findings of the rule.
    is_given: bool,
}

/// The severity of a rule's findings in a file.
#[derive(Clone, Copy)]
struct Wanted {
    severity: Severity,
    /// Whether the configuration sets the level, which then applies to all findings of the rule.
    is_given: bool,
}

impl Plan {
    /// Builds the plan.
    ///
    /// `layers`: the configuration, in ascending precedence, planned for the same rules. `for_clients`: ids of clients;
    /// they override the configured clients.
    ///
    /// # Errors
    /// E100 with the selector that matches no rule, or with the unknown client.
    pub fn new(
        plugins: &PluginRegistry,
        clients: &Clients,
        choice: &Choice,
        layers: &[Arc<PlannedLayer>],
        for_clients: &[String],
    ) -> Result<Self> {
        let configured = layers.iter().rev().find_map(|of| of.layer().preset);
        let choice = &Choice {
            preset: choice.preset.or(configured),
            ..choice.clone()
        };
        let level = |rule: usize| layers.iter().rev().find_map(|layer| layer.level(rule));
        let anywhere = |rule: usize| {
            let mut levels = layers
                .iter()
                .filter_map(|layer| layer.level_somewhere(rule));
            levels.next().or_else(|| level(rule))
        };
        let severities = choice.severities(plugins, level)?;
        let runs = choice.severities(plugins, anywhere)?;
        let usually = Choice {
            preset: choice.preset,
            ..Choice::default()
        };
        let usual = usually.severities(plugins, anywhere)?;
        let (mut rules, mut known) = (Vec::new(), Vec::new());
        for (at, rule) in plugins.rules().enumerate() {
            known.push(Known {
                rule: Arc::clone(rule),
                is_usual: usual[at].is_some(),
                planned: runs[at].map(|_| rules.len()),
            });
            if runs[at].is_some() {
                rules.push(Planned {
                    rule: Arc::clone(rule),
                    severity: severities[at],
                    is_given: matches!(level(at), Some(Level::On(_))),
                });
            }
        }
        let named = layers
            .iter()
            .rev()
            .find_map(|of| of.layer().clients.as_deref());
        let named = match for_clients {
            [] => named.unwrap_or_default(),
            named => named,
        };
        let mut settings = Settings {
            preset: choice.preset.unwrap_or_default(),
            faults: plugins.faults().to_vec(),
            ..Settings::default()
        };
        for name in named {
            let client = clients.client(name.trim())?;
            if settings.clients.iter().all(|known| known.id != client.id) {
                settings.clients.push(client.clone());
            }
        }
        for (rule, options) in layers.iter().flat_map(|layer| layer.options()) {
            let code = known[*rule].rule.meta().code.to_string();
            let own = settings.options.entry(code).or_default();
            own.extend(
                options
                    .iter()
                    .map(|(key, value)| (key.clone(), Arc::clone(value))),
            );
        }
        let has_overrides = |layer: &&Arc<PlannedLayer>| !layer.layer().overrides.is_empty();
        Ok(Self {
            rules,
            settings,
            layers: layers.iter().filter(has_overrides).cloned().collect(),
            known,
            has_own_clients: !for_clients.is_empty(),
        })
    }

    /// Returns the plan for one skill. `stop`: signals that the run is cancelled; its findings are then discarded.
    pub(crate) fn for_skill<'p, 'a>(
        &'p self,
        skill: &'a Skill,
        stop: &'p Stop,
    ) -> SkillPlan<'p, 'a> {
        SkillPlan {
            plan: self,
            skill,
            stop,
            known: RefCell::default(),
        }
    }

    /// Returns the index of a rule, given by its code.
    fn number(&self, rule: &str) -> Option<usize> {
        let code = |of: &Known| of.rule.meta().code.as_ref().cmp(rule);
        self.known.binary_search_by(code).ok()
    }

    /// Reports whether a rule is enabled for a file, given by its absolute path; the file need not exist.
    pub(crate) fn is_on(&self, rule: &str, path: &Path) -> bool {
        let Some(rule) = self.number(rule) else {
            return false;
        };
        let mut layers = self.layers.iter().rev();
        let level = layers.find_map(|layer| layer.level_at(path, rule));
        self.known[rule].planned.is_some() && self.wanted(rule, level).is_some()
    }

    /// Returns the severity of a rule's findings in a file; `None` if the rule is disabled there.
    ///
    /// `rule`: the index of the rule. `level`: the level that an override sets for it.
    fn wanted(&self, rule: usize, level: Option<Level>) -> Option<Wanted> {
        match level {
            Some(Level::Off) => None,
            Some(Level::On(severity)) => Some(Wanted {
                severity,
                is_given: true,
            }),
            None => {
                let planned = &self.rules[self.known[rule].planned?];
                planned.severity.map(|severity| Wanted {
                    severity,
                    is_given: planned.is_given,
                })
            }
        }
    }
}

/// The overrides that cover a file: the index of each layer with such overrides, and the overrides.
type Covering = Rc<[(usize, Overrides)]>;

/// The plan of a run for one skill. It determines the overrides of each file once: a file can have thousands of
/// findings, and a configuration thousands of overrides.
pub(crate) struct SkillPlan<'p, 'a> {
    plan: &'p Plan,
    skill: &'a Skill,
    stop: &'p Stop,
    known: RefCell<BTreeMap<RelPath, Covering>>,
}

impl<'a> SkillPlan<'_, 'a> {
    /// Sets the severity of findings, and drops the findings of rules that are disabled for the file.
    pub(crate) fn apply(&self, found: &mut Vec<Diagnostic>) {
        found.retain_mut(|diagnostic| {
            let covering = self.covering(diagnostic.file.as_ref());
            let rule = self.plan.number(&diagnostic.rule);
            let wanted = rule.and_then(|rule| self.wanted(rule, &covering));
            // A rule may lower the severity of some of its findings; a configured level applies to all of them.
            if let Some(wanted) = wanted.filter(|wanted| wanted.is_given) {
                diagnostic.severity = wanted.severity;
            }
            wanted.is_some()
        });
    }

    /// Removes the findings that directives suppress, and returns the directives by file.
    ///
    /// `lost`: the rules whose findings in the skill were dropped, so it is unknown whether a directive for them is
    /// used.
    pub(crate) fn suppress(
        &self,
        found: &mut Vec<Diagnostic>,
        lost: &BTreeSet<String>,
    ) -> Vec<Directives<'a>> {
        let known = self.plan.known.iter().map(|known| &*known.rule);
        // Most files have the same overrides, or none.
        let previous: RefCell<Option<(Covering, Rc<[Standing]>)>> = RefCell::default();
        directive::suppress(found, self.skill, known, |file| {
            let covering = self.covering(Some(file));
            let mut previous = previous.borrow_mut();
            if let Some((of, standings)) = &*previous
                && *of == covering
            {
                return Rc::clone(standings);
            }
            let rules = 0..self.plan.known.len();
            let standings = rules.map(|rule| self.standing(rule, &covering, lost));
            let standings: Rc<[Standing]> = standings.collect();
            *previous = Some((covering, Rc::clone(&standings)));
            standings
        })
    }

    fn standing(&self, rule: usize, covering: &Covering, lost: &BTreeSet<String>) -> Standing {
        let plan = self.plan;
        let Known {
            rule: of,
            is_usual,
            planned,
        } = &plan.known[rule];
        let code = &of.meta().code;
        if !lost.is_empty() && lost.contains(&**code) {
            return Standing::Elsewhere;
        }
        let is_for_clients = family(code) == CLIENTS;
        let is_on = planned.is_some() && self.wanted(rule, covering).is_some();
        match (is_on, *is_usual) {
            (true, _) if is_for_clients && plan.has_own_clients => Standing::Elsewhere,
            (true, _) if is_for_clients && plan.settings.clients.is_empty() => Standing::Off,
            (true, _) => Standing::Ran,
            (false, true) if planned.is_none() => Standing::Elsewhere,
            (false, _) => Standing::Off,
        }
    }

    /// Returns the severity of a rule's findings in a file; `None` if the rule is disabled there.
    fn wanted(&self, rule: usize, covering: &Covering) -> Option<Wanted> {
        let mut layers = covering.iter().rev();
        let level = layers.find_map(|(at, overrides)| {
            let layer = &self.plan.layers[*at];
            layer.level_in(*overrides, rule)
        });
        self.plan.wanted(rule, level)
    }

    /// Returns the overrides that cover a file; for `None`, those that cover the main file.
    fn covering(&self, file: Option<&RelPath>) -> Covering {
        let main = || self.skill.main().map(|main| &main.path);
        let layers = &self.plan.layers;
        let Some(file) = file.or_else(main).filter(|_| !layers.is_empty()) else {
            return Rc::default();
        };
        if let Some(known) = self.known.borrow().get(file) {
            return Rc::clone(known);
        }
        if self.stop.is_raised() {
            return Rc::default();
        }
        let path = file.under(&self.skill.tree.root);
        let covering = layers.iter().enumerate().filter_map(|(at, layer)| {
            let overrides = layer.covering(&path);
            (overrides != 0).then_some((at, overrides))
        });
        let covering: Covering = covering.collect();
        let mut known = self.known.borrow_mut();
        known.insert(file.clone(), Rc::clone(&covering));
        covering
    }
}
