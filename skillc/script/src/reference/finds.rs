//! Reference pages: matches, data, findings and sections.

use super::TypePage;

pub(super) const FINDINGS: TypePage = TypePage {
    name: "Findings",
    about: "The `out` parameter of a check, which collects findings.",
    members: &[
        (
            "at(place: place, message: string) -> Finding",
            "Reports a finding at a position.",
        ),
        (
            "file(document: Document, message: string) -> Finding",
            "Reports a finding about a whole document.",
        ),
        (
            "file(path: string, message: string) -> Finding",
            "Reports a finding about a whole file.",
        ),
        (
            "skill(message: string) -> Finding",
            "Reports a finding about the whole skill.",
        ),
        (
            "at_name(skill: RunSkill, message: string) -> Finding",
            "Reports a finding at the name of a skill, in `check_run`.",
        ),
        (
            "at_description(skill: RunSkill, message: string) -> Finding",
            "Reports a finding at the description of a skill, in `check_run`.",
        ),
        (
            "options: map",
            "The rule's options, each with its configured value or else the script's default.",
        ),
        (
            "clients: array",
            "The ids of the selected clients, for example `codex`.",
        ),
    ],
    shares: &[],
};

pub(super) const FINDING: TypePage = TypePage {
    name: "Finding",
    about: "A reported finding. Each method returns the finding, so that calls can be chained.",
    members: &[
        (
            "label(place: place, text: string) -> Finding",
            "Adds a label at another position in the same file.",
        ),
        (
            "help(text: string) -> Finding",
            "Sets the help text, which says what to do.",
        ),
        (
            "fix(title: string, edits: any) -> Finding",
            "Sets a safe fix: an edit, or an array of edits.",
        ),
        (
            "unsafe_fix(title: string, edits: any) -> Finding",
            "Sets an unsafe fix, which may change the meaning of the text.",
        ),
    ],
    shares: &[],
};

pub(super) const EDIT: TypePage = TypePage {
    name: "Edit",
    about: "A change to a document, created by a [function](#functions). It has no members.",
    members: &[],
    shares: &[],
};

pub(super) const MATCHES: TypePage = TypePage {
    name: "Matches",
    about: "The matches of a pattern, found lazily as a loop requests them.",
    members: &[
        ("for match: Match", "All matches, in order."),
        ("first: Match or ()", "The first match."),
        ("count() -> int", "The number of matches."),
    ],
    shares: &[],
};

pub(super) const MATCH: TypePage = TypePage {
    name: "Match",
    about: "A match of a pattern.",
    members: &[
        ("text: string", "The matched text."),
        ("to_string() -> string", "The same."),
        (
            "group(number: int) -> Text or ()",
            "A group of the pattern; 0 is the whole match. `()` if the group did not participate in the match.",
        ),
        (
            "group(name: string) -> Text or ()",
            "A named group of the pattern.",
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
            "The value as a native script value; for a list or map, the node itself.",
        ),
        (
            "text: string or ()",
            "A string without quotes and with escapes decoded, or a number or boolean as written; `()` for null, \
            lists and maps.",
        ),
        (
            "[key: string] -> Node or ()",
            "The value of a key in a map.",
        ),
        (
            "[index: int] -> Node or ()",
            "The value at an index of a list or map: 0 is the first, -1 the last.",
        ),
        ("get(key: string) -> Node or ()", "The same as `[key]`."),
        ("for value: Node", "The values of a list or map, in order."),
        ("keys: array", "The keys of a map."),
        ("len: int", "The number of values in a list or map."),
        ("is_empty: bool", "Whether it is empty."),
        (
            "style: string or ()",
            "How a scalar is written: `plain`, `single-quoted`, `double-quoted`, `literal` (`|`) or `folded` (`>`); \
            `()` for lists and maps, and for a missing value, as in `key:`.",
        ),
        ("key: string or ()", "The key of this value."),
        ("key_place: Text or ()", "The position of the key."),
        (
            "joined() -> Text",
            "The strings in a list, concatenated, or the text of a scalar. The result is generated text, which has no \
            position in a file.",
        ),
        (
            "joined(separator: string) -> Text",
            "The same, with a separator between the strings.",
        ),
    ],
    shares: &["place"],
};

pub(super) const FILE: TypePage = TypePage {
    name: "File",
    about: "The file that is passed to an indexer's `sections` function.",
    members: &[
        ("path: string", "Its path in the skill."),
        ("text: Text", "Its whole text."),
        ("lines: Lines", "Its lines."),
        (
            "line_range(first: int, last: int) -> Text",
            "The lines from `first` to `last`, inclusive, with their line endings. The first line of the file is 1.",
        ),
    ],
    shares: &["search", "data"],
};

pub(super) const SECTIONS: TypePage = TypePage {
    name: "Sections",
    about: "The `out` parameter of an indexer's `sections` function, which collects sections.",
    members: &[
        (
            "section(heading: string, content: Text, first_line: int, last_line: int)",
            "Adds a section: its heading, its text, and its first and last line in the file, both inclusive; the first \
            line of the file is 1.",
        ),
        (
            "section(heading: string, content: string, first_line: int, last_line: int)",
            "The same, with generated text.",
        ),
    ],
    shares: &[],
};

pub(super) const STRING: TypePage = TypePage {
    name: "string",
    about: "A native string, with all of [Rhai's string functions](https://rhai.rs/book/language/strings-chars.html). \
    It has no position in a file, so matches in it cannot be reported.",
    members: &[],
    shares: &["search", "data"],
};
