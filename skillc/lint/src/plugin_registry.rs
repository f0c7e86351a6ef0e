//! The plug-in registry: the rules and indexers of a run, whether linked into the program or loaded at run time.
//!
//! Linked plug-ins register themselves; all plug-ins are sorted and checked for duplicates.
//!
//! Design: C-REGISTRY, R3, R5, R6.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use skillc_core::error::{Error, Result};
use skillc_core::index::{Indexer, LinkedIndexer};
use skillc_core::path::RelPath;

use crate::measured::{self, Measurement};
use crate::rule::Rule;
use crate::rule::code::{ALL, family, is_ours};

/// The code prefix of the specification's rules, and the only package that may use it.
const SPEC_RULES: (&str, &str) = ("SKL", "skillc-rules");

/// The packages whose rules have pages in the book.
const OWN_PACKAGES: [&str; 2] = ["skillc-rules", "skillc-plugins"];

/// A rule registered by [`declare_rule!`](crate::declare_rule).
pub struct LinkedRule {
    /// Creates the rule.
    pub rule: fn() -> Arc<dyn Rule>,
    /// The package that defines it.
    pub package: &'static str,
}

skillc_core::inventory::collect!(LinkedRule);

/// A plug-in and its origin, as errors and lists show it: `package 'skillc-rules'` or `/a/b.rhai:3`.
struct Known<P: ?Sized> {
    plugin: Arc<P>,
    origin: Arc<str>,
    /// Whether the plug-in was loaded at run time.
    is_loaded: bool,
}

/// The rules, sorted by code, and the indexers, sorted by id.
#[derive(Clone, Default)]
pub struct PluginRegistry {
    rules: BTreeMap<String, Known<dyn Rule>>,
    /// The code of each rule, by its name in upper case.
    names: BTreeMap<String, String>,
    indexers: BTreeMap<String, Known<dyn Indexer>>,
    /// The indexer id for each extension.
    extensions: BTreeMap<String, String>,
    measurements: BTreeMap<&'static str, Measurement>,
    /// The errors of plug-ins that could not be loaded.
    faults: Vec<String>,
}

impl PluginRegistry {
    /// Collects the plug-ins of every crate linked into the program.
    ///
    /// # Errors
    /// E999 if two plug-ins claim the same code, name, id or extension (the error lists both), or if a rule of another
    /// package uses a code of the specification.
    pub fn linked() -> Result<Self> {
        let mut registry = Self {
            measurements: measured::linked(),
            ..Self::default()
        };
        for linked in skillc_core::inventory::iter::<LinkedRule> {
            registry.add_linked(linked)?;
        }
        for LinkedIndexer { indexer, package } in skillc_core::inventory::iter::<LinkedIndexer> {
            let added = registry.add_indexer(indexer(), &of_package(package));
            added.map_err(Error::internal)?;
        }
        Ok(registry)
    }

    /// Returns the rules by code.
    pub fn rules(&self) -> impl Iterator<Item = &Arc<dyn Rule>> {
        self.rules.values().map(|known| &known.plugin)
    }

    /// Returns a rule by its code or name, ignoring case.
    pub fn rule(&self, asked: &str) -> Option<&Arc<dyn Rule>> {
        let asked = asked.to_ascii_uppercase();
        let code = self.names.get(&asked).unwrap_or(&asked);
        let known = self.rules.get(&asked).or_else(|| self.rules.get(code));
        known.map(|known| &known.plugin)
    }

    /// Reports whether a selector matches a rule.
    pub(crate) fn has_selected(&self, selector: &str) -> bool {
        let start = selector.to_ascii_uppercase();
        if start == ALL {
            return !self.rules.is_empty();
        }
        let from = (Bound::Included(&*start), Bound::Unbounded);
        let codes = self.rules.range::<str, _>(from).map(|(code, _)| code);
        let mut codes = codes.take_while(|code| code.starts_with(&start));
        self.names.contains_key(&start) || codes.any(|code| start.len() >= family(code).len())
    }

    /// Returns the origin of a rule: `package 'skillc-rules'`, or a script with its line.
    pub fn origin_of_rule(&self, code: &str) -> Option<&str> {
        self.rules.get(code).map(|known| &*known.origin)
    }

    /// Returns the script and line of a rule that was loaded at run time; `None` for linked rules.
    pub fn script_of_rule(&self, code: &str) -> Option<&str> {
        let known = self.rules.get(code).filter(|known| known.is_loaded);
        known.map(|known| &*known.origin)
    }

    /// Returns whether the book has a page for a rule: it has a page for each rule of skillc's own packages.
    pub fn is_in_book(&self, code: &str) -> bool {
        let origin = self.origin_of_rule(code);
        OWN_PACKAGES
            .iter()
            .any(|package| origin == Some(of_package(package).as_str()))
    }

