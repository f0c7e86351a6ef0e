//! A search format that is a script.

use std::sync::Arc;

use rhai::FnPtr;
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile};

use crate::host::{FileView, Sections};
use crate::script::Compiled;

/// An indexer that is written in Rhai.
pub struct ScriptedIndexer {
    pub(crate) script: Arc<Compiled>,
    pub(crate) line: usize,
    pub(crate) meta: IndexerMeta,
    pub(crate) sections: FnPtr,
    /// Whether text outside its sections is indexed as plain text.
    pub(crate) other_text: bool,
}

impl ScriptedIndexer {
    /// Returns the 1-based line of the script that declares it.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl Indexer for ScriptedIndexer {
    fn meta(&self) -> &IndexerMeta {
        &self.meta
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let view = FileView::new(file);
        let out = Sections::of(file, &view);
        self.script
            .call(&self.sections, || (view.clone(), out.emptied(file)))
            .map_err(|fault| IndexError::new(fault.to_string()))?;
        out.emit(emit);
        Ok(())
    }

    fn indexes_other_text(&self) -> bool {
        self.other_text
    }
}
