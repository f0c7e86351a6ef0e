//! Formats paths for people.

use std::path::{MAIN_SEPARATOR, Path};

use skillc_core::Context;

/// Formats a path: relative if it is below the working directory, with `~` if it is below the home directory, otherwise
/// unchanged.
pub(crate) fn shown_path(path: &Path, context: &Context) -> String {
    let below = |dir: &Path| {
        let below = path.strip_prefix(dir).ok()?;
        Some(below.display().to_string())
    };
    let text = match (below(&context.cwd), below(&context.home)) {
        (Some(below), _) if below.is_empty() => ".".to_owned(),
        (Some(below), _) if context.cwd != context.home => below,
        (_, Some(below)) => format!("~/{below}"),
        _ => path.display().to_string(),
    };
    text.replace(MAIN_SEPARATOR, "/")
}
