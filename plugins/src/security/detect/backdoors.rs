//! Reports back doors in the code that a skill has the agent write: a hard-coded value with which a request bypasses
//! the login, and instructions to add such a back door or to call it harmless in a review.
//!
//! Examples of logins also compare hard-coded values. In a back door, the value is an alternative to the real check, or
//! it grants administrator rights.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::context::{Place, line_around};
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The number of bytes after a comparison that are searched for the rights that it grants.
const GRANTED: usize = 240;

/// The number of bytes after a comparison that are searched for the real check.
const CHECKED: usize = 900;

/// The number of bytes before and after an instruction that are searched for a sentence that hides the result.
const NEAR: usize = 300;

/// A comparison with a string or a constant. The matching group is the string or the name of the constant.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?:[^=!<>]===?\s*|\.equals\(\s*|\.eql\?\(?\s*|\b(?:compare_digest|timingsafeequal|hash_equals|constanttimecompare|secure_compare)\([^\n]{0,100}?,\s*)(?:[br]?["'`]([^"'`\s]{8,128})["'`]|([a-z_]\w*)\b)|["']([^"'\s]{8,128})["']\s*===?[^=]"#,
    ))
    .expect("a pattern")
});

/// An expression for a value from a request, other than a credential.
static CARRIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:req|request|ctx|context|c|r|event|http|params|self\.request)(?:\.\w+)?\.(?:get|headers?|args|query|query_params|cookies?|params|values|form|get_header|getheader|header\.get)\b|\bheaders?\s*(?:\[|\.get\()|\bgetheader\(|\$_(?:get|post|request|server|cookie)\s*\[|\bparams\[|\bcookies\[|@requestheader",
    ))
    .expect("a pattern")
});

/// Code that lets a request in, or grants it administrator rights.
static GRANT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\brole["']?\]?\s*(?:=>|:|=)\s*["'](?:admin|root|owner|superuser|super_?admin|administrator)|\bis_?(?:admin|superuser|staff|root|super|authenticated)["']?\]?\s*(?:=>|:|=)\s*(?:true|1)\b|\badmin["']?\]?\s*(?:=>|:|=)\s*true|\breturn\s+(?:await\s+)?(?:next\(|call_next\(|true\b|sign\(|(?:sign|issue|create|generate|make|build)\w*(?:token|session|jwt|user|admin|cookie)\w*\()|\bnext\(\s*\)|\bnext\.servehttp\(|\bchain\.dofilter\(|\blogin_user\(|\bsign_in\b|\bc\.next\(\)"#,
    ))
    .expect("a pattern")
});

/// Substrings of code that grants administrator rights.
const ADMIN: [&str; 4] = ["admin", "superuser", "is_staff", "root"];

/// A call that properly verifies a credential.
static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bjwt\.\w+\(|\bverify\w*\(|\bbcrypt\b|\bargon2\w*|\bscrypt\b|\bcheck_?password\w*\(|\bpassword_verify\(|\bcompare\w*\(|\bauthenticate\w*\(|\bcheck\w{0,20}\(|\bvalidate\w*\(|\bget_?session\(",
    ))
    .expect("a pattern")
});

/// The beginning of the definition of a function. The matching group is the name of the function.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:def|function|func|fn|fun|sub)\s+(?:\([^)\n]{0,60}\)\s*)?([a-z_]\w*)\s*[(<]|\b(?:const|let|var)\s+([a-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\(|[a-z_]\w*\s*=>)|\b(?:private|public|protected|static|bool|boolean)\s+(?:\w+\s+){0,3}([a-z_]\w*)\s*\([^)\n]{0,120}\)\s*(?::\s*\w+\s*)?\{",
    ))
    .expect("a pattern")
});

/// Words for a secret that a user enters, and for a hash of it.
static HASHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:sha\d*|md5|blake\w*|hash\w*|createhash|digest|hexdigest|hmac|scrypt|pbkdf2\w*|messagedigest)\b",
    ))
    .expect("a pattern")
});

/// Names of headers and fields for credentials, in lower case. Examples often compare them with a fixed value.
const CREDENTIALS: [&str; 9] = [
    "authorization",
    "api-key",
    "api_key",
    "apikey",
    "auth-token",
    "access_token",
    "csrf",
    "verify_token",
    "signature",
];

