//! Determines, from the text around a mention of a file, whether the file must exist, is an example, or is yet to be
//! created.

use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Span};

use crate::prose::span_at;

/// The maximum number of headings that are examined to find the sections around a mention.
const MAX_HEADINGS_BACK: usize = 1_000;

/// The maximum number of lines above a mention that are searched for the lead-in of a list, a table or a code block.
const MAX_LINES_BACK: usize = 40;

/// The maximum number of bytes above the line of a mention that are read.
const MAX_LEAD_BYTES: usize = 8_000;

/// The maximum number of bytes of the line that are read before and after a mention.
const MAX_LINE_BYTES: usize = 2_000;

/// Words that mark a mention as an example if they are in the same clause, in the lead-in, or in a heading above the
/// mention.
const EXAMPLES: &str = "for example|e.g|eg|for instance|suppose|imagine|hypothetical|such as|illustration|\
    illustrates|naming|convention|conventions|anatomy|structure|layout|skeleton|would|bad|wrong|avoid|instead of|\
    anti-pattern|anti-patterns|antipattern|例|例えば|例如|比如|示例|结构|예|예시|beispiel|ejemplo|exemple";

/// Words that mark a mention as an example if they are at the start of the clause or of the lead-in, or anywhere in a
/// heading.
const EXAMPLE: &str = "example|examples|sample|samples|例|예시";

/// Words that mark a file as missing, yet to be created, or located elsewhere, if they are in the same clause or in the
/// lead-in.
const MAKING: &str = "create|creates|created|creating|write|writes|writing|save|saves|saved|saving|generate|generates|generated|\
    outputs|produce|produces|add|adds|adding|put|move|extract|split|export|exports|store|stored|new|copy|rename|renamed|\
    delete|deleted|remove|removed|no|not|never|without|formerly|deprecated|missing|your|project|project's|repo|repo's|\
    repository|optional|创建|生成|写入|保存|新建|作成|生成し|保存し|만들|생성|저장";

/// Verbs that mark all files mentioned later in the sentence as yet to be created.
const WRITING: &str = "writes|generates|creates|emits|outputs|saves|produces";

/// Words that mark a heading, lead-in or line as being about installing a skill.
const INSTALLING: &str = "install|installs|installed|installing|installation|clone|copy|copied|symlink|symlinked|link|ln|cp|mkdir|mv|located|\
    lives|deploy|deployed|unzip|安装|复制|克隆";

/// Text directly before the path of a file that a command writes: an operator, an option or a command.
const WRITTEN_TO: [&str; 9] = [
    ">", "-o", "--output", "--out", "touch", "tee", "tee -a", "mkdir -p", "-O",
];

/// Words that follow a path and say that the file need not exist.
const MAY_BE_ABSENT: &str = "optional|if present|is present|are present|if it exists|if exists|to exist|if available|if any|if needed|does not exist|doesn't exist|is missing|are missing|\
    not included|not bundled|not shipped|not yet|to be|would|could|will be|create if|if missing|may not|might not|in your|in the project|\
    in the repo|in the target|from the project|in the user|of the project|可选|如果存在|（可选|任意";

/// The text around a mention.
pub(crate) struct Around<'a> {
    doc: &'a Document,
    /// The line of the mention.
    line: Span,
    mention: Span,
}

/// The form of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// Run by `python`, in a code span or a command block.
    Python,
    /// Run by another interpreter or a runner such as `uv run`.
    Run,
    /// Run directly, as a program.
    Called,
    /// A whole code span.
    Named,
    /// A line of a block with one path per line.
    Listed,
    /// Part of a sentence that says to read the file.
    Read,
    /// Any other form.
    Otherwise,
}

impl<'a> Around<'a> {
    pub(crate) fn new(doc: &'a Document, mention: Span) -> Self {
        let text = &doc.text;
        // A line can be as long as the file, and every word in the line can be a mention.
        let far = char_floor(text, mention.start.saturating_sub(MAX_LINE_BYTES));
        let near = char_floor(text, mention.end + MAX_LINE_BYTES);
        let start = text[far..mention.start]
            .rfind('\n')
            .map_or(far, |at| far + at + 1);
        let end = text[mention.end..near].find('\n');
        let end = end.map_or(near, |at| mention.end + at);
        let line = Span::new(start.max(doc.body_start.min(mention.start)), end);
        Self { doc, line, mention }
    }

