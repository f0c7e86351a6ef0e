//! Markdown: one section per heading, and one for the text before the first heading.

use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile, declare_indexer};

declare_indexer! {
    /// Markdown, one section per heading
    pub(crate) struct Markdown { id: "markdown", extensions: ["md"], version: 1 }
}

impl Indexer for Markdown {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let doc = file.document();
        let preamble = doc.preamble();
        if !preamble.trim().is_empty() {
            let end = doc
                .headings
                .first()
                .map_or(doc.lines.count() + 1, |first| first.line);
            let lines = doc.lines.line(doc.body_start)..end;
            emit(Section {
                heading: "".into(),
                content: preamble.into(),
                lines,
            });
        }
        for heading in doc.headings.iter().filter(|heading| heading.is_listed()) {
            emit(Section {
                heading: heading.text.as_str().into(),
                content: doc.section_text(heading).into(),
                lines: heading.line..heading.end_line,
            });
        }
        Ok(())
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}
