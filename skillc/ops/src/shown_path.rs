//! Paths as people read them best.

use std::path::{MAIN_SEPARATOR, Path};

use skillc_core::Context;

/// Writes a path as it is read best: below the working directory, with `~` for the home, else as it is.
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
