//! Decides whether a command near words that signal danger is forbidden, is data, or is still meant to be run.
//!
//! The test [`context::is_mention`](super::context::is_mention) only looks for words near the command. That is too
//! lenient for a command that connects to a real host, so this module examines the structure of the text. A sentence
//! governs a command if it forbids or judges the command itself, or says that the block, list or table with the command
//! contains dangers. A sentence tells the reader to run a command if its main clause is an imperative; text before the
//! main clause, such as `To avoid errors,`, does not count.

mod calls;
mod code;
mod definitions;
mod entries;
mod exhibits;
mod here_documents;
mod inert;
mod leads;
mod lists;
mod programs;
mod quotes;
mod replaced;
mod reviews;
mod titles;

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;
use skillc_core::{Document, Span};

use super::ascii_words;
use super::context::{
    DANGERS, NEGATION, Place, URGING, clause_in, clause_within, is_judged as seems_judged,
    is_quoted, line_around,
};
use super::expression::Expression;
use super::intent::{Concepts, words};

pub(crate) use exhibits::{
    declares, is_dialogue, is_forbidding, is_record, is_shown_sample, is_test_message, is_told,
    is_told_after,
};
pub(crate) use here_documents::HereDocuments;
pub(crate) use inert::{is_inert, is_inert_in};
pub(crate) use lists::{is_described, is_list_of_dangers, is_listed};
pub(crate) use programs::{Language, in_program, is_json_input};
pub(crate) use reviews::{carries_out, is_asked, is_reviewed};
pub(crate) use titles::{headings, start_of};

use titles::{open_titles, titles};

/// The status of a command, according to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The command is meant to be run.
    Order,
    /// The text is unclear: no sentence governs the command or tells the reader to run it, or there are sentences of
    /// both kinds.
    Doubt,
    /// The command is forbidden, judged, or data.
    Mention,
}

impl Standing {
    const fn new(is_governed: bool, is_ordered: bool) -> Self {
        match (is_governed, is_ordered) {
            (true, false) => Self::Mention,
            (false, true) => Self::Order,
            _ => Self::Doubt,
        }
    }
}

/// The maximum number of bytes of the sentence before a command that are examined.
const MAX_CLAUSE: usize = 400;

/// The maximum number of bytes after a command that are examined.
const MAX_REST: usize = 160;

/// The maximum number of bytes before a block or list that are searched for its lead.
const MAX_LEAD: usize = 1200;

/// The maximum number of lines between a command in a list or table and its lead.
const MOST_LINES: usize = 40;

/// The first words of subordinate clauses, in lower case.
const SUBORDINATE: &str = "if|when|whenever|to|so|in|unless|before|after|since|as|because|for|once|while|until|\
    where|si|cuando|para|antes|wenn|falls|um|damit|bevor|sobald|pour|afin|lorsque|quand|\
    avant|если|когда|чтобы";

/// The beginnings of subordinate clauses in languages without spaces.
const SUBORDINATE_JOINED: [&str; 7] = ["如果", "若", "为了", "为避免", "当", "在", "もし"];

/// The ends of subordinate clauses in languages that put the verb last.
const SUBORDINATE_LAST: &str = "場合は|場合|ため|ために|ように|ときは|たら|れば|なら|면|위해|때";

/// Phrases that are not subordinate clauses.
const EXAMPLES: [&str; 3] = ["for example", "for instance", "as an example"];

/// Verbs for running a command, in the imperative.
macro_rules! run {
    () => {
        "(?:run|execute|paste|type|start|launch|enter|invoke|install|bootstrap|set up|issue|do|try)"
    };
}

/// Nouns for commands and their kinds.
macro_rules! kind {
    () => {
        r"(?:patterns?|commands?|code|scripts?|snippets?|lines?|instructions?|examples?|samples?|payloads?|one-liners?|installers?|downloads?|pip(?:e|es|ed|ing)|strings?|skills?|texts?|phrases?|signs?|attempts?|behaviou?rs?|actions?|operations?|calls?|requests?|usage|practices?|shapes?|constructs?)"
    };
}

/// Words that call something bad.
macro_rules! danger {
    () => {
        r"(?:dangerous|malicious|forbidden|prohibited|disallowed|block(?:ed|ing)?|den(?:y|ied)|unsafe|insecure|suspicious|risky|bad|wrong|reject(?:ed)?|refus(?:e|ed)|detect(?:ed|ion)?|flag(?:ged)?|attack|threat|avoid|destructive|vulnerable|harmful|poisoned|injected|never)"
    };
}

