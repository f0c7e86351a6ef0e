//! CLT302 prompt-variable.

use std::collections::BTreeSet;

use memchr::memmem;
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a prompt file variable in a skill: `${input:name}`, `${selection}`, `${file}`.
    ///
    /// ## Why
    /// Visual Studio Code replaces such variables in its prompt files. In a `SKILL.md`, no client does so: the agent
    /// reads the variable instead of its value. Usually the variable is left over from a prompt that was converted to a
    /// skill.
    ///
    /// Code blocks are not checked, because scripts have variables with such names.
    ///
    /// ## Example
    /// ```markdown
    /// Review ${file} for ${input:goal:what to look for}.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Review the file that the user names. Ask what to look for if they have not said.
    /// ```
    ///
    /// ## Source
    /// code.visualstudio.com/docs/copilot/customization/prompt-files; the documentation of skills has no such
    /// variables.
    pub(crate) struct PromptVariable {
        code: "CLT302",
        name: "prompt-variable",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The variables that have no arguments.
const VARIABLES: [&str; 9] = [
    "selection",
    "selectedText",
    "file",
    "fileBasename",
    "fileDirname",
    "fileBasenameNoExtension",
    "workspaceFolder",
    "workspaceFolderBasename",
    "lineNumber",
];

/// The length limit of a variable, in bytes.
const MAX_BYTES: usize = 1_000;

impl Rule for PromptVariable {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for at in memmem::find_iter(&doc.text.as_bytes()[doc.body_start..], "${") {
            let start = doc.body_start + at;
            let rest = &doc.text[start + 2..];
            let end = rest
                .bytes()
                .take(MAX_BYTES)
                .position(|byte| matches!(byte, b'}' | b'\n'));
            let Some(inner) = end
                .filter(|end| rest.as_bytes()[*end] == b'}')
                .map(|end| &rest[..end])
            else {
                continue;
            };
            let is_variable = inner.starts_with("input:") || VARIABLES.contains(&inner);
            let is_escaped = doc.text[..start].ends_with('\\');
            if out.is_full() {
                return;
            }
            if !is_variable || is_escaped || seen.contains(inner) || doc.is_in_code_block(start) {
                continue;
            }
            seen.insert(inner);
            let span = Span::new(start, start + 2 + inner.len() + 1);
            let variable = &doc.text[span.start..span.end];
            out.at(span, format!("no client replaces '{variable}' in a skill"))
                .help("describe the value in words, or tell the agent to ask the user for it");
        }
    }
}
