//! The host API: values that represent parts of skills, and functions to search these values.
//!
//! The names match those of the Rust model. Values refer to the skill instead of copying it, so a script can process a
//! file of any size. Text becomes a script string only on request, and within limits.

mod api;
mod doc;
mod file;
mod finder;
mod list;
mod node;
mod out;
mod page;
mod pattern;
mod piece;
mod run;
mod skill;

use std::sync::{Arc, LazyLock};

use rhai::Module;

pub(crate) use doc::Doc;
pub(crate) use file::{FileView, Sections};
pub(crate) use finder::UsedPatterns;
pub(crate) use out::Out;
pub(crate) use run::RunSkillView;
pub(crate) use skill::SkillView;

use api::Api;
use finder::Patterns;

/// The compiled patterns, which all threads share.
static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(Arc::default);

/// Creates the functions available to scripts in addition to those of the language.
pub(crate) fn module() -> Module {
    api().into_module()
}

/// Registers the functions.
pub(crate) fn api() -> Api {
    let mut module = Api::default();
    piece::register(&mut module);
    pattern::register(&mut module, &PATTERNS);
    doc::register(&mut module, &PATTERNS);
    skill::register(&mut module);
    run::register(&mut module);
    node::register(&mut module);
    out::register(&mut module);
    file::register(&mut module, &PATTERNS);
    module
}