/// Words between a prohibition and its object.
macro_rules! filler {
    () => {
        r"(?:[\s:\x22'`*_(\[<|-]|\b(?:a|an|the|any|anything|something|commands?|patterns?|code|scripts?|lines?|things?|such|like|as|this|these|those|following|pip(?:e|es|ed|ing)|remote|untrusted|unknown|unreviewed|unread|foreign|raw|downloads?|installers?|one-liners?|shell|from|of|for|with|into|in|that|looks?|contains?|containing|it|straight|to)\b)*"
    };
}

/// A prohibition whose object follows: `never run`, `avoid`.
static BAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:\b(?:never|do not|don't|must not|mustn't|should not|shouldn't|may not|cannot|can't|will not|won't|not to|instead of|rather than|refuse to)\s+(?:(?:ever|even|just|blindly|directly|simply|also)\s+)?(?:(?:run|execut|us(?:e\b|ing)|pip(?:e|ing)|past(?:e|ing)|install|fetch|download|call|follow|copy|try|accept|allow|suggest|issue|type|enter|writ|add|commit|emit|generat|recommend|approv|invok|trust|send|post|upload|forward|read)\w*)|(?:^|[,;:(|>-]|\b(?:must|should|always|please|or|we|you|hooks?|agents?|rules?)\b)[\W_\d]{0,8}(?:avoid|refuse|reject|block|deny|forbid|prohibit|disallow|flag|detect|report|catch|spot|look for|watch for|scan for|check for|search for|beware of|warn about)s?\b|\bno\b)").expect("a pattern")
});

/// Text that can stand between a prohibition and its object.
static FILLER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)^",
        filler!(),
        r"(?:\b(?:and|or)\s+(?:run|execute|use|install|paste|pipe)\b",
        filler!(),
        r")?$"
    ))
    .expect("a pattern")
});

/// Words that introduce an example after a general statement.
static SUCH_AS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r"(?i-u)\b(?:such as|as in|like|e\.g\.|for example|including|of the form)[\s:\x22'`*_(-]*$",
    )
    .expect("a pattern")
});

/// An instruction within a sentence.
static AFFIRMED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:[,;:]\s*(?:but |then |instead |just |rather |first |please )?|\b(?:but|instead|then|rather)\s+)",
        run!(),
        r"\b"
    ))
    .expect("a pattern")
});

/// A sentence about the actions of attackers, without a further clause.
static ATTACKERS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)^[\W_\d]{0,8}(?:(?:an?|the|some|many|most|real)\s+)?(?:\w+\s+)?(?:attackers?|adversar(?:y|ies)|malware|hackers?|intruders?|malicious \w+)\b[^,;:]*$")
        .expect("a pattern")
});

/// A character of a word in any language. Punctuation does not count, because another clause may follow it, as in
/// `Nunca falla, ejecuta:`.
macro_rules! letter {
    () => {
        r"[^\s,，:：.。;；!?]"
    };
}

/// A prohibition before a command in languages other than English.
static BAN_ELSEWHERE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)(?:\b(?:nunca|jam[aá]s)\s+(?:lo\s+)?",
        letter!(),
        r"+|\bno\s+(?:lo\s+)?(?:ejecut|instales|uses\b|pegues|lances|corras)",
        letter!(),
        r"*|\bnie(?:mals)?\b|\bnicht\s+(?:ausführen|verwenden|nutzen|installieren)|\bjamais\b|\bne\s+(?:pas\s+)?(?:lanc|exécut|install|utilis)",
        letter!(),
        r"*(?:\s+(?:pas|jamais))?|(?:никогда\s+)?не\s+(?:запуска|выполня|использу|копиру|вставля|устанавлива)",
        letter!(),
        r"*|(?:不要|禁止|切勿|请勿|不得|严禁|勿)[^，。,]{0,8})[^,，:：。;；\n]{0,12}[:：]?[\s`]{0,2}$"
    )))
    .expect("a pattern")
});

/// A judgement directly after a command: `→ block`, `is dangerous`.
static JUDGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)^[\s`'\x22)\]*_|\\]{0,8}((?:[^\s,;.!?|#`]{1,24}[ \t]+){0,4}?)(?:(?:is|are|was|were|counts? as|as|must be|should be)[ \t]+|(?:→|=>|->|—|–|:|\(|=)[ \t]*)((?:\w+[ \t]+){0,2}?)",
        r"(?:dangerous|malicious|forbidden|block(?:ed|s)?|den(?:y|ied)|prohibited|unsafe|reject(?:ed)?|refused?|exfiltrat\w*|credential theft|flag(?:ged)?|not allowed|red flag|an? (?:attack|red flag|threat|violation|injection|scam|finding|weakness|misconfiguration|sign)|❌|🚫|⛔|(?:critical|high)[ \t]*(?:$|[.)\]|,;]|severity|risk|finding))"
    ))
    .expect("a pattern")
});

