//! Plain text: the whole file as one section without a name.

use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

declare_indexer! {
    /// Plain text, one section per file
    pub(crate) struct PlainText { id: "plain-text", extensions: ["txt"], version: 1 }
}

impl Indexer for PlainText {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        let lines = 1..LineIndex::new(text.as_bytes()).count() + 1;
        emit(Section {
            heading: "".into(),
            content: text,
            lines,
        });
        Ok(())
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}
