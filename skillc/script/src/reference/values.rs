//! Reference pages: skills, documents and their parts.

use super::TypePage;

pub(super) const DOCUMENT: TypePage = TypePage {
    name: "Document",
    about: "A Markdown file of the skill.",
    members: &[
        ("path: string", "Its path in the skill: `references/a.md`."),
        ("is_main: bool", "Whether it is the skill's `SKILL.md`."),
        ("text: Text", "Its whole text, including the frontmatter."),
        ("body: Text", "The text after the frontmatter."),
        ("lines: Lines", "All lines, including the frontmatter."),
        (
            "line_range(first: int, last: int) -> Text",
            "The lines from `first` to `last`, inclusive, with their line endings. The first line of the file is 1.",
        ),
        (
            "frontmatter: Node or ()",
            "Its frontmatter as a map, or `()` if the frontmatter is missing, not closed or too large. If the YAML is \
            invalid, the map contains only the fields that could be read.",
        ),
        (
            "field(key: string) -> Node or ()",
            "The value of a frontmatter key.",
        ),
        (
            "headings: Headings",
            "Its headings, except those in block quotes and lists.",
        ),
        ("links: Links", "Its Markdown links and images."),
        (
            "list_items: ListItems",
            "Its list items, parents before children.",
        ),
        (
            "code_blocks: CodeBlocks",
            "Its code blocks, fenced and indented.",
        ),
        (
            "code_spans: Texts",
            "Its code spans, including the backticks.",
        ),
        ("tables: Texts", "Its tables."),
        ("html_blocks: Texts", "Its HTML blocks, including comments."),
        (
            "inline_html: Texts",
            "The HTML tags and comments in paragraphs, headings and tables.",
        ),
        (
            "references: References",
            "All references: links, and paths in text and code.",
        ),
    ],
    shares: &["search"],
};

pub(super) const HEADING: TypePage = TypePage {
    name: "Heading",
    about: "A heading of a document.",
    members: &[
        ("level: int", "1 to 6."),
        ("text: string", "Its text as rendered, without markup."),
        (
            "title: Text",
            "Its source text without `#` and surrounding spaces: the part that a fix changes.",
        ),
        (
            "anchor: string",
            "Its anchor, without `#`: `set-up`, and `set-up-1` for the second heading with that text.",
        ),
        (
            "section: Text",
            "Everything up to the next heading of the same or a higher level.",
        ),
        (
            "end_line: int",
            "The line after its section: the line of the next heading of the same or a higher level. The last line of \
            the section is `section.last_line`.",
        ),
    ],
    shares: &["place"],
};

pub(super) const LINK: TypePage = TypePage {
    name: "Link",
    about: "A link or an image.",
    members: &[
        ("dest: string", "Its destination, unescaped."),
        (
            "destination: Text",
            "Its destination as written: the part that a fix changes. If the destination contains escapes, this is \
            the whole link.",
        ),
        (
            "label: Text",
            "Its text as written; for an image, the alternative text.",
        ),
        (
            "kind: string",
            "`inline`, `reference`, `autolink` or `image`.",
        ),
    ],
    shares: &["place"],
};

pub(super) const LIST_ITEM: TypePage = TypePage {
    name: "ListItem",
    about: "A list item, including nested lists.",
    members: &[
        (
            "level: int",
            "The nesting level: 1 for an item of a top-level list.",
        ),
        ("marker: Text", "Its marker: `-`, `3.`."),
        (
            "number: int or ()",
            "Its number as written; `()` for a bullet.",
        ),
        (
            "is_done: bool or ()",
            "For a task, `true` if it is done (`[x]`) and `false` if it is not (`[ ]`); `()` if the item is not a \
            task.",
        ),
        ("content: Text", "The text after its marker."),
    ],
    shares: &["place"],
};

pub(super) const CODE_BLOCK: TypePage = TypePage {
    name: "CodeBlock",
    about: "A code block.",
    members: &[
        (
            "info: string or ()",
            "The text after the fence; `()` if the block is indented.",
        ),
        (
            "language: string",
            "The first word of `info`; an empty string if there is none.",
        ),
        (
            "content: Text",
            "Its text, without the fences, and without the quote markers or indentation in front of the block. Each \
            part of this text keeps its position in the file.",
        ),
    ],
    shares: &["place"],
};