    fn before(&self) -> &'a str {
        &self.doc.text[self.line.start..self.mention.start]
    }

    fn behind(&self) -> &'a str {
        &self.doc.text[self.mention.end..self.line.end]
    }

    /// Returns the form of the mention.
    pub(crate) fn written(&self) -> Written {
        let doc = self.doc;
        let at = self.mention.start;
        if let Some(block) = doc.code_block_at(at) {
            let info = block.info.as_deref().unwrap_or_default();
            let language = info.split_whitespace().next().unwrap_or_default();
            if !is_shell(language) {
                return Written::Otherwise;
            }
            if is_list_of_paths(doc, &block.content) {
                return Written::Listed;
            }
            return command(self.before()).unwrap_or(Written::Otherwise);
        }
        if let Some(span) = doc.code_span_at(at) {
            let inner = doc.text[span.start..span.end].trim_matches('`').trim();
            let mention = &doc.text[self.mention.start..self.mention.end];
            if inner == mention || inner.strip_prefix("./") == Some(mention) {
                return Written::Named;
            }
            let far = char_floor(&doc.text, at.saturating_sub(MAX_LINE_BYTES));
            let before = doc.text[span.start.max(far)..at].trim_start_matches('`');
            let run = command(before).filter(|written| *written != Written::Called);
            return run.unwrap_or(Written::Otherwise);
        }
        let is_in = |list: &[Span]| span_at(list, at).is_some();
        if is_in(&doc.html_blocks) || is_in(&doc.hidden) {
            return Written::Otherwise;
        }
        if reads(self.before()) {
            Written::Read
        } else {
            Written::Otherwise
        }
    }

    /// Returns whether the text mentions the file as an example, or as a file of another skill.
    pub(crate) fn is_example(&self) -> bool {
        let clause = clause(self.before()).to_lowercase();
        let lead = self.lead_in().to_lowercase();
        let sentence = sentence(self.before()).to_lowercase();
        let mut headings = self.headings();
        let is_example = |heading: &str| {
            let heading = heading[..char_floor(heading, MAX_LINE_BYTES)].to_lowercase();
            has_word(&heading, EXAMPLES) || has_word(&heading, EXAMPLE)
        };
        headings.any(is_example)
            || [&clause, &lead].into_iter().any(|text| {
                let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
                has_word(text, EXAMPLES) || EXAMPLE.split('|').any(|word| start.starts_with(word))
            })
            || [&sentence, &lead]
                .into_iter()
                .any(|text| is_of_another_skill(text, self.doc))
    }

    /// Returns whether the text says to create the file, or that the file need not exist.
    pub(crate) fn is_made(&self) -> bool {
        if has_word(&first_clause(self.behind()).to_lowercase(), MAY_BE_ABSENT) {
            return true;
        }
        let before = self.before().trim_end().trim_end_matches(['"', '\'', '`']);
        if WRITTEN_TO.iter().any(|end| before.ends_with(end)) {
            return true;
        }
        match self.written() {
            Written::Python | Written::Run | Written::Called | Written::Listed | Written::Read => {
                false
            }
            Written::Named | Written::Otherwise => {
                let lead = self.lead_in().to_lowercase();
                let clause = clause(self.before());
                let sentence = sentence(self.before()).to_lowercase();
                has_word(&sentence, WRITING)
                    || !reads(clause) && has_word(&clause.to_lowercase(), MAKING)
                    || has_word(&lead, MAKING)
            }
        }
    }

    /// Returns the headings of the surrounding sections.
    fn headings(&self) -> impl Iterator<Item = &'a str> {
        let at = self.mention.start;
        let headings = &self.doc.headings;
        let before = headings.partition_point(|heading| heading.span.start <= at);
        let mut level = u8::MAX;
        headings[before.saturating_sub(MAX_HEADINGS_BACK)..before]
            .iter()
            .rev()
            .filter_map(move |heading| {
                let is_above = heading.level < level;
                level = level.min(heading.level);
                // Ignore the title, which is the skill's name.
                (is_above && heading.level > 1).then_some(&*heading.text)
            })
    }

    /// Returns the lead-in of the surrounding list, table or block: the nearest line above that ends with a colon, with
    /// only items, rows and code in between.
    fn lead_in(&self) -> &'a str {
        let text = &self.doc.text;
        let far = char_floor(text, self.line.start.saturating_sub(MAX_LEAD_BYTES));
        let text = &text[far.max(self.doc.body_start).min(self.line.start)..self.line.start];
        let is_item = |line: &str| {
            let line = line.trim_start();
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            line.starts_with(['-', '*', '+', '|', '>', '`', '~', '#', '$', '├', '│', '└'])
                || rest.len() < line.len() && rest.starts_with(['.', ')'])
        };
        let is_in_code = self.doc.is_in_code_block(self.mention.start);
        let this = &self.doc.text[self.line.start..self.line.end];
        if !is_item(this) && !is_in_code {
            return "";
        }
        let lines = text.lines().rev().take(MAX_LINES_BACK);
        let mut offset = self.line.start;
        for line in lines {
            offset = offset.saturating_sub(line.len() + 1);
            let bare = line.trim_end();
            if bare.trim().is_empty() || self.doc.is_in_code_block(offset) {
                continue;
            }
            if bare.ends_with([':', '：']) || bare.ends_with(":**") {
                return bare;
            }
            if is_in_code || !is_item(bare) && !bare.starts_with([' ', '\t']) {
                // A sentence before a code block introduces the block even if it ends with a full stop.
                return if is_in_code { bare } else { "" };
            }
        }
        ""
    }
}

