//! Rule selection: selectors and their precedence.
//!
//! A selector is a rule's code or name, a family, a code prefix, or `ALL`. The most specific selector wins; on a tie,
//! `ignore` wins. If a rule is disabled by default, only `ALL` and the rule's own code or name enable the rule; a
//! family or a code prefix enables only the rules that are enabled by default. The security rules are an exception:
//! their family and code prefixes enable all matching rules.
//!
//! Design: R3.

use std::collections::BTreeMap;
use std::sync::Arc;

use skillc_core::error::{Error, Result};

use crate::config::Level;
use crate::plugin_registry::PluginRegistry;
use crate::rule::code::{ALL, FAMILIES, family, is_security, nearest};
use crate::rule::diagnostic::Severity;
use crate::rule::preset::Preset;
use crate::rule::{Activation, Rule, RuleMeta};

/// The requested selection of rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The preset for the rules that neither a selector nor the configuration mentions. If `None`, the configuration or
    /// the default determines the preset.
    pub preset: Option<Preset>,
    /// Run only these rules; if empty, the configuration and the preset decide.
    pub select: Vec<String>,
    /// Do not run these rules.
    pub ignore: Vec<String>,
    /// Run these rules in addition.
    pub extend_select: Vec<String>,
}

impl Choice {
    /// Returns the selected rules by code, each with its severity, as if no configuration set a level.
    ///
    /// # Errors
    /// E100 with the selector that matches no rule.
    pub fn rules(&self, plugins: &PluginRegistry) -> Result<Vec<(Arc<dyn Rule>, Severity)>> {
        let severities = self.severities(plugins, |_| None)?;
        let rules = plugins.rules().zip(severities);
        let chosen = rules.filter_map(|(rule, severity)| Some((Arc::clone(rule), severity?)));
        Ok(chosen.collect())
    }

    /// Returns the severity of each rule, sorted by rule code; `None` for a rule that does not run.
    ///
    /// `level`: returns the level of a rule in the configuration, which the selection overrides. The rule is given by
    /// its index.
    ///
    /// # Errors
    /// E100 with the selector that matches no rule.
    pub(crate) fn severities(
        &self,
        plugins: &PluginRegistry,
        level: impl Fn(usize) -> Option<Level>,
    ) -> Result<Vec<Option<Severity>>> {
        let lists = [&self.select, &self.ignore, &self.extend_select];
        for selector in lists.into_iter().flatten() {
            check(selector, plugins).map_err(|hint| Error::InvalidOption {
                message: format!("unknown rule '{}'", selector.trim()),
                hint: Some(hint.into()),
            })?;
        }
        let [select, ignore, extend] = lists.map(|list| {
            let mut selectors = BySelector::<()>::default();
            for selector in list {
                selectors.or_default(selector);
            }
            selectors
        });
        let selection = Selection {
            select,
            ignore,
            extend,
            preset: self.preset.unwrap_or_default(),
        };
        let rules = plugins.rules().enumerate();
        let rules = rules.map(|(at, rule)| selection.severity(rule.meta(), level(at)));
        Ok(rules.collect())
    }
}

/// A [`Choice`] whose selectors can be looked up.
struct Selection {
    select: BySelector<()>,
    ignore: BySelector<()>,
    extend: BySelector<()>,
    preset: Preset,
}

impl Selection {
    /// Returns the severity of a rule's findings; `None` if the rule does not run.
    fn severity(&self, meta: &RuleMeta, level: Option<Level>) -> Option<Severity> {
        let most = |selectors: &BySelector<()>| {
            let matching = selectors.matching(meta);
            matching.map(|(precision, ())| precision).max()
        };
        let wanted = most(&self.select).max(most(&self.extend));
        let wanted = wanted.filter(|precision| precision.switches_on(meta));
        let refused = most(&self.ignore).filter(|precision| precision.switches_off(meta));
        let is_on = match (wanted, refused) {
            (Some(wanted), refused) => Some(wanted) > refused,
            (None, Some(_)) => false,
            (None, None) if !self.select.is_empty() => meta.activation == Activation::Always,
            (None, None) => match level {
                Some(level) => level != Level::Off,
                None => self.preset.has(meta),
            },
        };
        let severity = match level {
            Some(Level::On(severity)) => severity,
            Some(Level::Off) | None => meta.severity,
        };
        is_on.then_some(severity)
    }
}

