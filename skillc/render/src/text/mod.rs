//! Renders each response as text.

pub(crate) mod aside;
mod audit;
mod budget;
mod build;
mod catalog;
mod catalog_inspect;
mod catalog_written;
mod doctor;
mod explain;
pub(crate) mod fixes;
mod init;
pub(crate) mod lint;
mod list;
mod making;
mod matrix;
mod mcp_install;
mod open;
mod outline;
mod path;
mod plugin;
mod registry;
mod remove;
mod rules;
pub(crate) mod scan;
mod schema;
mod search;
mod self_check;
mod show;
mod sources;
pub(crate) mod statistics;
pub(crate) mod stats;
mod sync;
mod testing;
mod wrap;

use std::io;

use skillc_ops::FileContent;

use crate::page::Page;

/// Writes content unchanged, followed by the number of lines that were cut off, if any.
fn content(content: &FileContent, more_lines: usize, page: &mut Page<'_>) -> io::Result<()> {
    page.out.write_all(&content.0)?;
    if more_lines > 0 {
        if !content.0.is_empty() && !content.0.ends_with(b"\n") {
            page.out.write_all(b"\n")?;
        }
        page.line(format_args!("... ({more_lines} more lines)"))?;
    }
    Ok(())
}
