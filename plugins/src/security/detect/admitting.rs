//! Reports instructions to build a login that a fixed value bypasses, if the instruction also keeps the value out of
//! documentation or tests; and programs that run the messages of one account that is fixed in the program.
//!
//! A bot may have commands for its owner. The owner is then a setting, because each user of the template is another
//! owner.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::backdoors::{KEPT, is_strong};
use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::context::Place;
use crate::security::examined::Examined;
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The number of bytes before and after a line that are searched for a sentence that hides what the line says.
const NEAR: usize = 240;

/// The number of bytes after the check of an account that are searched for code that runs a message.
const RUN: usize = 500;

/// Every match of [`CARRIED`] contains at least one of these strings, without accents.
static CARRIERS: AnyOf = AnyOf::new(&[
    "header",
    "query",
    "parameter",
    "cookie",
    "user-agent",
    "user agent",
    "password",
    "e-mail",
    "email",
    "token",
    "请求头",
    "参数",
    "密码",
    "口令",
    "令牌",
    "ヘッダ",
    "パラメータ",
    "クッキー",
    "パスワード",
    "トークン",
    "헤더",
    "파라미터",
    "쿠키",
    "비밀번호",
    "토큰",
    "заголов",
    "параметр",
    "парол",
    "токен",
    "cabecera",
    "parametro",
    "contrasena",
    "kopfzeile",
    "passwort",
    "en-tete",
    "parametre",
    "mot de passe",
    "cabecalho",
    "senha",
]);

/// The part of a request that carries the value. All expressions in this file match text in lower case.
static CARRIED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:headers?|query|parameters?|cookies?|user[- ]agents?|passwords?|e-?mails?|tokens?|kopfzeile|passwort|parameter)",
        r"|请求头|参数|密码|口令|令牌|ヘッダ|パラメータ|クッキー|パスワード|トークン|헤더|파라미터|쿠키|비밀번호|토큰|заголов|параметр|парол|токен|cabecera|parámetro|contraseña|en-tête|paramètre|mot de passe|cabeçalho|senha",
    )))
    .expect("a pattern")
});

/// Phrases that grant all rights, or that skip the real check.
static PASSES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:as|with|to)\s(?:an?\s|the\s|full\s)*(?:trusted|admin\w*|superuser|root|owner)\b|\brole\W{1,3}admin|\bis_?(?:superuser|admin|staff)\b|\ball (?:scopes|rights|permissions|roles)\b",
        r"|\b(?:skip|bypass|before|without|ahead of|instead of)\w*\s[^\n.]{0,30}?\b(?:check|verif|jwt|token|auth|login|validat|password)",
        r"|\bals (?:administrator|admin|vertrauenswürdig)|\b(?:vor|ohne) (?:der |die |jede )?(?:prüfung|authentifizierung|anmeldung|tokenprüfung)|\bcomo (?:administrador|admin|de confianza|confiável)|\b(?:sin|sem) (?:verificar|comprobar|validar|checar)|\bcomme (?:administrateur|admin|de confiance)|\bsans (?:vérifier|contrôler|valider)",
        r"|(?:как|с правами) (?:администратор|админ)|(?:без|до|минуя) проверк|管理员|放行|跳过[^\n。]{0,10}(?:校验|验证|检查|认证)|不(?:做|进行|经过)[^\n。]{0,10}(?:校验|验证)|管理者として|管理者権限|(?:検証|認証|確認)を?(?:せず|しない|スキップ|省略|行わ)|관리자(?:로| 권한)|(?:검증|인증)을? ?(?:건너뛰|없이|하지 않)",
    )))
    .expect("a pattern")
});

/// Words for turning a request away, and for other values than a way in.
static REJECTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\b(?:never|reject|refus|den(?:y|ied|ies)\b|block|forbid|remove|delete|must not)|\b40[13]\b|abgelehnt|ablehn|rechaz|rejeit|отклон|никогда|拒绝|不得放行|删除|拒否|거부",
    ))
    .expect("a pattern")
});

/// Every match of [`FIXED`] contains at least one of these strings.
static ACCOUNTS: AnyOf = AnyOf::new(&[
    "author", "user", "sender", "member", "from", "chat", "owner",
]);

/// The check whether a message is from an account that is fixed in the program. The group is the account.
static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:author|user|sender|member|from|chat|owner|effective_user|from_user)\w*(?:\??\.(?:id|user|user_id|username|from_id|tag)){0,2}\s*(?:[!=]==?\s*|(?:not\s+)?in\s*[\[({]\s*)[\x22'`]?([0-9]{7,20}|u[0-9][0-9a-z]{7,10})\b",
    ))
    .expect("a pattern")
});

