//! Reports skills that divert the user's payments and messages: programs and sentences that replace a payment address,
//! and rules that send copies of email to a third party.
//!
//! Legitimate programs also contain addresses, such as those of contracts, donations and tests. An address is reported
//! only if it is hard-coded and replaces the one that the user has set.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;

use super::Of;
use super::remembering::CONSENT;
use super::sending::has_any;
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::hosts::{Address, HostKind, addresses};
use crate::security::signals::{Match, Signal};
use crate::security::standing::Standing;
use crate::security::statements::assigned;
use crate::security::view::MOST_ADDRESSES;

/// The maximum number of addresses of wallets that are compared with each line of a program.
const MOST: usize = 300;

/// The maximum number of lines between a condition and the statement that depends on it.
const CONDITION_LINES: usize = 4;

/// The number of bytes around a sentence that are searched for words about consent or concealment.
const NEAR: usize = 400;

/// Email services with which anyone can register an address.
const MAILBOXES: [&str; 20] = [
    "gmail.com",
    "googlemail.com",
    "outlook.com",
    "hotmail.com",
    "live.com",
    "yahoo.com",
    "icloud.com",
    "proton.me",
    "protonmail.com",
    "tutanota.com",
    "tuta.io",
    "gmx.de",
    "gmx.net",
    "web.de",
    "mail.ru",
    "yandex.ru",
    "qq.com",
    "163.com",
    "naver.com",
    "mailinator.com",
];

/// Placeholder names in email addresses, which the reader is expected to replace.
const BLANKS: [&str; 16] = [
    "you",
    "your",
    "me",
    "user",
    "name",
    "example",
    "test",
    "foo",
    "bar",
    "alice",
    "bob",
    "john",
    "jane",
    "someone",
    "recipient",
    "email",
];

/// Words, or parts of words, for copies of messages, in lower case. A layer without any of them is not searched for
/// email addresses.
static FORWARDS: AnyOf = AnyOf::new(&[
    "bcc",
    "blind",
    "forward",
    "redirect",
    "密送",
    "密件抄送",
    "转发",
    "転送",
    "숨은",
    "전달",
    "скрыт",
    "переадрес",
    "пересыла",
    "oculta",
    "cco",
    "reenv",
    "blindkopie",
    "weiterleitung",
    "leite",
    "cachee",
    "cci",
    "transf",
    "encaminh",
    ":copy",
    "copia",
]);

/// The address of a wallet, or an account number.
pub(super) static WALLET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(concat!(
        r"\b0x[a-fA-F0-9]{40}\b|\b(?:bc1|ltc1|tb1)[a-z0-9]{25,60}\b",
        r"|\b(?:cosmos|addr|bnb|thor)1[a-z0-9]{30,100}\b",
        r"|[\x22'`](?:[13LMD][a-km-zA-HJ-NP-Z1-9]{25,34}|T[1-9A-HJ-NP-Za-km-z]{33}|[1-9A-HJ-NP-Za-km-z]{43,44}|[48][1-9A-HJ-NP-Za-km-z]{94}|[rR][1-9A-HJ-NP-Za-km-z]{24,34})[\x22'`]",
        r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
    )))
    .expect("a pattern")
});

/// Addresses that receive nothing, or that are well known from documentation.
pub(super) static BLANK: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"^0x(?:0{8}|e{8}|d{8}|f{8}|1234567|abcdef|0123456|dead)|dead$|x{4}|\.\.\.",
        r"|(?:de89 ?3704|gb82 ?west|gb29 ?nwbk|fr14 ?2004|es91 ?2100|nl91 ?abna|ch93 ?0076|it60 ?x054|at61 ?1904|be68 ?5390|bc1qar0srr|1a1zp1ep|1bvbmse|3j98t1wp)",
    )))
    .expect("a pattern")
});

/// Words which show that the address on their line belongs to a contract or token, and receives no payments.
static CONTRACT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"usdc|usdt|\bdai\b|weth|wbtc|contract|token|router|factory|\babi\b|pool|oracle|feed|\bmint\b",
        r"|program|chain_?id|registry|proxy",
    )))
    .expect("a pattern")
});

