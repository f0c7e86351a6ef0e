//! Reference pages: matches, data, findings and sections.

use super::TypePage;

pub(super) const FINDINGS: TypePage = TypePage {
    name: "Findings",
    about: "What a check gets as `out`, and hands its findings to.",
    members: &[
        (
            "at(place: place, message: string) -> Finding",
            "Reports something at a place.",
        ),
        (
            "file(document: Document, message: string) -> Finding",
            "Reports a document as a whole.",
        ),
        (
            "file(path: string, message: string) -> Finding",
            "Reports a file of the skill as a whole.",
        ),
        (
            "skill(message: string) -> Finding",
            "Reports the skill as a whole.",
        ),
        (
            "at_name(skill: RunSkill, message: string) -> Finding",
            "Reports the name of a skill, in `check_run`.",
        ),
        (
            "at_description(skill: RunSkill, message: string) -> Finding",
            "Reports the description of a skill, in `check_run`.",
        ),
        (
            "options: map",
            "The rule's options: as they are given, or else as the script has them.",
        ),
        (
            "clients: array",
            "The clients that the skill is for: `codex`.",
        ),
    ],
    shares: &[],
};

pub(super) const FINDING: TypePage = TypePage {
    name: "Finding",
    about: "A finding that was just reported. Each of these gives it back, so that another may follow.",
    members: &[
        (
            "label(place: place, text: string) -> Finding",
            "Says something of another place in the same file.",
        ),
        ("help(text: string) -> Finding", "Says what to do."),
        (
            "fix(title: string, edits: any) -> Finding",
            "Gives it a fix that is safe: an edit, or an array of them.",
        ),
        (
            "unsafe_fix(title: string, edits: any) -> Finding",
            "Gives it a fix that may change what is meant.",
        ),
    ],
    shares: &[],
};

pub(super) const EDIT: TypePage = TypePage {
    name: "Edit",
    about: "A change of a document, made by a [function](#functions). It has no members.",
    members: &[],
    shares: &[],
};

pub(super) const MATCHES: TypePage = TypePage {
    name: "Matches",
    about: "The matches of a pattern. They are looked for one after the other, as a loop asks for them.",
    members: &[
        ("for match: Match", "All matches, in order."),
        ("first: Match or ()", "The first match."),
        ("count() -> int", "How many there are."),
    ],
    shares: &[],
};

pub(super) const MATCH: TypePage = TypePage {
    name: "Match",
    about: "A match of a pattern.",
    members: &[
        ("text: string", "What matched."),
        ("to_string() -> string", "The same."),
        (
            "group(number: int) -> Text or ()",
            "A group of the pattern; 0 is the whole. `()` if it has no part in this match.",
        ),
        (
            "group(name: string) -> Text or ()",
            "A group that has a name in the pattern.",
        ),
    ],
    shares: &["place", "search"],
};

pub(super) const NODE: TypePage = TypePage {
    name: "Node",
    about: "A value of JSON, YAML, TOML or CSV, or of the frontmatter.",
    members: &[
        (
            "kind: string",
            "`map`, `list`, `text`, `number`, `bool` or `null`.",
        ),
        (
            "value: any",
            "The value as scripts have such values; of a list or map the node itself.",
        ),
        (
            "text: string or ()",
            "A text as it is meant, a number or truth as it is written; `()` for null, lists and maps.",
        ),
        (
            "[key: string] -> Node or ()",
            "The value that a key of a map has.",
        ),
        (
            "[index: int] -> Node or ()",
            "A value of a list or map: the first is 0, the last is -1.",
        ),
        ("get(key: string) -> Node or ()", "The same as `[key]`."),
        ("for value: Node", "The values of a list or map, in order."),
        ("keys: array", "The keys of a map."),
        ("len: int", "How many values are in a list or map."),
        ("is_empty: bool", "Whether there are none."),
        (
            "style: string or ()",
            "How a scalar is written: `plain`, `single-quoted`, `double-quoted`, `literal` (`|`) or `folded` (`>`); `()` of a list \
             or map, and of what is not written.",
        ),
        ("key: string or ()", "The key that it is the value of."),
        ("key_place: Text or ()", "Where that key is written."),
        (
            "joined() -> Text",
            "The texts of a list, one after the other; this text is made, and stands in no file.",
        ),
        (
            "joined(separator: string) -> Text",
            "The same, with a text between them.",
        ),
    ],
    shares: &["place"],
};

pub(super) const FILE: TypePage = TypePage {
    name: "File",
    about: "The file that `sections` of a format is called with.",
    members: &[
        ("path: string", "Its path in the skill."),
        ("text: Text", "All of it."),
        ("lines: Lines", "Its lines."),
        (
            "line_range(first: int, last: int) -> Text",
            "The lines from one to another, both included, with their ends; the first is 1.",
        ),
    ],
    shares: &["search", "data"],
};

pub(super) const SECTIONS: TypePage = TypePage {
    name: "Sections",
    about: "What `sections` of a format gets as `out`.",
    members: &[
        (
            "section(heading: string, content: Text, first_line: int, last_line: int)",
            "Adds a section: what it is called, its text, and its first and last line in the file, which both belong to it; the first \
             of the file is 1.",
        ),
        (
            "section(heading: string, content: string, first_line: int, last_line: int)",
            "The same, with a text that the script made.",
        ),
    ],
    shares: &[],
};

pub(super) const STRING: TypePage = TypePage {
    name: "string",
    about: "A text of the script's own, with all that [Rhai has for strings](https://rhai.rs/book/language/strings-chars.html). \
            What is found in it stands in no file, so it cannot be reported.",
    members: &[],
    shares: &["search", "data"],
};
