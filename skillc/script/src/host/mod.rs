//! What scripts see: values that stand for pieces of skills, and functions that find things in them.
//!
//! The names are those of the model in Rust. Values hold on to what they stand for and copy nothing, so that a script can
//! be given a file of any size; a text becomes one of the script's own only where it is asked for, and then within limits.

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

use std::sync::Arc;

use rhai::Module;

pub(crate) use doc::Doc;
pub(crate) use file::{FileView, Sections};
pub(crate) use finder::UsedPatterns;
pub(crate) use out::Out;
pub(crate) use run::RunSkillView;
pub(crate) use skill::SkillView;

use api::Api;
use finder::Patterns;

/// Makes the functions that every script has beside those of the language.
pub(crate) fn module() -> Module {
    api().into_module()
}

/// Registers them.
pub(crate) fn api() -> Api {
    let mut module = Api::default();
    let patterns = Arc::new(Patterns::default());
    piece::register(&mut module);
    pattern::register(&mut module, &patterns);
    doc::register(&mut module, &patterns);
    skill::register(&mut module);
    run::register(&mut module);
    node::register(&mut module);
    out::register(&mut module);
    file::register(&mut module, &patterns);
    module
}