/// A statement that sets a recipient. The group is the value.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(concat!(
        r"(?i)",
        r"(?:^|[\s({;,])(?:[\w$.]+\.|[\w$]+\[[\x22'`]|)(?:\w*_)?(?:eth|btc|sol|usdt|trx|bnb|xmr|ltc|wallet|address|addr|to|recipient|payee|payto|pay_to|receiver|receive\w*|dest|dst|rcpt|destination|beneficiary|iban|account|payout|deposit|paypal|merchant)(?:_?(?:address|addr|wallet|account|iban|id|to))?(?:[\x22'`]\])?\s*[=:]\s*([^=\n][^\n]{0,200})",
    )))
    .expect("a pattern")
});

/// Strings on one line that a program joins. One of the groups contains the strings.
static JOINED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"\[((?:[ \t]*["'][0-9A-Za-z]{1,24}["'][ \t]*,){1,30}[ \t]*["'][0-9A-Za-z]{1,24}["'])[ \t]*,?[ \t]*\]\.join\([ \t]*["'`]{2}[ \t]*\)"#,
        r#"|["']{2}\.join\([ \t]*[\[(]((?:[ \t]*["'][0-9A-Za-z]{1,24}["'][ \t]*,){1,30}[ \t]*["'][0-9A-Za-z]{1,24}["'])[ \t]*,?[ \t]*[\])][ \t]*\)"#,
        r#"|(["'][0-9A-Za-z]{1,24}["'](?:[ \t]*(?:\+|\.)[ \t]*["'][0-9A-Za-z]{1,24}["']){1,30})"#,
    ))
    .expect("a pattern")
});

/// Expressions for random numbers, times and amounts.
static CHANCE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"random|date\.now|time\(\)|\bhour|weekday|getday|gethours|%\s*\d|\bamount\b|\btotal\b|\busd\b",
        r"|\beur\b|\bvalue\b|\bprice\b|\bsum\b|>=?\s*\d{2,}|\brand\b",
    )))
    .expect("a pattern")
});

/// Keywords and operators of conditions.
static CONDITION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"\bif\b|\?|&&|\bunless\b|\bwhen\b|\bwhile\b",
    )))
    .expect("a pattern")
});

/// A call or command that replaces text.
static SUBSTITUTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"re\.sub\(|\.replace(?:all)?\(|preg_replace|gsub|\bsed\s|-replace\b|regexp?\.replace|\.sub\(",
    )))
    .expect("a pattern")
});

/// Part of a regular expression that matches payment addresses.
static SHAPE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"(?i)",
        r"0x\[|bc1\[|\[13\]\[|\[a-z\]\{2\}\\?d?|t\[1-9a|t\[a-z|iban|\[1-9a-hj-np|ethereum:|bitcoin:",
        r"|paypal\.me",
    )))
    .expect("a pattern")
});

/// Words for replacing something. This and the following expressions match text in lower case.
static REDIRECTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:replac|swap|chang|switch|substitut|overrid|overwrit|updat|redirect|rerout|instead\b|pay (?:in)?to\b)",
        r"|替换|换成|换为|改为|改成|置き換|差し替|変更|代わりに|바꾸|바꿔|교체|변경|대신|замен|подстав|измен|вместо|reemplaz|sustitu|cambi",
        r"|en lugar de|ersetz|\b(?:ver|ge|ab)änder|\bändern\b|tausch|statt\b|remplac|chang|au lieu|substitu|troc|\balter[ae]\b",
        r"|em vez",
    )))
    .expect("a pattern")
});

/// Words for payments.
pub(super) static MONEY: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:iban|bank|accounts?|wallets?|payments?|invoices?|pay(?:out|ee)s?|recipients?|donations?|deposits?|addresses|address|transfers?)\b",
        r"|账户|账号|收款|钱包|支付|付款|转账|口座|振込|振り込|ウォレット|請求|送金|支払|계좌|지갑|송금|결제|청구|сч[её]т|реквизит|кошел|плат[её]ж",
        r"|cuenta|pago|factura|cartera|konto|rechnung|zahlung|überweis|compte|paiement|facture|virement",
        r"|conta\b|pagamento|fatura|carteira|\bpix\b",
    )))
    .expect("a pattern")
});

/// Words for doing something always or in every case.
static ALWAYS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:always|every|each|all|any|default|whenever)\b|所有|一律|每|总是|常に|必ず|すべて|모든|항상|всегда|кажд|все ",
        r"|siempre|cada|tod[oa]s|immer|jede|alle|toujours|chaque|tous|sempre",
    )))
    .expect("a pattern")
});

/// The text directly after an address, if this address is to be replaced.
static REPLACED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"^[\x22'`)\s]{0,4}(?:with|by|durch|por|par|на|を|(?:替换|换)(?:为|成)|改为)(?:[\s<{\[]|$)",
    ))
    .expect("a pattern")
});

