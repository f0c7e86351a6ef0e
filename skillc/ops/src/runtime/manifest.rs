//! `manifest.json`: what a runtime directory was built from.
//!
//! Source: RFC-0001 C-MANIFEST, LEDGER D-MANIFEST-PATH.

use std::path::Path;

use serde::{Deserialize, Serialize};
use skillc_core::hash::Sha;
use skillc_core::source::read_start;
use skillc_core::time::Timestamp;

/// The number of this form of a stub, to be raised with each change of its text: stubs of another form are made again.
pub(crate) const STUB_FORM: u32 = 2;

/// The version that is written.
const VERSION: u32 = 1;

/// The largest manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The manifest; fields of other makers are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The skill's name from its frontmatter.
    pub(crate) skill: String,
    /// The version of this format.
    pub(crate) version: u32,
    /// When it was built, RFC 3339 in UTC; empty in a copy that is committed with its project.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) built_at: String,
    /// The hash of the source, 64 hex digits.
    pub(crate) source_hash: String,
    /// The hash of the stub beside it: a stub that someone changed is made again.
    #[serde(default)]
    pub(crate) stub_hash: String,
    /// The form of the stub beside it: one of another form is made again, though the source is the same.
    #[serde(default)]
    pub(crate) stub_form: u32,
    /// The source directory, absolute: how a stub that was deployed elsewhere is followed back to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) source: String,
}

impl Manifest {
    /// `hashes`: of the source and of the stub.
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

    /// Returns the manifest of a copy that is committed: without the time and the path of the source, so that the same
    /// source gives the same bytes on every machine.
    pub(crate) fn committed(&self) -> Self {
        Self {
            built_at: String::new(),
            source: String::new(),
            ..self.clone()
        }
    }

    /// Reads a manifest; `None` if there is none or it is not one.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = read_start(path, MAX_MANIFEST_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("plain fields are JSON");
        json.push(b'\n');
        json
    }
}
