//! `skc catalog context`: what an agent is told of skills at the start.
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

/// What an agent is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogContextResponse {
    /// The block; null if there is nothing to tell, or nothing is to be told
    pub content: Option<String>,
    /// Skills that are listed
    pub entries: usize,
    /// Bytes of their elements
    pub bytes: usize,
    /// Whether there are more
    pub truncated: bool,
}

/// The operation.
pub struct CatalogContext;

impl Operation for CatalogContext {
    const NAME: &'static str = "catalog context";
    const ABOUT: &'static str = "Print what an agent is told of the skills here at the start";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog context",
            does: "the block that the server's instructions end with",
        },
        Example {
            command: "skc catalog context >> prompt.txt",
            does: "tell an agent that does not use the server",
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
