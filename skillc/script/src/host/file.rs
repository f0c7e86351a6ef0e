//! Files as indexers see them, and the sections that indexers produce.

use std::sync::Arc;

use parking_lot::Mutex;
use rhai::ImmutableString;
use skillc_core::index::TextBudget;
use skillc_core::{Section, SourceFile};

use super::api::Api;
use super::finder::Patterns;
use super::page::{Page, PlainText};
use super::pattern::register_search;
use super::piece::{Piece, string};
use crate::meter::HostResult;
use crate::one_line::one_line;

/// A file to be indexed.
#[derive(Clone)]
pub(crate) struct FileView {
    page: Page,
}

impl FileView {
    pub(crate) fn new(file: &SourceFile) -> Self {
        let text = PlainText::new(Some(file.path.clone()), file.text().into_owned());
        Self {
            page: Page::Text(Arc::new(text)),
        }
    }

    pub(crate) fn whole(&self) -> Piece {
        Piece::whole(self.page.clone())
    }
}

/// The sink for the sections of one file.
#[derive(Clone)]
pub(crate) struct Sections(Arc<Mutex<Drafts>>);

struct Drafts {
    sections: Vec<Draft>,
    budget: TextBudget,
    /// The number of lines of the file.
    lines: usize,
}

struct Draft {
    heading: String,
    content: Content,
    lines: std::ops::Range<usize>,
}

/// The content of a section. A piece refers to the file instead of copying it.
enum Content {
    Piece(Piece),
    Text(String),
}

impl Content {
    fn text(&self) -> &str {
        match self {
            Self::Piece(piece) => piece.text(),
            Self::Text(text) => text,
        }
    }
}

impl Sections {
    pub(crate) fn from_file(file: &SourceFile, view: &FileView) -> Self {
        Self(Arc::new(Mutex::new(Drafts {
            sections: Vec::new(),
            budget: TextBudget::for_file(file),
            lines: view.page.lines().count(),
        })))
    }

    /// Clears the sink and returns it, for the start of a call.
    pub(crate) fn emptied(&self, file: &SourceFile) -> Self {
        let mut drafts = self.0.lock();
        drafts.sections.clear();
        drafts.budget = TextBudget::for_file(file);
        drop(drafts);
        self.clone()
    }

    /// Passes each section to `emit`.
    pub(crate) fn emit(&self, emit: &mut dyn FnMut(Section<'_>)) {
        let drafts = self.0.lock();
        for draft in &drafts.sections {
            emit(Section {
                heading: draft.heading.as_str().into(),
                content: draft.content.text().into(),
                lines: draft.lines.clone(),
            });
        }
    }

    fn add(&self, heading: &str, content: Content, first: i64, last: i64) -> HostResult<()> {
        let mut drafts = self.0.lock();
        let lines = match (usize::try_from(first), usize::try_from(last)) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= drafts.lines => {
                first..last + 1
            }
            _ => {
                let all = drafts.lines;
                return Err(format!("invalid lines {first} to {last}: the file has {all}").into());
            }
        };
        // A section uses memory even if it has no text.
        let bytes = heading.len() + content.text().len() + size_of::<Draft>();
        let taken = drafts.budget.take(bytes);
        taken.map_err(|error| error.message)?;
        drafts.sections.push(Draft {
            heading: one_line(heading).collect(),
            content,
            lines,
        });
        Ok(())
    }
}

pub(crate) fn register(module: &mut Api, patterns: &Arc<Patterns>) {
    module.set_custom_type::<FileView>("File");
    register_search(module, patterns, |file: &FileView, _| Ok(file.whole()));
    module.set_getter_fn("path", |file: &mut FileView| {
        string(file.page.path().map_or("", |path| path.as_str()))
    });
    module.set_getter_fn("text", |file: &mut FileView| Ok(file.whole()));
    module.set_native_fn(
        "line_range",
        |file: &mut FileView, first: i64, last: i64| Ok(file.whole().line_range(first, last)),
    );
    module.set_getter_fn("lines", |file: &mut FileView| Ok(file.whole().lines()));
    module.set_custom_type::<Sections>("Sections");
    module.set_native_fn(
        "section",
        |out: &mut Sections, heading: ImmutableString, content: Piece, first: i64, last: i64| {
            out.add(&heading, Content::Piece(content), first, last)
        },
    );
    module.set_native_fn(
        "section",
        |out: &mut Sections,
         heading: ImmutableString,
         content: ImmutableString,
         first: i64,
         last: i64| { out.add(&heading, Content::Text(content.to_string()), first, last) },
    );
}
