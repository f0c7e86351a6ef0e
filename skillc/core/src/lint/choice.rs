//! Which rules run: selectors, and how they are weighed against each other.
//!
//! A selector is a rule's code or name, a family, the beginning of a code, or `ALL`. The more exact one wins; between
//! equally exact ones `ignore` does. A rule that is off by default is switched on by its own code or name, or by `ALL`: who
//! selects a family wants what that family does every day. Configuration files will use the same three lists.
//!
//! Source: RULINGS R3.

use crate::error::{Error, Result};
use crate::lint::rule::{Activation, Rule, RuleMeta};
use crate::near;
use crate::plugin::PluginRegistry;

/// Stands for every rule.
const ALL: &str = "ALL";

/// Families that have a meaning even where no rule of theirs is linked.
const FAMILIES: [&str; 6] = ["SKL", "AGS", "CLT", "SEC", "TXT", "CFG"];

/// The rules that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// Only these; without any, the rules that run by default.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
    /// These too.
    pub extend_select: Vec<String>,
}

impl Choice {
    /// Returns the chosen rules by code.
    ///
    /// # Errors
    /// E100 naming a selector that stands for no rule.
    pub fn rules(&self, plugins: &PluginRegistry) -> Result<Vec<&'static dyn Rule>> {
        let rules: Vec<&'static dyn Rule> = plugins.rules().collect();
        for selector in [&self.select, &self.ignore, &self.extend_select]
            .into_iter()
            .flatten()
        {
            check(selector, &rules)?;
        }
        Ok(rules
            .into_iter()
            .filter(|rule| self.takes(rule.meta()))
            .collect())
    }

    fn takes(&self, meta: &RuleMeta) -> bool {
        let wanted = exactness(&self.select, meta).max(exactness(&self.extend_select, meta));
        let is_enough = |exactness: &usize| {
            let is_family = *exactness > 0 && *exactness < meta.code.len();
            meta.activation == Activation::Default || !is_family
        };
        let wanted = wanted.filter(is_enough);
        let refused = exactness(&self.ignore, meta);
        let by_default = self.select.is_empty() && meta.activation == Activation::Default;
        match (wanted, refused) {
            (Some(wanted), refused) => Some(wanted) > refused,
            (None, refused) => by_default && refused.is_none(),
        }
    }
}

/// Returns how exactly the best of some selectors names a rule: the number of characters of its code that it gives.
fn exactness(selectors: &[String], meta: &RuleMeta) -> Option<usize> {
    let exactness = |selector: &String| {
        let selector = selector.trim();
        if selector.eq_ignore_ascii_case(&meta.name) {
            return Some(meta.code.len());
        }
        let start = selector.to_ascii_uppercase();
        if start == ALL {
            return Some(0);
        }
        let family = meta.code.trim_end_matches(|c: char| c.is_ascii_digit());
        (start.len() >= family.len() && meta.code.starts_with(&start)).then_some(start.len())
    };
    selectors.iter().filter_map(exactness).max()
}

fn check(selector: &str, rules: &[&'static dyn Rule]) -> Result<()> {
    let selector = selector.trim();
    let is_known = FAMILIES
        .iter()
        .any(|family| family.eq_ignore_ascii_case(selector))
        || rules
            .iter()
            .any(|rule| exactness(&[selector.to_owned()], rule.meta()).is_some());
    if is_known {
        return Ok(());
    }
    let hint = match nearest(selector, rules) {
        Some(near) => format!("Did you mean '{near}'? 'skc rules' lists all rules."),
        None => "Give a code (SKL205), a name (heading-hierarchy), a family (SKL, SKL2) or ALL; 'skc rules' lists all rules.".to_owned(),
    };
    Err(Error::InvalidOption {
        message: format!("no rule is called '{selector}'"),
        hint: Some(hint.into()),
    })
}

/// Returns the code or name that is nearest to a mistyped one, if one is near.
pub fn nearest(selector: &str, rules: &[&'static dyn Rule]) -> Option<String> {
    let names = rules
        .iter()
        .flat_map(|rule| [rule.meta().code.to_string(), rule.meta().name.to_string()]);
    near::nearest(selector, names)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::lint::diagnostic::Severity;

    struct Named(RuleMeta);

    impl Rule for Named {
        fn meta(&self) -> &RuleMeta {
            &self.0
        }
    }

    fn plugins() -> PluginRegistry {
        let rule = |code, name, activation| -> &'static dyn Rule {
            Box::leak(Box::new(Named(RuleMeta {
                code: Cow::Borrowed(code),
                name: Cow::Borrowed(name),
                severity: Severity::Warning,
                activation,
                doc: Cow::Borrowed(""),
                since: Cow::Borrowed("0.3.0"),
            })))
        };
        let mut plugins = PluginRegistry::default();
        for (code, name, activation) in [
            ("TXT201", "first", Activation::Default),
            ("TXT202", "second", Activation::Default),
            ("TXT301", "third", Activation::Default),
            ("TXT302", "quiet", Activation::OnRequest),
        ] {
            plugins.add_rule(rule(code, name, activation)).unwrap();
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
        };
        let rules = choice.rules(&plugins()).unwrap();
        let codes = rules
            .iter()
            .map(|rule| rule.meta().code.trim_start_matches("TXT"));
        codes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_selectors_the_rules_run_that_are_on() {
        assert_eq!(chosen("", "", ""), "201 202 301");
        assert_eq!(chosen("", "", "quiet"), "201 202 301 302");
        assert_eq!(chosen("", "TXT2", ""), "301");
    }

    #[test]
    fn a_code_a_name_a_family_and_all_select_in_any_case() {
        assert_eq!(chosen("txt201", "", ""), "201");
        assert_eq!(chosen("Second", "", ""), "202");
        assert_eq!(chosen("TXT3", "", ""), "301");
        assert_eq!(chosen("all", "", ""), "201 202 301 302");
        assert_eq!(chosen("TXT201 TXT302", "", "second"), "201 202 302");
        assert_eq!(chosen("AGS", "", ""), "");
    }

    #[test]
    fn a_rule_that_is_off_is_not_switched_on_by_its_family() {
        assert_eq!(chosen("TXT", "", ""), "201 202 301");
        assert_eq!(chosen("TXT30", "", "TXT302"), "301 302");
        assert_eq!(chosen("ALL", "TXT2", ""), "301 302");
    }

    #[test]
    fn the_more_exact_selector_wins_and_ignore_wins_a_tie() {
        assert_eq!(chosen("TXT", "TXT2", ""), "301");
        assert_eq!(chosen("TXT", "TXT2", "first"), "201 301");
        assert_eq!(chosen("first", "TXT2", ""), "201");
        assert_eq!(chosen("first", "TXT201", ""), "");
        assert_eq!(chosen("ALL", "ALL", ""), "");
    }

    #[test]
    fn an_unknown_selector_is_refused_with_what_is_near() {
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
                format!("error[E100]: invalid option: 'no rule is called '{selector}''")
            );
            assert!(error.details().unwrap().starts_with(hint), "{error:?}");
        }
    }
}