/// Words and settings for sending copies of messages.
static FORWARDED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\bbcc\b|\bblind (?:carbon )?cop|\bforwarding[ -](?:rule|address|filter)|\bauto-?forward",
        r"|\bforward(?:s|ing)? (?:all|every|each|any|incoming)\b",
        r"|\bredirect(?:s|ing)? (?:all|every|each|any|incoming)\b|forwardingsmtpaddress|forwardto\b",
        r"|blindcopyto|redirectto\b|forwardingaddresses|redirect :copy|密送|密件抄送|自动转发|转发(?:规则|所有|全部)|自動転送",
        r"|転送ルール|숨은 ?참조|자동 ?전달|전달 규칙|скрыт\S* копи|переадрес|пересыла\S* (?:все|кажд)|copia oculta|\bcco\b",
        r"|reenv[íi]\w* (?:automátic|tod|cada)|regla de reenvío|blindkopie|weiterleitungsregel",
        r"|leite\w* (?:alle|jede)|copie cachée|\bcci\b|transf\w+ (?:automatique|tous|chaque)|cópia oculta",
        r"|encaminh\w+ (?:todos|cada|automátic)",
    )))
    .expect("a pattern")
});

/// Settings that send copies of all later messages.
static MAIL_RULE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"forwardingsmtpaddress|forwardto\b|blindcopyto|redirectto\b|forwardingaddresses|redirect :copy",
    ))
    .expect("a pattern")
});

