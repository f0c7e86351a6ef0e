//! The catalog of one working directory.
//!
//! Design: catalog-parts, catalog-roots, CAT-CONF.1, D6, R42.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::{Context, Notice, Warning};

use crate::chain::Chain;
use crate::entry::{CatalogEntry, LoadFailure};
use crate::invocation::Audience;
use crate::policy::{Decision, Policy};
use crate::precedence::by_precedence;
use crate::roots::roots;
use crate::scan::{KnownHeads, Scanned, SeenRoot, scan};
use crate::search::{Index, Model};
use crate::settings::Settings;

/// The maximum number of reported errors. Design: R20.
const MAX_ERRORS: usize = 1_000;

/// The text that a model sees in place of a denied skill's description.
pub const DENIED: &str = "(not shown: rules deny loading this skill)";

/// The skills that can be found from one working directory, and the settings and rules that apply to them.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// The settings that were in effect when the catalog was read.
    pub settings: Settings,
    /// The directories from the catalog root down to the working directory.
    pub chain: Chain,
    /// The permission rules that apply here.
    pub policy: Policy,
    found: Scanned,
    index: OnceLock<Index>,
    /// The model that ranks skills, if one is configured, or the reason why that model cannot be used.
    model: OnceLock<Result<Option<Arc<Model>>, String>>,
}

/// The catalog in its output form. It includes disabled skills, which are marked as disabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillCatalog<'a> {
    /// The skills, sorted by scope, name and path
    pub skills: Vec<Cow<'a, CatalogEntry>>,
    /// Files and directories that could not be read, sorted by path; at most 1000
    pub errors: &'a [LoadFailure],
    /// How many errors there are, if not all are listed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_count: Option<usize>,
    /// Whether the limit on depth or on folders was reached
    pub truncated: bool,
}

impl Catalog {
    /// Reads the settings and the skills that apply in a context's working directory.
    ///
    /// Returns the catalog and its notices: first those about the settings, then those about the skills. For `is_tool`,
    /// see [`Settings::read`].
    pub fn read(context: &Context, is_tool: fn(&str) -> bool) -> (Self, Vec<Notice>) {
        let (settings, mut notices) = Settings::read(context, is_tool);
        let catalog = Self::scan(context, settings);
        notices.extend(catalog.found.notices.iter().cloned());
        (catalog, notices)
    }

    /// Finds skills according to the given settings. The catalog is empty if skills are disabled.
    pub fn scan(context: &Context, settings: Settings) -> Self {
        Self::scan_knowing(context, settings, &KnownHeads::default())
    }

    /// Like [`scan`](Self::scan), but does not read unchanged files whose heads are in `known`.
    pub fn scan_knowing(context: &Context, settings: Settings, known: &KnownHeads) -> Self {
        let chain = Chain::new(context, &settings.discovery);
        let policy = Policy::new(&settings.permissions, &chain.root);
        let roots = roots(context, &chain, &settings.discovery);
        let found = if settings.enabled {
            scan(roots, &settings, known)
        } else {
            Scanned {
                roots: roots.into_iter().map(SeenRoot::unread).collect(),
                ..Scanned::default()
            }
        };
        Self::new(settings, chain, policy, found)
    }

    /// Builds a catalog from its parts.
    pub fn new(settings: Settings, chain: Chain, policy: Policy, found: Scanned) -> Self {
        Self {
            settings,
            chain,
            policy,
            found,
            index: OnceLock::new(),
            model: OnceLock::new(),
        }
    }

    /// Copies the indexed words of unchanged skills from an earlier catalog, if that catalog has an index. This speeds
    /// up searches without changing their results.
    pub fn reuse_index(&self, before: &Self) {
        if let Some(index) = before.index.get() {
            let skills = &self.found.skills;
            self.index
                .get_or_init(|| index.update(&before.found.skills, skills, self.model()));
        }
    }

