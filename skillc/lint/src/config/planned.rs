//! The levels that a layer sets for each rule.
//!
//! They are determined once per layer, because many plans share a layer, and a run looks up the level of a rule for
//! each file and each finding.
//!
//! Design: R1, R41.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use skillc_core::path::RelPath;

use super::read::MAX_OVERRIDES;
use super::{Layer, Level, Override, RuleSettings};
use crate::plugin_registry::PluginRegistry;
use crate::rule::RuleMeta;
use crate::rule::code::is_security;
use crate::rule::diagnostic::Severity;

/// A set of a layer's overrides, as a bit mask.
pub(crate) type Overrides = u128;

const _: () = assert!(MAX_OVERRIDES <= Overrides::BITS as usize);

/// A layer, and the levels that it sets for each rule. A rule is identified by its index among the rules of the
/// registry.
pub struct PlannedLayer {
    layer: Layer,
    levels: Vec<Option<Level>>,
    /// The levels of the rules in each override.
    in_overrides: Vec<Vec<Option<Level>>>,
    /// For each rule, the overrides that set the rule's level. Empty if the layer has no overrides.
    giving: Vec<Overrides>,
    /// The options that the layer sets, for each rule that has any.
    options: Vec<(usize, BTreeMap<String, Arc<Value>>)>,
}

impl PlannedLayer {
    /// Determines the levels of the rules of a registry.
    pub fn new(plugins: &PluginRegistry, layer: Layer) -> Self {
        let levels_of = |settings: &RuleSettings| -> Vec<Option<Level>> {
            let rules = plugins.rules().map(|rule| rule.meta());
            let levels = rules.map(|meta| {
                let level = settings.level(meta)?;
                counts(&layer, meta, level).then_some(level)
            });
            levels.collect()
        };
        let in_overrides: Vec<Vec<Option<Level>>> = layer
            .overrides
            .iter()
            .map(|of| levels_of(&of.rules))
            .collect();
        let count = if in_overrides.is_empty() {
            0
        } else {
            plugins.rules().count()
        };
        let mut giving: Vec<Overrides> = vec![0; count];
        for (at, levels) in in_overrides.iter().enumerate() {
            for (giving, level) in giving.iter_mut().zip(levels) {
                *giving |= Overrides::from(level.is_some()) << at;
            }
        }
        let options = plugins.rules().enumerate().filter_map(|(at, rule)| {
            let options = layer.rules.options(rule.meta());
            let options: BTreeMap<String, Arc<Value>> = options
                .map(|(key, value)| (key.clone(), Arc::new(value.clone())))
                .collect();
            (!options.is_empty()).then_some((at, options))
        });
        let options = options.collect();
        Self {
            levels: levels_of(&layer.rules),
            in_overrides,
            giving,
            options,
            layer,
        }
    }

    /// Returns the settings.
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    /// Returns the options that the layer sets, by rule.
    pub(crate) fn options(&self) -> &[(usize, BTreeMap<String, Arc<Value>>)] {
        &self.options
    }

    /// Returns the level that the layer sets for a rule in all files.
    pub(crate) fn level(&self, rule: usize) -> Option<Level> {
        self.levels.get(rule).copied().flatten()
    }

    /// Returns the level that the first override sets for a rule, ignoring overrides that disable the rule.
    pub(crate) fn level_somewhere(&self, rule: usize) -> Option<Level> {
        let giving = indices(self.giving_to(rule));
        let mut levels = giving.filter_map(|at| self.in_overrides[at][rule]);
        levels.find(|level| *level != Level::Off)
    }

    /// Returns the overrides that cover a file, given by its absolute path.
    pub(crate) fn covering(&self, path: &Path) -> Overrides {
        self.covering_of(Overrides::MAX, path)
    }

    /// Returns the overrides in `some` that cover a file, given by its absolute path.
    fn covering_of(&self, some: Overrides, path: &Path) -> Overrides {
        let mut covering = 0;
        // The overrides of a layer have the same base.
        let mut below: Option<(&Path, Option<RelPath>)> = None;
        for (at, Override { base, paths, .. }) in self.layer.overrides.iter().enumerate() {
            if (some >> at) & 1 == 0 {
                continue;
            }
            let base = base.as_path();
            let known = below.take().filter(|(known, _)| *known == base);
            let (base, path) = known.unwrap_or_else(|| (base, RelPath::below(base, path)));
            let covers = path
                .as_ref()
                .is_some_and(|path| paths.iter().any(|pattern| pattern.matches(path)));
            covering |= Overrides::from(covers) << at;
            below = Some((base, path));
        }
        covering
    }

    /// Returns the level that the last of the given overrides sets for a rule; `None` if none of them sets a level.
    pub(crate) fn level_in(&self, overrides: Overrides, rule: usize) -> Option<Level> {
        let giving = self.giving_to(rule) & overrides;
        let last = Overrides::BITS.checked_sub(giving.leading_zeros() + 1)?;
        self.in_overrides[last as usize][rule]
    }

    /// Returns the level that the overrides set for a rule in a file, given by its absolute path.
    pub(crate) fn level_at(&self, path: &Path, rule: usize) -> Option<Level> {
        let giving = self.giving_to(rule);
        if giving == 0 {
            return None;
        }
        self.level_in(self.covering_of(giving, path), rule)
    }

    fn giving_to(&self, rule: usize) -> Overrides {
        self.giving.get(rule).copied().unwrap_or_default()
    }
}

/// Returns the indices of the overrides in a set, in order.
fn indices(overrides: Overrides) -> impl Iterator<Item = usize> {
    let mut left = overrides;
    std::iter::from_fn(move || {
        let next = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(next)
    })
}

