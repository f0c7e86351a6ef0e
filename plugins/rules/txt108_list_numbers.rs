//! TXT108 list-numbers.

use skillc_core::source::lines::char_floor;
use skillc_core::{Document, ListItem, Skill, Span};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::fences::has_broken_pair;

declare_rule! {
    /// Reports a numbered list with skipped or repeated numbers.
    ///
    /// ## Why
    /// An agent reads the numbers as written, whereas GitHub renumbers the items from the first number. If a step was
    /// added or removed without renumbering, two steps have the same number (`1, 2, 2, 3`), or a step seems to be
    /// missing (`1, 2, 4`). "Go back to step 3" then means different steps to an agent and to a reader on GitHub.
    ///
    /// There is one finding per file, which lists up to five more faulty lists.
    ///
    /// ## What is not reported
    /// - Lists in which all numbers are equal, or count up or down by one, and lists of three or more items in which
    ///   each number differs from the previous one by the same amount. A list can start at any number.
    /// - Gaps, if the missing number is in the text of the previous item: `1. Open it. 2. Read it.`, `2–3.`, `4a.`.
    /// - Lists with a number of 1000 or more, which may be a year or an error code.
    /// - Numbers that continue after a heading, a paragraph or a block: each part is a separate list.
    /// - Files in which a code block does not end where intended (TXT105).
    ///
    /// ## Example
    /// ```markdown
    /// 1. Read the schema.
    /// 2. Write the query.
    /// 2. Run it.
    /// ```
    /// Write instead:
    /// ```markdown
    /// 1. Read the schema.
    /// 2. Write the query.
    /// 3. Run it.
    /// ```
    ///
    /// ## Fix
    /// Renumbers each list that the finding shows, from its first number. This is unsafe: other files may refer to a
    /// step by its number. There is no fix if this file refers to a step by its number, or if a number would get more
    /// or fewer digits, which can move nested text out of its item.
    pub(crate) struct ListNumbers {
        code: "TXT108",
        name: "list-numbers",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of lists that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// The maximum number of faulty lists for which the item before the gap is searched for the missing number.
const MAX_READ: usize = 200;

/// The maximum number of bytes at the end of the item before a gap that are searched.
const MAX_ITEM_BYTES: usize = 4_000;

/// Numbers from this value on may be years or codes instead of positions in the list.
const MIN_CODE: u32 = 1_000;

/// Words that precede the number in a reference to a step.
const STEPS: [&str; 12] = [
    "step", "steps", "item", "items", "point", "points", "phase", "rule", "stage", "number", "no.",
    "task",
];

/// A numbered list.
struct Numbered<'a> {
    items: Vec<(&'a ListItem, u32)>,
}

impl Rule for ListNumbers {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let lists = lists(doc);
        let mut faulty = lists
            .iter()
            .filter_map(|list| Some((list, list.fault()?)))
            .take(MAX_READ)
            .filter(|(list, at)| !list.is_explained(doc, *at))
            .take(1 + MAX_SHOWN)
            .peekable();
        if faulty.peek().is_none() || has_broken_pair(doc) {
            return;
        }
        let faulty: Vec<_> = faulty.collect();
        let (list, at) = faulty[0];
        let ((before, above), (item, number)) = (list.items[at - 1], list.items[at]);
        let found = out.at(item.marker, message(above, number));
        found.label(before.marker, "previous item");
        for (list, at) in &faulty[1..] {
            let ((_, above), (item, number)) = (list.items[at - 1], list.items[*at]);
            found.label(item.marker, message(above, number));
        }
        found.help(format!(
            "write {}, or start a new list",
            above.saturating_add(1)
        ));
        if !names_a_step(&doc.text) {
            let lists: Option<Vec<Vec<Edit>>> = faulty
                .iter()
                .map(|(list, _)| list.renumbered(doc))
                .collect();
            if let Some(edits) = lists {
                found.fix(Fix::unsafe_("renumber the list", edits.concat()));
            }
        }
    }
}

fn message(last: u32, number: u32) -> String {
    if last == number {
        format!("list number {number} is repeated")
    } else {
        format!("{number} follows {last} in a numbered list")
    }
}

impl Numbered<'_> {
    /// Returns the index of the first item whose number is not one more than the number of the previous item. Returns
    /// `None` if there is no such item, or if the list is an exception.
    fn fault(&self) -> Option<usize> {
        let [(_, first), (_, second), ..] = *self.items.as_slice() else {
            return None;
        };
        let numbers = || self.items.iter().map(|(_, number)| i64::from(*number));
        let mut steps = numbers().zip(numbers().skip(1)).map(|(a, b)| b - a);
        let step = i64::from(second) - i64::from(first);
        let is_even = steps.all(|other| other == step);
        let is_counted = matches!(step, -1..=1) || self.items.len() > 2;
        if is_even && is_counted || numbers().any(|number| number >= i64::from(MIN_CODE)) {
            return None;
        }
        let mut steps = numbers().zip(numbers().skip(1));
        steps.position(|(a, b)| b != a + 1).map(|at| at + 1)
    }

    /// Returns whether the item before a gap contains the missing number in its text.
    fn is_explained(&self, doc: &Document, at: usize) -> bool {
        let ((before, last), (item, number)) = (self.items[at - 1], self.items[at]);
        let end = before.span.end.min(item.span.start);
        let start =
            char_floor(&doc.text, end.saturating_sub(MAX_ITEM_BYTES)).max(before.marker.end);
        let text = &doc.text[start..end];
        number > last && has_number(text, last + 1)
    }

    /// Returns the edits that renumber the items; `None` if the number of digits of an item would change.
    fn renumbered(&self, doc: &Document) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        for ((item, number), new) in self.items.iter().zip(self.items[0].1..) {
            let digits = item.marker.end - item.marker.start - 1;
            let text = new.to_string();
            if text.len() != digits {
                return None;
            }
            if new != *number {
                edits.push(Edit {
                    file: doc.path.clone(),
                    span: Span::new(item.marker.start, item.marker.end - 1),
                    text,
                });
            }
        }
        Some(edits)
    }
}