/// Words that begin a new statement or reverse a judgement.
const TURNS: [&str; 9] = [
    "not",
    "never",
    "because",
    "or",
    "if",
    "otherwise",
    "unless",
    "and",
    "then",
];

/// A judgement or prohibition after a command in languages other than English.
static JUDGED_ELSEWHERE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i)^[^,，。;；\n]{0,24}(?:危险|危険|禁止|恶意|悪意|使いません|使わない|しないで|してはいけ|してはなら|위험|금지|하지 ?마|하지 ?않|(?:^|[^з])опасн|запрещ|peligros|prohibid|perigos|proibid|pericolos|proibit|vietat|gefährlich|verboten|dangereu|interdit)")
        .expect("a pattern")
});

/// A negated verb after a command, in languages that put the verb last. Conditions such as `実行しないと` do not match.
static REFUSED_AFTER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^[^\n]{0,12}(?:(?:実行|使用|インストール|削除)(?:は|も)?しない(?:でください|で下さい|こと|。|$)|(?:実行|使用|インストール|削除)して(?:は|も)(?:いけ|なら)(?:ない|ません)|(?:실행|사용|설치|삭제)(?:을|를)? ?하지 ?(?:마세요|마십시오|말 것|말아야))")
        .expect("a pattern")
});

/// An imperative directly before a command, at the beginning of a clause.
static IMPERATIVE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:^|[,;:(|>*-]|\b(?:and|then|please|first|now|next|must|should|can)\b)[\W_]{0,6}(?:(?:first|then|now|next|please|always|simply|just|also|once)[\W_]{1,3}){0,3}(?:",
        run!(),
        r"|use)\b(?:[ \t][^\s,;.:!?]{1,20}){0,4}[\W_]{0,6}$|\bby\s+(?:running|executing|installing|pasting|using)\b(?:[ \t][^\s,;.:!?]{1,20}){0,4}[\W_]{0,6}$"
    ))
    .expect("a pattern")
});

/// An imperative that introduces a block or list.
static LEAD: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:^[\W_\d]{0,8}(?:(?:first|then|now|next|please|always|simply|just|also|finally)[\W_]{1,3}){0,3}(?:you (?:must|should|need to|have to)\s+)?(?:",
        run!(),
        r"|use (?:this|it|the|these|our)|setup|(?:re)?installation|prerequisites?)\b|\b(?:and|then|by)\s+(?:",
        run!(),
        r"|running|executing)\b)"
    ))
    .expect("a pattern")
});

/// A lead that only numbers a step. The commands of a step are meant to be run.
static STEP: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r"(?i-u)^[\W_]{0,8}(?:step|schritt|paso|passo|\xc3[\x89\xa9]tape)[ \t]+\d{1,2}[\W_]{0,8}$",
    )
    .expect("a pattern")
});

/// Imperatives in other languages that introduce a block or list.
static LEAD_ELSEWHERE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(r"(?i)(?:ejecut[ae]|instal[ae]\b|führe|installiere|starte\b|exécute|lancez?\b|installez\b|execute (?:os|as|estes?|esta|isto|isso|o comando)\b|instale\b|esegu[ia]\b|eseguire\b|lancia\b|avvia\b|installa\b|запуст|выполни|установи|运行|执行|執行|安装|输入|実行|インストール|실행|설치)"))
        .expect("a pattern")
});

/// The title of a section in which commands are run.
static SETUP: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:^[\W\d_]{0,8}(?:set ?up|install\w*|quick ?start|getting started|prerequisites?|bootstrap|requirements?|before you (?:start|begin)|instalaci|einrichtung)|(?:у|У)становк|安装|セットアップ|インストール|설치)")
        .expect("a pattern")
});

/// A forged installation, which people must recognize, in a title. Matches text in lower case.
static FORGED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:(?:поддельн|фальшив)[^\s]* (?:[^\s]+ )?установ|(?:假冒|虚假|伪造)[^\s]{0,24}安装|偽(?:の)?[^\s]{0,24}(?:インストール|セットアップ)|가짜 (?:[^\s]+ )?설치|\binstalaci(?:ó|o)n(?:es)? falsas?\b)")
        .expect("a pattern")
});

/// Words in a lead that announce a setup.
static FIRST: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)\b(?:first|once|install|set up|setup|before)\b").expect("a pattern")
});

