//! Updates the expectations in a case file. Everything else is preserved: comments, order, and the notation of
//! unchanged values.

use std::collections::BTreeMap;

use toml_edit::{
    Array, ArrayOfTables, Decor, DocumentMut, InlineTable, Item, RawString, Table, TableLike,
    Value, value,
};

use super::cases::SectionText;

/// A list of one string is written on one line if it is not wider than this many columns. A list of several strings has
/// one string per line.
const MAX_COLUMNS: usize = 80;

/// An updated expectation.
pub(super) enum Expectation {
    Found(Vec<String>),
    Fixed(String),
    Sections(Vec<SectionText>),
}

/// Returns the new text of a case file.
///
/// `news`: the new expectations of each case, by the case's index.
///
/// # Errors
/// Returns the reason why the text cannot be edited.
pub(super) fn updated(
    text: &str,
    news: &BTreeMap<usize, Vec<Expectation>>,
) -> Result<String, String> {
    let parsed: Result<DocumentMut, _> = text.parse();
    let mut document = parsed.map_err(|error| error.message().to_owned())?;
    let cases = document.get_mut("case");
    let cases = cases.and_then(Item::as_array_of_tables_mut);
    let cases = cases.ok_or("no [[case]] found")?;
    for (number, case) in cases.iter_mut().enumerate() {
        for new in news.get(&number).into_iter().flatten() {
            match new {
                Expectation::Found(texts) => set_list(case, "found", texts),
                Expectation::Fixed(text) => set(case, "fixed", written(text)),
                Expectation::Sections(sections) => set_sections(case, sections),
            }
        }
    }
    Ok(document.to_string())
}

/// Sets a value, preserving the whitespace and comment around the old value.
fn set(case: &mut Table, key: &str, mut new: Value) {
    if let Some(old) = case.get(key).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    case[key] = value(new);
}

/// Sets a list of strings. The comments around an unchanged string are kept.
fn set_list(case: &mut Table, key: &str, texts: &[String]) {
    let old = case.get(key).and_then(Item::as_array).cloned();
    let columns: usize = texts.iter().map(|text| text.len() + 4).sum();
    let is_long = columns + key.len() > MAX_COLUMNS || texts.len() > 1;
    let is_same = |old: &Value, text: &String| old.as_str() == Some(text);
    let make = |text: &String| text.as_str().into();
    let list = edited(&old.unwrap_or_default(), texts, is_same, make, is_long);
    set(case, key, list.into());
}

/// Returns a list with its elements replaced. `is_long`: whether to write one element per line.
///
/// An unchanged element keeps the comments around it, a new element takes over the comments of the element it replaces,
/// and comments of removed elements move to the end.
fn edited<T>(
    old: &Array,
    news: &[T],
    is_same: impl Fn(&Value, &T) -> bool,
    make: impl Fn(&T) -> Value,
    is_long: bool,
) -> Array {
    let mut left: Vec<Option<&Value>> = old.iter().map(Some).collect();
    let mut keep = |new: &T| {
        let is_it = |old: &&mut Option<&Value>| old.is_some_and(|old| is_same(old, new));
        left.iter_mut().find(is_it)?.take()
    };
    let kept: Vec<Option<&Value>> = news.iter().map(&mut keep).collect();
    let mut list = Array::new();
    for (at, (new, kept)) in news.iter().zip(kept).enumerate() {
        let replaced = kept.is_none().then(|| left.get_mut(at)?.take()).flatten();
        let mut element = kept.cloned().unwrap_or_else(|| make(new));
        if let Some(replaced) = replaced {
            *element.decor_mut() = replaced.decor().clone();
        }
        let decor = element.decor_mut();
        if !has_comment(decor) {
            let before = match (is_long, list.is_empty()) {
                (true, _) => "\n    ",
                (false, true) => "",
                (false, false) => " ",
            };
            decor.set_prefix(before);
            decor.set_suffix("");
        }
        list.push_formatted(element);
    }
    let gone = left.iter().flatten().map(|old| old.decor());
    let gone = gone.filter(|decor| has_comment(decor)).map(around);
    let end = old.trailing().as_str().filter(|end| end.contains('#'));
    let mut trailing = String::new();
    for comment in gone.chain(end.map(str::to_owned)) {
        if !trailing.is_empty() && !comment.starts_with('\n') {
            trailing.push_str("\n   ");
        }
        trailing.push_str(comment.trim_end());
    }
    if is_long || !trailing.is_empty() {
        trailing.push('\n');
    }
    list.set_trailing_comma(!trailing.is_empty() && !list.is_empty());
    list.set_trailing(trailing);
    list
}

