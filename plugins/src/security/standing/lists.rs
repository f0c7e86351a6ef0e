//! Determines whether a command is presented as a danger by its sentence, or by the list, table, quotation or block
//! around it.

use std::ops::Range;

use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Span};

use super::replaced::is_replaced;
use super::{
    IMPERATIVE, LEAD_ELSEWHERE, MAX_CLAUSE, STEPS, Skip, VALUES, is_bad_lead, is_item, is_of_setup,
    lead, leads, main_clause, orders, rest, sentences, titles,
};
use crate::security::context::{clause_in, line_around};

/// The maximum number of bytes before a row that are searched for the header of its table.
const MAX_TABLE: usize = 4000;

/// Words that join the items of a list in a sentence, in lower case.
const JOINTS: [&str; 17] = [
    "and", "or", "und", "oder", "et", "ou", "y", "o", "и", "или", "和", "或", "或者", "と", "や",
    "및", "또는",
];

/// Words in the titles of columns that contain verdicts such as a severity, in lower case.
const JUDGES: [&str; 27] = [
    "severity",
    "risk",
    "verdict",
    "rating",
    "danger",
    "threat",
    "严重",
    "风险",
    "危险",
    "危険",
    "重大度",
    "深刻度",
    "リスク",
    "심각",
    "위험",
    "опасност",
    "риск",
    "критичност",
    "gravedad",
    "riesgo",
    "severidad",
    "gravité",
    "risque",
    "sévérité",
    "schwere",
    "risiko",
    "gefahr",
];

/// Verdicts in such columns, in languages other than English and in lower case.
const JUDGEMENTS: [&str; 24] = [
    "高",
    "严重",
    "高危",
    "危急",
    "致命",
    "重大",
    "危険",
    "높음",
    "심각",
    "위험",
    "высокий",
    "высокая",
    "критический",
    "критическая",
    "alto",
    "alta",
    "crítico",
    "crítica",
    "élevé",
    "critique",
    "hoch",
    "kritisch",
    "🔴",
    "⛔",
];

/// Beginnings of the titles of columns that contain the dangers themselves, in lower case.
const DANGEROUS: [&str; 46] = [
    "suspicious",
    "banned",
    "reject",
    "refuse",
    "red line",
    "红线",
    "可疑",
    "高危",
    "不審",
    "의심",
    "подозр",
    "sospechos",
    "suspeit",
    "verdächtig",
    "forbidden",
    "never",
    "do not",
    "don't",
    "attack",
    "threat",
    "malicious",
    "dangerous",
    "red flag",
    "indicator",
    "signature",
    "denied",
    "blocked",
    "bad",
    "禁止",
    "危险",
    "恶意",
    "攻击",
    "危険",
    "攻撃",
    "悪い",
    "위험",
    "금지",
    "악성",
    "запрещ",
    "опасн",
    "peligros",
    "prohibid",
    "interdit",
    "dangereu",
    "verboten",
    "gefährlich",
];

/// Titles of columns that say why the commands in another column are dangerous, in lower case.
const WHY: [&str; 19] = [
    "why dangerous",
    "why it is dangerous",
    "why it's dangerous",
    "why bad",
    "why blocked",
    "why denied",
    "why forbidden",
    "why risky",
    "why malicious",
    "what an attacker",
    "为什么危险",
    "危险原因",
    "危険な理由",
    "위험한 이유",
    "почему опасно",
    "чем опасн",
    "por qué es peligros",
    "pourquoi c'est dangereux",
    "warum gefährlich",
];

/// Words in a cell that say to run the command in another cell of the same row, in lower case.
const RUN_CELLS: [&str; 17] = [
    "run",
    "first",
    "then",
    "next",
    "setup",
    "set up",
    "bootstrap",
    "install",
    "installation",
    "prepare",
    "start",
    "安装",
    "インストール",
    "설치",
    "установка",
    "instalación",
    "einrichtung",
];

/// Returns the lines that may introduce a line of a document. The first is the lead of the list or table that contains
/// the line, or another lead that ends with a colon. The second is the line before the quotation that contains the
/// line.
pub(super) fn leads_of<'a>(doc: &'a Document, line: &Range<usize>) -> [Option<&'a str>; 2] {
    let text = &doc.text;
    let bare = text[line.clone()].trim_start();
    let is_listed = bare.starts_with('|') || is_item(bare);
    let ends = |lead: &&str| lead.ends_with([':', '：']);
    let first =
        lead(text, line.start, doc.body_start, Skip::Items).filter(|lead| is_listed || ends(lead));
    let is_quote = bare.starts_with('>');
    let outer = is_quote.then(|| lead(text, line.start, doc.body_start, Skip::Quotes));
    [first, outer.flatten().filter(|lead| ends(lead))]
}