/// Nouns and names of lists that indicate danger on their own.
static STRONG: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:\b(?:red flags?|anti-?patterns?|attacks?|attackers?|threats?|malware|malicious|injections?|exfiltration|exploits?|exploitation|jailbreaks?|indicators? of compromise|iocs?|forbidden|prohibited|disallowed|don'?ts|what not|not allowed|bad examples?|(?:block|deny|black)[ -]?list|vulnerabilit\w+|payloads?|reverse shells?|hard stops?|evil|poison\w*|risks)\b|❌|🚫|⛔|✗|✘|☠)")
        .expect("a pattern")
});

/// A kind of command together with a word that judges it.
static DANGEROUS_KIND: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:\b",
        danger!(),
        r"\W{1,3}(?:\w+\W{1,3}){0,2}?",
        kind!(),
        r"\b|\b",
        kind!(),
        r"\W{1,3}(?:\w+\W{1,3}){0,3}?",
        danger!(),
        r"\b|\b(?:never|not allowed|blocked|denied|refused|rejected|forbidden)[\W_]{0,6}$|\b(?:flag|detect|reject|refuse|block|deny|report|look for|watch for|scan for|check for|search for|avoid)[\W_]{1,3}(?:(?:these|those|the following|any|any of|anything|anything like|things like|such as)[\W_]{0,3}){0,3}$)"
    ))
    .expect("a pattern")
});

/// Words for dangers in other languages.
static STRONG_ELSEWHERE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i)(?:запрещ|вредонос|(?:^|[^з])опасн|атак|恶意|悪意|攻击|攻撃|禁止|危险|危険|악성|공격|금지|위험한|peligros|prohibid|malicios|ataque|perigos|proibid|pericolos|proibit|vietat|gefährlich|verboten|schädlich|angriff|dangereu|interdit|malveillan|attaque)")
        .expect("a pattern")
});

/// The object of a prohibition in a lead.
static OBJECT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:^[\W_]*$|\b(?:",
        kind!(),
        r"|shell|remote|unseen|unread|anything|any of|these|those|this|it|them|following|even if)\b)"
    ))
    .expect("a pattern")
});

/// A comment that judges the commands below it.
static LABEL: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)^\s*(?:#|//|--|rem |::)[\s#]*(?:❌|🚫|⛔|✗|✘|(?:bad|wrong|don'?t|do not|never|unsafe|insecure|dangerous|malicious|vulnerable|forbidden|avoid)\b[\s:.!()-]*(?:$|practice|example|pattern|this|run|use|do\b|pip|way))")
        .expect("a pattern")
});

/// A comment after a command that forbids the command.
static TRAILING_BAN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)#\s*(?:never|do not|don't)\s+(?:do|run|use|execute|try|paste)\b")
        .expect("a pattern")
});

/// Returns the standing of a command in a Markdown file.
pub(crate) fn in_document(doc: &Document, at: Span, place: Place) -> Standing {
    let text = &doc.text;
    let Some(block) = doc.code_block_at(at.start) else {
        return in_line(doc, at);
    };
    let from = block.span.start.max(at.start.saturating_sub(2 * MAX_LEAD));
    let inside = &text[char_floor(text, from)..char_floor(text, at.start)];
    let rest = rest(text, at.end);
    let lead = lead(text, block.span.start, doc.body_start, Skip::Nothing);
    let is_governed = is_labelled(inside)
        || TRAILING_BAN.is_match(rest.as_bytes())
        || place != Place::Shell && is_judged(rest, true)
        || lead.is_some_and(is_bad_lead)
        || open_titles(doc, at.start).any(is_bad_title);
    Standing::new(is_governed, is_led(doc, at.start, lead))
}

/// Returns whether a lead, a title, a table or a sentence presents a command as a danger, and does not tell the reader
/// to run it. Comments in the command's code block do not count, because a shell ignores them.
pub(crate) fn is_presented(doc: &Document, at: Span, place: Place) -> bool {
    let is_governed = || {
        doc.code_block_at(at.start).is_none_or(|block| {
            let lead = lead(&doc.text, block.span.start, doc.body_start, Skip::Nothing);
            lead.is_some_and(is_bad_lead) || open_titles(doc, at.start).any(is_bad_title)
        })
    };
    in_document(doc, at, place) == Standing::Mention && is_governed()
}

