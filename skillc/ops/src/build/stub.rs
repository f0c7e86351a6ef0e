//! The compiled `SKILL.md`: the frontmatter, lists of sections and references, and the commands that read them.
//!
//! The stub is deterministic: it depends only on its input. Its length is bounded: each entry of a list is one line,
//! both lists are truncated, and frontmatter fields are limited to [`MAX_FIELD_LINES`].
//!
//! After each change to the text of stubs, increment `STUB_FORM` in `runtime/manifest.rs`: otherwise, existing stubs
//! are not rebuilt.
//!
//! Design: C-STUB, C-SECTIONS, C-CONSTRAINTS, D-STUB-NAME, D-12-TOP, D-TRUNC-120, D-ELLIPSIS, D-100-LINES.

use skillc_core::shell::shell_word;
use skillc_core::source::frontmatter::{quoted, scalar};
use skillc_core::{Document, Frontmatter};

/// The limit on entries in each of the two lists: sections of `SKILL.md`, and reference files.
pub(crate) const MAX_ENTRIES: usize = 15;

/// The limit on first-level headings of `SKILL.md` in the list of sections.
const MAX_TOP: usize = 12;

/// Descriptions of references are truncated to this many characters, ellipsis included.
const MAX_DESCRIPTION_CHARS: usize = 120;

/// Headings and paths in lists are truncated to this many characters, ellipsis included.
const MAX_LABEL_CHARS: usize = 200;

/// The limit on lines of frontmatter fields besides name and description. With both lists at their longest, everything
/// but these fields takes 57 of the 100 lines that a stub may have.
pub(crate) const MAX_FIELD_LINES: usize = 40;

pub(crate) struct StubInput<'a> {
    /// The frontmatter's `name`.
    pub(crate) name: &'a str,
    /// The frontmatter's `description`.
    pub(crate) description: &'a str,
    /// All other fields of the frontmatter, as lines of YAML.
    pub(crate) fields: &'a str,
    /// Whether the skill has files other than Markdown.
    pub(crate) has_assets: bool,
    /// The name of the skill's directory, which commands use to find the skill.
    pub(crate) directory: &'a str,
    /// The skill's `SKILL.md`.
    pub(crate) main: &'a Document,
    /// The first [`MAX_ENTRIES`] other Markdown files, in path order.
    pub(crate) references: &'a [Reference],
    /// The number of Markdown files other than `SKILL.md`.
    pub(crate) reference_count: usize,
}

/// An entry for a Markdown file other than `SKILL.md`.
pub(crate) struct Reference {
    title: String,
    description: Option<String>,
}

impl Reference {
    /// Creates the entry of a parsed file. The title is the file's first H1, or its path if there is no H1.
    pub(crate) fn from_document(doc: &Document) -> Self {
        let first = doc
            .headings
            .iter()
            .find(|heading| heading.level == 1 && heading.is_listed());
        let title = first.map_or_else(|| doc.path.to_string(), |heading| heading.text.clone());
        let description = match &doc.frontmatter {
            Frontmatter::Valid(fields) => fields
                .text("description")
                .map(one_line)
                .filter(|text| !text.is_empty()),
            _ => None,
        };
        Self { title, description }
    }

    /// Creates the entry of a file that was not read.
    pub(crate) fn unread(path: &str) -> Self {
        Self {
            title: path.to_owned(),
            description: None,
        }
    }
}

pub(crate) fn stub(input: &StubInput<'_>) -> String {
    let mut out = String::new();
    out += &format!(
        "---\nname: {}\ndescription: {}\n{}---\n\n",
        scalar(input.name),
        quoted(input.description),
        input.fields
    );
    out += &format!("# {}\n\n", label(input.name));
    out += "This skill is compiled: its content is read piece by piece through the skillc gateway. \
            Use the gateway; do not read the source files directly.\n\n";
    out += "Prefer the MCP tools `skc_outline`, `skc_show`, `skc_search`, `skc_open` and `skc_sources` where the skillc \
            MCP server is available: they are faster and return structured output. Otherwise use the command line:\n\n";
    let skill = shell_word(input.directory);
    out += &commands(&skill);
    if input.has_assets {
        out += &format!(
            "\nTo run a script or use an asset, get the skill's folder with `skc path {skill}` (MCP answers carry it as \
             `root`): file paths in the skill are relative to it.\n"
        );
    }
    out += "\n## Top Sections\n\n";
    let before = out.len();
    main_sections(input.main, &mut out);
    references(input, &mut out);
    if out.len() == before {
        out += "- (none)\n";
    }
    out
}

fn commands(skill: &str) -> String {
    format!(
        "```bash\n\
         skc outline {skill}                      # all headings\n\
         skc show {skill} --section \"<heading>\"   # one section\n\
         skc search {skill} \"<words>\"             # find sections\n\
         skc sources {skill}                      # all files\n\
         skc open {skill} <path>                  # one file\n\
         skc path {skill}                         # the skill's folder, for its scripts and assets\n\
         ```\n"
    )
}

fn main_sections(main: &Document, out: &mut String) {
    let all: Vec<_> = main
        .headings
        .iter()
        .filter(|heading| heading.level <= 2 && heading.is_listed())
        .collect();
    let mut tops = 0;
    let fits = |heading: &&&skillc_core::Heading| {
        tops += usize::from(heading.level == 1);
        tops <= MAX_TOP
    };
    let shown = all.iter().take(MAX_ENTRIES).take_while(fits).count();
    for heading in &all[..shown] {
        let indent = if heading.level == 1 { "" } else { "  " };
        *out += &format!("{indent}- {}\n", label(&heading.text));
    }
    more(all.len() - shown, out);
}

fn references(input: &StubInput<'_>, out: &mut String) {
    if input.reference_count == 0 {
        return;
    }
    *out += "- References (query by title only)\n";
    for Reference { title, description } in input.references.iter().take(MAX_ENTRIES) {
        *out += &format!("  - {}", label(title));
        if let Some(description) = description {
            *out += &format!(" \u{2014} {}", cut(description, MAX_DESCRIPTION_CHARS));
        }
        *out += "\n";
    }
    more(input.reference_count.saturating_sub(MAX_ENTRIES), out);
}

fn more(count: usize, out: &mut String) {
    if count > 0 {
        *out += &format!("  ... ({count} more)\n");
    }
}

/// Sanitizes a name, a heading or a path for a list.
fn label(text: &str) -> String {
    cut(&one_line(text), MAX_LABEL_CHARS)
}

/// Collapses whitespace and drops control characters.
fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Truncates a string to `max` characters, ending in an ellipsis.
fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max - 1).collect();
    format!("{}\u{2026}", kept.trim_end())
}