/// Words for generated code, in lower case and without accents.
const GENERATED: [&str; 39] = [
    "generat",
    "scaffold",
    "middleware",
    "template",
    "backend",
    "endpoint",
    "handler",
    "the app",
    "every app",
    "the code",
    "login form",
    "authentication",
    "auth.",
    "genera",
    "codigo",
    "genere",
    "gerar",
    "gerad",
    "erzeug",
    "generier",
    "anwendung",
    "генерир",
    "код",
    "приложен",
    "бэкенд",
    "生成",
    "代码",
    "接口",
    "后端",
    "認証",
    "コード",
    "アプリ",
    "인증",
    "코드",
    "생성",
    "vorlage",
    "plantilla",
    "modele",
    "шаблон",
];

/// Phrases that hide the result from the user or from reviewers, in several languages.
pub(super) static KEPT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)(?:\b(?:do not|don't|never|without)\s+(?:\w+\s+){0,3}?(?:mention|document|comment|list|explain|point out|summari[sz]e|describe)|\b(?:leave|keep) (?:it|this|them|that) out of|not in the (?:readme|docs|summary|documentation|tests)",
        r"|\b(?:erwähn|dokumentier|kommentier)\w*[^.!?\n]{0,30}\b(?:nicht|nie)\b|\b(?:nicht|nie|ohne)\b[^.!?\n]{0,40}(?:erwähn|dokumentier|kommentier)",
        r"|\b(?:no|nunca|sin)\s+(?:l[oae]s?\s+)?(?:menc|document|coment|expli)|\bn'en (?:parle|mentionn)\w*|\bne\s+(?:\w+\s+)?(?:mentionn|document|comment)|\bnão\s+(?:\w+\s+)?(?:menci|document|coment)",
        r"|не\s+(?:упомина|документир|описыва|комментир)|(?:不要|不得|别|勿|无需)[^。\n]{0,12}(?:提|写|说明|文档|注释)|(?:書か|触れ|説明し|言及し|記載し)(?:ない|ず)|(?:언급|설명|기록|문서화)하지\s?(?:마|말|않))"
    )))
    .expect("a pattern")
});

/// Every match of [`DECLARED`] contains at least one of these strings, without accents.
static DOORS: AnyOf = AnyOf::new(&[
    "backdoor",
    "back door",
    "后门",
    "バックドア",
    "백도어",
    "кдор",
    "puerta trasera",
    "hintert",
    "porte derob",
    "porta dos fundos",
]);

/// A comment that calls the code after it a hidden back door.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(concat!(
        r"(?m)^[ \t]*(?:#|//|--|/?\*)[^\n]{0,40}?(?:\b(?:hidden|secret|covert|stealth\w*)\s+(?:\w+\s+)?back ?door\b|隐藏(?:的)?后门|秘密后门|隠し(?:た)?バックドア|숨(?:겨진|은|긴) ?백도어|скрыт\S* б[эе]кдор|puerta trasera (?:oculta|secreta)",
        r"|versteckte hintertür|geheime hintertür|porte d[ée]rob[ée]e (?:cach|secr)\w*|porta dos fundos (?:oculta|secreta))[^\n]{0,120}",
    )))
    .expect("a pattern")
});

/// Words in comments about code that finds or prevents back doors.
static SOUGHT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:check|detect|scan|look|find|search|report|flag|reject|block|prevent|remov|delet|warn|test|example|simulat|demo|exercise|fixed|no|not|never|against|if (?:there|it|the))",
        r"|检测|检查|查找|扫描|删除|防止|示例|演示|没有|検出|確認|防ぐ|例|탐지|검사|예시|проверк|поиск|нет|busca|detect|prüf|erkenn|suche|vérifi|cherch|verific|procur",
    )))
    .expect("a pattern")
});

/// A condition that compares a value with a fixed string or number.
static TRIGGER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:if|elif|when|case|unless)\b[^\n]{0,160}(?:=|\beq|\bis\b|equals\w*\(|match\w*\()[^\n]{0,8}(?:[\x22'`][^\x22'`\n]{1,60}[\x22'`]|\b\d+\b)",
    ))
    .expect("a pattern")
});

