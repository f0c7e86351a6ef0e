//! A third-party plug-in package: a rule, and an indexer that splits `.ini` files into a section for each `[name]`.

mod owner;

use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile, declare_indexer};

declare_indexer! {
    /// INI files, split at section names
    pub struct Ini { id: "ini", extensions: ["ini"], version: 1 }
}

impl Indexer for Ini {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        let mut heading = "";
        let mut begun = 0;
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let name = line
                .trim()
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            if let Some(name) = name {
                emit_lines(heading, &lines, begun..at, emit);
                heading = name;
                begun = at;
            }
        }
        emit_lines(heading, &lines, begun..lines.len(), emit);
        Ok(())
    }
}

fn emit_lines(
    heading: &str,
    lines: &[&str],
    range: std::ops::Range<usize>,
    emit: &mut dyn FnMut(Section<'_>),
) {
    let content = lines[range.clone()].join("\n");
    if !content.trim().is_empty() {
        emit(Section {
            heading: heading.into(),
            content: content.into(),
            lines: range.start + 1..range.end + 1,
        });
    }
}
