//! The one list of operations: command line, help, completions and tests are made from it.

use skillc_ops::audit::Audit;
use skillc_ops::budget::BudgetOfSkills;
use skillc_ops::build::Build;
use skillc_ops::catalog::context::CatalogContext;
use skillc_ops::catalog::inspect::CatalogInspect;
use skillc_ops::catalog::list::CatalogList;
use skillc_ops::catalog::load::CatalogLoad;
use skillc_ops::catalog::ruling::{CatalogAllow, CatalogDeny};
use skillc_ops::catalog::search::CatalogSearch;
use skillc_ops::catalog::switching::{CatalogDisable, CatalogEnable};
use skillc_ops::clean::Clean;
use skillc_ops::doctor::Doctor;
use skillc_ops::explain::Explain;
use skillc_ops::init::Init;
use skillc_ops::lint::Lint;
use skillc_ops::list::List;
use skillc_ops::open::Open;
use skillc_ops::operation::Operation;
use skillc_ops::outline::Outline;
use skillc_ops::path::Path;
use skillc_ops::plugin::{PluginCheck, PluginDoc, PluginList, PluginNew, PluginTest};
use skillc_ops::registry::get::RegistryGet;
use skillc_ops::registry::list::RegistryList;
use skillc_ops::registry::path::RegistryPath;
use skillc_ops::registry::sync::RegistrySync;
use skillc_ops::remove::Remove;
use skillc_ops::rules::Rules;
use skillc_ops::schema::Schema;
use skillc_ops::search::Search;
use skillc_ops::setup::status::McpStatus;
use skillc_ops::setup::{McpInstall, McpUninstall};
use skillc_ops::show::Show;
use skillc_ops::sources::Sources;
use skillc_ops::stats::Stats;
use skillc_ops::sync::Sync;

use crate::Render;

/// Does something for every operation.
pub trait Visitor {
    /// Called once for each.
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render;
}

/// Visits every operation, in the order in which a skill is made and read.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<Init>();
    visitor.visit::<Lint>();
    visitor.visit::<Explain>();
    visitor.visit::<Rules>();
    visitor.visit::<Schema>();
    visitor.visit::<BudgetOfSkills>();
    visitor.visit::<Doctor>();
    visitor.visit::<Build>();
    visitor.visit::<Remove>();
    visitor.visit::<Clean>();
    visitor.visit::<List>();
    visitor.visit::<Outline>();
    visitor.visit::<Search>();
    visitor.visit::<Show>();
    visitor.visit::<Open>();
    visitor.visit::<Sources>();
    visitor.visit::<Path>();
    visitor.visit::<Stats>();
    visitor.visit::<Sync>();
    visitor.visit::<Audit>();
    visitor.visit::<CatalogList>();
    visitor.visit::<CatalogSearch>();
    visitor.visit::<CatalogLoad>();
    visitor.visit::<CatalogContext>();
    visitor.visit::<CatalogInspect>();
    visitor.visit::<CatalogEnable>();
    visitor.visit::<CatalogDisable>();
    visitor.visit::<CatalogAllow>();
    visitor.visit::<CatalogDeny>();
    visitor.visit::<RegistrySync>();
    visitor.visit::<RegistryList>();
    visitor.visit::<RegistryGet>();
    visitor.visit::<RegistryPath>();
    visitor.visit::<PluginList>();
    visitor.visit::<PluginCheck>();
    visitor.visit::<PluginDoc>();
    visitor.visit::<PluginNew>();
    visitor.visit::<PluginTest>();
    visitor.visit::<McpInstall>();
    visitor.visit::<McpUninstall>();
    visitor.visit::<McpStatus>();
}
