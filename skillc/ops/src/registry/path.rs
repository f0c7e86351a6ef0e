//! `skc registry path`: shows the path of the database.
//!
//! Design: catalog-commands, catalog-files.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::Result;

use super::registry_file::{RegistryFile, Subject};
use crate::catalog::settings;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc registry path`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RegistryPathRequest {
    /// Skill directory, as for sync; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub root: Vec<PathBuf>,
}

/// Location of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryPathResponse {
    /// The database, absolute
    pub path: String,
    /// Whether it exists
    pub exists: bool,
}

/// Implements `skc registry path`.
pub struct RegistryPath;

impl Operation for RegistryPath {
    const NAME: &'static str = "registry path";
    const ABOUT: &'static str = "Print the path of the skill registry database";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc registry path",
            does: "the database for this directory",
        },
        Example {
            command: "sqlite3 -box \"$(skc registry path)\" .schema",
            does: "query it with SQL",
        },
    ];
    type Request = RegistryPathRequest;
    type Response = RegistryPathResponse;

    fn run(
        toolkit: &Toolkit,
        request: RegistryPathRequest,
        notes: &mut Notes,
    ) -> Result<RegistryPathResponse> {
        let context = &toolkit.context;
        let (settings, notices) = settings(context);
        notes.notices.extend(notices);
        let subject = Subject::new(context, settings, &request.root);
        let place = RegistryFile::new(context, &toolkit.config.registry, None, &subject.roots);
        Ok(RegistryPathResponse {
            exists: place.db.is_file(),
            path: place.db.display().to_string(),
        })
    }
}