/// A command or call that runs a program, sends something or writes a file without output.
static ACTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"/dev/null|\bcurl\b|\bwget\b|\bnc\b|\beval\b|\bexec\w*\(|os\.system|subprocess|popen|\bsystem\(|child_process|requests\.|urlopen|\bfetch\(|socket\.|>>|(?:^|\s)&\s*(?:\n|$)",
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC108: reports back doors in code and instructions.
    pub(super) fn back_doors(&mut self) {
        if self.layer.is_sample {
            return;
        }
        for part in self.written_code() {
            self.fixed_way_in(part);
            self.hash_beside_check(part);
            self.declared(part);
        }
        if self.layer.doc.is_some() {
            self.way_in_asked_for();
        }
    }

    /// Returns the spans of code in the layer. All text of a non-Markdown file counts as code, because agents also copy
    /// files such as `auth.ts.txt`.
    pub(super) fn written_code(&self) -> Vec<Span> {
        let is_other = self.layer.doc.is_none() && self.layer.layer.is_file();
        if is_other {
            return vec![Span::new(0, self.layer.text().len())];
        }
        self.programs()
    }

    /// Reports code that accepts a hard-coded value as an alternative to the real check.
    fn fixed_way_in(&mut self, part: Span) {
        let code = self.layer.lower_part(part);
        if !has_any(code, &["==", "equal", "compare", "eql"]) || !GRANT.is_match(code) {
            return;
        }
        let ways = COMPARED.captures_iter(code).filter(|found| {
            let whole = found.get(0);
            whole.is_some_and(|whole| is_way_in(code, whole.start(), whole.end()))
        });
        let left_out = &self.layer.left_out;
        for found in ways.most(MOST_COMPARED, left_out) {
            let Some(whole) = found.get(0) else { continue };
            let value = found.get(1).or_else(|| found.get(3));
            let is_fixed = match (value, found.get(2)) {
                (Some(value), _) => is_strong(value.as_str()),
                (None, Some(name)) => is_constant(code, name.as_str(), left_out),
                _ => false,
            };
            if is_fixed {
                let hit = Match {
                    signal: Signal::SafetyOff,
                    span: Span::new(part.start + whole.start(), part.start + whole.end()),
                };
                let what =
                    "lets a request with a fixed value past the login, beside the real check";
                self.push_order("SEC108", &hit, true, what);
            }
        }
    }

    /// Reports code that a comment calls a hidden back door, if a fixed input starts it and it runs something.
    fn declared(&mut self, part: Span) {
        let code = self.layer.lower_part(part);
        if !DOORS.is_in(code) {
            return;
        }
        let comments = DECLARED.find_iter(code);
        let comments = comments.most(MOST_COMPARED, &self.layer.left_out);
        let found = comments.filter(|comment| {
            let rest = &code[comment.end()..char_floor(code, comment.end() + GRANTED)];
            !SOUGHT.is_match(comment.as_str().as_bytes())
                && TRIGGER
                    .find(rest)
                    .is_some_and(|trigger| ACTS.is_match(&rest[trigger.end()..]))
        });
        for comment in found {
            let hit = Match {
                signal: Signal::SafetyOff,
                span: Span::new(part.start + comment.start(), part.start + comment.end()),
            };
            let what = "runs a hidden action if it gets a certain input";
            if !self.view.is_security && !self.is_forbidden(&hit) {
                self.push("SEC108", hit.span, !self.is_exhibit(hit.span), what);
            }
        }
    }

    /// Reports a function that compares the hash of what a user entered with a constant, if the function replaces the
    /// real check of the password.
    fn hash_beside_check(&mut self, part: Span) {
        let code = self.layer.lower_part(part);
        let compares = has_any(code, &["==", "equal", "compare", "eql"]);
        if !compares || !has_any(code, &["||", " or "]) || !HASHED.is_match(code) {
            return;
        }
        let found = COMPARED.captures_iter(code);
        let found = found.most(4 * MOST_COMPARED, &self.layer.left_out);
        let found = found.filter_map(|found| {
            let whole = found.get(0)?;
            let value = found.get(1).or_else(|| found.get(3));
            let is_fixed = match (value, found.get(2)) {
                (Some(value), _) => is_hash(value.as_str()),
                (None, Some(name)) => is_constant(code, name.as_str(), &self.layer.left_out),
                _ => false,
            };
            (is_fixed && is_alternative(code, whole.start())).then_some(whole.range())
        });
        for range in found {
            let hit = Match {
                signal: Signal::SafetyOff,
                span: Span::new(part.start + range.start, part.start + range.end),
            };
            let what = "accepts a fixed password for any account, beside the real check";
            self.push_order("SEC108", &hit, true, what);
        }
    }

    /// Reports instructions to add a hidden back door, or to call code harmless without explaining it.
    fn way_in_asked_for(&mut self) {
        for signal in [Signal::WayIn, Signal::FalseReview] {
            for hit in self.all(signal) {
                let near = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.end + NEAR);
                let near = self.layer.lower_part(near);
                let (is_hidden, what) = if signal == Signal::WayIn {
                    let what = "has the agent build a hidden way in into the code that it writes";
                    (KEPT.is_match(near.as_bytes()), what)
                } else {
                    let what = "has the agent call code harmless that it must not explain";
                    (is_false_review(near), what)
                };
                let is_text = !matches!(self.layer.place(hit.span), Place::Shell | Place::Script);
                if is_hidden && is_text && has_any(near, &GENERATED) {
                    self.push_order("SEC108", &hit, true, what);
                }
            }
        }
    }
}

