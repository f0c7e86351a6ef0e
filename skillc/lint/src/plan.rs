//! The plan of a run: which rules run, their severities per file, and their settings.
//!
//! Design: R1, R3, R41.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use skillc_core::clients::Clients;
use skillc_core::error::Result;
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;

use crate::choice::Choice;
use crate::config::{Layer, Level, Override};
use crate::directive::{self, Directives, Standing};
use crate::plugin_registry::PluginRegistry;
use crate::rule::code::{family, is_security};
use crate::rule::diagnostic::{Diagnostic, Severity};
use crate::rule::settings::Settings;
use crate::rule::{Rule, RuleMeta};

/// The plan of a run.
pub struct Plan {
    /// The rules that run, sorted by code.
    pub(crate) rules: Vec<Planned>,
    pub(crate) settings: Settings,
    overrides: Vec<PlannedOverride>,
    /// Every rule by code, and whether it runs without selectors.
    known: BTreeMap<String, (Arc<dyn Rule>, IsUsual)>,
    /// Whether the clients were given for this run instead of by the configuration.
    has_own_clients: bool,
}

/// Whether a rule runs without selectors.
type IsUsual = bool;

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

/// An override of a layer. Many plans share one layer, because each directory can have a plan, and overrides can be
/// large.
struct PlannedOverride {
    layer: Arc<Layer>,
    at: usize,
}

impl Plan {
    /// Builds the plan.
    ///
    /// `layers`: the configuration, in ascending precedence. `for_clients`: ids of clients; they override the
    /// configured clients.
    ///
    /// # Errors
    /// E100 with the selector that matches no rule, or with the unknown client.
    pub fn new(
        plugins: &PluginRegistry,
        clients: &Clients,
        choice: &Choice,
        layers: &[Arc<Layer>],
        for_clients: &[String],
    ) -> Result<Self> {
        let configured = layers.iter().rev().find_map(|layer| layer.preset);
        let choice = &Choice {
            preset: choice.preset.or(configured),
            ..choice.clone()
        };
        let level = |meta: &RuleMeta| {
            let levels = layers.iter().rev();
            let levels = levels.filter_map(|layer| Some((layer, layer.rules.level(meta)?)));
            let mut levels = levels.filter(|(layer, level)| counts(layer, meta, *level));
            levels.next().map(|(_, level)| level)
        };
        let overrides: Vec<PlannedOverride> = layers
            .iter()
            .flat_map(|layer| {
                let all = 0..layer.overrides.len();
                all.map(|at| PlannedOverride {
                    layer: Arc::clone(layer),
                    at,
                })
            })
            .collect();
        let on_somewhere = |meta: &RuleMeta| {
            let mut levels = overrides.iter().filter_map(|of| of.level(meta));
            levels.find(|level| *level != Level::Off)
        };
        let usual = choice.rules(plugins, level)?;
        let anywhere = choice.rules(plugins, |meta| on_somewhere(meta).or_else(|| level(meta)))?;
        let usually = Choice {
            preset: choice.preset,
            ..Choice::default()
        };
        let usually = usually.rules(plugins, |meta| on_somewhere(meta).or_else(|| level(meta)))?;
        let is_usual = |code: &str| usually.iter().any(|(rule, _)| rule.meta().code == code);
        let known = plugins.rules().map(|rule| {
            let code = &rule.meta().code;
            (code.to_string(), (Arc::clone(rule), is_usual(code)))
        });
        let known = known.collect();
        let rules = anywhere.into_iter().map(|(rule, _)| {
            let code = &rule.meta().code;
            let usual = usual.iter().find(|(rule, _)| rule.meta().code == *code);
            let severity = usual.map(|(_, severity)| *severity);
            let is_given = matches!(level(rule.meta()), Some(Level::On(_)));
            Planned {
                rule,
                severity,
                is_given,
            }
        });
        let rules = rules.collect();
        let named = layers
            .iter()
            .rev()
            .find_map(|layer| layer.clients.as_deref());
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
        for rule in plugins.rules() {
            let options = layers
                .iter()
                .flat_map(|layer| layer.rules.options(rule.meta()));
            let options: BTreeMap<_, _> = options
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            if !options.is_empty() {
                settings
                    .options
                    .insert(rule.meta().code.to_string(), options);
            }
        }
        Ok(Self {
            rules,
            settings,
            overrides,
            known,
            has_own_clients: !for_clients.is_empty(),
        })
    }

    /// Sets the severity of findings, and drops the findings of rules that are disabled for the file.
    pub(crate) fn apply(&self, found: &mut Vec<Diagnostic>, skill: &Skill) {
        let covering = Covering::new(self, skill);
        found.retain_mut(|diagnostic| {
            let wanted = covering.wanted(&diagnostic.rule, diagnostic.file.as_ref());
            // A rule may lower the severity of some of its findings; a configured level applies to all of them.
            if let Some(wanted) = wanted.filter(|wanted| wanted.is_given) {
                diagnostic.severity = wanted.severity;
            }
            wanted.is_some()
        });
    }

    fn known(&self) -> impl Iterator<Item = &dyn Rule> {
        self.known.values().map(|(rule, _)| &**rule)
    }

