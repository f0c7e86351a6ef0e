//! A search format that is a script.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rhai::FnPtr;
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile};

use crate::host::{FileView, Sections};
use crate::script::Compiled;

/// An indexer that is written in Rhai.
pub struct ScriptedIndexer {
    script: Arc<Compiled>,
    line: usize,
    meta: IndexerMeta,
    sections: FnPtr,
    /// Whether it went beyond a limit in this run, and so reads nothing more: the next file would take as long.
    is_off: AtomicBool,
}

impl ScriptedIndexer {
    pub(crate) fn new(
        script: &Arc<Compiled>,
        line: usize,
        meta: IndexerMeta,
        sections: FnPtr,
    ) -> Self {
        Self {
            script: Arc::clone(script),
            line,
            meta,
            sections,
            is_off: AtomicBool::new(false),
        }
    }

    /// Begins a run: what a former one had to switch off is on again.
    pub(crate) fn begin_run(&self) {
        self.is_off.store(false, Ordering::Relaxed);
    }

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
        if self.is_off.load(Ordering::Relaxed) {
            return Err(IndexError::new(format!(
                "{}:{}: format '{}' went beyond a limit and reads nothing more in this run",
                self.script.name, self.line, self.meta.id
            )));
        }
        let view = FileView::new(file);
        let out = Sections::of(file, &view);
        self.script
            .call(&self.sections, || (view.clone(), out.emptied(file)))
            .map_err(|fault| {
                if fault.is_limit {
                    self.is_off.store(true, Ordering::Relaxed);
                }
                IndexError::new(fault.to_string())
            })?;
        out.emit(emit);
        Ok(())
    }
}