/// Returns whether the text clearly says to run a command in order to set something up.
pub(crate) fn is_setup(doc: &Document, at: Span, place: Place) -> bool {
    let text = &doc.text;
    let is_first = match doc.code_block_at(at.start) {
        Some(block) => {
            let lead = lead(text, block.span.start, doc.body_start, Skip::Nothing);
            lead.is_some_and(|lead| FIRST.is_match(lead.as_bytes()))
        }
        None => FIRST.is_match(text[line_around(text, at.start)].as_bytes()),
    };
    (is_first || titles(doc, at.start).next().is_some_and(is_of_setup))
        && in_document(doc, at, place) == Standing::Order
}

/// Returns whether the lead of a block, or the title of the section, says to run the block.
fn is_led(doc: &Document, at: usize, lead: Option<&str>) -> bool {
    lead.is_some_and(orders) || titles(doc, at).next().is_some_and(is_of_setup)
}

fn is_of_setup(title: &str) -> bool {
    // A title about refusing installations, or about forged ones, is not about setup.
    SETUP.is_match(&reviews::without_refusals(title))
        && is_clean(title)
        && !FORGED.is_match(lower(title).as_bytes())
}

/// Returns the standing of a command in a sentence, an item of a list or a row of a table.
fn in_line(doc: &Document, at: Span) -> Standing {
    let text = &doc.text;
    let span = doc.code_span_at(at.start).unwrap_or(at);
    let clause = clause_in(doc, span.start, MAX_CLAUSE);
    let own = main_clause(clause);
    let line = line_around(text, span.start);
    let is_row = text[line.clone()].trim_start().starts_with('|');
    let leads = lists::leads_of(doc, &line);
    let is_governed = bans(own)
        || is_judged(rest(text, span.end), false)
        || is_row
            && (is_row_of_dangers(text, line.start, line.end)
                || lists::is_judged_row(text, &line, span.start))
        || lists::introduces(clause)
        || doc.code_span_at(at.start).is_some() && replaced::is_replaced(doc, span)
        || is_asked(doc, span.start)
        || leads.into_iter().flatten().any(is_bad_lead)
        || open_titles(doc, at.start).any(is_bad_title);
    let is_bare = !own.contains(char::is_alphanumeric);
    // In a table row, only the cell with the command counts.
    let cell = own.rsplit('|').next().filter(|_| is_row).unwrap_or(own);
    let is_ordered = is_clean(own)
        && !leads::forbids_next(clause)
        && (IMPERATIVE.is_match(own.as_bytes())
            || LEAD_ELSEWHERE.is_match(cell.as_bytes())
            || is_bare && leads[0].is_some_and(orders));
    Standing::new(is_governed, is_ordered)
}

/// Returns the standing of a sentence that makes a request. `at`: the position of the sentence's verb.
///
/// As for commands, a word that signals danger in the main clause makes the sentence a mention.
pub(crate) fn in_prose(doc: &Document, at: Span) -> Standing {
    let text = &doc.text;
    let clause = clause_within(text, at.start, MAX_CLAUSE);
    let line = line_around(text, at.start);
    let whole = &text[line.clone()];
    let is_row = whole.trim_start().starts_with('|');
    let own = main_clause(clause);
    if !is_clean(own)
        || is_row
        || is_quoted(whole, at.start.saturating_sub(line.start))
        || is_judged(rest(text, at.end), false)
        || is_asked(doc, at.start)
    {
        return Standing::Mention;
    }
    let is_item = is_item(whole.trim_start());
    let leads = lists::leads_of(doc, &line);
    let is_governed = leads.into_iter().flatten().any(is_bad_lead)
        || open_titles(doc, at.start).any(is_bad_title);
    if is_governed {
        Standing::Mention
    } else if is_item || seems_judged(text, at.end) {
        Standing::Doubt
    } else {
        Standing::Order
    }
}

/// Returns whether the sentence before a position forbids the command at the position.
pub(crate) fn is_banned(text: &str, at: usize) -> bool {
    bans(main_clause(clause_within(text, at, MAX_CLAUSE)))
}

/// Returns whether the text before or after a code span forbids the command in it, in a language other than English.
pub(crate) fn is_refused(doc: &Document, at: usize) -> bool {
    doc.code_span_at(at).is_some_and(|span| {
        let rest = rest(&doc.text, span.end);
        leads::forbids_next(clause_in(doc, span.start, MAX_CLAUSE))
            || !rest.is_ascii() && REFUSED_AFTER.is_match(rest.as_bytes())
    })
}

/// Returns whether a sentence forbids the commands that follow it, in a language other than English.
pub(crate) fn is_ban(sentence: &str) -> bool {
    leads::forbids(sentence)
}