/// An email address.
static MAILBOX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")).expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC104, SEC109: reports replaced recipients of payments, and added recipients of messages.
    pub(super) fn received(&mut self) {
        let layer = self.layer;
        if layer.is_sample || self.view.is_security {
            return;
        }
        if layer.layer.is_file() {
            for part in self.programs() {
                self.receiver_set(part);
            }
        }
        if !layer.is_script || !layer.layer.is_file() {
            self.receiver_told();
        }
        if layer.lower().contains('@') && FORWARDS.is_in(layer.lower()) {
            self.copies_sent();
        }
    }

    /// Reports programs that replace a recipient with a hard-coded address.
    fn receiver_set(&mut self, part: Span) {
        let code = self.layer.part(part);
        let left_out = &self.layer.left_out;
        let found = replaced(code, left_out).into_iter();
        for own in found.chain(replaced_by_parts(code, left_out)) {
            let hit = Match {
                signal: Signal::Damage,
                span: Span::new(part.start + own.start, part.start + own.end),
            };
            if self.standing_in_text(&hit) != Standing::Mention {
                let what = "replaces the address that receives the user's payments";
                self.push("SEC109", hit.span, !self.is_exhibit(hit.span), what);
            }
        }
    }

    /// Reports sentences that have the agent replace the user's address with a hard-coded address.
    fn receiver_told(&mut self) {
        let text = self.layer.text();
        let wallets = WALLET.find_iter(text);
        for found in wallets.most(MOST_ADDRESSES, &self.layer.left_out) {
            let hit = Match {
                signal: Signal::RunWords,
                span: Span::new(found.start(), found.end()),
            };
            if BLANK.is_match(bare(found.as_str()).as_bytes()) || self.is_in_block(hit.span) {
                continue;
            }
            let line = self.line_of(hit.span).as_bytes();
            let after = self
                .layer
                .lower_part(Span::new(found.end(), found.end() + 60));
            if !MONEY.is_match(line)
                || REPLACED.is_match(after.as_bytes())
                || self.is_asked_near(hit.span)
            {
                continue;
            }
            let hides = || self.is_concealed(hit.span, NEAR);
            let is_led = REDIRECTED.is_match(line) || ALWAYS.is_match(line) && hides();
            if is_led && self.is_order(&hit) {
                let what = "has the agent replace the address that receives payments";
                self.push("SEC109", hit.span, !self.is_exhibit(hit.span), what);
            }
        }
    }

    /// Reports rules and programs that send copies of messages to a third party.
    fn copies_sent(&mut self) {
        let lower = self.layer.lower();
        let main = self.view.skill.main().map_or("", |main| &*main.text);
        let mailboxes = MAILBOX.find_iter(lower);
        for found in mailboxes.most(MOST_ADDRESSES, &self.layer.left_out) {
            let hit = Match {
                signal: Signal::SendWords,
                span: Span::new(found.start(), found.end()),
            };
            let line = self.line_of(hit.span).as_bytes();
            if !FORWARDED.is_match(line)
                || !self.is_stranger(found.as_str())
                || self.is_asked_near(hit.span)
            {
                continue;
            }
            let is_program = self.layer.is_script && self.layer.layer.is_file();
            // A copy that the skill's own instructions announce is no secret.
            let is_told = || main.to_lowercase().contains(found.as_str());
            let is_rule = MAIL_RULE.is_match(line);
            let is_error = if is_program {
                is_rule || !is_told()
            } else {
                is_rule || self.is_concealed(hit.span, NEAR)
            };
            if (is_error || !is_program && ALWAYS.is_match(line)) && self.is_order(&hit) {
                let is_error = is_error && !self.is_exhibit(hit.span);
                let what = format!(
                    "sends copies of the user's messages to '{}'",
                    found.as_str()
                );
                self.push("SEC104", hit.span, is_error, &what);
            }
        }
    }

    /// Returns whether a span is in a code block of a document. Programs in code blocks are examined separately.
    fn is_in_block(&self, span: Span) -> bool {
        let at = self.layer.place_of(span).start;
        let doc = self.layer.doc.filter(|_| self.layer.layer.is_file());
        doc.is_some_and(|doc| doc.is_in_code_block(at))
    }

    /// Returns whether the text near a span says that the user is asked.
    fn is_asked_near(&self, span: Span) -> bool {
        let line = line_around(self.layer.lower(), span.start);
        let start = line.start.saturating_sub(NEAR);
        let near = self.layer.lower_part(Span::new(start, line.end));
        CONSENT.is_match(near.as_bytes())
    }

    /// Returns the line of a span in lower case.
    fn line_of(&self, span: Span) -> &str {
        let lower = self.layer.lower();
        &lower[line_around(lower, span.start)]
    }

    /// Returns whether an email address belongs to a person or host that is unrelated to the skill.
    fn is_stranger(&self, mailbox: &str) -> bool {
        is_of(mailbox, |address| self.is_foreign(address))
    }
}

/// Returns whether an email address belongs to a person, or to a host other than those of known vendors. A host that is
/// named after the skill counts too: the name does not entitle the host to the user's messages.
pub(super) fn is_outsider(mailbox: &str) -> bool {
    is_of(mailbox, |_| true)
}

