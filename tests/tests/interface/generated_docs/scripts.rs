//! The script API page: types with their members, functions, and limits.

use skillc_script::limits;
use skillc_script::reference::{
    DECLARATIONS, FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES, TypePage,
};

use super::{cell, header, row};

const HEAD: &str = "# Script API\n\n\
    Scripts declare rules and indexers: see [Writing a rule](../write-a-rule.md) and [Writing a search \
    format](../write-an-indexer.md). This page lists every type that scripts can use, with all its members. The \
    language is [Rhai](https://rhai.rs/book/), with all its functions for numbers, strings, arrays and maps, but \
    without `this`, `eval`, `curry`, `import`, `sleep` and timestamps.\n\n\
    A member `name: Type` is a property, as in `text.len`; `name(argument: Type) -> Type` is a method, as in \
    `text.trim()`. `Type or ()` is an optional value: compare it with `()` first. `string`, `int`, `bool`, `char`, \
    `array` and `map` are types of Rhai. All values are immutable.\n";

pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "\n## Declarations\n\nCall these at the top level of a script, with a doc comment (`///`) above.\n\n";
    page += &table(DECLARATIONS);
    for of in TYPES {
        page += &section(of);
    }
    page += "\n## Lists\n\nLists are lazy and may have any length. The types of their elements: ";
    let lists: Vec<String> = LISTS
        .iter()
        .map(|list| format!("`{}` contains {}", list.name, linked(list.of)))
        .collect();
    page += &format!("{}.\n\n{}", lists.join(", "), table(LIST_MEMBERS));
    for of in SHARED {
        page += &section(of);
    }
    page += "\n## Functions\n\nThese are functions, not methods: `delete(place)`. Pass the edits to `fix` or \
        `unsafe_fix`.\n\n";
    page += &table(FUNCTIONS);
    page + limits().as_str()
}

/// Returns the title of a section.
fn title(name: &str) -> &str {
    match name {
        "place" => "Places",
        "search" => "Search",
        "data" => "Data",
        "string" => "Strings",
        name => name,
    }
}

fn linked(name: &str) -> String {
    let title = title(name);
    let shown = if SHARED.iter().any(|of| of.name == name) {
        title.to_lowercase()
    } else {
        name.to_owned()
    };
    format!("[{shown}](#{})", title.to_lowercase())
}

fn listed(names: &[&str]) -> String {
    let links: Vec<String> = names.iter().map(|name| linked(name)).collect();
    links.join(", ")
}

fn section(of: &TypePage) -> String {
    let mut text = format!("\n## {}\n\n{}\n", title(of.name), of.about);
    if !of.members.is_empty() {
        text += &format!("\n{}", table(of.members));
    }
    if !of.shares.is_empty() {
        text += &format!(
            "\nThis type also has the members of {}.\n",
            listed(of.shares)
        );
    }
    let shares = TYPES.iter().filter(|page| page.shares.contains(&of.name));
    let sharing: Vec<&str> = shares.map(|page| page.name).collect();
    if !sharing.is_empty() {
        text += &format!("\nTypes with these members: {}.\n", listed(&sharing));
    }
    text
}

fn table(members: &[(&str, &str)]) -> String {
    let rows = members
        .iter()
        .map(|(member, about)| row(&[&format!("`{member}`"), &cell(about)]));
    header(&["Member", "What it is"]) + rows.collect::<String>().as_str()
}

fn operations(most: u64) -> String {
    with_commas(usize::try_from(most).expect("it fits"))
}

fn limits() -> String {
    let mut text = "\n## Limits\n\nA script that exceeds a limit is stopped, and CFG201 reports the position and the \
    limit. A *call* is one call of a check or of an indexer's function, for one skill or file.\n\n"
        .to_owned();
    text += &header(&["Limit", "At most"]);
    for (what, most) in limit_rows() {
        text += &row(&[what, &most]);
    }
    text
}