/// Returns whether the text around a mention is about installing the skill.
pub(crate) fn is_about_installing(around: &Around<'_>) -> bool {
    let line = &around.doc.text[around.line.start..around.line.end];
    let mut texts = around.headings().chain([line, around.lead_in()]);
    texts.any(|text| {
        let text = text[..char_floor(text, MAX_LINE_BYTES)].to_lowercase();
        has_word(&text, INSTALLING) || text.contains('❌')
    })
}

/// Returns whether `text` mentions another skill by name: `the **pdf** skill`.
fn is_of_another_skill(text: &str, doc: &Document) -> bool {
    const OWN: [&str; 14] = [
        "this", "the", "a", "an", "your", "our", "each", "every", "own", "agent", "current",
        "parent", "same", "",
    ];
    let name = doc
        .frontmatter
        .fields()
        .and_then(|fields| fields.text("name"));
    text.match_indices("skill").any(|(at, _)| {
        let rest = &text[at + "skill".len()..];
        if rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')) {
            return false;
        }
        let word = text[..at].trim_end();
        let word = word.rsplit(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !OWN.contains(&word) && Some(word) != name && !text[..at].ends_with(['_', '-', '/', '.'])
    })
}

/// Returns the clause at the end of `before`; the clause may continue after `before`.
fn clause(before: &str) -> &str {
    let ends = |c: char| matches!(c, ';' | ',' | '(' | '。' | '，' | '；' | '（' | '、' | '|');
    sentence(before.rsplit(ends).next().unwrap_or(before))
}

/// Returns the beginning of `behind`, up to the end of its first sentence, clause or table cell.
fn first_clause(behind: &str) -> &str {
    let ends = |at: usize| {
        let rest = &behind[at..];
        rest.starts_with(['|', '。', ';']) || rest.starts_with(". ")
    };
    let end = behind.char_indices().map(|(at, _)| at).find(|at| ends(*at));
    &behind[..end.unwrap_or(behind.len())]
}

/// Returns the sentence at the end of `text`; the sentence may continue after `text`.
fn sentence(text: &str) -> &str {
    let is_short = |at: &usize| text[..*at].ends_with("e.g") || text[..*at].ends_with("i.e");
    let mut stops = text.rmatch_indices(". ").map(|(at, _)| at);
    stops
        .find(|at| !is_short(at))
        .map_or(text, |at| &text[at + 2..])
}

/// Returns how a command runs a file; `None` if the command does not run the file. `before`: the line up to the file.
fn command(before: &str) -> Option<Written> {
    let before = before.trim_start_matches(['$', '>', '%', ' ', '\t']);
    let before = before.strip_suffix("./").unwrap_or(before);
    if before.trim_start().starts_with('#') {
        return None;
    }
    let last = before.rsplit(['&', '|', ';', '(']).next().unwrap_or(before);
    let words: Vec<&str> = last
        .trim()
        .trim_end_matches(['"', '\''])
        .split_whitespace()
        .collect();
    let is_setting = |word: &&&str| word.contains('=') && !word.starts_with('-');
    let words: Vec<&str> = words.iter().skip_while(is_setting).copied().collect();
    match *words {
        [] => Some(Written::Called),
        ["python" | "python3" | "py", ref flags @ ..] if are_flags(flags) => Some(Written::Python),
        [
            "bash" | "sh" | "zsh" | "node" | "deno" | "bun" | "ruby" | "perl" | "pwsh"
            | "powershell" | "tsx" | "ts-node" | "source" | "php" | "rscript" | "Rscript" | "npx"
            | "uv" | "poetry" | "pipenv" | "pdm" | "hatch",
            ref rest @ ..,
        ] if are_flags(rest)
            || matches!(
                rest,
                ["run" | "tsx" | "ts-node"] | ["run", "python" | "python3"]
            ) =>
        {
            Some(Written::Run)
        }
        _ => None,
    }
}

