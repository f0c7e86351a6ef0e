//! Updates the text of a baseline after a run. Entries whose findings still exist are preserved with all comments and
//! extra keys; entries whose findings are gone are removed; new findings are added. Entries that the run did not check
//! are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use skillc_lint::baseline::{Baseline, BaselineEntry, Identity, MAX_BYTES, VERSION};
use toml_edit::{ArrayOfTables, DocumentMut, Item, RawString, Table, Value, value};

/// The header of a new baseline.
const HEAD: &str = "\
# Known findings of `skc lint`; with --baseline, they are not shown.
# An entry may have an owner = \"…\", a reason = \"…\", and expires = 2027-01-31, the last day on which the entry applies.
";

/// Messages are truncated to this many characters.
const MAX_MESSAGE: usize = 300;

/// A finding of the run. Its strings are borrowed, because a run can have a hundred thousand findings in files with
/// long paths.
pub(super) struct Listed<'a> {
    pub(super) identity: Identity,
    /// The skill's directory, relative to the baseline's directory.
    pub(super) skill: &'a str,
    pub(super) file: &'a str,
    /// The 1-based line number; for messages only.
    pub(super) line: usize,
    pub(super) message: &'a str,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortKey<'a> {
    skill: &'a str,
    file: &'a str,
    rule: &'a str,
    message: Cow<'a, str>,
    fingerprint: &'a str,
}

/// Where the text of an entry comes from.
enum Source<'a> {
    Table(Table),
    /// A new finding, and how often it was found.
    Finding(&'a Listed<'a>, usize),
}

