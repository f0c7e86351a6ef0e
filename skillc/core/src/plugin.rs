//! The plug-in registry: every rule and indexer that is linked into the program.
//!
//! Plug-ins register themselves; they are collected once, sorted, and checked for duplicates.
//!
//! Source: RFC-0008 C-REGISTRY, RULINGS R3, R6.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::index::Indexer;
use crate::lint::measured::{self, Measurement};
use crate::lint::rule::Rule;
use crate::path::RelPath;

/// The codes of the specification, and the one package that has them.
const SPEC_RULES: (&str, &str) = ("SKL", "skillc-rules");

/// A rule registered by [`declare_rule!`](crate::declare_rule).
pub struct LinkedRule {
    /// The rule.
    pub rule: &'static dyn Rule,
    /// The package that has it.
    pub package: &'static str,
}

/// An indexer registered by [`declare_indexer!`](crate::declare_indexer).
pub struct LinkedIndexer(pub &'static dyn Indexer);

inventory::collect!(LinkedRule);
inventory::collect!(LinkedIndexer);

/// The rules, sorted by code, and the indexers, sorted by id.
#[derive(Clone, Default)]
pub struct PluginRegistry {
    rules: BTreeMap<String, &'static dyn Rule>,
    indexers: BTreeMap<String, &'static dyn Indexer>,
    extensions: BTreeMap<&'static str, &'static dyn Indexer>,
    measurements: BTreeMap<&'static str, Measurement>,
}

impl PluginRegistry {
    /// Collects the plug-ins of every crate that the program names.
    ///
    /// # Errors
    /// E999 naming both sides if two plug-ins claim one code, id or extension, and if a rule from elsewhere has a code of
    /// the specification.
    pub fn linked() -> Result<Self> {
        let mut registry = Self {
            measurements: measured::linked(),
            ..Self::default()
        };
        for linked in inventory::iter::<LinkedRule> {
            registry.add_linked(linked)?;
        }
        for LinkedIndexer(indexer) in inventory::iter::<LinkedIndexer> {
            registry.add_indexer(*indexer)?;
        }
        Ok(registry)
    }

    /// Returns the rules by code.
    pub fn rules(&self) -> impl Iterator<Item = &'static dyn Rule> {
        self.rules.values().copied()
    }

    /// Returns a rule by its code or name, in any case.
    pub fn rule(&self, asked: &str) -> Option<&'static dyn Rule> {
        self.rules().find(|rule| {
            let meta = rule.meta();
            meta.code.eq_ignore_ascii_case(asked) || meta.name.eq_ignore_ascii_case(asked)
        })
    }

    /// Returns what is known of a rule's findings in real skills.
    pub fn measurement(&self, code: &str) -> Option<Measurement> {
        self.measurements.get(code).copied()
    }

    /// Returns the indexers by id.
    pub fn indexers(&self) -> impl Iterator<Item = &'static dyn Indexer> {
        self.indexers.values().copied()
    }

    /// Returns the indexer for a file.
    pub fn indexer_for(&self, path: &RelPath) -> Option<&'static dyn Indexer> {
        self.extensions.get(path.extension()?.as_str()).copied()
    }

    /// Returns a text that changes whenever the indexers or their versions do: `csv@1 json@1`.
    pub fn indexer_set(&self) -> String {
        let names = self
            .indexers()
            .map(|indexer| format!("{}@{}", indexer.meta().id, indexer.meta().version));
        names.collect::<Vec<_>>().join(" ")
    }

    fn add_linked(&mut self, linked: &LinkedRule) -> Result<()> {
        let (family, owner) = SPEC_RULES;
        let code = &linked.rule.meta().code;
        if code.starts_with(family) && linked.package != owner {
            let package = linked.package;
            return Err(Error::internal(format!(
                "rule code '{code}' of package '{package}': codes that begin with {family} belong to {owner}"
            )));
        }
        self.add_rule(linked.rule)
    }

    pub(crate) fn add_rule(&mut self, rule: &'static dyn Rule) -> Result<()> {
        let meta = rule.meta();
        match self.rules.insert(meta.code.to_string(), rule) {
            None => Ok(()),
            Some(other) => Err(claimed_twice(
                "rule code",
                &meta.code,
                &meta.name,
                &other.meta().name,
            )),
        }
    }

    fn add_indexer(&mut self, indexer: &'static dyn Indexer) -> Result<()> {
        let meta = indexer.meta();
        if self.indexers.insert(meta.id.to_string(), indexer).is_some() {
            return Err(claimed_twice("indexer", &meta.id, &meta.id, &meta.id));
        }
        for extension in meta.extensions.iter() {
            if let Some(other) = self.extensions.insert(extension, indexer) {
                return Err(claimed_twice(
                    "extension",
                    extension,
                    &meta.id,
                    &other.meta().id,
                ));
            }
        }
        Ok(())
    }
}

fn claimed_twice(what: &str, value: &str, one: &str, other: &str) -> Error {
    Error::internal(format!(
        "{what} '{value}' is claimed by two plug-ins: '{other}' and '{one}'"
    ))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::index::{IndexError, IndexerMeta, Section};
    use crate::source::SourceFile;

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

    fn claims(id: &'static str, extensions: &'static [&'static str]) -> &'static Claims {
        let (id, extensions, doc) = (
            Cow::Borrowed(id),
            Cow::Borrowed(extensions),
            Cow::Borrowed(""),
        );
        Box::leak(Box::new(Claims(IndexerMeta {
            id,
            extensions,
            version: 1,
            doc,
        })))
    }

    struct Coded(crate::RuleMeta);

    impl Rule for Coded {
        fn meta(&self) -> &crate::RuleMeta {
            &self.0
        }
    }

    #[test]
    fn codes_of_the_specification_come_from_one_package_only() {
        let rule: &'static Coded = Box::leak(Box::new(Coded(crate::RuleMeta {
            code: Cow::Borrowed("SKL999"),
            name: Cow::Borrowed("mine"),
            severity: crate::Severity::Warning,
            activation: crate::Activation::Default,
            doc: Cow::Borrowed(""),
            since: Cow::Borrowed("0.3.0"),
        })));
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

    #[test]
    fn two_claims_on_an_extension_or_an_id_are_refused() {
        let mut registry = PluginRegistry::default();
        registry.add_indexer(claims("a", &["x"])).unwrap();
        let error = registry.add_indexer(claims("b", &["y", "x"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error[E999]: extension 'x' is claimed by two plug-ins: 'a' and 'b'"
        );
        assert!(registry.add_indexer(claims("a", &[])).is_err());
    }
}