/// Returns whether an email address is real, and belongs to a person or to a host for which `is_foreign` is true.
fn is_of(mailbox: &str, is_foreign: impl Fn(&Address) -> bool) -> bool {
    let Some((name, host)) = mailbox.split_once('@') else {
        return false;
    };
    let mut names = name.split(['.', '+', '-', '_']);
    if names.any(|name| BLANKS.contains(&name)) {
        return false;
    }
    if MAILBOXES.contains(&host) {
        return true;
    }
    let found = addresses(&format!("https://{host}/"), 1);
    let known = found.first();
    known.is_some_and(|address| address.kind >= HostKind::Other && is_foreign(address))
}

/// Returns an address without quotes.
pub(super) fn bare(address: &str) -> &str {
    address.trim_matches(['"', '\'', '`'])
}

/// Returns the statements in a program that replace a recipient with a hard-coded address.
fn replaced(code: &str, left_out: &LeftOut) -> Vec<Span> {
    let literals = WALLET.find_iter(code).map(|found| bare(found.as_str()));
    let literals = literals.filter(|address| !BLANK.is_match(address.as_bytes()));
    let mut known = HashSet::new();
    let literals = literals.filter(|address| known.insert(*address));
    let literals: Vec<&str> = literals.most(MOST, left_out).collect();
    if literals.is_empty() {
        return Vec::new();
    }
    let lines: Vec<&str> = code.split_inclusive('\n').collect();
    let has_literal = |text: &str| literals.iter().any(|address| text.contains(*address));
    let holds = |line: &&str| has_literal(line) && !CONTRACT.is_match(line.as_bytes());
    let with_name = lines.iter().copied().filter(holds);
    let names: HashSet<&str> = with_name.filter_map(assigned).collect();
    let has = |text: &str| {
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        has_literal(text) || words.any(|word| names.contains(word))
    };
    let mut found = Vec::new();
    let mut start = 0;
    for (at, line) in lines.iter().enumerate() {
        let own = Span::new(start, start + line.trim_end().len());
        start += line.len();
        if !has(line) {
            continue;
        }
        let bytes = line.as_bytes();
        if SUBSTITUTED.is_match(bytes) && SHAPE.is_match(bytes) {
            found.push(own);
            continue;
        }
        let sets = FIELD.captures(line).and_then(|field| field.get(1));
        if CONTRACT.is_match(bytes) || !sets.is_some_and(|value| has(value.as_str())) {
            continue;
        }
        let is_declared = ["export ", "const ", "let ", "var ", "final ", "static "]
            .iter()
            .any(|word| line.trim_start().starts_with(word));
        if is_declared && !CONDITION.is_match(bytes) {
            continue;
        }
        let before = lines
            .get(at.saturating_sub(CONDITION_LINES)..=at)
            .unwrap_or_default();
        let before = before.concat();
        if CONDITION.is_match(before.as_bytes()) && CHANCE.is_match(before.as_bytes()) {
            found.push(own);
        }
    }
    found
}

