//! The list of all operations.

/// Invokes a macro for every operation: first those that are commands, in help order, then those that are only tools:
/// `each_operation!(commands: this, tools: that)`, where `this!(Type)` is a statement.
#[macro_export]
macro_rules! each_operation {
    (commands: $command:ident, tools: $tool:ident) => {
        $command!($crate::init::Init);
        $command!($crate::lint::Lint);
        $command!($crate::scan::Scan);
        $command!($crate::explain::Explain);
        $command!($crate::rules::Rules);
        $command!($crate::schema::Schema);
        $command!($crate::budget::BudgetOfSkills);
        $command!($crate::doctor::Doctor);
        $command!($crate::build::Build);
        $command!($crate::remove::Remove);
        $command!($crate::clean::Clean);
        $command!($crate::list::List);
        $command!($crate::outline::Outline);
        $command!($crate::search::Search);
        $command!($crate::show::Show);
        $command!($crate::open::Open);
        $command!($crate::sources::Sources);
        $command!($crate::path::Path);
        $command!($crate::stats::Stats);
        $command!($crate::sync::Sync);
        $command!($crate::audit::Audit);
        $command!($crate::catalog::search::CatalogSearch);
        $command!($crate::catalog::load::CatalogLoad);
        $command!($crate::catalog::list::CatalogList);
        $command!($crate::catalog::context::CatalogContext);
        $command!($crate::catalog::inspect::CatalogInspect);
        $command!($crate::catalog::switching::CatalogEnable);
        $command!($crate::catalog::switching::CatalogDisable);
        $command!($crate::catalog::allow_deny::CatalogAllow);
        $command!($crate::catalog::allow_deny::CatalogDeny);
        $command!($crate::registry::sync::RegistrySync);
        $command!($crate::registry::list::RegistryList);
        $command!($crate::registry::get::RegistryGet);
        $command!($crate::registry::path::RegistryPath);
        $command!($crate::plugin::PluginList);
        $command!($crate::plugin::PluginCheck);
        $command!($crate::plugin::PluginDoc);
        $command!($crate::plugin::PluginNew);
        $command!($crate::plugin::PluginTest);
        $command!($crate::mcp_install::McpInstall);
        $command!($crate::mcp_install::McpUninstall);
        $command!($crate::mcp_install::status::McpStatus);
        $command!($crate::self_check::SelfCheck);
        $tool!($crate::registry::skill_list::ListSkills);
    };
}