/// How specific a selector is for a rule: the number of characters of the rule's code that the selector specifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Precision(usize);

impl Precision {
    /// Returns the precision of a rule's own code or name.
    pub(crate) fn from_rule(meta: &RuleMeta) -> Self {
        Self(meta.code.len())
    }

    /// Reports whether the selector can enable the rule. A family or a code prefix does not enable a rule that is
    /// disabled by default, unless the rule is a security rule.
    pub(crate) fn switches_on(self, meta: &RuleMeta) -> bool {
        let is_family = self.0 > 0 && self < Self::from_rule(meta);
        meta.activation != Activation::OnRequest || !is_family || is_security(&meta.code)
    }

    /// Reports whether the selector can disable the rule.
    pub(crate) fn switches_off(self, meta: &RuleMeta) -> bool {
        meta.activation != Activation::Always || self == Self::from_rule(meta)
    }
}

/// Values by selector. Finding the values for a rule takes only a few lookups, regardless of the number of selectors.
#[derive(Debug, Clone)]
pub(crate) struct BySelector<T>(BTreeMap<String, T>);

impl<T> Default for BySelector<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Default> BySelector<T> {
    /// Returns the value of a selector, ignoring case; inserts the default value if there is none.
    pub(crate) fn or_default(&mut self, selector: &str) -> &mut T {
        let selector = selector.trim().to_ascii_uppercase();
        self.0.entry(selector).or_default()
    }
}

impl<T> BySelector<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the values of the selectors that match a rule, each with the precision of its selector.
    pub(crate) fn matching<'a>(
        &'a self,
        meta: &'a RuleMeta,
    ) -> impl Iterator<Item = (Precision, &'a T)> {
        let name = (!self.is_empty()).then(|| meta.name.to_ascii_uppercase());
        let named = name.and_then(|name| self.0.get(&name));
        let named = named.map(|of| (Precision::from_rule(meta), of));
        let lengths = family(&meta.code).len()..=meta.code.len();
        let starts = lengths.filter_map(move |length| {
            let start = meta.code.get(..length)?;
            let of = self.0.get(start).filter(|_| start != ALL)?;
            Some((Precision(length), of))
        });
        let all = self.0.get(ALL).map(|of| (Precision(0), of));
        named.into_iter().chain(starts).chain(all)
    }
}

/// Returns how specifically a selector matches a rule; `None` if it does not match. Tests compare the faster lookups
/// with this function.
#[cfg(test)]
pub(crate) fn precision(selector: &str, meta: &RuleMeta) -> Option<Precision> {
    let selector = selector.trim();
    if selector.eq_ignore_ascii_case(&meta.name) {
        return Some(Precision::from_rule(meta));
    }
    let start = selector.to_ascii_uppercase();
    if start == ALL {
        return Some(Precision(0));
    }
    let is_meant = start.len() >= family(&meta.code).len() && meta.code.starts_with(&start);
    is_meant.then_some(Precision(start.len()))
}