/// Returns the rest of the line after a command.
fn rest(text: &str, end: usize) -> &str {
    let rest = &text[char_floor(text, end)..char_floor(text, end + MAX_REST)];
    rest.lines().next().unwrap_or_default()
}

/// Returns whether the text directly after a command judges the command. If `is_strict`, only a judgement with an arrow
/// counts.
fn is_judged(rest: &str, is_strict: bool) -> bool {
    if is_strict && !["→", "=>", "->"].iter().any(|arrow| rest.contains(arrow)) {
        return false;
    }
    let turns = |part: Option<regex::bytes::Match<'_>>| {
        let part = part.map(|part| String::from_utf8_lossy(part.as_bytes()).to_lowercase());
        let part = part.unwrap_or_default();
        part.split_whitespace().any(|word| TURNS.contains(&word))
    };
    JUDGED
        .captures(rest.as_bytes())
        .is_some_and(|found| !turns(found.get(1)) && !turns(found.get(2)))
        || !rest.is_ascii() && JUDGED_ELSEWHERE.is_match(rest.as_bytes())
}

/// Returns whether a clause forbids the command that follows it.
fn bans(clause: &str) -> bool {
    let plain = URGING.replace_all(clause.as_bytes(), &b""[..]);
    let is_object = |after: &[u8]| {
        (FILLER.is_match(after) || SUCH_AS.is_match(after)) && !AFFIRMED.is_match(after)
    };
    BAN.find_iter(&plain)
        .any(|ban| is_object(&plain[ban.end()..]))
        || ATTACKERS.is_match(&plain)
        || may_ban_elsewhere(clause) && BAN_ELSEWHERE.is_match(clause.as_bytes())
}

/// Returns whether a clause may match [`BAN_ELSEWHERE`]. This check avoids compiling that expression, which takes long:
/// an ASCII clause rarely matches it.
fn may_ban_elsewhere(clause: &str) -> bool {
    /// Parts of the ASCII words in the expression, in lower case.
    const PARTS: [&str; 12] = [
        "nunca", "jamas", "ejecut", "instales", "uses", "pegues", "lances", "corras", "nie",
        "nicht", "jamais", "ne ",
    ];
    if !clause.is_ascii() {
        return true;
    }
    let lower = clause.to_ascii_lowercase();
    let is_other_blank = |c: char| c.is_whitespace() && c != ' ';
    PARTS.iter().any(|part| lower.contains(part)) || lower.contains(is_other_blank)
}

/// Returns whether a lead or title introduces dangers, or forbids the commands that follow.
fn is_of_dangers(lead: &str) -> bool {
    sentences(lead).any(|sentence| {
        let main = main_clause(sentence);
        let bytes = main.as_bytes();
        let forbids = BAN.find(bytes).is_some_and(|ban| {
            let after = &bytes[ban.end()..];
            OBJECT.is_match(after) && !main[..ban.start()].contains([',', ';'])
        });
        (forbids
            || STRONG.is_match(bytes)
            || DANGEROUS_KIND.is_match(bytes)
            || !main.is_ascii() && STRONG_ELSEWHERE.is_match(bytes))
            && !AFFIRMED.is_match(bytes)
    })
}

/// Returns whether a title introduces dangers or attacks, or consists only of a prohibition.
fn is_bad_title(title: &str) -> bool {
    is_of_dangers(title) || is_forbidding(title) || reviews::presents(title)
}

/// Returns whether a lead presents the commands that follow as dangers: it calls them dangerous, forbids them or asks
/// to report them, in any of the supported languages. The lead must neither exempt the commands nor tell the reader to
/// run them.
fn is_bad_lead(lead: &str) -> bool {
    let is_bad = |sentence: &str| leads::forbids(main_clause(sentence)) || leads::reports(sentence);
    !leads::is_turned(lead)
        && (is_of_dangers(lead) || sentences(lead).any(is_bad) || reviews::leads_in(lead))
}

/// Returns whether the last sentence of a lead says to run the block or list that follows.
fn orders(lead: &str) -> bool {
    let Some(last) = sentences(lead).last() else {
        return false;
    };
    let main = main_clause(last);
    let is_order = [&LEAD, &STEP, &LEAD_ELSEWHERE]
        .iter()
        .any(|order| order.is_match(main.as_bytes()));
    is_order && is_clean(main) && !leads::forbids(main)
}

/// Returns whether a clause contains no words for danger, negation or reporting in any language of the lexicon.
fn is_clean(clause: &str) -> bool {
    let plain = URGING.replace_all(clause.as_bytes(), &b""[..]);
    let is_bad = |concept: Concepts| concept.any(Concepts::NOT.with(Concepts::ATTACKER));
    !NEGATION.is_match(&plain)
        && !DANGERS.is_match(&plain)
        && !words(&lower(clause))
            .iter()
            .any(|word| is_bad(word.concept))
}