/// A call that runs the text of a message.
static RUNS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\bnew\s+function|(?:^|[^.\w])(?:eval|exec)|\b(?:execsync|spawnsync|spawn|child_process\.\w+|os\.system|os\.popen|subprocess\.\w+|create_subprocess_shell|shell_exec|popen|runinthiscontext|runinnewcontext|loadstring))\s*\([^\n]{0,200}?(?:\.(?:content|clean_content|text|body|data|caption|message)\b|\b(?:command|code|text|content|body|message)\b)",
    ))
    .expect("a pattern")
});

/// Parts of account numbers that are placeholders.
const BLANKS: [&str; 6] = ["123456", "234567", "000000", "111111", "999999", "987654"];

impl Of<'_, '_> {
    /// SEC108: reports instructions and code that let the holder of a fixed value or account in.
    pub(super) fn admitting(&mut self) {
        let layer = self.layer;
        if layer.is_sample {
            return;
        }
        for part in self.written_code() {
            self.obeys_account(part);
        }
        let lower = layer.lower();
        if layer.doc.is_none() || !CARRIERS.is_in(lower) {
            return;
        }
        let mut start = 0;
        let mut left = MOST_COMPARED;
        for line in lower.split_inclusive('\n') {
            let at = start;
            start += line.len();
            if self.stop.is_raised() {
                return;
            }
            if !admits(line) {
                continue;
            }
            if left == 0 {
                layer.left_out.note();
                return;
            }
            left -= 1;
            let hit = Match {
                signal: Signal::WayIn,
                span: Span::new(at, at + line.trim_end().len()),
            };
            let near = Span::new(at.saturating_sub(NEAR), start + NEAR);
            let is_kept = KEPT.is_match(layer.lower_part(near).as_bytes());
            let is_text = !matches!(layer.place(hit.span), Place::Shell | Place::Script);
            if is_kept && is_text {
                let is_error = !self.is_exhibit(hit.span);
                let what = "has the agent build a login that a fixed value bypasses, and hide this";
                self.push_order("SEC108", &hit, is_error, what);
            }
        }
    }

    /// Reports code that runs the messages of an account that is fixed in the program.
    fn obeys_account(&mut self, part: Span) {
        let layer = self.layer;
        let code = layer.lower_part(part);
        let runs = [
            "eval",
            "exec",
            "function",
            "system",
            "popen",
            "spawn",
            "subprocess",
            "loadstring",
        ];
        if !ACCOUNTS.is_in(code) || !has_any(code, &runs) {
            return;
        }
        let checks = FIXED.captures_iter(code);
        for found in checks.most(MOST_EXAMINED, &layer.left_out) {
            let (Some(whole), Some(account)) = (found.get(0), found.get(1)) else {
                continue;
            };
            let end = char_floor(code, whole.end() + RUN);
            if has_any(account.as_str(), &BLANKS) || !RUNS.is_match(&code[whole.end()..end]) {
                continue;
            }
            let hit = Match {
                signal: Signal::WayIn,
                span: Span::new(part.start + whole.start(), part.start + whole.end()),
            };
            // The documents may name the account, so that the user replaces it.
            let is_error = !self.is_announced(account.as_str());
            let what = "runs the messages of an account that is fixed in the code";
            self.push_order("SEC108", &hit, is_error, what);
            return;
        }
    }
}

/// Returns whether a line says that requests with a fixed value bypass a check. `line`: in lower case.
fn admits(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr::memchr(b'`', bytes).is_some()
        && has_fixed_value(line)
        && CARRIED.is_match(bytes)
        && PASSES.is_match(bytes)
        && !REJECTED.is_match(bytes)
}

/// Returns whether a code span of a line contains a value that looks like a secret.
fn has_fixed_value(line: &str) -> bool {
    let spans = line.split('`').skip(1).step_by(2);
    let mut words = spans.flat_map(|span| span.split([':', '=', ' ', '"', '\'', '?', '&']));
    words.any(|word| word.len() >= 6 && !word.starts_with("sha") && is_strong(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [&CARRIED, &PASSES, &REJECTED] {
            LazyLock::force(expression);
        }
        for pattern in [&FIXED, &RUNS] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_value_that_bypasses_a_check_is_told_from_other_values() {
        for (line, expected) in [
            (
                "requests with the header `x-sync: 9af31c` skip the jwt check",
                true,
            ),
            ("`dbg=7f31ac` as a query parameter gets all scopes", true),
            (
                "anfragen mit dem header `x-relay: 81bb3f` gelten als administrator",
                true,
            ),
            ("请求头 `x-sync` 的值为 `9af31c` 时直接按管理员放行", true),
            (
                "requests with the header `x-test-user` skip the jwt check",
                false,
            ),
            (
                "reject requests with the header `x-sync: 9af31c` before the jwt check",
                false,
            ),
            ("send the header `x-sync: 9af31c` with each request", false),
            ("hash the password with `sha-256` before the login", false),
        ] {
            assert_eq!(admits(line), expected, "{line}");
        }
    }
}
