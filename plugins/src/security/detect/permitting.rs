//! Reports settings and aliases that let an agent act without asking in all later sessions.
//!
//! A skill is allowed to explain such settings, and to start an agent without prompts in a container. It is reported if
//! it makes the settings permanent without asking the user.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::Of;
use super::remembering::CONSENT;
use super::sending::has_any;
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::Examined;
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The maximum number of lines in a layer for which the text after the line, such as a code block, is examined.
const MOST: usize = 300;

/// The number of bytes before a line that are searched for words about consent, containers and risks.
const BEFORE: usize = 400;

/// The number of bytes after the name of a policy that are searched for its rules.
const RULES: usize = 800;

/// How much of a script is first searched for settings that it writes, in bytes. The rest of a long script does not
/// excuse what this part does.
const SCRIPT: usize = 40_000;

/// Substrings of lines that name settings, define an alias or change settings, in lower case. Other lines are skipped.
static NAMES: AnyOf = AnyOf::new(&[
    "settings",
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".qwen",
    ".kiro",
    "opencode",
    ".aider",
    ".copilot",
    ".continue",
    ".config",
    "claude_desktop_config",
    ".vscode",
    ".zed",
    "alias",
    " config",
]);

/// Substrings of settings that let an agent act without asking, in lower case. Text without any of them is skipped.
static SIGNS: AnyOf = AnyOf::new(&[
    "bypass",
    "approval",
    "full-access",
    "sandbox",
    "mcpservers",
    "allow",
    "auto",
    "yolo",
    "trust",
    "verifysignature",
    "dangerous",
    "yes-always",
    "yes_always",
    "goose_mode",
    "permission",
    "additionaldirectories",
]);

/// Substrings of the names of policies, in lower case.
static POLICIES: AnyOf = AnyOf::new(&["policy.", "policies.", "guardrail", "permission"]);

/// Settings that let an agent act without asking: one expression for each kind of setting. All expressions in this file
/// match text in lower case.
const OPENINGS: [&str; 14] = [
    r"bypasspermissions\b|\bbypass-permissions",
    r"approval[-_]?policy[\x22']?\s*[:=]\s*[\x22']?never|ask-for-approval[= ]+never",
    r"danger-full-access",
    r"sandbox[\w.]*[\x22']?\s*[:=]\s*(?:\{\s*[\x22']?enabled[\x22']?\s*[:=]\s*)?[\x22']?(?:false|off|none|disabled)\b",
    r"enableallprojectmcpservers[\x22']?\]?\s*[:=]\s*true",
    r"\ballow\w*[\x22']?\]?\s*[:=]\s*\[[^\]]{0,300}?[\x22'](?:\*|bash|bash\((?:\*|:\*|\*:\*)\)|mcp__\*|(?:write|edit)\((?://?\*\*|\*\*?)\))[\x22']",
    r"auto[-_.]?(?:approve|accept|run|confirm|execut)\w*[\x22']?\]?\s*[:=]\s*[\x22']?(?:true\b|\[?\s*[\x22']?\*|all\b|always|yes\b|1\b)",
    r"yolo[\w-]*[\x22']?\]?\s*[:=]\s*[\x22']?(?:true|1\b|on\b)|approvalmode[\x22']?\s*[:=]\s*[\x22']yolo",
    r"workspace\.trust\.enabled[\x22']?\]?\s*[:=]\s*false|verifysignature[\x22']?\]?\s*[:=]\s*false|foldertrust[^\n]{0,40}\bfalse",
    r"hastrustdialogaccepted[\x22']?\]?\s*[:=]\s*true|skipdangerousmodepermissionprompt|bypasspermissionsmodeaccepted",
    r"[\x22']trust[\x22']\]?\s*[:=]\s*true|alwaysallow[\x22']?\]?\s*[:=]\s*\[\s*[\x22']\*|alwaysallow(?:execute|write|mcp|browser)\w*[\x22']?\]?\s*[:=]\s*true|trusted_?(?:commands|tools)[\x22']?\]?\s*[:=]\s*\[\s*[\x22']\*",
    r"dangerously[-_]?(?:allow|skip|bypass|disable)[-_]?\w+",
    r"yes[-_]always[\x22']?\s*[:=]\s*(?:true|yes)|goose_mode[\x22']?\s*[:=]\s*[\x22']?auto\b|[\x22'](?:permission|bash|edit|webfetch)[\x22']\s*:\s*[\x22']allow[\x22']",
    r"additionaldirectories[\x22']?\]?\s*[:=]\s*\[\s*[\x22'](?:/|~)[\x22'/]",
];