    /// Returns the measured precision of a rule.
    pub fn measurement(&self, code: &str) -> Option<Measurement> {
        self.measurements.get(code).copied()
    }

    /// Returns the indexers by id.
    pub fn indexers(&self) -> impl Iterator<Item = &Arc<dyn Indexer>> {
        self.indexers.values().map(|known| &known.plugin)
    }

    /// Returns the origin of an indexer, like `origin_of_rule`.
    pub fn origin_of_indexer(&self, id: &str) -> Option<&str> {
        self.indexers.get(id).map(|known| &*known.origin)
    }

    /// Returns the indexer for a file.
    pub fn indexer_for(&self, path: &RelPath) -> Option<&Arc<dyn Indexer>> {
        let id = self.extensions.get(path.extension()?.as_str())?;
        self.indexers.get(id).map(|known| &known.plugin)
    }

    /// Returns a string that changes whenever the set of indexers or the version of one of them changes, such as `csv@1
    /// json@1`.
    pub fn indexer_set(&self) -> String {
        let names = self
            .indexers()
            .map(|indexer| format!("{}@{}", indexer.meta().id, indexer.meta().version));
        names.collect::<Vec<_>>().join(" ")
    }

    /// Records that a plug-in could not be loaded; every lint run reports it. `fault`: the plug-in and the reason, on
    /// one line.
    pub fn add_fault(&mut self, fault: impl Into<String>) {
        self.faults.push(fault.into());
    }

    /// Returns the errors of plug-ins that could not be loaded.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Adds a rule that was loaded at run time. `origin`: shown in errors.
    ///
    /// # Errors
    /// E100 if the code is not one to eight upper-case letters and three digits, or uses a reserved family; E100 with
    /// both rules if another rule has the same code or name.
    pub fn load_rule(&mut self, rule: Arc<dyn Rule>, origin: &str) -> Result<()> {
        let code = &rule.meta().code;
        let family = code.trim_end_matches(|c: char| c.is_ascii_digit());
        let fault = |what: String| Err(Error::invalid_option(format!("{origin}: {what}")));
        let is_code = family.len() + 3 == code.len()
            && (1..=8).contains(&family.len())
            && family.bytes().all(|c| c.is_ascii_uppercase());
        if is_ours(family) {
            return fault(format!(
                "rule code '{code}': codes that start with {family} are reserved for skillc"
            ));
        }
        if !is_code {
            return fault(format!(
                "rule code '{code}' is not 1 to 8 uppercase letters and three digits, for example TEAM001"
            ));
        }
        let code = code.to_string();
        self.add_rule(rule, origin).map_err(Error::invalid_option)?;
        if let Some(known) = self.rules.get_mut(&code) {
            known.is_loaded = true;
        }
        Ok(())
    }

    /// Adds an indexer that was loaded at run time. `origin`: shown in errors.
    ///
    /// # Errors
    /// E100 with both indexers if another indexer has the same id or one of the extensions.
    pub fn load_indexer(&mut self, indexer: Arc<dyn Indexer>, origin: &str) -> Result<()> {
        self.add_indexer(indexer, origin)
            .map_err(Error::invalid_option)
    }

    fn add_linked(&mut self, linked: &LinkedRule) -> Result<()> {
        let (family, owner) = SPEC_RULES;
        let LinkedRule { rule, package } = linked;
        let rule = rule();
        let code = &rule.meta().code;
        if code.starts_with(family) && *package != owner {
            return Err(Error::internal(format!(
                "rule code '{code}' of package '{package}': codes that start with {family} belong to {owner}"
            )));
        }
        self.add_rule(rule, &of_package(package))
            .map_err(Error::internal)
    }

    pub(crate) fn add_rule(&mut self, rule: Arc<dyn Rule>, origin: &str) -> Result<(), String> {
        let meta = rule.meta();
        let name = meta.name.to_ascii_uppercase();
        let same_name = self.names.get(&name);
        let other = self.rules.get(&*meta.code);
        if let Some(other) = other.or_else(|| self.rules.get(same_name?)) {
            let (what, value) = if other.plugin.meta().code == meta.code {
                ("rule code", &meta.code)
            } else {
                ("rule name", &meta.name)
            };
            return Err(claimed_twice(what, value, &other.origin, origin));
        }
        let (code, origin) = (meta.code.to_string(), origin.into());
        self.names.insert(name, code.clone());
        let known = Known {
            plugin: rule,
            origin,
            is_loaded: false,
        };
        self.rules.insert(code, known);
        Ok(())
    }