/// Returns the numbered lists of a document, ordered by their first items.
fn lists(doc: &Document) -> Vec<Numbered<'_>> {
    let mut lists: Vec<Numbered<'_>> = Vec::new();
    // The last item of the current list and of each enclosing list: its level, the item, and the index of the list.
    let mut open: Vec<(u32, &ListItem, Option<usize>)> = Vec::new();
    for item in &doc.list_items {
        while open.last().is_some_and(|(level, ..)| *level > item.level) {
            open.pop();
        }
        let before = open.pop_if(|(level, ..)| *level == item.level);
        let list = item.number.map(|number| {
            let same = before.and_then(|(_, before, known)| {
                let known = known?;
                let is_same = delimiter(doc, before) == delimiter(doc, item)
                    && are_neighbours(doc, before, item);
                is_same.then_some(known)
            });
            let list = same.unwrap_or_else(|| {
                lists.push(Numbered { items: Vec::new() });
                lists.len() - 1
            });
            lists[list].items.push((item, number));
            list
        });
        open.push((item.level, item, list));
    }
    lists
}

fn delimiter(doc: &Document, item: &ListItem) -> Option<u8> {
    doc.text
        .as_bytes()
        .get(item.marker.end.checked_sub(1)?)
        .copied()
}

/// Returns whether two items are adjacent.
fn are_neighbours(doc: &Document, before: &ListItem, item: &ListItem) -> bool {
    let between = doc.text.get(before.span.end..item.span.start);
    between.is_some_and(|text| {
        text.trim_matches(|c: char| c.is_whitespace() || c == '>')
            .is_empty()
    })
}

/// Returns whether `text` contains an item number: `3.`, `3)`, `3–4`, `3a`.
fn has_number(text: &str, number: u32) -> bool {
    let digits = number.to_string();
    text.match_indices(&*digits).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut rest = text[at + digits.len()..].chars();
        let is_whole = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_'));
        is_whole
            && match rest.next() {
                Some('.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
                Some('-' | '–' | '—' | ')' | ':' | '+') => true,
                Some(c) => {
                    c.is_ascii_alphabetic() && !rest.next().is_some_and(char::is_alphanumeric)
                }
                None => false,
            }
    })
}

/// Returns whether `text` refers to a step by its number.
fn names_a_step(text: &str) -> bool {
    let mut last = "";
    text.split_whitespace().any(|word| {
        let word = word.trim_start_matches(['(', '*', '"', '\'', '[', '`', '#']);
        let is_named = word.starts_with(|c: char| c.is_ascii_digit())
            && STEPS.iter().any(|step| last.eq_ignore_ascii_case(step));
        last = word;
        is_named || word.starts_with('第') || word.contains("步骤") || word.contains("단계")
    })
}