fn are_flags(words: &[&str]) -> bool {
    words.iter().all(|word| word.starts_with('-'))
}

fn is_shell(language: &str) -> bool {
    matches!(
        language.to_ascii_lowercase().as_str(),
        "" | "sh"
            | "bash"
            | "shell"
            | "zsh"
            | "console"
            | "shell-session"
            | "terminal"
            | "powershell"
            | "ps1"
            | "pwsh"
    )
}

/// Returns whether a block consists of one path per line.
fn is_list_of_paths(doc: &Document, content: &[Span]) -> bool {
    let length: usize = content.iter().map(|span| span.end - span.start).sum();
    if length > MAX_LEAD_BYTES {
        return false;
    }
    let lines = content
        .iter()
        .flat_map(|span| doc.text[span.start..span.end].lines());
    let mut lines = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(MAX_LINES_BACK);
    let is_path =
        |line: &str| line.contains('/') && line.contains('.') && !line.contains([' ', '#', '$']);
    lines.clone().next().is_some() && lines.all(is_path)
}

/// Returns whether `before` ends with words, such as `see`, that tell the reader to read the file that follows.
fn reads(before: &str) -> bool {
    const VERBS: [&str; 12] = [
        "see",
        "read",
        "load",
        "consult",
        "follow",
        "refer to",
        "reference",
        "check",
        "open",
        "described in",
        "listed in",
        "details in",
    ];
    const OTHERS: [&str; 10] = [
        "参见",
        "查看",
        "参考",
        "阅读",
        "详见",
        "见",
        "参照",
        "を読む",
        "を参照",
        "참고",
    ];
    let before = before
        .trim_end()
        .trim_end_matches(['*', '_', '`', '(', ':', '：'])
        .trim_end();
    let lower = before.to_lowercase();
    let is_word = |verb: &str| {
        let rest = lower.strip_suffix(verb);
        rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    };
    VERBS.iter().any(|verb| is_word(verb)) || OTHERS.iter().any(|verb| before.ends_with(verb))
}

/// Returns whether `text` contains one of the words in `list`, which are separated by `|`. A word that is not ASCII
/// also matches inside a longer word, because some writing systems do not separate words.
pub(crate) fn has_word(text: &str, list: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-');
    list.split('|').any(|word| {
        let word = word.trim();
        text.match_indices(word).any(|(at, _)| {
            !word.is_ascii()
                || !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_of_a_command_is_run() {
        for (before, expected) in [
            ("python ", Some(Written::Python)),
            ("$ python3 -u ", Some(Written::Python)),
            ("cd x && python ", Some(Written::Python)),
            ("YEAR=2026 python ", Some(Written::Python)),
            ("bash ", Some(Written::Run)),
            ("uv run python ", Some(Written::Run)),
            ("npx tsx ", Some(Written::Run)),
            ("node \"", Some(Written::Run)),
            ("./", Some(Written::Called)),
            ("", Some(Written::Called)),
            ("cat ", None),
            ("python -m pytest ", None),
            ("# python ", None),
            ("git add ", None),
        ] {
            assert_eq!(command(before), expected, "{before:?}");
        }
    }

    #[test]
    fn a_sentence_can_say_to_read_the_mention() {
        for before in [
            "See ",
            "then read **",
            "(refer to ",
            "请参见",
            "Details in `",
        ] {
            assert!(reads(before), "{before:?}");
        }
        for before in ["thread ", "in ", "made of ", "readme "] {
            assert!(!reads(before), "{before:?}");
        }
    }

    #[test]
    fn a_clause_starts_after_the_end_of_the_previous_one() {
        for (before, expected) in [
            ("Do this. Create ", "Create "),
            ("a, b ", " b "),
            ("a file, e.g. ", " e.g. "),
            ("新建文件，写入", "写入"),
            ("no end", "no end"),
        ] {
            assert_eq!(clause(before), expected);
        }
    }

    #[test]
    fn whole_words_match_and_substrings_in_scripts_without_spaces() {
        assert!(has_word("to create it", "make|create"));
        assert!(has_word("请创建文件", "创建"));
        assert!(!has_word("recreate create_it", "create"));
    }
}