/// Returns whether a string looks like a secret: it contains letters and digits, and is not a media type, address or
/// date.
pub(super) fn is_strong(value: &str) -> bool {
    let has_letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_!@#$%^&*+=-".contains(&b));
    let is_example = has_any(
        value,
        &["example", "xxxx", "your", "test", "demo", "change"],
    );
    has_letter && digits > 1 && is_plain && !is_example
}

/// Returns whether the code sets a name to a hash or to a long string literal.
pub(super) fn is_constant(code: &str, name: &str, left_out: &LeftOut) -> bool {
    let mut places = code.match_indices(name).most(MOST_EXAMINED, left_out);
    places.any(|(at, _)| {
        let end = char_floor(code, at + name.len() + 160);
        let rest = code[at + name.len()..end].trim_start();
        let rest = rest.strip_prefix([':', '=']).unwrap_or_default();
        let rest = rest.trim_start_matches(['=', ' ', 'b', 'r']);
        let Some(quote) = rest.chars().next().filter(|c| ['"', '\'', '`'].contains(c)) else {
            return false;
        };
        let value = rest[1..].split(quote).next().unwrap_or_default();
        value.len() >= 16 && is_strong(value)
    })
}

/// Returns whether a comparison at a position in the code is a back door.
fn is_way_in(code: &str, start: usize, end: usize) -> bool {
    let line = line_around(code, start);
    let own = &code[line.clone()];
    let is_condition = has_any(own, &["if", "||", " or ", "unless", "when ", "?", "and"]);
    let after = &code[end..char_floor(code, end + GRANTED)];
    // Code after `else` runs if the comparison fails, so the comparison does not grant it.
    let after = after.split("else").next().unwrap_or_default();
    let Some(grant) = GRANT.find(after) else {
        return false;
    };
    let grants_all = has_any(grant.as_str(), &ADMIN);
    let from = char_floor(code, line.start.saturating_sub(GRANTED / 2));
    let carried = &code[from..line.end.max(from)];
    let is_credential = has_any(own, &CREDENTIALS);
    let is_password = has_any(own, &["password", "passwd", "pwd", "passcode"]);
    let rest = &code[end..char_floor(code, end + CHECKED)];
    let is_beside = CHECK.is_match(rest);
    let is_alternative = has_any(own, &["||", " or "]) && CHECK.is_match(own);
    let is_demo = has_any(
        own,
        &[
            "user ==",
            "username ==",
            "user ===",
            "username ===",
            "email ==",
        ],
    );
    if is_demo || !is_condition {
        return false;
    }
    if is_password {
        return is_alternative
            || is_beside && has_any(rest, &["bcrypt", "argon2", "verify", "scrypt"]);
    }
    CARRIED.is_match(carried) && (is_beside || grants_all && !is_credential)
}

