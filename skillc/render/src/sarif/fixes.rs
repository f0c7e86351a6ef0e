//! Fixes of findings, in SARIF form.
//!
//! Tools that apply a fix cannot check the result as `skc lint --fix` does, so the description of each fix says whether
//! the fix is safe.

use skillc_lint::Safety;
use skillc_lint::finding::{ProposedEdit, ProposedFix};

use super::log::{
    ArtifactChange, ArtifactLocation, Content, Mending, Message, Region, Replacement,
};
use super::uri;

/// Creates a fix. `folder`: the prefix of the fix's file paths, as for findings.
pub(super) fn fix<'a>(fix: &'a ProposedFix, folder: &str) -> Mending<'a> {
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe: review the result",
    };
    let files = fix.edits.chunk_by(|one, other| one.file == other.file);
    let changes = files.filter_map(|edits| {
        let file = &edits.first()?.file;
        Some(ArtifactChange {
            artifact_location: ArtifactLocation {
                uri: uri(&format!("{folder}{file}")),
            },
            replacements: edits.iter().map(replacement).collect(),
        })
    });
    Mending {
        description: Message {
            text: format!("{} ({safety})", fix.title),
        },
        artifact_changes: changes.collect(),
    }
}

fn replacement(edit: &ProposedEdit) -> Replacement<'_> {
    let content = Content { text: &edit.text };
    Replacement {
        deleted_region: Region {
            start_line: edit.start.0,
            start_column: edit.start.1,
            end_line: edit.end.0,
            end_column: edit.end.1,
        },
        inserted_content: (!edit.text.is_empty()).then_some(content),
    }
}