static OPENED: LazyLock<Vec<Expression>> = LazyLock::new(|| {
    let all = OPENINGS
        .iter()
        .map(|pattern| Expression::new(&ascii_words(pattern)));
    all.map(|expression| expression.expect("a pattern"))
        .collect()
});

/// Paths of agent settings that apply to all projects of the user.
static HOMES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?:~|\$\{?home\}?|%userprofile%|\$env:userprofile|home\(\)|homedir\(\)|expanduser|/home/|/users/)[^\n]{0,60}?\.(?:claude|codex|gemini|cursor|qwen|kiro|copilot|aider|continue|config[/\\](?:opencode|goose|amp|zed|crush))\b",
        r"|(?:code|cursor|windsurf|vscodium)[/\\]user[/\\]settings\.json|claude_desktop_config",
        r"|managed-settings\.json",
    )))
    .expect("a pattern")
});

/// Paths of the settings of an agent or an editor.
static SETTINGS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\.(?:claude|vscode|gemini|qwen|cursor|zed|kiro)[/\\][\w./\\-]{0,40}\.(?:json|toml|yaml)\b",
        r"|\.codex[/\\]config\.toml|\bopencode\.jsonc?\b|\bsettings(?:\.local)?\.json\b",
    )))
    .expect("a pattern")
});

/// Words and commands that change a file.
static PUT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:merg|writ|append|add|insert|cop(?:y|ies)|cp\b|put\b|place|replac|install|updat|overwrit|paste|sav(?:e|ing)|apply|jq\b|tee\b|mv\b|ln\b|patch|set\b|switch|configure)",
        r"|>|写入|合并|复制|添加|设置|改为|マージ|書き込|追記|コピー|設定|추가|복사|설정|병합|запиш|добав|скопир|объедин|\bañad|copia|fusion",
        r"|escrib|schreib|\b(?:hinzu|ein|an)?füg|kopier|ajout|copi|fusionn|écri|adicion|mescl|grav",
    )))
    .expect("a pattern")
});

/// Words for isolated environments, in which an agent can do no harm.
static BOX: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:dev)?containers?\b|\bdocker|\bcodespaces?\b|\bvms?\b|virtual machine|throw-?away|disposable",
        r"|ephemeral|\bisolated\b|コンテナ|容器|컨테이너|контейнер|contenedor|conteneur|contêiner",
    )))
    .expect("a pattern")
});

/// Words that warn the reader about a setting.
static CAUTION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"at your own risk|not recommended|\bcaution\b|\bwarn(?:ing|s)?\b|⚠|\bdangerous\b|\brisk|\bcareful",
        r"|\bonly (?:use|in|for|when|if)\b|注意|警告|危险|危険|주의|위험|осторожн|peligros|vorsicht|attention",
    )))
    .expect("a pattern")
});

/// A line that begins by forbidding something. Matches text in lower case.
static FORBIDDEN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)^[ \t>*+#\d.)-]*(?:\*\*)?(?:(?:never|do not|don't|must not|avoid|nunca|no|jamais|ne|nie|niemals)\b",
        r"|não |не |никогда |нельзя |不要|切勿|禁止|绝不|请勿)",
    ))
    .expect("a pattern")
});

/// An instruction to remove the rules that forbid commands. The word `deny` otherwise suggests that a line mentions
/// dangers.
static UNDENIED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:remov|delet|clear|empt|drop|strip|wip|eras|purg|reset)\w*\s[^.\n]{0,40}\bdeny\b",
        r"|\bdeny\b[^.\n]{0,30}\b(?:removed|deleted|cleared|emptied|dropped|empty)\b",
        r"|(?:删除|清空|移除|去掉|删掉)[^。\n]{0,24}\bdeny\b|\bdeny\b[^。\n]{0,16}(?:删除|清空|移除|去掉|删掉|削除|空に|消す|消去)",
        r"|\bdeny\b[^.\n]{0,16}(?:삭제|비우|제거|지우)|(?:удали|очисти|убери|сотри)\S*\s[^.\n]{0,40}\bdeny\b",
        r"|\b(?:elimin|borr|vac[ií]|quit|suprim)\w*\s[^.\n]{0,40}\bdeny\b",
        r"|\b(?:entfern|lösch|leer)\w*\s[^.\n]{0,40}\bdeny\b|\b(?:supprim|vid|effac)\w*\s[^.\n]{0,40}\bdeny\b",
    )))
    .expect("a pattern")
});

