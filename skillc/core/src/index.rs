//! The indexers, which split files into sections for the search index.
//!
//! An indexer is one file that declares itself with [`declare_indexer!`](crate::declare_indexer); the plug-in registry
//! selects it by the extensions it claims.
//!
//! Design: C-FORMATS.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::budget::ScriptBudget;
use crate::source::SourceFile;

/// Splits files with certain extensions into sections.
pub trait Indexer: Send + Sync {
    /// Returns the indexer's description and the extensions it handles.
    fn meta(&self) -> &IndexerMeta;

    /// Passes every section of a file to `emit`, in file order.
    ///
    /// # Errors
    /// [`IndexError`] if the file is not in the expected format. The caller then discards the sections that were
    /// already emitted, and indexes the file as plain text.
    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError>;

    /// Like [`Indexer::sections`], but charges the work of a script to a budget that all files of a skill share.
    /// `budget`: the budget of the project's scripts for that skill.
    ///
    /// # Errors
    /// The errors of [`Indexer::sections`], and [`IndexError`] if the indexer is a script of the project and the budget
    /// is spent.
    fn sections_within(
        &self,
        file: &SourceFile,
        _budget: &ScriptBudget,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        self.sections(file, emit)
    }

    /// Returns whether the indexer applies to the skill in a directory (a canonical path). By default, it applies to
    /// all skills.
    fn is_for(&self, _skill: &Path) -> bool {
        true
    }

    /// Returns whether text outside sections is indexed as plain text: the text before the first section, or the whole
    /// text of a file without sections.
    ///
    /// `false` for data formats, where text outside sections is only syntax, and for indexers that emit such text
    /// themselves.
    fn indexes_other_text(&self) -> bool {
        true
    }
}

/// The description of an indexer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexerMeta {
    /// The name, which is unique among indexers: `csv`.
    pub id: Cow<'static, str>,
    /// The extensions that it handles, in lower case, without the dot.
    pub extensions: Cow<'static, [Cow<'static, str>]>,
    /// The version of the output. It must change whenever the sections change, so that indexes are rebuilt.
    pub version: u32,
    /// A one-line description for lists.
    pub doc: Cow<'static, str>,
}

/// A unit of the search index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading; empty for a whole file or for text before the first heading.
    pub heading: Cow<'a, str>,
    /// The text.
    pub content: Cow<'a, str>,
    /// The 1-based, half-open range of lines.
    pub lines: Range<usize>,
}

/// An indexer registered by [`declare_indexer!`](crate::declare_indexer).
pub struct LinkedIndexer {
    /// Creates the indexer.
    pub indexer: fn() -> Arc<dyn Indexer>,
    /// The package that defines the indexer.
    pub package: &'static str,
}

inventory::collect!(LinkedIndexer);

/// Why an indexer could not split a file into sections, for example because the file does not have the format that its
/// extension implies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexError {
    /// The problem and its position, on one line.
    pub message: String,
    /// Whether the problem is a spent budget of the project's scripts that an earlier error of the same skill already
    /// reported.
    pub is_known: bool,
}

impl IndexError {
    /// Creates an error from a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_known: false,
        }
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for IndexError {}

/// A limit on the text that an indexer may produce from a file: a short file must not expand into a huge index.
#[derive(Debug)]
pub struct TextBudget {
    left: usize,
}

impl TextBudget {
    /// Allows eight times the file's size, plus 1 MiB for small files.
    pub fn for_file(file: &SourceFile) -> Self {
        Self {
            left: file.bytes.len().saturating_mul(8).saturating_add(1 << 20),
        }
    }

    /// Deducts bytes from the budget.
    ///
    /// # Errors
    /// [`IndexError`] if the budget is exceeded.
    pub fn take(&mut self, bytes: usize) -> Result<(), IndexError> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| {
            IndexError::new("its searchable text would be more than 8 times the size of the file")
        })?;
        Ok(())
    }
}

/// Declares an indexer and registers it.
///
/// ```text
/// declare_indexer! {
///     /// Each row of a table as a section.
///     pub struct Csv { id: "csv", extensions: ["csv", "tsv"], version: 1 }
/// }
/// ```
#[macro_export]
macro_rules! declare_indexer {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            id: $id:literal, extensions: [$($extension:literal),* $(,)?], version: $version:literal $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        $vis struct $name;

        impl $name {
            const META: &'static $crate::IndexerMeta = &$crate::IndexerMeta {
                id: ::std::borrow::Cow::Borrowed($id),
                extensions: ::std::borrow::Cow::Borrowed(&[$(::std::borrow::Cow::Borrowed($extension)),*]),
                version: $version,
                doc: ::std::borrow::Cow::Borrowed(concat!($($doc, "\n",)*)),
            };
        }

        $crate::inventory::submit! {
            $crate::index::LinkedIndexer {
                indexer: || ::std::sync::Arc::new($name),
                package: env!("CARGO_PKG_NAME"),
            }
        }
    };
}
