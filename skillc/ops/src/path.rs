//! `skc path`: prints the path of a skill or of a file in it, for use in other commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::source::{Located, locate};
use skillc_core::{Error, RelPath, Result};

use crate::access::Arguments;
use crate::notes::Notes;
use crate::open::not_found;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc path`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PathRequest {
    /// Skill name or path
    pub skill: String,
    /// File or folder in the skill, relative to its root
    #[serde(default)]
    pub file: Option<String>,
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathResponse {
    /// Name of the skill
    pub skill: String,
    /// Source folder of the skill, or a file or folder in it; absolute
    pub path: String,
}

/// Implements `skc path`.
pub struct Path;

impl Operation for Path {
    const NAME: &'static str = "path";
    const ABOUT: &'static str = "Print the path of a skill, or of a file in it";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc path my-skill",
            does: "its source folder, as in cd \"$(skc path my-skill)\"",
        },
        Example {
            command: "skc path my-skill scripts/run.py",
            does: "a script in it, to run from anywhere",
        },
    ];
    type Request = PathRequest;
    type Response = PathResponse;

    fn arguments(request: &PathRequest) -> Arguments {
        Arguments::from([("path", request.file.clone().into())])
    }

    fn run(toolkit: &Toolkit, request: PathRequest, notes: &mut Notes) -> Result<PathResponse> {
        let at = toolkit.find(&request.skill, notes)?;
        let found = match request.file {
            None => at.canonical.clone(),
            Some(file) => match locate(&at.canonical, &RelPath::parse(&file)?) {
                Located::Inside(real) => real,
                Located::Outside => return Err(Error::path_escapes(file)),
                Located::Missing => return Err(not_found(&at, file)),
            },
        };
        // A lossy conversion would produce a different path.
        let path = found.into_os_string().into_string();
        let path = path.map_err(|path| {
            Error::internal(format!("'{}': the path is not UTF-8", path.display()))
        })?;
        Ok(PathResponse {
            skill: at.name,
            path,
        })
    }
}