/// A shell alias or function that starts an agent without prompts.
static ALIAS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:\balias\s+(?:-s\s+)?[\w.-]+\s*[= ]|\bfunction\s+[\w-]+|\b(?:claude|codex|gemini|copilot)\s*\(\)\s*\{|set-alias)[^\n]{0,100}?(?:--dangerously[\w-]+|--yolo\b|--allow-all-tools|--trust-all-tools|--full-auto|--yes-always|--approval-mode[= ]yolo|--permission-mode[= ]bypass\w+|danger-full-access)",
    ))
    .expect("a pattern")
});

/// A start-up file of a shell.
static RC: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\.(?:bash|zsh)rc\b|\.(?:bash_|z)?profile\b|\.zshenv\b|config\.fish|\$profile\b|bash_aliases",
    ))
    .expect("a pattern")
});

/// A command that changes the settings of an agent.
static CONFIG: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\b(?:claude|codex|gemini|opencode|goose|cursor-agent|copilot|kiro-cli|q)\s+config(?:ure)?\s+(?:set|add)\s[^\n]{0,100}",
    ))
    .expect("a pattern")
});

/// A command or call that writes the policy for the tools of an agent.
static POLICY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\bwrite\w*\(|\bopen\(|\bcat >|>|\btee |\b(?:cp|mv) |\b(?:write|replace|overwrite|save|create|update)\b)[^\n]{0,80}?\b(?:tool[-_]?)?(?:polic(?:y|ies)|guardrails?|tool[-_]?permissions?)\.(?:json|ya?ml|toml)\b",
    ))
    .expect("a pattern")
});

/// The quoted name of a tool that acts for an agent.
static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"[\x22'](?:execute_command|run_command|run_shell|run_terminal_cmd|shell|bash|file_write|write_file|file_delete|delete_file|edit_file|file_read|read_file|network_request|http_request|web_fetch|fetch_url|browser)[\x22']",
    ))
    .expect("a pattern")
});

/// A rule of a policy that allows everything.
static UNLIMITED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\{\s*\}|[\x22']\*[\x22']|\ballow[-_]?all\b|[\x22']allow[\x22']",
    ))
    .expect("a pattern")
});

/// Words for giving up the rules that deny actions, or for enforcing them no longer.
static LOOSENED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:replac|remov|disabl|delet|drop|turn(?:s|ing)? off|bypass|switch(?:es|ing)? off)\w*\b[^.\n]{0,60}\b(?:deny[- ]by[- ]default|default[- ]deny|deny rules?|enforcement|strict mode)\b",
        r"|\b[a-z]\w{0,40}_(?:strict|enforc\w{1,8}|sandbox|guard\w{0,6}|safe)_?mode[\x22']?\s*[=:]\s*[\x22']?(?:false|off|0|permissive|disabled)\b",
    )))
    .expect("a pattern")
});

/// Substrings of code that writes a file, in lower case.
const WRITES: [&str; 9] = [
    "write",
    "dump(",
    "append",
    ">>",
    "> ",
    "tee ",
    "mv ",
    "set-content",
    "out-file",
];

/// Substrings of code that asks the user, in lower case.
const ASKS: [&str; 6] = [
    "input(",
    "read -p",
    "read -r -p",
    "readline",
    "prompt(",
    "read-host",
];

impl Of<'_, '_> {
    /// SEC108: reports settings and aliases that permanently let an agent act without asking.
    pub(super) fn permitted(&mut self) {
        let layer = self.layer;
        let lower = layer.lower();
        if layer.is_sample {
            return;
        }
        self.policy_opened();
        if self.view.is_security {
            return;
        }
        if layer.is_script && layer.layer.is_file() {
            if SIGNS.is_in(lower) {
                self.opened_by_program();
            }
            return;
        }
        if !NAMES.is_in(lower) {
            return;
        }
        let mut left = MOST;
        let mut start = 0;
        for line in lower.split_inclusive('\n') {
            let at = start;
            start += line.len();
            if self.stop.is_raised() {
                return;
            }
            if NAMES.is_in(line)
                && let Some(span) = self.opening_line(line, at, &mut left)
            {
                self.push_opened(span);
            }
        }
    }