pub(super) const REFERENCE: TypePage = TypePage {
    name: "Reference",
    about: "A reference in a document: a link, or a path in text or code. Its position is that of the link's \
    destination or of the path.",
    members: &[
        (
            "kind: string",
            "The `kind` of the link, `wiki` for `[[…]]`, or `mention` for a path in text or code.",
        ),
        ("written: string", "The text as written."),
        (
            "target: string",
            "What it leads to: `file`, `directory`, `glob`, `missing`, `outside` (of the skill), `elsewhere` (a URL, \
             an email address or an absolute path), or `placeholder`. For a mention, only `file`, `directory`, `glob` \
             and `missing` are possible; `missing` means that the path clearly refers to a file of the skill that \
             does not exist.",
        ),
        (
            "path: string or ()",
            "The path of the file or directory in the skill, whether or not it exists.",
        ),
        (
            "anchor: string",
            "Whether the heading that the part after `#` refers to exists: `present`, `missing` or `unchecked`.",
        ),
    ],
    shares: &["place"],
};

pub(super) const SKILL: TypePage = TypePage {
    name: "Skill",
    about: "The skill being checked.",
    members: &[
        ("name: string", "The name of its folder."),
        ("main: Document or ()", "Its `SKILL.md`."),
        (
            "documents: Documents",
            "Its Markdown files: `SKILL.md` first, then the others in path order.",
        ),
        (
            "document(path: string) -> Document or ()",
            "The document with this path.",
        ),
        ("files: Paths", "The paths of all its files."),
        (
            "files_matching(glob: string) -> array",
            "The paths that match a glob: `scripts/**/*.py`.",
        ),
        (
            "has_file(path: string) -> bool",
            "Whether a file with this path exists in the skill.",
        ),
        (
            "is_reachable(path: string) -> bool",
            "Whether a file is reachable from `SKILL.md` through references.",
        ),
    ],
    shares: &[],
};

pub(super) const RUN_SKILL: TypePage = TypePage {
    name: "RunSkill",
    about: "One of the skills checked together.",
    members: &[
        (
            "name: string",
            "The name in its frontmatter; if the frontmatter has no name, the name of its folder.",
        ),
        (
            "description: string",
            "Its description; empty if it has none.",
        ),
        (
            "is_listed: bool",
            "Whether it is shown to agents: false with `disable-model-invocation: true`.",
        ),
        (
            "path: string",
            "Its folder, relative to the folder in which a client finds skills: `pdf`, `office/pdf`.",
        ),
        (
            "is_beside(other: RunSkill) -> bool",
            "Whether a client finds both skills in the same folder.",
        ),
    ],
    shares: &[],
};

pub(super) const TEXT: TypePage = TypePage {
    name: "Text",
    about: "A part of a file, with its position. It is a reference, not a copy, and may have any size.",
    members: &[
        (
            "text: string",
            "The text as a native string, [limited in length](#limits).",
        ),
        (
            "to_string() -> string",
            "The same string, for use in messages: `${place}`.",
        ),
        ("len: int", "Its length in characters."),
        ("is_empty: bool", "Whether it is empty."),
        ("lines: Lines", "Its lines."),
        ("trim() -> Text", "The text without surrounding whitespace."),
        (
            "contains(text: string) -> bool",
            "Whether it contains a string.",
        ),
        (
            "starts_with(text: string) -> bool",
            "Whether it starts with a string.",
        ),
        (
            "ends_with(text: string) -> bool",
            "Whether it ends with a string.",
        ),
    ],
    shares: &["place", "search", "data"],
};

pub(super) const LINE: TypePage = TypePage {
    name: "Line",
    about: "A line, without its line ending.",
    members: &[
        ("text: string", "The text as a native string."),
        ("to_string() -> string", "The same."),
    ],
    shares: &["place", "search"],
};