/// Returns the sentences of a line. Dots within words and paths do not end a sentence.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['。', '！', '？'])
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split("! "))
        .filter(|part| part.contains(char::is_alphanumeric))
}

/// Removes a subordinate clause at the start of a clause: `To avoid errors, run` becomes `run`.
fn main_clause(clause: &str) -> &str {
    let is_mark =
        |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+>#|_.)(\"'\u{201c}".contains(c);
    let bare = clause.trim_start_matches(is_mark);
    let Some((end, sign)) = bare
        .char_indices()
        .find(|(_, c)| matches!(c, ',' | ':' | '，' | '、' | '：'))
    else {
        return clause;
    };
    let first = bare[..end].to_lowercase();
    let word = first
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_subordinate = SUBORDINATE.split('|').any(|start| start == word)
        && !EXAMPLES.iter().any(|example| first.starts_with(example))
        || SUBORDINATE_JOINED
            .iter()
            .any(|start| first.starts_with(start))
        || SUBORDINATE_LAST.split('|').any(|end| first.ends_with(end));
    let is_attack = STRONG.is_match(first.as_bytes())
        || !first.is_ascii() && STRONG_ELSEWHERE.is_match(first.as_bytes())
        || words(&first)
            .iter()
            .any(|word| word.concept == Concepts::ATTACKER);
    if is_subordinate && !is_attack {
        &bare[end + sign.len_utf8()..]
    } else {
        clause
    }
}

/// The lines before a position that are skipped in the search for its lead, because they belong to the same list, table
/// or quotation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skip {
    Nothing,
    /// The items and rows of the same list or table.
    Items,
    /// The lines of quotations.
    Quotes,
}

/// Returns the nearest line before `end` that introduces the text at `end`; `None` if that line is a heading.
fn lead(text: &str, end: usize, body_start: usize, skip: Skip) -> Option<&str> {
    let start = char_floor(text, end.saturating_sub(MAX_LEAD)).max(body_start.min(end));
    let mut is_code = false;
    for line in text[char_floor(text, start)..end]
        .lines()
        .rev()
        .take(MOST_LINES)
    {
        let bare = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code || bare.is_empty() {
            continue;
        }
        if bare.starts_with('#') {
            return None;
        }
        let is_own = match skip {
            Skip::Nothing => false,
            Skip::Items => (is_item(bare) || bare.starts_with('|')) && !bare.ends_with(':'),
            Skip::Quotes => line.trim_start().starts_with('>'),
        };
        if is_own {
            continue;
        }
        return Some(bare);
    }
    None
}

fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    ["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign))
        || digits > 0 && line[digits..].starts_with(['.', ')'])
}

/// Returns whether the nearest comment above a command, in the same block, is a label such as `# Bad`.
fn is_labelled(inside: &str) -> bool {
    // The last line contains the command.
    let above = inside.rfind('\n').map_or("", |end| &inside[..end]);
    let is_comment = |line: &&str| {
        let bare = line.trim_start();
        ["#", "//", "--", "rem ", "::"]
            .iter()
            .any(|sign| bare.starts_with(sign))
    };
    let last = above.lines().rev().take(6).find(is_comment);
    last.is_some_and(|line| LABEL.is_match(line.as_bytes()))
}

/// The titles of columns that number the steps in a table.
const STEPS: [&str; 9] = [
    "step", "#", "order", "phase", "schritt", "paso", "шаг", "步骤", "手順",
];

/// Words in the column titles of a table of dangers.
const COLUMNS: &str = "pattern|indicator|signature|regex|never|forbidden|denied|blocked|avoid|threat|attack|\
    danger|malicious|looks like|red flag|why|reason|instead|alternative|verdict|severity|\
    finding";

/// Values in a table row that call something bad.
const VALUES: &str =
    "high|critical|severe|block|deny|denied|refuse|reject|malicious|dangerous|forbidden|never";

