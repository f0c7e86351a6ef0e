//! The script API reference: every type with all its members. A test compares the reference with the registered
//! functions.
//!
//! A member is written `name: Type` for a property, `name(argument: Type) -> Type` for a function,
//! `[index: Type] -> Type` for an index, and `for name: Type` for the elements of a loop. `()` means no value, `any`
//! means any value, and `place` means any type that shares [`PLACED`].

mod finds;
pub(crate) mod meant;
#[cfg(test)]
mod tests;
mod values;

/// A type available to scripts, or a group of members shared by several types.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TypePage {
    /// The name of the type or of the shared group. Names of groups are in lower case.
    pub name: &'static str,
    /// A description of one or two sentences.
    pub about: &'static str,
    /// Members, each with a one-line description.
    pub members: &'static [(&'static str, &'static str)],
    /// The names of the shared groups of members that the type has.
    pub shares: &'static [&'static str],
}

/// A list type of the host. Its elements are created on access.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ListPage {
    /// The name of the list type.
    pub name: &'static str,
    /// The type of the list's elements.
    pub of: &'static str,
}

/// All types, in the order of the reference page.
pub const TYPES: &[TypePage] = &[
    values::DOCUMENT,
    values::HEADING,
    values::LIST_ITEM,
    values::LINK,
    values::CODE_BLOCK,
    values::REFERENCE,
    values::SKILL,
    values::RUN_SKILL,
    finds::FINDINGS,
    finds::FINDING,
    finds::EDIT,
    values::TEXT,
    values::LINE,
    finds::MATCHES,
    finds::MATCH,
    finds::NODE,
    finds::FILE,
    finds::SECTIONS,
    finds::STRING,
];

/// Groups of members shared by several types.
pub const SHARED: &[TypePage] = &[PLACED, SEARCHED, READ];

/// Members of all values that have a position.
pub const PLACED: TypePage = TypePage {
    name: "place",
    about: "Every part of a file has a position, and can be reported and edited.",
    members: &[
        ("line: int", "The line where it starts; the first is 1."),
        ("last_line: int", "The line of its last character."),
        (
            "column: int",
            "The column where it starts, in characters; the first is 1.",
        ),
        ("start: int", "The byte offset of its start in the file."),
        (
            "end: int",
            "The byte offset of its end in the file, exclusive.",
        ),
        (
            "source: Text",
            "The text of the file at this position, as written.",
        ),
        (
            "is_prose: bool",
            "Whether it begins in prose: not in frontmatter, code, HTML, comments or the markup of a link.",
        ),
        (
            "is_code: bool",
            "Whether it begins in a code block or between backticks.",
        ),
        (
            "is_frontmatter: bool",
            "Whether it begins in the frontmatter.",
        ),
    ],
    shares: &[],
};

/// Members of all values that can be searched.
pub const SEARCHED: TypePage = TypePage {
    name: "search",
    about: "A regular expression is matched line by line: `^` and `$` match the start and the end of a line, and \
            `\\n` matches nothing. Write the expression between backticks, where a backslash is an ordinary \
            character. Look-around and back references are not supported. A pattern with many repetitions may be [too \
            large](#limits). To make it smaller, write `(?-u:\\w)`, which matches only ASCII, instead of `\\w`, which \
            matches letters of all scripts. A very long line is split between words and matched in chunks. The size \
            of a chunk is 32 KiB for most patterns, and as little as 1 KiB for patterns with many repetitions.",
    members: &[
        ("find(pattern: string) -> Match or ()", "The first match."),
        ("find_all(pattern: string) -> Matches", "All matches."),
        (
            "find_prose(pattern: string) -> Matches",
            "The matches that begin in prose (see `is_prose`).",
        ),
        (
            "is_match(pattern: string) -> bool",
            "Whether the pattern matches anywhere.",
        ),
    ],
    shares: &[],
};

/// Members of all values that can be parsed as data.
pub const READ: TypePage = TypePage {
    name: "data",
    about: "Text can be parsed as data. If the text is invalid, the script fails, and the error contains the line of \
    the fault. Parsing counts towards the [memory limit of a call](#limits): YAML needs 256 bytes for each line and \
    comma; TOML needs about 1,000 bytes for each entry and 2,400 for each dot in a key; invalid data needs 32 times \
    its length.",
    members: &[
        ("json() -> Node", "Parses JSON."),
        ("yaml() -> Node", "Parses YAML."),
        ("toml() -> Node", "Parses TOML."),
        (
            "csv() -> Node",
            "Parses CSV into a list of rows, each of which is a list of strings.",
        ),
        (
            "csv(separator: char) -> Node",
            "Parses CSV with another separator: `csv('\\t')`.",
        ),
    ],
    shares: &[],
};

/// Members of every list.
pub const LIST_MEMBERS: &[(&str, &str)] = &[
    ("len: int", "The number of elements."),
    ("is_empty: bool", "Whether it is empty."),
    ("first: element or ()", "The first element."),
    ("last: element or ()", "The last element."),
    (
        "[index: int] -> element",
        "The element at an index: 0 is the first, -1 the last. The script fails if the index is out of range.",
    ),
    ("for element: element", "All elements, in order."),
];

/// The lists.
pub const LISTS: &[ListPage] = &[
    list("CodeBlocks", "CodeBlock"),
    list("Documents", "Document"),
    list("Headings", "Heading"),
    list("Lines", "Line"),
    list("Links", "Link"),
    list("ListItems", "ListItem"),
    list("Paths", "string"),
    list("References", "Reference"),
    list("RunSkills", "RunSkill"),
    list("Texts", "Text"),
];

const fn list(name: &'static str, of: &'static str) -> ListPage {
    ListPage { name, of }
}

/// Free functions.
pub const FUNCTIONS: &[(&str, &str)] = &[
    (
        "edit(place: place, text: string) -> Edit",
        "Replaces the text of a place.",
    ),
    (
        "delete(place: place) -> Edit",
        "Deletes the text of a place.",
    ),
    (
        "insert_before(place: place, text: string) -> Edit",
        "Inserts text at the start of a place.",
    ),
    (
        "insert_after(place: place, text: string) -> Edit",
        "Inserts text at the end of a place.",
    ),
    (
        "escaped(text: string) -> string",
        "Returns a pattern that matches exactly this text.",
    ),
    (
        "matches_glob(path: string, glob: string) -> bool",
        "Whether a path matches a glob: `references/**/*.md`.",
    ),
];

/// Functions that declare plug-ins. They exist only while a script is loaded.
pub const DECLARATIONS: &[(&str, &str)] = &[
    ("rule(of: map)", "Defines a lint rule."),
    ("indexer(of: map)", "Defines an indexer."),
];