/// Returns the description and the maximum of each limit.
fn limit_rows() -> Vec<(&'static str, String)> {
    let kib = |bytes: usize| format!("{} KiB", bytes >> 10);
    let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
    let (at_top, within) = limits::MAX_EXPRESSION_DEPTHS;
    vec![
        ("Size of a script", kib(limits::MAX_SCRIPT_BYTES)),
        (
            "Rules and indexers of a script",
            with_commas(limits::MAX_PLUGINS),
        ),
        (
            "Size of the documentation and options of a rule or indexer",
            kib(limits::MAX_DECLARED_BYTES),
        ),
        ("Functions of a script", with_commas(limits::MAX_FUNCTIONS)),
        (
            "Nesting of expressions",
            format!("{at_top}, and {within} within a function"),
        ),
        (
            "Operations of a call: the steps of the script, and the work of the functions that it calls",
            operations(limits::MAX_OPERATIONS),
        ),
        (
            "Operations of a project's scripts for one skill",
            operations(limits::MAX_PROJECT_OPERATIONS),
        ),
        (
            "Operations to load a project's scripts",
            operations(limits::MAX_LOADING_OPERATIONS),
        ),
        (
            "Memory of a project's compiled scripts, estimated as 200 times the size of their text, plus the values \
            that their functions capture",
            mib(limits::MAX_PROJECT_COMPILED_BYTES),
        ),
        (
            "Time of a call",
            format!("{} s", limits::MAX_TIME.as_secs()),
        ),
        ("Nesting of calls", with_commas(limits::MAX_CALL_LEVELS)),
        (
            "Variables of a function",
            with_commas(limits::MAX_VARIABLES),
        ),
        (
            "Length of a string, or of all strings in an array or map together",
            kib(limits::MAX_STRING_BYTES),
        ),
        ("Length of a string literal", kib(limits::MAX_LITERAL_BYTES)),
        (
            "Elements of an array, including nested arrays",
            with_commas(limits::MAX_ARRAY),
        ),
        (
            "Entries of a map, including nested maps",
            with_commas(limits::MAX_MAP),
        ),
        (
            "Memory of the variables of a function; the same limit applies to all rules and indexers of a script \
            together, including the variables that they capture",
            kib(limits::MAX_HELD_BYTES),
        ),
        ("Nesting of values", with_commas(limits::MAX_HELD_DEPTH)),
        (
            "Memory that a call allocates for parsed data, joined strings and searched strings",
            mib(limits::MAX_MADE_BYTES),
        ),
        (
            "Length of a pattern, in bytes",
            with_commas(limits::MAX_PATTERN_BYTES),
        ),
        (
            "Size of a compiled pattern: `\\w{50}` is large, `(?-u:\\w){50}` small",
            kib(limits::MAX_COMPILED_PATTERN_BYTES),
        ),
        ("Groups of a pattern", with_commas(limits::MAX_GROUPS)),
        (
            "Memory of all compiled patterns of a call; each counts as at least 64 KiB",
            mib(limits::MAX_CALL_PATTERN_BYTES),
        ),
        (
            "Length of a glob, in bytes",
            with_commas(limits::MAX_GLOB_BYTES),
        ),
        (
            "Special characters of a glob: `*`, `?`, `[`, `{`, `,`",
            with_commas(limits::MAX_GLOB_SIGNS),
        ),
        ("Findings of a call", with_commas(limits::MAX_FINDINGS)),
        ("Labels and edits of a call", with_commas(limits::MAX_PARTS)),
        (
            "Length of a message, label, help or title, in bytes",
            with_commas(limits::MAX_MESSAGE_BYTES),
        ),
        (
            "Size of all messages and inserted text of a call",
            mib(limits::MAX_DRAFT_BYTES),
        ),
    ]
}

/// Formats a number with thousands separators.
fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

/// An independent check of the generator's output.
#[test]
fn every_link_on_the_script_page_has_a_section() {
    let page = page();
    for link in page.split("](#").skip(1) {
        let anchor = link.split(')').next().expect("an end");
        let is_there = page
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .any(|heading| heading.to_lowercase() == anchor);
        assert!(is_there, "{anchor}");
    }
    let mut lines = page.lines();
    assert!(
        lines
            .any(|line| line.starts_with("| Operations of a call")
                && line.ends_with("| 2,000,000 |"))
    );
}
