//! `skc catalog context`: the list of skills that an agent receives at the start of a session.
//!
//! Design: catalog-commands, catalog-texts, CAT-INJECT.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::text::skills_context;
use skillc_core::Result;

use super::Look;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog context`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogContextRequest {}

/// The list of skills for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogContextResponse {
    /// Text of the list; null if there are no skills or the list is disabled
    pub content: Option<String>,
    /// Number of skills listed
    pub entries: usize,
    /// Size of their entries in bytes
    pub bytes: usize,
    /// Whether skills were left out
    pub truncated: bool,
}

/// Implements `skc catalog context`.
pub struct CatalogContext;

impl Operation for CatalogContext {
    const NAME: &'static str = "catalog context";
    const ABOUT: &'static str = "Print the skill list that agents get at the start of a session";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog context",
            does: "the list at the end of the server's instructions",
        },
        Example {
            command: "skc catalog context >> prompt.txt",
            does: "for an agent that does not use the server",
        },
    ];
    type Request = CatalogContextRequest;
    type Response = CatalogContextResponse;

    fn run(
        toolkit: &Toolkit,
        _request: CatalogContextRequest,
        notes: &mut Notes,
    ) -> Result<CatalogContextResponse> {
        let block = skills_context(&toolkit.catalog(Look::IfDue, notes));
        let (entries, bytes, left_out) = block.as_ref().map_or((0, 0, 0), |block| {
            (block.entries, block.bytes, block.left_out)
        });
        Ok(CatalogContextResponse {
            content: block.map(|block| block.text),
            entries,
            bytes,
            truncated: left_out > 0,
        })
    }
}
