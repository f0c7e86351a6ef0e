//! Search indexers implemented as scripts.

use std::path::Path;
use std::sync::Arc;

use skillc_core::budget::ScriptBudget;
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile};

use crate::host::{FileView, Sections};
use crate::source::{Function, Source};

/// An indexer written in Rhai.
pub struct ScriptedIndexer {
    pub(crate) script: Arc<Source>,
    pub(crate) line: usize,
    pub(crate) meta: IndexerMeta,
    pub(crate) sections: Function,
    /// Whether text outside the indexer's sections is indexed as plain text.
    pub(crate) other_text: bool,
}

impl ScriptedIndexer {
    /// Returns the 1-based line of the indexer's declaration in the script.
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
        self.sections_within(file, &ScriptBudget::default(), emit)
    }

    fn sections_within(
        &self,
        file: &SourceFile,
        budget: &ScriptBudget,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        if self.script.is_of_project() && budget.is_spent() {
            let message = format!(
                "{}; later files of these types are also affected",
                budget.spent()
            );
            return Err(IndexError {
                message,
                is_known: !budget.is_first_report(),
            });
        }
        let view = FileView::new(file);
        let out = Sections::from_file(file, &view);
        let call = self.script.call(self.sections, budget.stop(), || {
            (view.clone(), out.emptied(file))
        });
        if self.script.is_of_project() {
            budget.charge(call.operations);
        }
        call.result
            .map_err(|fault| IndexError::new(fault.to_string()))?;
        out.emit(emit);
        Ok(())
    }

    fn is_for(&self, skill: &Path) -> bool {
        self.script.is_for(skill)
    }

    fn indexes_other_text(&self) -> bool {
        self.other_text
    }
}