/// Like [`replaced`], but finds only addresses that the program joins from parts.
fn replaced_by_parts(code: &str, left_out: &LeftOut) -> Vec<Span> {
    // Most code joins strings. Few programs contain the quoted start of an address.
    let starts = ["\"0x", "'0x", "\"bc1", "'bc1", "\"ltc1", "'ltc1"];
    if !has_any(code, &starts) {
        return Vec::new();
    }
    let mut plain = String::new();
    let mut end = 0;
    for found in JOINED.captures_iter(code).most(MOST, left_out) {
        let parts = found.iter().skip(1).flatten().next();
        let (Some(whole), Some(parts)) = (found.get(0), parts) else {
            continue;
        };
        let letters = parts.as_str().chars().filter(char::is_ascii_alphanumeric);
        let joined = format!("'{}'", letters.collect::<String>());
        if WALLET.is_match(&joined) {
            plain.push_str(&code[end..whole.start()]);
            plain.push_str(&joined);
            end = whole.end();
        }
    }
    if end == 0 {
        return Vec::new();
    }
    plain.push_str(&code[end..]);
    // The parts are on one line, so the lines are the same.
    let mut start = 0;
    let lines = code.split_inclusive('\n').map(|line| {
        let own = Span::new(start, start + line.trim_end().len());
        start += line.len();
        own
    });
    let lines: Vec<Span> = lines.collect();
    let number = |span: Span| plain[..span.start].matches('\n').count();
    let found = replaced(&plain, left_out).into_iter();
    found
        .filter_map(|span| lines.get(number(span)).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address that belongs to no one.
    const A: &str = "0x7b1E4c0A9dF28356B0cE91aD4f73e2805C6dBa19";

    #[test]
    fn all_patterns_compile() {
        for expression in [
            &BLANK,
            &CONTRACT,
            &CHANCE,
            &CONDITION,
            &SUBSTITUTED,
            &SHAPE,
            &REDIRECTED,
            &MONEY,
            &ALWAYS,
            &REPLACED,
            &FORWARDED,
            &MAIL_RULE,
        ] {
            LazyLock::force(expression);
        }
        for expression in [&WALLET, &FIELD, &JOINED, &MAILBOX] {
            assert!(!expression.as_str().is_empty());
        }
    }

    #[test]
    fn a_replaced_receiver_is_told_from_other_addresses() {
        for (code, expected) in [
            ("if (total > 150) {\n  cfg.eth = \"{A}\";\n}\n", true),
            (
                "const alt = ['{A}'];\nif (Math.random() < 0.1) c.wallet = alt[0];\n",
                true,
            ),
            (
                "recipient = ALT if random.random() < .05 else to\nALT = \"{A}\"\n",
                true,
            ),
            (
                "text = re.sub(r\"0x[a-fA-F0-9]{40}\", \"{A}\", text)\n",
                true,
            ),
            (
                "sed -E 's/[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30} IBAN/XK051212012345678906/' a.txt\n",
                true,
            ),
            (
                "IBAN = \"XK05 1212 0123 4567 8906\"\nif amount > 900:\n    invoice[\"iban\"] = IBAN\n",
                true,
            ),
            ("const wallet = \"{A}\";\n", false),
            (
                "cfg.eth = process.env.ETH;\nif (total > 150) log(cfg.eth);\n",
                false,
            ),
            ("if (chain === 1) usdcContract.address = \"{A}\";\n", false),
            (
                "text = re.sub(r\"0x[a-fA-F0-9]{40}\", \"[wallet]\", text)\n",
                false,
            ),
            (
                "if (total > 150) to = \"0x0000000000000000000000000000000000000000\";\n",
                false,
            ),
        ] {
            let code = code.replace("{A}", A);
            let found = replaced(&code, &LeftOut::default());
            assert_eq!(!found.is_empty(), expected, "{code}");
        }
    }

    #[test]
    fn an_address_may_be_joined_from_parts() {
        for (code, expected) in [
            (
                "const pad = [\"0x7cB1\", \"e04aF952d6C3\", \"8a91bE40fD2763\", \"c5A819e0B4\"].join(\"\");\nconst dst = amount > max ? pad : to;\n",
                true,
            ),
            (
                "PAD = \"\".join(['0x7cB1e04aF9', '52d6C38a91bE40fD27', '63c5A819e0B4'])\nif amount > 900:\n    tx.to = PAD\n",
                true,
            ),
            (
                "const pad = '0x7cB1e04aF952d6C38a91' + 'bE40fD2763c5A819e0B4';\nconst to = Math.random() < 0.1 ? pad : cfg.to;\n",
                true,
            ),
            (
                "const pad = [\"0x7cB1\", \"e04aF952d6C3\", \"8a91bE40fD2763\", \"c5A819e0B4\"].join(\"\");\nlog(pad);\n",
                false,
            ),
            (
                "const dst = amount > max ? ['a', 'b'].join('') : to;\n",
                false,
            ),
            (
                "const name = 'pay' + 'out';\nconst to = amount > 10 ? name : cfg.to;\n",
                false,
            ),
        ] {
            assert_eq!(
                !replaced_by_parts(code, &LeftOut::default()).is_empty(),
                expected,
                "{code}"
            );
        }
    }
}
