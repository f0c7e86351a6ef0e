//! The script API page: types with their members, functions, and limits.

use skillc_script::limits;
use skillc_script::reference::{
    DECLARATIONS, FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES, TypePage,
};

use super::{cell, header, row};

const HEAD: &str = "# What scripts see\n\n\
    A script declares rules and formats; [Writing a rule](../write-a-rule.md) and \
    [Writing a search format](../write-a-format.md) say how. This page has every value that it gets, with all its members. \
    The language itself is [Rhai](https://rhai.rs/book/), with all its functions for numbers, strings, arrays and maps; \
    there is no `this`, no `eval`, no `curry`, no `import`, no `sleep` and no clock.\n\n\
    A member `name: Type` is a property, `text.len`; `name(argument: Type) -> Type` is called, `text.trim()`. `()` is nothing: what \
    may be missing is `Type or ()`, to be compared with `()` first. `string`, `int`, `bool`, `char`, `array` and `map` are those of Rhai. \
    No value can be changed.\n";

pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "\n## Declarations\n\nThese are called at the top of a script, with a comment `///` in the lines above.\n\n";
    page += &table(DECLARATIONS);
    for of in TYPES {
        page += &section(of);
    }
    page += "\n## Lists\n\nA list is looked at one by one, and may be of any length. ";
    let lists: Vec<String> = LISTS
        .iter()
        .map(|list| format!("`{}` has {}", list.name, linked(list.of)))
        .collect();
    page += &format!("{}.\n\n{}", lists.join(", "), table(LIST_MEMBERS));
    for of in SHARED {
        page += &section(of);
    }
    page += "\n## Functions\n\nThese are called by themselves: `delete(place)`. An edit goes into a fix.\n\n";
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
        text += &format!("\nAlso what is said of {}.\n", listed(of.shares));
    }
    let shares = TYPES.iter().filter(|page| page.shares.contains(&of.name));
    let sharing: Vec<&str> = shares.map(|page| page.name).collect();
    if !sharing.is_empty() {
        text += &format!("\nThis is true of: {}.\n", listed(&sharing));
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
    let mut text = "\n## Limits\n\nA script that goes beyond one of these is stopped, and CFG201 names the place and the limit. A call \
                    is one of a function that the script gave, for one file or skill.\n\n"
        .to_owned();
    text += &header(&["Limit", "At most"]);
    for (what, most) in limit_rows() {
        text += &row(&[what, &most]);
    }
    text
}

/// Returns the limits: description and maximum.
fn limit_rows() -> Vec<(&'static str, String)> {
    let kib = |bytes: usize| format!("{} KiB", bytes >> 10);
    let mib = |bytes: usize| format!("{} MiB", bytes >> 20);
    let (at_top, within) = limits::MAX_EXPRESSION_DEPTHS;
    vec![
        ("Size of a script", kib(limits::MAX_SCRIPT_BYTES)),
        (
            "Rules and formats of a script",
            with_commas(limits::MAX_PLUGINS),
        ),
        (
            "Documentation and options of a rule or format",
            kib(limits::MAX_DECLARED_BYTES),
        ),
        ("Functions of a script", with_commas(limits::MAX_FUNCTIONS)),
        (
            "Nesting of expressions",
            format!("{at_top}, and {within} within a function"),
        ),
        (
            "Operations of a call: steps of the script, and the work of what it calls",
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
            "Time of a call that no other limit has stopped",
            format!("{} s", limits::MAX_TIME.as_secs()),
        ),
        ("Nesting of calls", with_commas(limits::MAX_CALL_LEVELS)),
        (
            "Variables of a function",
            with_commas(limits::MAX_VARIABLES),
        ),
        (
            "Length of a string; of all strings in an array or map",
            kib(limits::MAX_STRING_BYTES),
        ),
        (
            "Length of a text that is written in a script",
            kib(limits::MAX_LITERAL_BYTES),
        ),
        (
            "Elements of an array, with those of arrays in it",
            with_commas(limits::MAX_ARRAY),
        ),
        (
            "Entries of a map, with those of maps in it",
            with_commas(limits::MAX_MAP),
        ),
        (
            "What the variables of a function hold",
            kib(limits::MAX_HELD_BYTES),
        ),
        (
            "How deep values are nested in each other",
            with_commas(limits::MAX_HELD_DEPTH),
        ),
        (
            "Texts and data that are made for a call: read, joined, looked for in strings",
            mib(limits::MAX_MADE_BYTES),
        ),
        (
            "Length of a pattern, in bytes",
            with_commas(limits::MAX_PATTERN_BYTES),
        ),
        (
            "Size of a compiled pattern: `\\w{50}` takes much, `(?-u:\\w){50}` little",
            kib(limits::MAX_COMPILED_PATTERN_BYTES),
        ),
        ("Groups of a pattern", with_commas(limits::MAX_GROUPS)),
        (
            "Patterns of a call when they are compiled, each 64 KiB or more",
            mib(limits::MAX_CALL_PATTERN_BYTES),
        ),
        (
            "Length of a glob, in bytes",
            with_commas(limits::MAX_GLOB_BYTES),
        ),
        (
            "Signs of a glob: `*`, `?`, `[`, `{`, `,`",
            with_commas(limits::MAX_GLOB_SIGNS),
        ),
        ("Findings of a call", with_commas(limits::MAX_FINDINGS)),
        ("Labels and edits of a call", with_commas(limits::MAX_PARTS)),
        (
            "Length of a message, label, help or title, in bytes",
            with_commas(limits::MAX_MESSAGE_BYTES),
        ),
        (
            "All messages and texts of fixes of a call",
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
