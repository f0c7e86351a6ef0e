//! SKL108 description-triggers.
//!
//! Design: C-REGISTRY.10, D-TRIGGERS.

use skillc_core::{Document, Heading, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::text_of;
use crate::support::text::shown;

/// English phrases that introduce a trigger, in lower case.
const ENGLISH: [&str; 6] = [
    "use when",
    "when to use",
    "use for",
    "triggers on",
    "triggers:",
    "activate when",
];

/// Verbs of phrases that C-REGISTRY does not list. Such a phrase consists of a verb, up to [`MAX_BETWEEN`] words of
/// [`BETWEEN`], and a word of [`OCCASIONS`]: "used only when".
const CALLS: &str =
    "use|used|invoke|invoked|activate|activates|activated|apply|load|trigger|triggers|triggered";
const BETWEEN: &str = "this|the|it|skill|only|also|always|proactively|first|me";
const OCCASIONS: &str = "when|when:|whenever|whenever:|if|before|after|while";

/// The maximum number of words of [`BETWEEN`] in a phrase.
const MAX_BETWEEN: usize = 3;

/// "For" and "to" introduce a trigger only after these verbs: "is used for" describes a purpose.
const CALLS_FOR: &str = "use|invoke|activate|trigger|triggers";
const FOR: &str = "for|for:|to";

/// The words of [`ON`] introduce a trigger only after these words.
const CALLS_ON: &str =
    "trigger|triggers|triggered|activate|activates|activated|fires|invoke|invoked";
const ON: &str = "on|on:|upon|with|by|even";

/// Phrases that are triggers only at the start of a sentence: "is used for" describes a purpose, but "Used for" is a
/// trigger.
const AT_START: &str = "used for|used to|used as|use as|use by|best for|best used|ideal for|always active|always on|for use when|for use in";

/// Imperatives. A sentence that starts with an imperative and contains "when" says when to use the skill.
const TOLD: &str = "add|analyze|analyse|apply|audit|automate|build|call|check|choose|clean|compare|configure|connect|consult|convert|create|debug|\
    define|deploy|design|detect|diagnose|document|draft|edit|enable|evaluate|explain|export|extract|fetch|find|fix|follow|format|generate|\
    get|guide|handle|help|implement|improve|inspect|install|integrate|investigate|launch|list|load|make|manage|measure|migrate|monitor|\
    open|optimize|optimise|orchestrate|parse|perform|plan|port|prepare|profile|provide|publish|query|read|refactor|reference|render|\
    research|resolve|review|run|scaffold|scan|search|select|send|set|show|start|summarize|test|trace|track|train|transform|translate|triage|\
    troubleshoot|tune|update|upgrade|validate|verify|write";

/// Fields of some clients that say when to use a skill.
const FIELDS: [&str; 4] = ["when_to_use", "when-to-use", "whenToUse", "triggers"];

/// The field that hides a skill from agents, so that only users can invoke the skill.
const HIDDEN: &str = "disable-model-invocation";

/// The maximum number of lines of a usage section that are read.
const MAX_LINES: usize = 20;

/// Phrases that are triggers without a preceding verb.
const BARE: &str = "when:|whenever:|any time|anytime|every time|each time|before every|before each|before any|after every|after each|\
    when asked|whenever asked|when the user|whenever the user|when user|when users|\
    when a user|trigger:|trigger phrases:|trigger words:|trigger keywords:";

/// Phrases in Chinese, separated by `|`. `…` matches a few characters of the same sentence.
const CHINESE: &str = "时…使用|時…使用|时…调用|時…調用|时…触发|時…觸發|时…启用|時…啟用|时…激活|时…加载|時…載入|\
    前使用|用户说|用户提到|用户要求|用户询问|用戶說|用戶要求|需要…时|需要…時|遇到…时|之前…使用|后使用|後使用|之后…使用|适用于|適用於|适合用于|适用场景|使用场景|使用場景|使用时机|使用時機|\
    何时使用|何時使用|什么时候使用|当用户|當用戶|触发词|触发条件|觸發條件|触发场景|触发方式|触发:|触发：";

/// Phrases in Japanese, in the same notation as [`CHINESE`].
const JAPANESE: &str = "とき…使|時…使用|時…使う|時…使って|時…利用|際…使用|際…使う|際…利用|場合…使|場合…利用|場面…使|\
    使用する場面|使う場面|使うタイミング|使用タイミング|言われたら|頼まれたら|求められたら|聞かれたら|依頼されたら|したいとき|いつ使|トリガー|発動";

/// Phrases in Korean, in the same notation as [`CHINESE`].
const KOREAN: &str = "때…사용|때…활용|때…호출|때…활성화| 시 사용| 시에 사용| 시 활용| 시 호출| 시 활성화|경우…사용|경우…활용|\
    상황에서…사용|요청에…사용|요청에…활용|요청 시|요청할 때|요청하면|말하면|라고 하면|물어보면|상황에서…활용|상황에서…활성화|사용 시점|언제 사용|트리거";

/// Words that contain a character of the Chinese and Japanese phrases but mean something else: "at the same time", "in
/// real time", "at present" …
const NOT_OCCASIONS: &str =
    "同时|同時|实时|即时|即時|及时|随时|隨時|随時|临时|臨時|目前|当前|以前|實際|実際|国際";

/// The maximum number of characters that `…` matches.
const MAX_GAP: usize = 8;

declare_rule! {
    /// Reports a description that does not say when to use the skill.
    ///
    /// ## Why
    /// An agent picks a skill by its description. The description has to say not only what the skill does, but also
    /// when to use it, in the words that a user would use. A section "When to use" below the frontmatter comes too
    /// late: the agent only reads it after it has chosen the skill.
    ///
    /// These phrases are accepted, in upper or lower case: "use when", "when to use", "use for", "triggers on",
    /// "triggers:", "activate when". So are variants, such as "use this skill whenever", "when the user asks", "trigger
    /// for", "Used for" at the start of a sentence, an imperative followed by "when …", and common phrases in Chinese,
    /// Japanese and Korean, such as "当…时使用", "場合に使用" and "때 사용".
    ///
    /// A skill that only users invoke (`disable-model-invocation`) needs no such phrase. A field `when_to_use` does not
    /// replace the phrase, because only some clients read that field.
    ///
    /// ## Example
    /// ```yaml
    /// description: Formats SQL.
    /// ```
    /// Write instead:
    /// ```yaml
    /// description: Formats SQL. Use when a query is hard to read or a review asks for one style.
    /// ```
    pub(crate) struct DescriptionTriggers {
        code: "SKL108",
        name: "description-triggers",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for DescriptionTriggers {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some((text, at)) = text_of(doc, "description").filter(|(text, _)| !text.is_empty())
        else {
            return;
        };
        let fields = doc.frontmatter.fields();
        let has = |key: &str| {
            let value = fields
                .and_then(|fields| fields.get(key))
                .map(|field| &field.value);
            value.is_some_and(|value| match value {
                Value::Text(text) => !text.trim().is_empty() && text.trim() != "false",
                Value::List(items) => !items.is_empty(),
                _ => false,
            })
        };
        if !out.is_by_the_letter() && has(HIDDEN) {
            return;
        }
        let name = text_of(doc, "name")
            .map_or("", |(name, _)| name)
            .to_lowercase();
        if names_occasions(text, &name) {
            return;
        }
        let example = example(text);
        let found = out.at(
            at,
            format!("description has no trigger phrase; add one such as '{example}'"),
        );
        if let Some(field) = FIELDS.iter().find(|key| has(key)) {
            found.help(format!(
                "only some clients read '{field}': repeat it in the description"
            ));
        } else if let Some(late) = doc.headings.iter().find(|heading| is_late(heading, doc)) {
            let section = shown(&late.text);
            found.help(format!(
                "the section '{section}' is only read after an agent has chosen the skill"
            ));
        }
    }
}

/// Returns whether the section below a heading seems to describe when to use the skill.
fn is_late(heading: &Heading, doc: &Document) -> bool {
    let title = heading.text.to_lowercase();
    let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
    // Check the section's text, because most usage sections are about options.
    let is_on_usage = title.starts_with("usage") && {
        let section = doc.section_text(heading).lines();
        let mut words = section.take(MAX_LINES).flat_map(str::split_whitespace);
        words.any(|word| matches!(word, "when" | "When" | "whenever" | "Whenever"))
    };
    is_on_usage
        || title.starts_with("trigger")
        || title.contains("when to")
        || names_occasions(title, "")
}

/// Returns whether `text` says when to use a skill. `name`: the skill's name in lower case.
fn names_occasions(text: &str, name: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ").to_lowercase();
    let begins = |sentence: &str| {
        let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        AT_START.split('|').any(|start| sentence.starts_with(start))
    };
    if ENGLISH.iter().any(|phrase| text.contains(phrase))
        || calls_in_more_words(&text, name)
        || text.split(['.', ';', '—', '!']).any(begins)
        || text.split(". ").any(is_told_when)
    {
        return true;
    }
    if text.is_ascii() {
        return false;
    }
    for word in NOT_OCCASIONS.split('|') {
        text = text.replace(word, "。");
    }
    [CHINESE, JAPANESE, KOREAN]
        .iter()
        .flat_map(|phrases| phrases.split('|'))
        .any(|phrase| has_phrase(&text, phrase))
}

/// Returns whether a sentence in lower case is an imperative with a condition: "add a cache when queries are slow".
fn is_told_when(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_told = words
        .find(|word| !word.is_empty())
        .is_some_and(|first| TOLD.split('|').any(|told| told == first));
    let first = sentence.split([';', '—']).next().unwrap_or_default();
    is_told && (first.contains(" when ") || first.contains(" whenever "))
}

/// Returns whether `text`, which is in lower case, contains an English phrase that C-REGISTRY does not list.
fn calls_in_more_words(text: &str, name: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*' | '_' | '(' | ')' | '.' | ',')
        })
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).any(|at| calls(&words[at..], name) || begins_bare(&words[at..]))
}