    fn add_indexer(&mut self, indexer: Arc<dyn Indexer>, origin: &str) -> Result<(), String> {
        let meta = indexer.meta();
        if let Some(other) = self.indexers.get(&*meta.id) {
            return Err(claimed_twice("indexer", &meta.id, &other.origin, origin));
        }
        for extension in meta.extensions.iter() {
            let other = self.extensions.get(&**extension);
            if let Some(other) = other.and_then(|id| self.indexers.get(id)) {
                return Err(claimed_twice("extension", extension, &other.origin, origin));
            }
        }
        let id = meta.id.to_string();
        let claims = meta
            .extensions
            .iter()
            .map(|extension| (extension.to_string(), id.clone()));
        self.extensions.extend(claims);
        let origin = origin.into();
        let known = Known {
            plugin: indexer,
            origin,
            is_loaded: false,
        };
        self.indexers.insert(id, known);
        Ok(())
    }
}

impl<P: ?Sized> Clone for Known<P> {
    fn clone(&self) -> Self {
        Self {
            plugin: Arc::clone(&self.plugin),
            origin: Arc::clone(&self.origin),
            is_loaded: self.is_loaded,
        }
    }
}

fn of_package(package: &str) -> String {
    format!("package '{package}'")
}

fn claimed_twice(what: &str, value: &str, one: &str, other: &str) -> String {
    format!("{what} '{value}' is claimed by two plug-ins: {one} and {other}")
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use skillc_core::index::{IndexError, IndexerMeta, Section};
    use skillc_core::source::SourceFile;

    struct Claims(IndexerMeta);

    impl Indexer for Claims {
        fn meta(&self) -> &IndexerMeta {
            &self.0
        }

        fn sections(
            &self,
            _: &SourceFile,
            _: &mut dyn FnMut(Section<'_>),
        ) -> Result<(), IndexError> {
            Ok(())
        }
    }

    fn claims(id: &'static str, extensions: &[&'static str]) -> Arc<dyn Indexer> {
        let extensions: Vec<Cow<'static, str>> =
            extensions.iter().map(|&kind| kind.into()).collect();
        Arc::new(Claims(IndexerMeta {
            id: Cow::Borrowed(id),
            extensions: Cow::Owned(extensions),
            version: 1,
            doc: Cow::Borrowed(""),
        }))
    }

    struct Coded(crate::RuleMeta);

    impl Rule for Coded {
        fn meta(&self) -> &crate::RuleMeta {
            &self.0
        }
    }

    fn coded(code: &'static str, name: &'static str) -> Coded {
        Coded(crate::RuleMeta {
            code: Cow::Borrowed(code),
            name: Cow::Borrowed(name),
            severity: crate::Severity::Warning,
            activation: crate::Activation::Default,
            doc: Cow::Borrowed(""),
            since: Cow::Borrowed("0.3.0"),
        })
    }

    #[test]
    fn codes_of_the_specification_come_from_a_single_package() {
        let rule = || -> Arc<dyn Rule> { Arc::new(coded("SKL999", "mine")) };
        let mut registry = PluginRegistry::default();
        let linked = |package| LinkedRule { rule, package };
        let error = registry.add_linked(&linked("my-rules")).unwrap_err();
        assert!(
            error.to_string().contains("'SKL999' of package 'my-rules'"),
            "{error}"
        );
        assert!(registry.add_linked(&linked("skillc-rules")).is_ok());
        assert!(registry.rule("skl999").is_some() && registry.rule("Mine").is_some());
    }

    /// R3.
    #[test]
    fn a_loaded_rule_has_an_unreserved_code() {
        let mut registry = PluginRegistry::default();
        let mut load = |code, name| {
            let loaded = registry.load_rule(Arc::new(coded(code, name)), "a.rhai:1");
            loaded.map_err(|error| error.message())
        };
        for code in [
            "SKL999", "AGS901", "CLT901", "SEC001", "CFG901", "E100", "W001",
        ] {
            let error = load(code, "mine").unwrap_err();
            assert!(error.contains("are reserved for skillc"), "{error}");
        }
        for code in [
            "TEAM1",
            "team001",
            "TEAM0001",
            "001",
            "TE-M001",
            "MUCHTOOLONG001",
        ] {
            let error = load(code, "mine").unwrap_err();
            assert!(
                error.contains("uppercase letters and three digits"),
                "{error}"
            );
        }
        assert_eq!(load("TEAM001", "mine"), Ok(()));
        let error = load("TEAM001", "other").unwrap_err();
        assert!(
            error.contains("rule code \"TEAM001\" is claimed by two"),
            "{error}"
        );
        let error = load("TEAM002", "Mine").unwrap_err();
        assert!(
            error.contains("rule name \"Mine\" is claimed by two"),
            "{error}"
        );
    }

    #[test]
    fn two_claims_on_an_extension_or_an_id_are_refused() {
        let mut registry = PluginRegistry::default();
        registry.add_indexer(claims("a", &["x"]), "one").unwrap();
        let error = registry
            .add_indexer(claims("b", &["y", "x"]), "other")
            .unwrap_err();
        assert_eq!(
            error,
            "extension 'x' is claimed by two plug-ins: one and other"
        );
        assert!(registry.add_indexer(claims("a", &[]), "third").is_err());
    }
}
