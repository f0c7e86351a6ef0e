//! The remedy for a fault, in one sentence.

use skillc_core::clients::Fault;
use skillc_core::{Document, Frontmatter};

/// Returns the remedy for a fault. `dir`: the name of the skill's directory.
pub(super) fn mend(fault: Fault, main: &Document, dir: &str) -> String {
    let text = match fault {
        Fault::NoFrontmatter => {
            "Begin the file with a line '---', the fields name and description, and another '---'."
        }
        Fault::Colon => "Put the value in quotes.",
        Fault::Yaml => return yaml(main),
        Fault::Bom => "Save the file as UTF-8 without a byte order mark, or run 'skc lint --fix'.",
        Fault::Flow => "Write the value without brackets, one entry per line.",
        Fault::Dashes => "Remove the '---' inside the frontmatter, or use fewer hyphens.",
        Fault::MultiLine => "Write the value on a single line.",
        Fault::UnknownField => "Remove the field, or move it below 'metadata'.",
        Fault::NoName => return format!("Add a field: 'name: {dir}'."),
        Fault::NameOver => "Shorten the name, and rename the directory to match.",
        Fault::NameCharacters => {
            "Use only a-z, 0-9 and single hyphens in the name, and rename the directory to match."
        }
        Fault::NameReserved => "Choose a name without that word.",
        Fault::DirMismatch => return format!("Write 'name: {dir}', or rename the directory."),
        Fault::NoDescription => "Add a description: what the skill does, and when to use it.",
        Fault::DescriptionOver => "Shorten the description; move long text below the frontmatter.",
        Fault::DescriptionMarkup => "Write the description without '<' and '>'.",
        Fault::ArgumentHintList => "Put the value in quotes: argument-hint: \"[…]\".",
        Fault::AllowedToolsList => "Write the tools on one line, with spaces between them.",
        Fault::MetadataNoMap => {
            "Write 'metadata' as a map: the line 'metadata:', with indented lines 'key: value' below it."
        }
    };
    text.to_owned()
}

/// Returns the remedy for invalid YAML, with the parser's error.
fn yaml(main: &Document) -> String {
    match &main.frontmatter {
        Frontmatter::Invalid { message, .. } => format!("Fix the YAML: {message}."),
        _ => "Fix the YAML.".to_owned(),
    }
}