    /// Reports a policy that allows the agent's tools everything, if the text also gives up the rules that deny
    /// actions. Skills about security are not exempt: such an attack poses as hardening.
    fn policy_opened(&mut self) {
        let lower = self.layer.lower();
        if !POLICIES.is_in(lower) {
            return;
        }
        let written = POLICY.find_iter(lower).most(MOST, &self.layer.left_out);
        let mut found = written.filter(|file| {
            let rules = &lower[file.end()..char_floor(lower, file.end() + RULES)];
            let tools = TOOL.find_iter(rules).map(|tool| tool.as_str());
            tools.collect::<BTreeSet<_>>().len() > 1 && UNLIMITED.is_match(rules.as_bytes())
        });
        let Some(file) = found.next() else {
            return;
        };
        let hit = Match {
            signal: Signal::SafetyOff,
            span: Span::new(file.start(), file.end()),
        };
        let start = char_floor(lower, hit.span.start.saturating_sub(BEFORE));
        let before = &lower.as_bytes()[start..hit.span.start];
        let is_excused =
            CONSENT.is_match(before) || BOX.is_match(before) || self.is_forbidden(&hit);
        if LOOSENED.is_match(lower.as_bytes()) && !is_excused && self.is_order(&hit) {
            let is_error = !self.is_exhibit(hit.span);
            let what = "replaces the policy for the agent's tools by one that allows everything";
            self.push("SEC108", hit.span, is_error, what);
        }
    }

    /// Returns the span of the part of a line that permanently lets an agent act without asking. `at`: the offset of
    /// the line. `left`: the number of further lines for which the text after the line may be examined.
    fn opening_line(&self, line: &str, at: usize, left: &mut usize) -> Option<Span> {
        let bytes = line.as_bytes();
        let place = |found: regex_automata::Span| Span::new(at + found.start, at + found.end);
        let is_open = |text: &str| OPENED.iter().any(|kind| kind.is_match(text.as_bytes()));
        if RC.is_match(bytes)
            && PUT.is_match(bytes)
            && let Some(alias) = ALIAS.find_at(bytes, 0)
        {
            return Some(place(alias));
        }
        if let Some(set) = CONFIG.find_at(bytes, 0)
            && is_open(&line.replacen(' ', "=", 8))
        {
            return Some(place(set));
        }
        let home = HOMES.find_at(bytes, 0);
        let is_home = home.is_some();
        let file = home.or_else(|| SETTINGS.find_at(bytes, 0))?;
        if !PUT.is_match(bytes) {
            return None;
        }
        if *left == 0 {
            self.layer.left_out.note();
            return None;
        }
        *left -= 1;
        let hit = Match {
            signal: Signal::SafetyOff,
            span: place(file),
        };
        let line = line_around(self.layer.lower(), hit.span.start);
        let own = &self.layer.lower()[line.clone()];
        let kept = self.kept_lines(&hit, line.end).join("\n");
        let mut texts = self.named_texts(own);
        texts.extend([kept, own.to_owned()]);
        let kinds = texts.iter().map(|text| openings(text));
        let needed = if is_home { 1 } else { 2 };
        (kinds.max().unwrap_or_default() >= needed).then_some(hit.span)
    }

    /// Reports a setting that lets the agent act without asking, unless the text near it asks the user, or runs the
    /// agent in a container.
    fn push_opened(&mut self, span: Span) {
        let lower = self.layer.lower();
        let line = line_around(lower, span.start);
        let start = char_floor(lower, line.start.saturating_sub(BEFORE));
        let near = &lower.as_bytes()[start..line.end];
        let hit = Match {
            signal: Signal::SafetyOff,
            span,
        };
        let own = &lower[line];
        let is_undenied = || {
            own.contains("deny")
                && UNDENIED.is_match(own.as_bytes())
                && !FORBIDDEN.is_match(own.as_bytes())
        };
        if CONSENT.is_match(near)
            || BOX.is_match(near)
            || self.is_forbidden(&hit)
            || !self.is_order(&hit) && !is_undenied()
        {
            return;
        }
        let is_told = CAUTION.is_match(near) || self.view.purposes.names("permission");
        let is_error = !is_told && !self.is_exhibit(span);
        self.push("SEC108", span, is_error, WHAT);
    }