/// Returns the text before and after a value.
fn around(decor: &Decor) -> String {
    let text = |raw: Option<&RawString>| {
        raw.and_then(RawString::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    text(decor.prefix()) + text(decor.suffix()).as_str()
}

fn has_comment(decor: &Decor) -> bool {
    around(decor).contains('#')
}

/// Sets the sections, as tables or in an existing inline list. An unchanged section keeps the comments in and above it.
fn set_sections(case: &mut Table, sections: &[SectionText]) {
    let is_own = |list: &&Value| {
        let array = list.as_array();
        let is_used = |array: &Array| {
            !array.is_empty()
                || array
                    .trailing()
                    .as_str()
                    .is_some_and(|end| end.contains('#'))
        };
        array.is_some_and(is_used) || has_comment(list.decor())
    };
    let list = case.get("sections").and_then(Item::as_value).filter(is_own);
    if let Some(old) = list.and_then(Value::as_array) {
        let is_it = |old: &Value, section: &SectionText| {
            let table = old.as_inline_table();
            table.is_some_and(|table| is_same(table, section))
        };
        let make = |section: &SectionText| Value::from(inline(section));
        let list = edited(old, sections, is_it, make, !sections.is_empty());
        set(case, "sections", list.into());
        return;
    }
    let old = case.remove("sections");
    let old = old.as_ref().and_then(Item::as_array_of_tables);
    let mut kept: Vec<&Table> = old.into_iter().flat_map(ArrayOfTables::iter).collect();
    if sections.is_empty() {
        case["sections"] = value(Array::new());
        return;
    }
    let mut tables = ArrayOfTables::new();
    for section in sections {
        let known = kept.iter().position(|table| is_same(*table, section));
        let mut table = match known {
            Some(at) => kept.remove(at).clone(),
            None => section_table(section),
        };
        // The table's position follows from the order in the list, not from its old position.
        table.set_position(None);
        tables.push(table);
    }
    case["sections"] = Item::ArrayOfTables(tables);
}

fn is_same(table: &dyn TableLike, section: &SectionText) -> bool {
    let text = |key: &str| table.get(key).and_then(Item::as_str).unwrap_or_default();
    let lines = table.get("lines").and_then(Item::as_array);
    let (first, last) = section.lines;
    let numbers: Option<Vec<i64>> =
        lines.map(|all| all.iter().filter_map(Value::as_integer).collect());
    let is_pair = |numbers: &Vec<i64>| {
        let numbers: Vec<usize> = numbers
            .iter()
            .filter_map(|n| usize::try_from(*n).ok())
            .collect();
        numbers == [first, last]
    };
    text("heading") == section.heading
        && text("content") == section.content
        && numbers.as_ref().is_some_and(is_pair)
}

fn section_table(section: &SectionText) -> Table {
    let mut table = Table::new();
    let (first, last) = section.lines;
    let number = |line: usize| i64::try_from(line).unwrap_or(i64::MAX);
    let lines: Array = [number(first), number(last)].into_iter().collect();
    table["lines"] = value(lines);
    table["heading"] = value(&section.heading);
    table["content"] = value(written(&section.content));
    table.decor_mut().set_prefix("\n");
    table
}

/// Formats a section as an inline table.
fn inline(section: &SectionText) -> InlineTable {
    let mut table = section_table(section);
    let content = serde_json::to_string(&section.content).ok();
    let content = content.and_then(|content| content.parse().ok());
    table["content"] = value(content.unwrap_or_else(|| Value::from(&section.content)));
    table.into_inline_table()
}

/// Formats a string: as a multi-line literal if it has several lines and a literal can contain it.
fn written(text: &str) -> Value {
    let is_plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    let can_be = text.contains('\n')
        && text.chars().all(is_plain)
        && !text.contains("'''")
        && !text.ends_with('\'');
    let literal = can_be.then(|| format!("'''\n{text}'''").parse().ok());
    let same = |value: &Value| value.as_str() == Some(text);
    literal
        .flatten()
        .filter(same)
        .unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(text: &str, number: usize, new: Expectation) -> String {
        updated(text, &BTreeMap::from([(number, vec![new])])).unwrap()
    }

    fn found(texts: &[&str]) -> Expectation {
        Expectation::Found(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn comments_and_order_are_preserved() {
        let text = "# Cases.\n\n[[case]]\n# why\nname = \"a\" # here\nfound = [\"1:1 x\"] # old\ntext = '''\nTODO\n'''\n\n# second\n[[case]]\ntext = \"b\"\n";
        let expected = text.replace("[\"1:1 x\"]", "[\"2:1 y\"]");
        assert_eq!(update(text, 0, found(&["2:1 y"])), expected);
        let expected = format!("{text}found = []\n");
        assert_eq!(update(text, 1, found(&[])), expected);
    }

    #[test]
    fn several_findings_have_a_line_each_and_keep_their_comments() {
        let text = "[[case]]\nfound = [\n    # the first\n    \"1:1 x\",\n    \"2:1 y\", \n    # the end\n]\n";
        assert_eq!(
            update(text, 0, found(&["1:1 x", "3:1 z"])),
            "[[case]]\nfound = [\n    # the first\n    \"1:1 x\",\n    \"3:1 z\", \n    # the end\n]\n"
        );
        let text = "[[case]]\nfound = []\n";
        assert_eq!(
            update(text, 0, found(&["1:1 x", "3:1 z"])),
            "[[case]]\nfound = [\n    \"1:1 x\",\n    \"3:1 z\",\n]\n"
        );
    }

    #[test]
    fn comments_on_a_removed_finding_are_kept() {
        let text = "[[case]]\nfound = [ # why\n    \"1:1 x\",\n    # second\n    \"2:1 y\",\n]\n";
        assert_eq!(
            update(text, 0, found(&["2:1 y"])),
            "[[case]]\nfound = [\n    # second\n    \"2:1 y\", # why\n]\n"
        );
        assert_eq!(
            update(text, 0, found(&[])),
            "[[case]]\nfound = [ # why\n    # second\n]\n"
        );
    }

    #[test]
    fn sections_in_an_array_stay_there_with_their_comments() {
        let section = |heading: &str, line| SectionText {
            heading: heading.to_owned(),
            lines: (line, line),
            content: "x\ny".to_owned(),
        };
        let text = "[[case]]\nsections = [ # all\n    { lines = [1, 1], heading = \"a\", content = \"x\\ny\" }, # one\n    { lines = [2, 2], heading = \"b\" },\n    # end\n] # list\n";
        let new = update(
            text,
            0,
            Expectation::Sections(vec![section("a", 1), section("c", 3)]),
        );
        let expected = text.replace(
            "{ lines = [2, 2], heading = \"b\" }",
            "{ lines = [3, 3], heading = \"c\", content = \"x\\ny\" }",
        );
        assert_eq!(new, expected);
        let empty = "[[case]]\nsections = [] # none yet\n";
        assert_eq!(
            update(empty, 0, Expectation::Sections(vec![section("a", 1)])),
            "[[case]]\nsections = [\n    { lines = [1, 1], heading = \"a\", content = \"x\\ny\" },\n] # none yet\n"
        );
        let emptied = update(&new, 0, Expectation::Sections(Vec::new()));
        for comment in ["# all", "# one", "# end", "# list"] {
            assert!(emptied.contains(comment), "{emptied}");
        }
        assert!(emptied.parse::<DocumentMut>().is_ok(), "{emptied}");
    }

    #[test]
    fn multi_line_strings_are_written_verbatim() {
        let text = "[[case]]\nfixed = \"\" # so\n";
        let fixed = |new: &str| update(text, 0, Expectation::Fixed(new.to_owned()));
        assert_eq!(
            fixed("a \\ b\n"),
            "[[case]]\nfixed = '''\na \\ b\n''' # so\n"
        );
        assert_eq!(fixed("one"), "[[case]]\nfixed = \"one\" # so\n");
        for odd in ["a\r\nb", "'''\n", "\n'", "\u{1b}\n", "\"\"\"\n'''\\"] {
            let written = fixed(odd);
            let read: DocumentMut = written.parse().unwrap();
            assert_eq!(read["case"][0]["fixed"].as_str(), Some(odd), "{written}");
        }
    }

    #[test]
    fn kept_sections_keep_their_comments_and_all_are_in_order() {
        let text = "[[case]]\ntext = \"x\"\n\n# the second\n[[case.sections]]\nlines = [2, 2] # both\nheading = \"b\"\ncontent = \"y\"\n\n[[case]]\ntext = \"z\"\n";
        let section = |heading: &str, line, content: &str| SectionText {
            heading: heading.to_owned(),
            lines: (line, line),
            content: content.to_owned(),
        };
        let sections = vec![section("a", 1, "x\n"), section("b", 2, "y")];
        let new = update(text, 0, Expectation::Sections(sections));
        assert_eq!(
            new,
            "[[case]]\ntext = \"x\"\n\n[[case.sections]]\nlines = [1, 1]\nheading = \"a\"\ncontent = '''\nx\n'''\n\n# the second\n[[case.sections]]\nlines = [2, 2] # both\nheading = \"b\"\ncontent = \"y\"\n\n[[case]]\ntext = \"z\"\n"
        );
        let none = update(&new, 0, Expectation::Sections(Vec::new()));
        assert_eq!(
            none,
            "[[case]]\ntext = \"x\"\nsections = []\n\n[[case]]\ntext = \"z\"\n"
        );
    }
}