    /// Removes the findings that directives suppress, and returns the directives by file.
    ///
    /// `lost`: the rules whose findings in the skill were dropped, so it is unknown whether a directive for these rules
    /// is used.
    pub(crate) fn suppress<'a>(
        &self,
        found: &mut Vec<Diagnostic>,
        skill: &'a Skill,
        lost: &BTreeSet<String>,
    ) -> Vec<Directives<'a>> {
        let covering = Covering::new(self, skill);
        directive::suppress(found, skill, self.known(), |rule, file| {
            if lost.contains(rule) {
                return Standing::Elsewhere;
            }
            self.standing(rule, file, &covering)
        })
    }

    fn standing(&self, rule: &str, file: &RelPath, covering: &Covering<'_>) -> Standing {
        let is_for_clients = family(rule) == CLIENTS;
        let is_planned = self.planned(rule).is_some();
        let is_on = is_planned && covering.wanted(rule, Some(file)).is_some();
        let is_usual = self.known.get(rule).is_some_and(|(_, usual)| *usual);
        match (is_on, is_usual) {
            (true, _) if is_for_clients && self.has_own_clients => Standing::Elsewhere,
            (true, _) if is_for_clients && self.settings.clients.is_empty() => Standing::Off,
            (true, _) => Standing::Ran,
            (false, true) if !is_planned => Standing::Elsewhere,
            (false, _) => Standing::Off,
        }
    }

    fn planned(&self, rule: &str) -> Option<&Planned> {
        let code = |of: &Planned| of.rule.meta().code.as_ref().cmp(rule);
        let at = self.rules.binary_search_by(code).ok()?;
        Some(&self.rules[at])
    }

    /// Reports whether a rule is enabled for a file, given by its absolute path; the file need not exist.
    pub(crate) fn is_on(&self, rule: &str, path: &Path) -> bool {
        let is_planned = self.planned(rule).is_some();
        let overrides = self.overrides.iter().filter(|of| of.covers(path));
        is_planned && self.wanted(rule, overrides.rev()).is_some()
    }

    /// Returns the severity of a rule's findings in a file; `None` if the rule is disabled there. `overrides`: the
    /// overrides that apply to the file, the last one first.
    fn wanted<'o>(
        &self,
        rule: &str,
        mut overrides: impl Iterator<Item = &'o PlannedOverride>,
    ) -> Option<Wanted> {
        let meta = self.known.get(rule).map(|(rule, _)| rule.meta());
        let level = meta.and_then(|meta| overrides.find_map(|of| of.level(meta)));
        match level {
            Some(Level::Off) => None,
            Some(Level::On(severity)) => Some(Wanted {
                severity,
                is_given: true,
            }),
            None => {
                let planned = self.planned(rule)?;
                planned.severity.map(|severity| Wanted {
                    severity,
                    is_given: planned.is_given,
                })
            }
        }
    }
}

/// The overrides of a skill's files, determined once for each file: a file can have thousands of findings.
struct Covering<'a> {
    plan: &'a Plan,
    skill: &'a Skill,
    known: RefCell<BTreeMap<RelPath, Vec<usize>>>,
}

impl<'a> Covering<'a> {
    fn new(plan: &'a Plan, skill: &'a Skill) -> Self {
        Self {
            plan,
            skill,
            known: RefCell::default(),
        }
    }

    /// Returns the severity of a rule's findings in a file, or in the skill as a whole; `None` if the rule is disabled
    /// there.
    fn wanted(&self, rule: &str, file: Option<&RelPath>) -> Option<Wanted> {
        let main = || self.skill.main().map(|main| &main.path);
        let all = &self.plan.overrides;
        let Some(file) = file.or_else(main).filter(|_| !all.is_empty()) else {
            return self.plan.wanted(rule, [].iter());
        };
        let mut known = self.known.borrow_mut();
        let own = known.entry(file.clone()).or_insert_with(|| {
            let path = file.under(&self.skill.tree.root);
            let covers = |(at, of): (usize, &PlannedOverride)| of.covers(&path).then_some(at);
            all.iter().enumerate().filter_map(covers).collect()
        });
        self.plan.wanted(rule, own.iter().rev().map(|at| &all[*at]))
    }
}

/// Returns whether a level that a layer sets for a rule takes effect. A skill must not be able to configure the
/// security rules that check it, except to make them stricter.
fn counts(layer: &Layer, meta: &RuleMeta, level: Level) -> bool {
    !(layer.is_inside && is_security(&meta.code)) || level == Level::On(Severity::Error)
}

impl PlannedOverride {
    fn covers(&self, path: &Path) -> bool {
        let Override { base, paths, .. } = self.of();
        let path = RelPath::below(base, path);
        path.is_some_and(|path| paths.iter().any(|pattern| pattern.matches(&path)))
    }

    fn of(&self) -> &Override {
        &self.layer.overrides[self.at]
    }

    /// Returns the level that the override sets for a rule.
    fn level(&self, meta: &RuleMeta) -> Option<Level> {
        let level = self.of().rules.level(meta)?;
        counts(&self.layer, meta, level).then_some(level)
    }
}
