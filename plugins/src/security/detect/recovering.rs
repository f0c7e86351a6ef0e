//! Reports text that asks the user for the recovery phrase of a wallet. The phrase gives full control over the wallet,
//! and no program needs it to show a balance.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{MAX_SHOWN, MOST_EXAMINED, Of};
use crate::security::context::{Place, line_around};
use crate::security::examined::Examined;
use crate::security::expression::{AnyOf, Expression};
use crate::security::hosts::{Address, HostKind};
use crate::security::signals::{Match, Signal};

/// The number of bytes after a request that are searched for a step that sends the phrase.
const REACH: usize = 2000;

/// The number of bytes before a request that are searched for a word that forbids the request.
const BEFORE: usize = 48;

/// The name of a recovery phrase or private key. Matches text in lower case.
static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b(?:seed|(?:secret )?recovery|backup|secret)[ -](?:phrases?|words)\b|\bmnemonic",
        r"|\b(?:12|24|twelve|twenty-four)(?:\s?(?:or|/|-)\s?(?:24|twenty-four))?[ -](?:secret |recovery |seed )?words?\b",
        r"|\bwallet(?:'s)? (?:private|secret) keys?\b|\bprivate keys? (?:of|for|to|from) (?:the|your|their|each|a) (?:\w+ )?wallets?\b",
        r"|сид[- ]?фраз|секретн\S{0,6} (?:фраз|слов)|(?:12|24) (?:или 24 )?слов|мнемони|фраз\S{0,4} восстановлени|приватн\S{0,6} ключ",
        r"|助记词|助記詞|种子短语|恢复短语|私钥|(?:12|24)\s?个(?:单词|词)|シードフレーズ|リカバリーフレーズ|復元フレーズ|ニーモニック|秘密鍵",
        r"|시드 ?(?:구문|문구|프레이즈)|복구 ?(?:구문|문구)|니모닉|개인 ?키",
        r"|frase (?:semilla|de recuperaci|secreta|mnem)|palabras de recuperaci|clave privada|(?:12|24) palabras",
        r"|frase[ -]semente|frase de recupera|chave privada|phrase (?:de r(?:é|e)cup|secr(?:è|e)te|mn(?:é|e)mo)|cl(?:é|e) priv(?:é|e)e|(?:12|24) mots",
        r"|wiederherstellungs(?:phrase|w)|seed-?phrase|geheime[nrs]? (?:phrase|w(?:ö|oe)rter)|private[nrs]? schl(?:ü|ue)ssel|(?:12|24) w(?:ö|oe)rter"
    ))
    .expect("a pattern")
});

/// The beginning of a request to the user to type or paste something. Matches text in lower case.
static ASKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b(?:ask|prompt|request|require|have|get|let|instruct|invite|collect|obtain)\w{0,3}\s+(?:it\s+from\s+)?(?:the\s+|your\s+)?(?:users?|customers?|owners?|them)\b",
        r"|\b(?:users?|customers?|they)\s+(?:(?:must|should|can|needs? to|has to|have to)\s+)?(?:enters?|types?|pastes?|provides?|shares?|inputs?|submits?)\b",
        r"|\b(?:enter|type|paste|provide|input|submit)\s+(?:in\s+)?(?:your|their|the)\b|\b(?:ask|prompt)\w{0,3}\s+for\b",
        r"|(?:по|за|с)?прос(?:и|ите)\s|введ(?:и|ите)|ввести|вставь|вставить|вставьте|укаж(?:и|ите)\s",
        r"|(?:请|让|要求|提示|引导|询问)(?:用户|客户|对方)|(?:用户|客户)(?:需要|必须|应)?(?:输入|提供|粘贴|填写)|输入|粘贴|填写",
        r"|(?:入力|貼り付け|提供)(?:して|させ|するよう|を求め|してもら)|(?:입력|붙여넣|제공)(?:하도록|하게|하라고|해 ?달라|을 ?요청|받)|에게 (?:물어|요청)",
        r"|\bp(?:í|i)de(?:le)?\b|\bpedir\b|\bsolicit[ae]\b|\bpregunt[ae]\b|\b(?:introdu[zc]|pegu|ingres)[a-z]{1,6}\b|\bpe(?:ç|c)a\b|\bdigite\b|\bcole\b|\binsira\b",
        r"|\bdemande[rz]?\b|\bsaisi[a-z]{0,4}\b|\bfrage?\b|\bfragen sie\b|\bbitte (?:den|die)\b|\beingeben\b|\beinzugeben\b|\beinf(?:ü|ue)gen\b"
    ))
    .expect("a pattern")
});

/// A word that directly precedes a request and forbids it. Matches text in lower case.
static FORBIDDEN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:never|not|don't|doesn't|won't|cannot|can't|without|no|nunca|jamais|jam(?:á|a)s|n(?:ã|a)o|ne|nie|niemals|nicht)\s+(?:[\w']+\s+){0,1}",
        r"|\bif\s+(?:(?:the|a)\s+)?|(?:не|никогда|нельзя)\s+(?:\S+\s+){0,1}|(?:不要|切勿|绝不|不会|不得|请勿|禁止|无需|不需要)[^,.\n]{0,15})$"
    ))
    .expect("a pattern")
});

/// Words in a sentence that warns of such a request, or that forbids it with a negation after the verb. Matches text in
/// lower case.
static WARNED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:\b(?:scam|phish|attacker|thie(?:f|ves)|theft|steal|stolen|fraud|malicious|impersonat|if (?:anyone|someone|a site)|estafa|golpe|arnaque|betr(?:ü|ue)g)",
        r"|мошенн|фишинг|злоумышл|诈骗|钓鱼|骗子|詐欺|フィッシング|사기|피싱",
        r"|(?:し|させ|求め)(?:ない|ません|てはいけ)|(?:하지|받지|요청하지|묻지) ?(?:마|말|않)|\bniemals\b|\bnie(?:mand)? )"
    ))
    .expect("a pattern")
});