/// Returns the new text of a baseline. It is cut off after [`MAX_BYTES`]: a larger baseline could not be read again.
///
/// New entries are written as text: tables would take fifty times as much memory, and even a small repository can have
/// a hundred thousand findings.
///
/// `old`: the text that `baseline` was read from; empty for a new baseline. `is_checked`: returns whether an entry
/// without a finding must be removed.
///
/// # Errors
/// The reason why the text cannot be edited.
pub(super) fn rewritten(
    old: &str,
    baseline: &Baseline,
    found: &[&Listed<'_>],
    is_checked: &dyn Fn(&BaselineEntry) -> bool,
) -> Result<String, String> {
    let is_new = old.is_empty();
    let (mark, old) = match old.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", old),
    };
    let start = format!("{HEAD}version = {VERSION}\n");
    let lines = if is_new { &start } else { old };
    let has_crlf = lines.contains("\r\n");
    let parsed: Result<DocumentMut, _> = lines.replace("\r\n", "\n").parse();
    let mut document = parsed.map_err(|error| error.message().to_owned())?;
    if has_comments_in_list(&document) {
        return Err("its list 'finding' has comments, which would be lost; write the entries as [[finding]]".to_owned());
    }
    let mut left: BTreeMap<&Identity, (usize, &Listed<'_>)> = BTreeMap::new();
    for one in found {
        left.entry(&one.identity).or_insert((0, one)).0 += 1;
    }
    // Additional equal findings are added to the count of the last equal entry that does not expire.
    let lasting = baseline.entries.iter().enumerate();
    let lasting = lasting.filter(|(_, entry)| entry.expires.is_none());
    let last: BTreeMap<&Identity, usize> = lasting.map(|(at, one)| (&one.identity, at)).collect();
    let mut sorted = Vec::new();
    let entries = tables_of(&mut document).into_iter().zip(&baseline.entries);
    for (position, (table, entry)) in entries.enumerate() {
        let mut count = entry.count;
        if is_checked(entry) || left.contains_key(&entry.identity) {
            let rest = left.get_mut(&entry.identity).map(|(rest, _)| rest);
            let used = rest.map_or(0, |rest| {
                let used = count.min(*rest);
                *rest -= used;
                used
            });
            count = if is_checked(entry) { used } else { count };
        }
        let more = left.get_mut(&entry.identity);
        let is_last = |at: &Identity| last.get(at) == Some(&position);
        if let Some((rest, _)) = more.filter(|_| count > 0 && is_last(&entry.identity)) {
            count += std::mem::take(rest);
        }
        if count > 0 {
            let table = with_count(table, count, entry.count);
            sorted.push((SortKey::from_entry(entry), Source::Table(table)));
        }
    }
    let new = left.into_values().filter(|(rest, _)| *rest > 0);
    sorted.extend(new.map(|(count, one)| (one.sort_key(), Source::Finding(one, count))));
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    let end = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing("");
    let mut text = format!("{mark}{document}");
    for (key, source) in sorted {
        if text.len() as u64 > MAX_BYTES {
            break;
        }
        match source {
            Source::Table(table) => text.push_str(&text_of(table)),
            Source::Finding(one, count) => one.write(&key.message, count, &mut text),
        }
    }
    text.push_str(&end);
    Ok(if has_crlf {
        text.replace('\n', "\r\n")
    } else {
        text
    })
}

/// Returns whether the entries are written as `finding = […]` with comments inside or above. Such comments would be
/// lost when the entries are written as tables.
fn has_comments_in_list(document: &DocumentMut) -> bool {
    let Some((key, Item::Value(list))) = document.get_key_value("finding") else {
        return false;
    };
    let above = key.leaf_decor().prefix().and_then(RawString::as_str);
    above.unwrap_or_default().contains('#') || list.to_string().contains('#')
}

/// Removes the entries from a document and returns them in order.
fn tables_of(document: &mut DocumentMut) -> Vec<Table> {
    let item = document.remove("finding");
    let list = item.and_then(|item| item.into_array_of_tables().ok());
    list.into_iter().flatten().collect()
}

fn with_count(mut table: Table, count: usize, before: usize) -> Table {
    if count == before {
        return table;
    }
    if count == 1 {
        table.remove("count");
    } else {
        table.insert("count", value(number(count)));
    }
    table
}

/// Returns the text of an entry, with comments and extra keys.
fn text_of(table: Table) -> String {
    let mut document = DocumentMut::new();
    let list = ArrayOfTables::from_iter([table]);
    document.insert("finding", Item::ArrayOfTables(list));
    document.to_string()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl<'a> SortKey<'a> {
    fn from_entry(entry: &'a BaselineEntry) -> Self {
        Self {
            skill: &entry.skill,
            file: &entry.file,
            rule: &entry.identity.rule,
            message: Cow::Borrowed(&entry.message),
            fingerprint: &entry.identity.fingerprint,
        }
    }
}

impl Listed<'_> {
    fn sort_key(&self) -> SortKey<'_> {
        SortKey {
            skill: self.skill,
            file: self.file,
            rule: &self.identity.rule,
            message: self.short_message(),
            fingerprint: &self.identity.fingerprint,
        }
    }

    /// Returns the message on one line, truncated.
    fn short_message(&self) -> Cow<'_, str> {
        if self.message.len() <= MAX_MESSAGE && !self.message.contains(char::is_control) {
            return Cow::Borrowed(self.message);
        }
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        self.message.chars().take(MAX_MESSAGE).map(plain).collect()
    }

    fn write(&self, message: &str, count: usize, text: &mut String) {
        text.push_str("\n[[finding]]\n");
        let mut line = |key: &str, value: Value| {
            text.push_str(&format!("{key} = {value}\n"));
        };
        line("skill", self.skill.into());
        line("file", self.file.into());
        line("rule", self.identity.rule.as_str().into());
        line("fingerprint", self.identity.fingerprint.as_str().into());
        if count > 1 {
            line("count", number(count).into());
        }
        line("message", message.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::path::Path;

    const HAND_MADE: &str = "\
# Ours.
version = 1

# Waits for the new parser.
[[finding]]
skill = \"b\"
file = \"SKILL.md\"
rule = \"SKL2\"
fingerprint = \"1\" # odd
message = \"two\"
owner = \"ada\"
expires = 2027-01-31

[[finding]]
skill = \"a\"
file = \"SKILL.md\"
rule = \"SKL1\"
fingerprint = \"2\"
count = 3
message = \"one\"

# The end.
";

    fn one<'a>(skill: &'a str, rule: &str, fingerprint: &str) -> Listed<'a> {
        Listed {
            identity: Identity::new(skill, "SKILL.md", rule, fingerprint),
            skill,
            file: "SKILL.md",
            line: 1,
            message: "said",
        }
    }

    fn after(
        old: &str,
        found: &[Listed<'_>],
        is_checked: &dyn Fn(&BaselineEntry) -> bool,
    ) -> String {
        let baseline = if old.is_empty() {
            Baseline::default()
        } else {
            Baseline::parse(Path::new("b"), old).unwrap()
        };
        let found: Vec<&Listed<'_>> = found.iter().collect();
        let text = rewritten(old, &baseline, &found, is_checked).unwrap();
        Baseline::parse(Path::new("b"), &text).unwrap();
        text
    }

    #[test]
    fn a_new_list_is_sorted_and_counts_equal_findings() {
        let found = [
            one("b", "SKL1", "1"),
            one("a", "SKL1", "1"),
            one("b", "SKL1", "1"),
        ];
        let text = after("", &found, &|_| true);
        let body = text.strip_prefix(HEAD).unwrap();
        assert_eq!(
            body,
            "version = 1\n\n[[finding]]\nskill = \"a\"\nfile = \"SKILL.md\"\nrule = \"SKL1\"\nfingerprint = \"1\"\n\
             message = \"said\"\n\n[[finding]]\nskill = \"b\"\nfile = \"SKILL.md\"\nrule = \"SKL1\"\nfingerprint = \"1\"\n\
             count = 2\nmessage = \"said\"\n"
        );
    }

    #[test]
    fn manual_text_is_kept_and_stale_entries_are_removed() {
        let found = [
            one("b", "SKL2", "1"),
            one("a", "SKL1", "2"),
            one("c", "SKL9", "3"),
        ];
        let text = after(HAND_MADE, &found, &|_| true);
        for kept in [
            "# Ours.\nversion = 1\n",
            "# Waits for the new parser.\n[[finding]]\nskill = \"b\"\n",
            "fingerprint = \"1\" # odd\nmessage = \"two\"\nowner = \"ada\"\nexpires = 2027-01-31\n",
            "fingerprint = \"2\"\nmessage = \"one\"\n",
            "# The end.\n",
        ] {
            assert!(text.contains(kept), "{text}");
        }
        let order = ["skill = \"a\"", "skill = \"b\"", "skill = \"c\""].map(|one| text.find(one));
        assert!(order.is_sorted() && order[0].is_some(), "{text}");
        let text = after(HAND_MADE, &[], &|entry| entry.skill == "b");
        assert!(
            !text.contains("ada") && text.contains("count = 3"),
            "{text}"
        );
    }

    #[test]
    fn an_up_to_date_baseline_is_unchanged_with_any_line_endings() {
        let found = [one("b", "SKL2", "1"), one("b", "SKL2", "4")];
        let once = after("", &found, &|_| true);
        assert_eq!(after(&once, &found, &|_| true), once);
        let crlf = once.replace('\n', "\r\n");
        assert_eq!(after(&crlf, &found, &|_| true), crlf);
    }

    #[test]
    fn an_inline_array_becomes_tables() {
        let old = "version = 1\nfinding = [{ skill = \"a\", file = \"SKILL.md\", rule = \"SKL1\", fingerprint = \"2\" }]\n";
        let text = after(old, &[one("a", "SKL1", "2")], &|_| true);
        assert!(text.contains("[[finding]]\nskill = \"a\""), "{text}");
        assert_eq!(text.matches("skill =").count(), 1);
        let commented = old.replace("[{", "[ # Ours.\n{");
        let baseline = Baseline::parse(Path::new("b"), &commented).unwrap();
        let refused = rewritten(&commented, &baseline, &[], &|_| true).unwrap_err();
        assert!(
            refused.contains("write the entries as [[finding]]"),
            "{refused}"
        );
    }

    #[test]
    fn a_byte_order_mark_is_kept() {
        let old = format!("\u{feff}{}", after("", &[one("a", "SKL1", "2")], &|_| true));
        assert_eq!(after(&old, &[one("a", "SKL1", "2")], &|_| true), old);
    }

    #[test]
    fn new_entries_are_quoted_as_toml() {
        let mut found = one("a \"b\"\\", "SKL1", "1");
        found.message = "a\tb '\u{7f}' é";
        let text = after("", &[found], &|_| true);
        let entries = Baseline::parse(Path::new("b"), &text).unwrap().entries;
        assert_eq!(entries[0].skill, "a \"b\"\\");
        assert_eq!(entries[0].message, "a b ' ' é");
    }

    /// The caller rejects text of this size: writing the rest is pointless.
    #[test]
    fn oversized_text_is_cut_short() {
        let long = "x".repeat(1 << 20);
        let found: Vec<Listed<'_>> = (0..40)
            .map(|n| one(&long, "SKL1", &n.to_string()))
            .collect();
        let found: Vec<&Listed<'_>> = found.iter().collect();
        let text = rewritten("", &Baseline::default(), &found, &|_| true).unwrap();
        assert!(
            text.len() > 16 << 20 && text.len() < 18 << 20,
            "{}",
            text.len()
        );
    }
}