/// Returns whether a position is in a sentence that lists dangers, or in a list, table, quotation or code block whose
/// lead calls it dangerous and does not say to run it; or in a command that the text replaces with another.
pub(crate) fn is_listed(doc: &Document, at: usize) -> bool {
    let text = &doc.text;
    if let Some(block) = doc.code_block_at(at) {
        let lead = lead(text, block.span.start, doc.body_start, Skip::Nothing);
        return lead.is_some_and(|lead| {
            let is_bad =
                |sentence: &str| leads::forbids(main_clause(sentence)) || leads::reports(sentence);
            !leads::is_turned(lead) && sentences(lead).any(is_bad) && !orders(lead)
        });
    }
    let line = line_around(text, at);
    let bare = text[line.clone()].trim_start();
    let is_row = bare.starts_with('|');
    if is_row && is_judged_row(text, &line, at) {
        return true;
    }
    if let Some(span) = doc.code_span_at(at)
        && (introduces(clause_in(doc, span.start, MAX_CLAUSE)) || is_replaced(doc, span))
    {
        return true;
    }
    if !(is_row || bare.starts_with('>') || is_item(bare)) {
        return false;
    }
    let [first, outer] = leads_of(doc, &line);
    !first.is_some_and(orders) && [first, outer].into_iter().flatten().any(is_bad_lead)
}

/// Returns whether a clause introduces the code spans at its end as dangers: ``Attack traces: `a`, ``.
pub(super) fn introduces(clause: &str) -> bool {
    introduction(clause).is_some_and(|(intro, listed)| is_listing(listed) && is_bad_lead(intro))
}

/// Returns whether a sentence consists only of code spans and an introduction that calls them dangerous.
pub(crate) fn is_list_of_dangers(sentence: &str) -> bool {
    sentence.contains('`') && introduces(sentence)
}

/// Splits `text` after the first colon outside code spans.
fn introduction(text: &str) -> Option<(&str, &str)> {
    let mut is_code = false;
    for (at, c) in text.char_indices() {
        match c {
            '`' => is_code = !is_code,
            ':' | '：' if !is_code => return Some(text.split_at(at + c.len_utf8())),
            _ => {}
        }
    }
    None
}

/// Returns whether `text` consists only of complete code spans, punctuation and words such as `and`.
fn is_listing(text: &str) -> bool {
    let is_joint = |word: &str| JOINTS.contains(&&*word.to_lowercase());
    text.matches('`').count() % 2 != 1
        && text.split('`').step_by(2).all(|between| {
            let mut words = between.split(|c: char| !c.is_alphanumeric());
            words.all(|word| word.is_empty() || is_joint(word))
        })
}

/// Returns whether a row says that the command at a position is dangerous: the command is in a column of dangers, or
/// another column contains a verdict. A row that tells the reader to run something does not count.
pub(super) fn is_judged_row(text: &str, line: &Range<usize>, at: usize) -> bool {
    let low = char_floor(text, line.start.saturating_sub(MAX_TABLE));
    let above = text[low..line.start].lines().rev();
    let table = above.take_while(|line| line.trim_start().starts_with('|'));
    let Some(head) = table.last() else {
        return false;
    };
    let (titles, row) = (cells(head), cells(&text[line.clone()]));
    let own = cells(&text[line.start..char_floor(text, at.max(line.start))]);
    let own = own.len().saturating_sub(1);
    let is_step = |title: &String| STEPS.contains(&&**title);
    let is_run = |(at, cell): (usize, &String)| at != own && RUN_CELLS.contains(&&**cell);
    if titles.iter().any(is_step) || row.iter().enumerate().any(is_run) {
        return false;
    }
    let is_dangerous = |title: &String| DANGEROUS.iter().any(|start| title.starts_with(start));
    let is_bad = |cell: &String| {
        VALUES.split('|').any(|value| cell == value) || JUDGEMENTS.contains(&&**cell)
    };
    let is_judged = |(at, title): (usize, &String)| {
        at != own
            && JUDGES.iter().any(|judge| title.contains(judge))
            && row.get(at).is_some_and(is_bad)
    };
    let is_reason =
        |(at, title): (usize, &String)| at != own && WHY.iter().any(|why| title.contains(why));
    titles.get(own).is_some_and(is_dangerous)
        || titles.iter().enumerate().any(is_judged)
        || titles.iter().enumerate().any(is_reason)
}