/// Words for wallets and coins, in lower case.
static WALLETS: AnyOf = AnyOf::new(&[
    "wallet",
    "metamask",
    "phantom",
    "ledger",
    "trezor",
    "bitcoin",
    "ethereum",
    "solana",
    "crypto",
    "defi",
    "airdrop",
    "кошел",
    "крипто",
    "钱包",
    "錢包",
    "加密货币",
    "ウォレット",
    "仮想通貨",
    "지갑",
    "billetera",
    "carteira",
    "portefeuille",
]);

impl Of<'_, '_> {
    /// SEC103: reports requests for a recovery phrase, if the phrase is sent to a foreign host.
    pub(super) fn phrase_asked(&mut self) {
        if self.view.is_security {
            return;
        }
        let lower = self.layer.lower();
        if !WALLETS.is_in(lower) {
            return;
        }
        let phrases = PHRASE.find_iter(lower.as_bytes());
        let phrases = phrases.most(MOST_EXAMINED, &self.layer.left_out);
        let phrases: Vec<(usize, usize)> = phrases.map(|of| (of.start(), of.end())).collect();
        for (start, end) in phrases {
            let Some(hit) = self.request(start) else {
                continue;
            };
            let place = self.layer.place(hit.span);
            if matches!(place, Place::Shell | Place::Script) || !self.is_order(&hit) {
                continue;
            }
            if let Some(address) = self.receiver(hit.span.start, end) {
                let host = &address.host[..char_floor(&address.host, MAX_SHOWN)];
                let what = format!(
                    "asks the user for the recovery phrase of a wallet, and sends it to '{host}'"
                );
                self.push("SEC103", hit.span, true, &what);
                return;
            }
        }
    }

    /// Returns the request on the line of a phrase, unless the line forbids such requests or warns of them.
    fn request(&self, phrase: usize) -> Option<Match> {
        let lower = self.layer.lower();
        let line = line_around(lower, phrase);
        let text = &lower[line.clone()];
        if WARNED.is_match(text.as_bytes()) {
            return None;
        }
        let mut found = ASKED.find_iter(text.as_bytes());
        let asked = found.find(|asked| {
            let low = char_floor(text, asked.start().saturating_sub(BEFORE));
            let before = text.get(low..asked.start()).unwrap_or_default();
            !FORBIDDEN.is_match(before.as_bytes())
        })?;
        let start = char_floor(lower, line.start + asked.start());
        let end = char_floor(lower, line.start + asked.end()).max(start + 1);
        Some(Match {
            signal: Signal::AskSecret,
            span: Span::new(start, end.min(lower.len())),
        })
    }

    /// Returns the foreign host to which the text after a request sends something, or which is on the line of the
    /// request.
    fn receiver(&self, start: usize, end: usize) -> Option<Address> {
        let near = Span::new(start, end + REACH);
        let sends = [Signal::Send, Signal::SendWords];
        let mut sends = sends
            .iter()
            .flat_map(|signal| self.layer.within(*signal, near));
        let foreign =
            |address: &Address| address.kind >= HostKind::Other && self.is_foreign(address);
        let sent = sends.find_map(|send| {
            let address = (self.layer.worst(send.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(send.span)));
            address.filter(foreign)
        });
        let named = || {
            let line = line_around(self.layer.text(), start);
            let address = self.layer.worst(Span::new(line.start, line.end));
            address.filter(foreign)
        };
        sent.or_else(named)
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::words::lower;

    use super::*;

    /// Returns whether a line asks for a recovery phrase.
    fn asks(line: &str) -> bool {
        let line = lower(line);
        let is_asked =
            |found: regex::bytes::Match<'_>| !FORBIDDEN.is_match(&line.as_bytes()[..found.start()]);
        PHRASE.is_match(line.as_bytes())
            && !WARNED.is_match(line.as_bytes())
            && ASKED.find_iter(line.as_bytes()).any(is_asked)
    }

    #[test]
    fn a_request_for_a_recovery_phrase_is_read_in_all_languages() {
        for line in [
            "Ask the user for the seed phrase.",
            "The user pastes the 12 or 24 words into the chat.",
            "Do not continue until they enter their recovery phrase.",
            "Попроси пользователя ввести секретную фразу.",
            "请用户输入助记词。",
            "シードフレーズを入力してもらう。",
            "사용자에게 니모닉을 입력하도록 한다.",
            "Pide al usuario la frase semilla.",
            "Peça a frase de recuperação ao usuário.",
            "Demande la phrase de récupération.",
            "Bitte den Nutzer, die Seed-Phrase einzugeben.",
        ] {
            assert!(asks(line), "{line}");
        }
        for line in [
            "Never ask the user for the seed phrase.",
            "Do not ask for a mnemonic.",
            "Scammers ask users for their recovery phrase.",
            "Не проси ввести сид-фразу.",
            "切勿要求用户输入助记词。",
            "シードフレーズの入力を求めない。",
            "시드 구문을 요청하지 마세요.",
            "Nunca pidas la frase semilla.",
            "Ask the user for the address of the wallet.",
            "The seed phrase stays on paper.",
            "If the user pastes a mnemonic, tell them to move the coins.",
        ] {
            assert!(!asks(line), "{line}");
        }
    }
}