/// Returns whether a layer may set this level for a rule: a skill must not be able to configure the security rules that
/// check it, except to make them stricter.
fn counts(layer: &Layer, meta: &RuleMeta, level: Level) -> bool {
    !(layer.is_inside && is_security(&meta.code)) || level == Level::On(Severity::Error)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::{Duration, Instant};

    use skillc_core::clients::Clients;

    use super::*;
    use crate::choice::Choice;
    use crate::config::{LintFiles, Section};
    use crate::plan::Plan;
    use crate::rule::{Activation, Rule};

    struct Named(RuleMeta);

    impl Rule for Named {
        fn meta(&self) -> &RuleMeta {
            &self.0
        }
    }

    /// Returns a registry with the rules `TEAM000` and so on, the last of which runs only on request.
    fn plugins(count: usize) -> PluginRegistry {
        let mut plugins = PluginRegistry::default();
        for n in 0..count {
            let rule = Named(RuleMeta {
                code: Cow::Owned(format!("TEAM{n:03}")),
                name: Cow::Owned(format!("name-of-rule-{n}")),
                severity: Severity::Warning,
                activation: if n + 1 == count {
                    Activation::OnRequest
                } else {
                    Activation::Default
                },
                doc: Cow::Borrowed(""),
                since: Cow::Borrowed("0.3.0"),
            });
            plugins.add_rule(Arc::new(rule), "a test").unwrap();
        }
        plugins
    }

    fn planned(plugins: &PluginRegistry, text: &str) -> PlannedLayer {
        let files = LintFiles {
            plugins,
            clients: Clients::shared(),
            homes: [Path::new("/home/a"); 2],
            trusted: &[],
        };
        let section = Section::Lint(Path::new("/p"));
        let layers = files.parse(Path::new("/p/config.toml"), text, section);
        let layer = layers.unwrap().pop().unwrap();
        PlannedLayer::new(plugins, layer)
    }

    #[test]
    fn the_most_specific_selector_decides_and_then_the_last() {
        const WARNING: Option<Level> = Some(Level::On(Severity::Warning));
        const ERROR: Option<Level> = Some(Level::On(Severity::Error));
        const OFF: Option<Level> = Some(Level::Off);
        let plugins = plugins(3);
        for (rules, expected) in [
            ("", [None, None, None]),
            ("ALL = \"error\"", [ERROR, ERROR, ERROR]),
            ("TEAM = \"error\"", [ERROR, ERROR, None]),
            ("TEAM = \"off\"", [OFF, OFF, OFF]),
            ("team0 = \"off\"\nTEAM0 = \"error\"", [OFF, OFF, OFF]),
            ("TEAM0 = \"error\"\nTEAM001 = \"off\"", [ERROR, OFF, None]),
            (
                "ALL = \"error\"\nTEAM = \"off\"\nTEAM002 = \"warning\"",
                [OFF, OFF, WARNING],
            ),
            (
                "TEAM001 = \"off\"\nname-of-rule-1 = \"error\"\nNAME-OF-RULE-2 = \"error\"",
                [None, ERROR, ERROR],
            ),
        ] {
            let layer = planned(&plugins, &format!("[lint.rules]\n{rules}\n"));
            let levels = [0, 1, 2].map(|rule| layer.level(rule));
            assert_eq!(levels, expected, "{rules}");
        }
    }

    #[test]
    fn the_last_override_that_covers_a_file_decides() {
        let plugins = plugins(3);
        let layer = planned(
            &plugins,
            "[[lint.overrides]]\npaths = [\"*.md\"]\nrules = { ALL = \"error\" }\n\
             [[lint.overrides]]\npaths = [\"a/*.md\", \"c.md\"]\nrules = { TEAM001 = \"off\" }\n\
             [[lint.overrides]]\npaths = [\"b.md\"]\nrules = { TEAM002 = \"warning\" }\n",
        );
        for (path, expected) in [
            ("/p/a/b.md", "Error Off Warning"),
            ("/p/c.md", "Error Off Error"),
            ("/p/d.md", "Error Error Error"),
            ("/p/d.txt", "- - -"),
            ("/q/c.md", "- - -"),
        ] {
            let path = Path::new(path);
            let covering = layer.covering(path);
            let shown = |rule: usize| {
                let level = layer.level_in(covering, rule);
                assert_eq!(layer.level_at(path, rule), level);
                match level {
                    Some(Level::On(severity)) => format!("{severity:?}"),
                    Some(Level::Off) => "Off".to_owned(),
                    None => "-".to_owned(),
                }
            };
            assert_eq!([0, 1, 2].map(shown).join(" "), expected, "{path:?}");
        }
        assert!(layer.level_somewhere(1).is_some());
    }

    /// Hostile: each directory of a run can have a plan, and each plan has many layers, rules and settings.
    #[test]
    fn plans_share_what_is_known_about_a_layer() {
        let plugins = plugins(1000);
        let mut text = "[lint.rules]\n".to_owned();
        for n in 0..5000 {
            let name = format!("name-of-rule-{}", n % 1000);
            let (start, end) = name.split_at(n / 1000);
            text += &format!("{}{end} = \"error\"\n", start.to_uppercase());
        }
        for _ in 0..MAX_OVERRIDES {
            text += "[[lint.overrides]]\npaths = [\"a\"]\nrules = { ALL = \"error\" }\n";
        }
        let begin = Instant::now();
        let layer = Arc::new(planned(&plugins, &text));
        for _ in 0..100 {
            let layers = [Arc::clone(&layer)];
            let choice = Choice::default();
            Plan::new(&plugins, Clients::shared(), &choice, &layers, &[]).unwrap();
        }
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}