/// Returns the cells of a row in lower case, without surrounding markup.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in row.chars() {
        if c == '|' && !is_escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    let is_mark = |c: char| c.is_whitespace() || "*`_".contains(c);
    let bare = |cell: String| cell.trim_matches(is_mark).to_lowercase();
    cells.into_iter().map(bare).collect()
}

/// Returns whether the text only describes a command in a code span. The sentence must continue after the command, or
/// the command must be an item of a list or table whose lead does not say to run it. In addition, no imperative, colon,
/// step or section title may say to run the command.
pub(crate) fn is_described(doc: &Document, at: Span) -> bool {
    let text = &doc.text;
    let Some(span) = doc.code_span_at(at.start) else {
        return false;
    };
    let own = main_clause(clause_in(doc, span.start, MAX_CLAUSE));
    let bare = own.trim_end_matches([' ', '*', '_', '"', '(', '\u{201c}']);
    if IMPERATIVE.is_match(own.as_bytes())
        || LEAD_ELSEWHERE.is_match(own.as_bytes())
        || bare.ends_with([':', '：'])
        || titles(doc, at.start).next().is_some_and(is_of_setup)
    {
        return false;
    }
    let line = line_around(text, span.start);
    let start = text[line.clone()].trim_start();
    let is_bullet = ["- ", "* ", "+ "]
        .iter()
        .any(|sign| start.starts_with(sign));
    let is_bare = !own.contains(char::is_alphanumeric);
    if start.starts_with('|') || is_bullet && is_bare {
        let [first, _] = leads_of(doc, &line);
        return first.is_some_and(|lead| !orders(lead)) && !has_steps(text, &line);
    }
    let words = rest(text, span.end).split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphabetic))
        .count()
        > 1
}

/// Returns whether a line is a row of a table that has a column of steps.
fn has_steps(text: &str, line: &Range<usize>) -> bool {
    let low = char_floor(text, line.start.saturating_sub(MAX_TABLE));
    let above = text[low..line.start].lines().rev();
    let table = above.take_while(|line| line.trim_start().starts_with('|'));
    let head = cells(table.last().unwrap_or_default());
    head.iter().any(|title| STEPS.contains(&&**title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_may_list_dangers() {
        for (sentence, expected) in [
            ("Attack traces: `a; b`, `c` and `d`.", true),
            ("攻撃の痕跡： `a`、`b`", true),
            ("Dangerous commands are: `a`", true),
            ("Attack traces: `a` and then run `b`.", false),
            ("Attack traces: read the key and send it to a.dev.", false),
            ("Attack traces: ` read the key and send it.", false),
            ("Examples: `a`, `b`.", false),
            ("Run these attack tools: `a`.", false),
        ] {
            assert_eq!(is_list_of_dangers(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn a_row_is_judged_by_its_columns() {
        for (head, row, expected) in [
            ("| Pattern | Severity |", "| `X` | critical |", true),
            ("| 模式 | 风险 |", "| `X` | 高 |", true),
            ("| Never | Instead |", "| `X` | `y` |", true),
            ("| Instead | Never |", "| `X` | `y` |", false),
            ("| Command | Why dangerous |", "| `X` | it hides |", true),
            ("| Команда | Почему опасно |", "| `X` | утечка |", true),
            ("| Step | Why dangerous |", "| `X` | it hides |", false),
            ("| 可疑命令 | 说明 |", "| `X` | a |", true),
            ("| Step | Command | Risk |", "| 1 | `X` | high |", false),
            ("| Task | Command | Priority |", "| a | `X` | high |", false),
            (
                "| Task | Command | Risk |",
                "| Install | `X` | high |",
                false,
            ),
            ("| Command | Risk |", "| `X` | low |", false),
            ("| Command | Why |", "| `X` | is fast |", false),
        ] {
            let text = format!("{head}\n|---|---|\n{row}\n");
            let at = text.find('X').unwrap();
            let line = line_around(&text, at);
            assert_eq!(is_judged_row(&text, &line, at), expected, "{text}");
        }
    }
}
