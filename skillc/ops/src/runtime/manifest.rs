//! `manifest.json`: records the source from which a runtime directory was built.
//!
//! Design: C-MANIFEST, D-MANIFEST-PATH.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use skillc_core::hash::Sha;
use skillc_core::layout::RuntimeDir;
use skillc_core::source::{read_in, read_start};
use skillc_core::time::Timestamp;

/// The version of the stub's text. Increase it with each change, so that older stubs are rebuilt.
pub(crate) const STUB_FORM: u32 = 2;

/// The version of the manifest format.
const VERSION: u32 = 1;

const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The manifest; unknown fields are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The skill's name from its frontmatter.
    pub(crate) skill: String,
    /// The version of the manifest format.
    pub(crate) version: u32,
    /// Build time, RFC 3339 in UTC; empty in a copy that is committed with its project.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) built_at: String,
    /// The hash of the source, 64 hex digits.
    pub(crate) source_hash: String,
    /// The hash of the stub beside the manifest. It shows whether the stub was edited; an edited stub is rebuilt.
    #[serde(default)]
    pub(crate) stub_hash: String,
    /// The version of the stub beside the manifest. An outdated stub is rebuilt even if the source is unchanged.
    #[serde(default)]
    pub(crate) stub_form: u32,
    /// The absolute path of the source directory; used to find the source of a deployed stub.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) source: String,
}

impl Manifest {
    /// Creates a manifest. `hashes`: the hashes of the source and of the stub.
    pub(crate) fn new(
        skill: &str,
        built_at: Timestamp,
        source: &Path,
        [source_hash, stub_hash]: [Sha; 2],
    ) -> Self {
        Self {
            skill: skill.to_owned(),
            version: VERSION,
            built_at: built_at.to_string(),
            source_hash: source_hash.to_string(),
            stub_hash: stub_hash.to_string(),
            stub_form: STUB_FORM,
            source: source.to_string_lossy().into_owned(),
        }
    }

    /// Returns the manifest for a committed copy, without build time and source path: the same source results in the
    /// same bytes on every machine.
    pub(crate) fn committed(&self) -> Self {
        Self {
            built_at: String::new(),
            source: String::new(),
            ..self.clone()
        }
    }

    /// Reads a manifest; `None` if it is missing or invalid.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = read_start(path, MAX_MANIFEST_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Reads the manifest of a directory that is held open.
    pub(crate) fn read_in(dir: &Dir) -> Option<Self> {
        let path = RuntimeDir(PathBuf::new()).manifest();
        let text = read_in(dir, &path, MAX_MANIFEST_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("plain fields are JSON");
        json.push(b'\n');
        json
    }
}