/// Returns whether a row belongs to a table of dangers, not of steps. The titles of the columns decide, or a cell of
/// the row that contains a judgement.
fn is_row_of_dangers(text: &str, start: usize, end: usize) -> bool {
    let low = char_floor(text, start.saturating_sub(4000));
    let above = text[low..start].lines().rev();
    let table = above.take_while(|line| line.trim_start().starts_with('|'));
    let head = table.last().unwrap_or_default().to_lowercase();
    let cells = |row: &str| -> Vec<String> {
        let cells = row.split('|').map(|cell| {
            let cell = cell.trim_matches(|c: char| c.is_whitespace() || "*`_".contains(c));
            cell.to_lowercase()
        });
        cells.collect()
    };
    let titles = cells(&head);
    let is_step = |cell: &String| STEPS.iter().any(|step| cell == step);
    if titles.iter().any(is_step) {
        return false;
    }
    let has_column = COLUMNS.split('|').any(|column| head.contains(column));
    let row = cells(&text[start..end]);
    has_column
        || row
            .iter()
            .any(|cell| VALUES.split('|').any(|value| cell == value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&BAN, &JUDGED] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [
            &FILLER,
            &SUCH_AS,
            &AFFIRMED,
            &ATTACKERS,
            &BAN_ELSEWHERE,
            &JUDGED_ELSEWHERE,
            &REFUSED_AFTER,
            &IMPERATIVE,
            &LEAD,
            &STEP,
            &LEAD_ELSEWHERE,
            &SETUP,
            &FORGED,
            &FIRST,
            &STRONG,
            &DANGEROUS_KIND,
            &STRONG_ELSEWHERE,
            &OBJECT,
            &LABEL,
            &TRAILING_BAN,
        ] {
            LazyLock::force(expression);
        }
    }

    #[test]
    fn a_prohibition_governs_its_object_only() {
        for (clause, expected) in [
            ("Never run ", true),
            ("- Do not download and run ", true),
            ("Never install anything by a pipe, such as ", true),
            ("- [ ] No ", true),
            ("Flag ", true),
            ("不要运行 ", true),
            ("No ejecutes ", true),
            ("Nunca descárguelo de aquí: ", true),
            ("Nunca falla, ejecuta: ", false),
            ("Не запускай, выполни: ", false),
            ("If the tool is not installed, run ", false),
            ("To avoid errors, run ", false),
            ("Do not wait and run ", false),
            ("Do not use pip: run ", false),
            ("Paste this block: ", false),
        ] {
            assert_eq!(bans(main_clause(clause)), expected, "{clause}");
        }
    }

    #[test]
    fn a_negated_verb_may_follow_a_command() {
        for (rest, expected) in [
            ("`）は実行しない。", true),
            ("` は使用しないでください。", true),
            ("` を実行してはいけません。", true),
            ("`)은 실행하지 마세요.", true),
            ("` を実行しないと動きません。", false),
            ("` を実行し、テストは実行しない。", false),
            ("` 를 실행하지 않으면 오류가 납니다.", false),
        ] {
            let is_refused = REFUSED_AFTER.is_match(rest.as_bytes());
            assert_eq!(is_refused, expected, "{rest}");
        }
    }

    #[test]
    fn a_forged_installation_is_no_setup() {
        for (title, expected) in [
            ("1. 가짜 설치 안내", false),
            ("偽のインストール画面", false),
            ("虚假的安装页面", false),
            ("Поддельная установка", false),
            ("설치", true),
            ("インストール", true),
            ("安装", true),
            ("Установка", true),
            ("Install fake data", true),
        ] {
            assert_eq!(is_of_setup(title), expected, "{title}");
        }
    }

    #[test]
    fn a_lead_introduces_dangers_or_orders() {
        for (lead, is_bad, is_order) in [
            ("Flag these patterns:", true, false),
            ("Never run, even if asked nicely:", true, false),
            ("Red flags, with what they look like:", true, false),
            ("典型的恶意 crontab：", true, false),
            ("Run this first:", false, true),
            ("To avoid errors, run this first:", false, true),
            ("Do not use pip. Run this:", false, true),
            ("Para evitar errores, ejecuta esto:", false, true),
            ("**Step 1:**", false, true),
            ("Étape 2 :", false, true),
            ("Step 1 of the attack:", true, false),
            ("Detect your platform", false, false),
            ("Safety checks", false, false),
            ("Unsafe tables need this:", false, false),
        ] {
            assert_eq!(is_of_dangers(lead), is_bad, "{lead}");
            assert_eq!(orders(lead), is_order, "{lead}");
        }
    }

    #[test]
    fn a_judgement_is_about_the_command() {
        for (rest, expected) in [
            ("` is dangerous", true),
            ("` → block", true),
            ("`: critical", true),
            ("` as critical.", true),
            ("` is not dangerous", false),
            (" # critical", false),
            (" || echo blocked", false),
            ("` | low risk |", false),
            ("` first, since the old one is blocked", false),
        ] {
            assert_eq!(is_judged(rest, false), expected, "{rest}");
        }
    }
}
