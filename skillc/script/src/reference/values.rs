//! Reference pages: skills, documents and their parts.

use super::TypePage;

pub(super) const DOCUMENT: TypePage = TypePage {
    name: "Document",
    about: "A Markdown file of the skill.",
    members: &[
        ("path: string", "Its path in the skill: `references/a.md`."),
        ("is_main: bool", "Whether it is the skill's `SKILL.md`."),
        ("text: Text", "All of it, with the frontmatter."),
        ("body: Text", "What follows the frontmatter."),
        (
            "lines: Lines",
            "All its lines, with those of the frontmatter.",
        ),
        (
            "line_range(first: int, last: int) -> Text",
            "The lines from one to another, both included, with their ends; the first of the file is 1.",
        ),
        (
            "frontmatter: Node or ()",
            "Its frontmatter, a map; `()` if there is none, or none that can be read.",
        ),
        (
            "field(key: string) -> Node or ()",
            "The value of a key of the frontmatter.",
        ),
        (
            "headings: Headings",
            "Its headings, but for those in quotes and lists.",
        ),
        (
            "links: Links",
            "Its links and images, as Markdown has them.",
        ),
        (
            "list_items: ListItems",
            "The items of its lists, each before those in it.",
        ),
        (
            "code_blocks: CodeBlocks",
            "Its code blocks, fenced and indented.",
        ),
        (
            "code_spans: Texts",
            "Its code between backticks, with these.",
        ),
        ("tables: Texts", "Its tables."),
        (
            "html_blocks: Texts",
            "Its blocks of HTML, comments included.",
        ),
        (
            "inline_html: Texts",
            "The tags and comments of HTML that stand in paragraphs, headings and tables.",
        ),
        (
            "references: References",
            "All that it refers to, by links and by paths in text and code.",
        ),
    ],
    shares: &["search"],
};

pub(super) const HEADING: TypePage = TypePage {
    name: "Heading",
    about: "A heading of a document.",
    members: &[
        ("level: int", "1 to 6."),
        (
            "text: string",
            "Its text as readers see it, without markup.",
        ),
        (
            "title: Text",
            "Its text as it is written, without `#` and spaces around it: what a fix changes.",
        ),
        (
            "anchor: string",
            "What a link leads to it by, without `#`: `set-up`, and `set-up-1` for the second of that text.",
        ),
        (
            "section: Text",
            "All from it to the next heading of its level or above.",
        ),
        (
            "end_line: int",
            "The line after its section: that of the next heading of its level or above. The last line of the section is `section.last_line`.",
        ),
    ],
    shares: &["place"],
};

pub(super) const LINK: TypePage = TypePage {
    name: "Link",
    about: "A link or an image.",
    members: &[
        (
            "dest: string",
            "Where it leads, as it is meant: without escapes.",
        ),
        (
            "destination: Text",
            "Where it leads, as it is written: what a fix changes. With escapes in it, the whole link.",
        ),
        (
            "label: Text",
            "What readers see of it, as it is written: its text; of an image, the alternative text.",
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
    about: "An item of a list, with the lists in it.",
    members: &[
        (
            "level: int",
            "How many lists it is in: 1 for an item of a list that is in no other.",
        ),
        ("marker: Text", "What stands before its text: `-`, `3.`."),
        (
            "number: int or ()",
            "The number that is written; `()` for a bullet.",
        ),
        (
            "is_done: bool or ()",
            "Whether a task is done, `[x]`, or not, `[ ]`; `()` for an item that is no task.",
        ),
        ("content: Text", "What follows its marker."),
    ],
    shares: &["place"],
};

pub(super) const CODE_BLOCK: TypePage = TypePage {
    name: "CodeBlock",
    about: "A code block.",
    members: &[
        (
            "info: string or ()",
            "What follows the fence; `()` if the block is indented.",
        ),
        (
            "language: string",
            "The first word of that; an empty text if there is none.",
        ),
        (
            "content: Text",
            "Its lines: without fences, and without what makes them lines of a quote, a list or an indented block. Each has its place in the file.",
        ),
    ],
    shares: &["place"],
};

pub(super) const REFERENCE: TypePage = TypePage {
    name: "Reference",
    about: "Something that a document refers to. Its place is where that is written.",
    members: &[
        (
            "kind: string",
            "The kind of a link, `wiki` for `[[…]]`, or `mention` for a path in text or code.",
        ),
        ("written: string", "What is written."),
        (
            "target: string",
            "What it leads to: `file`, `directory`, `glob`, `missing`, `outside` (of the skill), `elsewhere` (an address), or \
             `placeholder`. Mentions are `file`, `directory`, `glob`, or `missing` where a path is plainly meant for a file of the skill.",
        ),
        (
            "path: string or ()",
            "The path in the skill of the file or directory, be it there or missing.",
        ),
        (
            "anchor: string",
            "Whether the heading after `#` is there: `present`, `missing`, or `unchecked`.",
        ),
    ],
    shares: &["place"],
};

pub(super) const SKILL: TypePage = TypePage {
    name: "Skill",
    about: "The skill that is checked.",
    members: &[
        ("name: string", "The name of its folder."),
        ("main: Document or ()", "Its `SKILL.md`."),
        ("documents: Documents", "Its Markdown files, by path."),
        ("document(path: string) -> Document or ()", "One of them."),
        ("files: Paths", "The paths of all its files."),
        (
            "files_matching(glob: string) -> array",
            "The paths that match a glob: `scripts/**/*.py`.",
        ),
        (
            "has_file(path: string) -> bool",
            "Whether there is such a file.",
        ),
        (
            "is_reachable(path: string) -> bool",
            "Whether `SKILL.md` refers to a file, or to one that refers to it, and so on.",
        ),
    ],
    shares: &[],
};

pub(super) const RUN_SKILL: TypePage = TypePage {
    name: "RunSkill",
    about: "One of the skills that are checked together.",
    members: &[
        (
            "name: string",
            "Its name: that in its frontmatter, or else that of its folder.",
        ),
        (
            "description: string",
            "Its description; an empty text without one.",
        ),
        (
            "is_listed: bool",
            "Whether agents are shown it: not with `disable-model-invocation: true`.",
        ),
        (
            "path: string",
            "Its folder, below the one in which a client finds it: `pdf`, `office/pdf`.",
        ),
        (
            "is_beside(other: RunSkill) -> bool",
            "Whether a client finds both in the same folder.",
        ),
    ],
    shares: &[],
};

pub(super) const TEXT: TypePage = TypePage {
    name: "Text",
    about: "A piece of a file, which knows where it stands. It is no copy, and may be of any size.",
    members: &[
        (
            "text: string",
            "The text as a string of the script: [not longer than one can be](#limits).",
        ),
        (
            "to_string() -> string",
            "The same: so that it can stand in a message, `${place}`.",
        ),
        ("len: int", "Its length in characters."),
        ("is_empty: bool", "Whether there is nothing in it."),
        ("lines: Lines", "Its lines."),
        (
            "trim() -> Text",
            "The piece without white space at both ends.",
        ),
        ("contains(text: string) -> bool", "Whether a text is in it."),
        (
            "starts_with(text: string) -> bool",
            "Whether it begins with a text.",
        ),
        (
            "ends_with(text: string) -> bool",
            "Whether it ends with a text.",
        ),
    ],
    shares: &["place", "search", "data"],
};

pub(super) const LINE: TypePage = TypePage {
    name: "Line",
    about: "A line, without its end.",
    members: &[
        ("text: string", "The text as a string of the script."),
        ("to_string() -> string", "The same."),
    ],
    shares: &["place", "search"],
};