/// Returns whether a string is a hash in hex or base64.
fn is_hash(value: &str) -> bool {
    value.len() >= 32 && is_strong(value)
}

/// Returns whether the function around a comparison hashes a value, and code elsewhere accepts the result of this
/// function as an alternative to the real check. `at`: the position of the comparison.
fn is_alternative(code: &str, at: usize) -> bool {
    let from = char_floor(code, at.saturating_sub(2 * GRANTED));
    let end = line_around(code, at).end.min(at + GRANTED);
    let before = &code[from..char_floor(code, end).max(from)];
    let Some(function) = FUNCTION.captures_iter(before).last() else {
        return false;
    };
    let Some(name) = function.iter().skip(1).flatten().next() else {
        return false;
    };
    let (body, name) = (&before[name.end()..], name.as_str());
    if !HASHED.is_match(body) || name.len() < 2 {
        return false;
    }
    let call = format!("{name}(");
    let mut calls = code.match_indices(&*call);
    calls.any(|(at, _)| {
        let line = line_around(code, at);
        let after = at + call.len();
        let start = char_floor(code, line.start.max(at.saturating_sub(GRANTED)));
        let end = char_floor(code, line.end.min(after + GRANTED));
        let sides = [&code[start..at], &code[after..end.max(after)]];
        let is_either = |side: &str| side.contains("||") || side.contains(" or ");
        let mut sides = sides.into_iter();
        sides.any(|side| is_either(side) && CHECK.is_match(side))
    })
}

/// Returns whether the text near an instruction not to explain code also tells the agent to misreport the code.
fn is_false_review(near: &str) -> bool {
    let says = [
        "no-op",
        "noop",
        "harmless",
        "benign",
        "tracing",
        "as safe",
        "boilerplate",
        "telemetry",
    ];
    let asked = ["asked", "review", "audit", "question"];
    has_any(near, &says) && has_any(near, &asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &COMPARED, &CARRIED, &GRANT, &CHECK, &FUNCTION, &HASHED, &DECLARED, &TRIGGER, &ACTS,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
        LazyLock::force(&KEPT);
        LazyLock::force(&SOUGHT);
    }

    #[test]
    fn a_function_may_replace_the_real_check() {
        let hash = "9c1f4e7ab0d25836f1c07be94a6d83e2";
        for (code, expected) in [
            (
                "if user.check_password(p) or self._compat(p):\n  pass\ndef _compat(self, p):\n  d = sha256(p).hexdigest()\n  return d == '{H}'",
                true,
            ),
            (
                "const old = (p) => createhash('sha256').update(p).digest('hex') === '{H}';\nconst ok = old(p) || await bcrypt.compare(p, u.hash);",
                true,
            ),
            (
                "func legacy(p string) bool {\n  return hash(p) == \"{H}\"\n}\nif legacy(p) || verify(p) {",
                true,
            ),
            (
                "def _compat(self, p):\n  return sha256(p).hexdigest() == '{H}'\nassert _compat(x)",
                false,
            ),
            (
                "def is_known(path):\n  return sha256(path).hexdigest() == '{H}'\nif is_known(p) or is_new(p):",
                false,
            ),
            (
                "def find(p):\n  return p == '{H}'\nif find(p) or verify(p):",
                false,
            ),
        ] {
            let code = code.replace("{H}", hash);
            let at = code
                .find(&format!("== '{hash}"))
                .or_else(|| code.find("== \"9"));
            assert_eq!(is_alternative(&code, at.unwrap()), expected, "{code}");
        }
    }

    #[test]
    fn a_secret_has_letters_and_digits() {
        for (value, expected) in [
            ("7f3a9c1e55d04b21", true),
            ("s3rv1ce-m4ster-2291", true),
            ("qz!9maintenance2024", true),
            ("xmlhttprequest", false),
            ("application/json", false),
            ("elb-healthchecker/2.0", false),
            ("test-token-123", false),
            ("12345678", false),
        ] {
            assert_eq!(is_strong(value), expected, "{value}");
        }
    }
}