/// Returns whether the words start with a verb, followed by a word that introduces a condition: "use when", "use this
/// skill when".
fn calls(words: &[&str], name: &str) -> bool {
    let is = |word: &str, list: &str| list.split('|').any(|known| known == word);
    if !is(words[0], CALLS) {
        return false;
    }
    let between = words[1..].iter().take(MAX_BETWEEN);
    let between = between
        .take_while(|word| is(word, BETWEEN) || **word == name)
        .count();
    words.get(1 + between).is_some_and(|word| {
        is(word, OCCASIONS)
            || is(words[0], CALLS_FOR) && is(word, FOR)
            || is(words[0], CALLS_ON) && is(word, ON)
    })
}

fn begins_bare(words: &[&str]) -> bool {
    // "When building a dashboard" is a trigger, but "when nothing is there" is not.
    let is_doing = |word: &str| word.len() > 5 && word.ends_with("ing") && !word.ends_with("thing");
    if words[0] == "when" && words.get(1).is_some_and(|word| is_doing(word)) {
        return true;
    }
    BARE.split('|').any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.starts_with(&phrase)
    })
}

/// Returns whether `text` contains a phrase. A `…` in the phrase matches at most [`MAX_GAP`] characters of one
/// sentence.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let Some((first, second)) = phrase.split_once('…') else {
        return text.contains(phrase);
    };
    text.match_indices(first).any(|(at, _)| {
        let after = &text[at + first.len()..];
        let near = after.char_indices().nth(MAX_GAP);
        let near = &after[..near.map_or(after.len(), |(at, _)| at)];
        let end = near.find(['。', '！', '？', '.']).unwrap_or(near.len());
        (0..=end).any(|at| near.is_char_boundary(at) && after[at..].starts_with(second))
    })
}

/// Returns a phrase to suggest, in the language of `text`. The language is guessed from the script of the text.
fn example(text: &str) -> &'static str {
    let has = |from, to| text.chars().any(|c| (from..=to).contains(&c));
    if has('\u{ac00}', '\u{d7a3}') {
        "…할 때 사용"
    } else if has('\u{3041}', '\u{30ff}') {
        "…する場合に使用"
    } else if has('\u{4e00}', '\u{9fff}') {
        "当…时使用"
    } else {
        "Use when …"
    }
}