    /// Returns the index for searching, built on first use.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.found.skills))
    }

    /// Returns the model that ranks skills; `None` if no model is configured, or if the model cannot be used. The model
    /// is read on first use.
    pub(crate) fn model(&self) -> Option<&Arc<Model>> {
        self.read_model().as_ref().ok()?.as_ref()
    }

    fn read_model(&self) -> &Result<Option<Arc<Model>>, String> {
        let folder = self.settings.model.as_deref();
        self.model
            .get_or_init(|| folder.map(Model::read).transpose())
    }

    /// Returns a warning if the configured model cannot be used. In that case, searches rank skills by words only.
    pub fn model_warning(&self) -> Option<Notice> {
        let reason = self.read_model().as_ref().err()?;
        let message = format!("skills.search.model: {reason}; skills are ranked without the model");
        Some(Warning::Configuration { message }.into())
    }

    /// Returns the result of the scan. If skills are disabled, it contains only the roots.
    pub const fn found(&self) -> &Scanned {
        &self.found
    }

    /// Returns all skills, sorted by scope, name and path.
    pub fn skills(&self) -> &[CatalogEntry] {
        &self.found.skills
    }

    /// Returns the skills that are listed for an audience, in the catalog's order. These are the enabled skills that no
    /// rule denies and that the audience may start.
    pub fn visible(&self, audience: Audience) -> impl Iterator<Item = &CatalogEntry> {
        self.visible_at(audience).map(|(_, entry)| entry)
    }

    /// Like [`visible`](Self::visible), but also returns the index of each skill in [`skills`](Self::skills).
    pub(crate) fn visible_at(
        &self,
        audience: Audience,
    ) -> impl Iterator<Item = (usize, &CatalogEntry)> {
        let all = self.found.skills.iter().enumerate();
        all.filter(move |(_, entry)| {
            entry.enabled && audience.sees(entry) && self.policy.closed_entry(entry).is_none()
        })
    }

    /// Returns the skills that an audience may know about, including disabled and denied skills, in the catalog's
    /// order.
    pub fn found_for(&self, audience: Audience) -> impl Iterator<Item = &CatalogEntry> {
        let all = self.found.skills.iter();
        all.filter(move |entry| audience.sees(entry))
    }

    /// Returns whether loading a skill requires a person's confirmation.
    ///
    /// An allow rule for all projects that names one of the user's skills applies only to the user's skill. Otherwise,
    /// a project could give one of its own skills the same name, and an agent could load the project's skill by path
    /// without confirmation.
    pub fn needs_word(&self, entry: &CatalogEntry) -> bool {
        let is_users = |other: &CatalogEntry| other.is_users && other.name == entry.name;
        match self.policy.decide_load(Some(&entry.name)) {
            Decision::Confirm => true,
            Decision::Allow => {
                !entry.is_users
                    && self.policy.is_allowed_everywhere(&entry.name)
                    && self.found.skills.iter().any(is_users)
            }
            Decision::Deny(_) => false,
        }
    }

    /// Like [`found_for`](Self::found_for), but replaces the descriptions of denied skills if the audience is a model.
    pub fn shown_to(&self, audience: Audience) -> impl Iterator<Item = Cow<'_, CatalogEntry>> {
        let is_hidden = move |entry: &CatalogEntry| {
            audience == Audience::Model && self.policy.closed_entry(entry).is_some()
        };
        self.found_for(audience).map(move |entry| {
            if is_hidden(entry) {
                Cow::Owned(CatalogEntry {
                    description: DENIED.to_owned(),
                    ..entry.clone()
                })
            } else {
                Cow::Borrowed(entry)
            }
        })
    }

    /// Returns the skills with this name, highest rank first.
    pub fn named(&self, name: &str) -> Vec<&CatalogEntry> {
        let all = self.found.skills.iter();
        let mut named: Vec<&CatalogEntry> = all.filter(|entry| entry.name == name).collect();
        named.sort_unstable_by(|a, b| by_precedence(a, b));
        named
    }

    /// Returns the catalog in its output form, as an audience sees it.
    pub fn passed_on(&self, audience: Audience) -> SkillCatalog<'_> {
        let all = &self.found.errors;
        let is_cut = all.len() > MAX_ERRORS;
        SkillCatalog {
            skills: self.shown_to(audience).collect(),
            errors: &all[..all.len().min(MAX_ERRORS)],
            error_count: is_cut.then_some(all.len()),
            truncated: self.found.truncated,
        }
    }
}