/// Checks that a selector matches a rule or is a known family.
///
/// # Errors
/// A hint: the selector that was probably meant; otherwise, a list of the kinds of selectors.
pub(crate) fn check(selector: &str, plugins: &PluginRegistry) -> Result<(), String> {
    let selector = selector.trim();
    let mut families = FAMILIES.iter();
    let is_known = families.any(|family| family.eq_ignore_ascii_case(selector))
        || plugins.has_selected(selector);
    if is_known {
        return Ok(());
    }
    Err(match nearest(selector, plugins.rules().map(|rule| &**rule)) {
        Some(near) => format!("Did you mean '{near}'? 'skc rules' lists all rules."),
        None => "Give a code (SKL205), a name (heading-hierarchy), a family (SKL, SKL2) or ALL; 'skc rules' lists all rules.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::rule::diagnostic::Severity;

    struct Named(RuleMeta);

    impl Rule for Named {
        fn meta(&self) -> &RuleMeta {
            &self.0
        }
    }

    fn plugins() -> PluginRegistry {
        let rule = |code, name, activation| {
            Arc::new(Named(RuleMeta {
                code: Cow::Borrowed(code),
                name: Cow::Borrowed(name),
                severity: Severity::Warning,
                activation,
                doc: Cow::Borrowed(""),
                since: Cow::Borrowed("0.3.0"),
            }))
        };
        let mut plugins = PluginRegistry::default();
        for (code, name, activation) in [
            ("TXT201", "first", Activation::Default),
            ("TXT202", "second", Activation::Default),
            ("TXT301", "third", Activation::Default),
            ("TXT302", "quiet", Activation::OnRequest),
        ] {
            plugins
                .add_rule(rule(code, name, activation), "a test")
                .unwrap();
        }
        plugins
    }

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn chosen(select: &str, ignore: &str, extend: &str) -> String {
        let choice = Choice {
            select: list(select),
            ignore: list(ignore),
            extend_select: list(extend),
            ..Choice::default()
        };
        let rules = choice.rules(&plugins()).unwrap();
        let codes = rules
            .iter()
            .map(|(rule, _)| rule.meta().code.trim_start_matches("TXT"));
        codes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_selectors_the_enabled_rules_run() {
        assert_eq!(chosen("", "", ""), "201 202 301");
        assert_eq!(chosen("", "", "quiet"), "201 202 301 302");
        assert_eq!(chosen("", "TXT2", ""), "301");
    }

    #[test]
    fn code_name_family_and_all_select_in_any_case() {
        assert_eq!(chosen("txt201", "", ""), "201");
        assert_eq!(chosen("Second", "", ""), "202");
        assert_eq!(chosen("TXT3", "", ""), "301");
        assert_eq!(chosen("all", "", ""), "201 202 301 302");
        assert_eq!(chosen("TXT201 TXT302", "", "second"), "201 202 302");
        assert_eq!(chosen("AGS", "", ""), "");
    }

    #[test]
    fn a_disabled_rule_is_not_enabled_by_its_family() {
        assert_eq!(chosen("TXT", "", ""), "201 202 301");
        assert_eq!(chosen("TXT30", "", "TXT302"), "301 302");
        assert_eq!(chosen("ALL", "TXT2", ""), "301 302");
    }

    #[test]
    fn the_more_specific_selector_wins_and_ignore_wins_a_tie() {
        assert_eq!(chosen("TXT", "TXT2", ""), "301");
        assert_eq!(chosen("TXT", "TXT2", "first"), "201 301");
        assert_eq!(chosen("first", "TXT2", ""), "201");
        assert_eq!(chosen("first", "TXT201", ""), "");
        assert_eq!(chosen("ALL", "ALL", ""), "");
    }

    #[test]
    fn a_look_up_finds_the_same_selectors_as_a_comparison_with_each() {
        let plugins = plugins();
        for selector in [
            "ALL", "all", "TXT", "txt2", " TXT20", "TXT201", "TXT2011", "T", "TX", "", "first",
            "FIRST", "quiet", "txt301 ", "frist", "SKL", "é",
        ] {
            let mut selectors = BySelector::<()>::default();
            selectors.or_default(selector);
            let mut is_known = false;
            for rule in plugins.rules() {
                let found = selectors.matching(rule.meta());
                let found = found.map(|(precision, ())| precision).max();
                assert_eq!(found, precision(selector, rule.meta()), "{selector}");
                is_known |= found.is_some();
            }
            assert_eq!(
                plugins.has_selected(selector.trim()),
                is_known,
                "{selector}"
            );
        }
    }

    #[test]
    fn an_unknown_selector_is_refused_with_suggestions() {
        for (selector, hint) in [
            ("TXT9", "Give a code"),
            ("frist", "Did you mean 'first'?"),
            ("TXT203", "Did you mean 'TXT201'?"),
            ("T", "Give a code"),
            ("", "Give a code"),
        ] {
            let choice = Choice {
                ignore: vec![selector.to_owned()],
                ..Choice::default()
            };
            let error = choice.rules(&plugins()).err().unwrap();
            assert_eq!(
                error.to_string(),
                format!("error[E100]: invalid option: 'unknown rule \"{selector}\"'")
            );
            assert!(error.details().unwrap().starts_with(hint), "{error:?}");
        }
    }
}