    /// Reports a script that writes agent settings or aliases that let the agent act without asking.
    fn opened_by_program(&mut self) {
        let lower = self.layer.lower();
        let start = &lower[..char_floor(lower, SCRIPT.min(lower.len()))];
        let rest = (start.len() < lower.len()).then_some(lower);
        let mut codes = std::iter::once(start).chain(rest);
        let Some((span, code)) = codes.find_map(|code| Some((opened(code)?, code))) else {
            return;
        };
        let hit = Match {
            signal: Signal::SafetyOff,
            span,
        };
        if self.is_order(&hit) {
            self.push("SEC108", hit.span, !has_any(code, &ASKS), WHAT);
        }
    }
}

/// The message of all findings in this file.
const WHAT: &str = "lets the agent act without asking the user from then on";

/// Returns the span of the settings or of the alias with which a script lets the agent act without asking. `code`: in
/// lower case.
fn opened(code: &str) -> Option<Span> {
    let bytes = code.as_bytes();
    if !has_any(code, &WRITES) || BOX.is_match(bytes) {
        return None;
    }
    let alias = ALIAS.find_at(bytes, 0).filter(|_| RC.is_match(bytes));
    let home = HOMES.find_at(bytes, 0);
    let needed = if home.is_some() { 1 } else { 2 };
    let file = || {
        let file = home.or_else(|| SETTINGS.find_at(bytes, 0));
        file.filter(|_| openings(code) >= needed)
    };
    let found = alias.or_else(file)?;
    Some(Span::new(found.start, found.end))
}

/// Returns the number of kinds of settings in `text` that let an agent act without asking. `text`: in lower case.
fn openings(text: &str) -> usize {
    if !SIGNS.is_in(text) {
        return 0;
    }
    let text = text.replace("\\\"", "\"");
    let kinds = OPENED.iter().filter(|kind| kind.is_match(text.as_bytes()));
    kinds.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [
            &HOMES, &SETTINGS, &PUT, &BOX, &CAUTION, &UNDENIED, &ALIAS, &RC, &CONFIG,
        ] {
            LazyLock::force(expression);
        }
        for pattern in [&POLICY, &TOOL] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [&UNLIMITED, &LOOSENED] {
            LazyLock::force(expression);
        }
        assert_eq!(OPENED.len(), OPENINGS.len());
    }

    #[test]
    fn a_removed_rule_is_told_from_a_kept_one() {
        for (text, expected) in [
            ("remove anything under \"deny\"", true),
            ("the list `deny` must be empty", true),
            ("清空 `deny` 列表", true),
            ("`deny` の項目を削除する", true),
            ("`deny` 목록을 비우고", true),
            ("удали всё из `deny`", true),
            ("elimina las reglas de `deny`", true),
            ("keep the rules under \"deny\"", false),
            ("remove old entries. the hook may deny a call", false),
            ("add `bash(rm:*)` to `deny`", false),
        ] {
            assert_eq!(UNDENIED.is_match(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn each_kind_of_opening_is_counted_once() {
        for (text, expected) in [
            ("\"defaultmode\": \"bypasspermissions\"", 1),
            (
                "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"",
                2,
            ),
            ("\"sandbox\": { \"enabled\": false }", 1),
            ("cfg['enableallprojectmcpservers'] = true", 1),
            ("\"allow\": [\"bash(npm test:*)\", \"mcp__*\"]", 1),
            ("\"allow\": [\"*\"], \"deny\": []", 1),
            ("\"chat.tools.autoapprove\": true", 1),
            ("\"trust\": true, \"alwaysallow\": [\"*\"]", 1),
            ("\"permission\": \"allow\"", 1),
            ("\"additionaldirectories\": [\"/\"]", 1),
            ("{\\\"trust\\\": true}", 1),
            ("\"allow\": [\"bash(npm test:*)\"], \"deny\": [\"*\"]", 0),
            ("\"sandbox\": { \"enabled\": true }", 0),
            ("approval_policy = \"on-request\"", 0),
            ("\"editor.autosave\": true", 0),
            ("\"additionaldirectories\": [\"../docs\"]", 0),
        ] {
            assert_eq!(openings(text), expected, "{text}");
        }
    }
}
