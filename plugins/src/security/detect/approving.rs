//! Reports programs that have the user allow a third party to empty the user's wallet: an approval of all tokens of a
//! contract, or of an unlimited amount, for a hard-coded address.
//!
//! Legitimate programs approve a contract that they call next, such as a marketplace or the router of an exchange. A
//! thief's contract is called later, by the thief, so the program itself never calls the address.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{MOST_COMPARED, Of};
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The maximum number of bytes of a call that are examined.
const CALL: usize = 400;

/// A call that approves an operator or a spender. All expressions in this file match text in lower case.
static APPROVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"[\x22'`](?:setapprovalforall|approve|increaseallowance|permit|permitbatch)(?:\([^)\n]{0,80}\))?[\x22'`]|\b(?:setapprovalforall|approve|increaseallowance|permit|permitbatch)\s*\(|\bspender\s*[:=]",
    ))
    .expect("a pattern")
});

/// A program is examined only if it contains one of these strings, in lower case.
static SIGNS: AnyOf = AnyOf::new(&["approv", "allowance", "permit"]);

/// An unlimited amount.
static UNLIMITED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"max_?uint(?:256|160)?|max_?int|uint256_max|type\(uint(?:256|160)\)\.max|constants\.max|2n?\s*\*\*\s*(?:256|160)n?|0xf{30,64}\b|\binfinite\b|max_approval|max_allowance|1157920892373161954235709850086879\d*|\bbal(?:ance)?\b",
    ))
    .expect("a pattern")
});

/// An argument that approves all tokens of a collection.
static ALL_OF_COLLECTION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(r"\btrue\b|\bone\b|,\s*1\s*[\])]")).expect("a pattern")
});

/// The address of a contract or wallet, and the name of the constant to which it is assigned, if any.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\b([a-z_$][\w$]*)\s*(?::\s*[\w<>`${}]{1,30}\s*)?=\s*)?(?:as_?address\(|getaddress\()?[\x22'`]?\b(0x[0-9a-f]{40})\b",
    ))
    .expect("a pattern")
});

/// Contracts of well-known exchanges and marketplaces, for which such approvals are normal.
const KNOWN: [&str; 14] = [
    // Permit2.
    "0x000000000022d473030f116ddee9f6b43ac78ba3",
    // Seaport and its conduit.
    "0x1e0049783f008a0085193e00003d00cd54003c71",
    "0x00000000006c3852cbef3e08e8df289169ede581",
    "0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
    "0x0000000000000068f116a894984e2db1123eb395",
    // Uniswap.
    "0x7a250d5630b4cf539739df2c5dacb4c659f2488d",
    "0xe592427a0aece92de3edee1f18e0157c05861564",
    "0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45",
    "0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad",
    // SushiSwap, PancakeSwap, 1inch, 0x and Aave.
    "0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f",
    "0x10ed43c718714eb63d5aa57b78b54704e256024e",
    "0x1111111254eeb25477b68fb85ed929f73a960582",
    "0xdef1c0ded9bec7f1a1670819833240f027b25eff",
    "0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2",
];

/// Strings directly before the address of a contract that a program calls, in lower case.
const CALLS: [&str; 10] = [
    "contract(",
    "contractat(",
    "address:",
    "address\":",
    "address=",
    "to:",
    "to\":",
    ".at(",
    "attach(",
    "connect(",
];

impl Of<'_, '_> {
    /// SEC109: reports wallet approvals for third parties.
    pub(super) fn approving(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() || !SIGNS.is_in(layer.lower()) {
            return;
        }
        for part in self.written_code() {
            let code = layer.lower_part(part);
            for (span, address) in approved(code, &layer.left_out) {
                let hit = Match {
                    signal: Signal::Damage,
                    span: Span::new(part.start + span.start, part.start + span.end),
                };
                let is_error = !self.is_exhibit(hit.span) && !self.is_announced(&address);
                let what =
                    format!("has the user let '{address}' take tokens out of the user's wallet");
                self.push_order("SEC109", &hit, is_error, &what);
            }
        }
    }
}

/// Returns the approvals in a program for addresses that the program never calls: the span and the address of each.
/// `code`: in lower case.
fn approved(code: &str, left_out: &LeftOut) -> Vec<(Span, String)> {
    if !code.contains("0x") {
        return Vec::new();
    }
    let calls = approvals(code);
    if calls.is_empty() {
        return Vec::new();
    }
    let named = ADDRESS.captures_iter(code).filter_map(|found| {
        let address = found.get(2)?.as_str();
        let name = found.get(1).map(|name| name.as_str());
        let is_known = KNOWN.contains(&address) || is_blank(address);
        (!is_known).then_some((name, address))
    });
    let fixed = named.most(4 * MOST_COMPARED, left_out);
    let fixed = fixed.filter(|(name, address)| {
        !is_called(code, address) && !name.is_some_and(|name| is_called(code, name))
    });
    let fixed: Vec<(Option<&str>, &str)> = fixed.collect();
    let calls = calls.into_iter().most(4 * MOST_COMPARED, left_out);
    let found = calls.filter_map(|(span, own)| {
        let has = |word: &str| words(own, word).next().is_some();
        let (_, address) =
            (fixed.iter()).find(|(name, address)| has(address) || name.is_some_and(has))?;
        Some((span, (*address).to_owned()))
    });
    found.collect()
}

/// Returns the calls that approve all tokens: the span of the beginning of each call, and its text.
fn approvals(code: &str) -> Vec<(Span, &str)> {
    let found = APPROVE.find_iter(code).filter_map(|call| {
        let line = line_around(code, call.start());
        let start = line.start.max(call.start().saturating_sub(CALL / 4));
        let start = char_floor(code, start);
        let text = &code[start..char_floor(code, call.end() + CALL)];
        // The call ends where its statement ends.
        let after = call.end() - start;
        let end = text[after..]
            .find([';', '}'])
            .map_or(text.len(), |end| after + end);
        let (text, own) = (&text[..end], &text[call.start() - start..end]);
        let is_declared = ["function ", "parseabi", "def ", "fn "]
            .iter()
            .any(|sign| text.contains(sign));
        let is_all = if call.as_str().contains("approvalforall") {
            ALL_OF_COLLECTION.is_match(own.as_bytes())
        } else {
            UNLIMITED.is_match(own.as_bytes())
        };
        let span = Span::new(call.start(), call.end());
        (!is_declared && is_all).then_some((span, own))
    });
    found.collect()
}

/// Returns whether an address is a placeholder: most of its digits are the same, or it contains `123456789` or
/// `deadbeef`.
fn is_blank(address: &str) -> bool {
    let mut counts = [0_usize; 256];
    for digit in address.bytes().skip(2) {
        counts[usize::from(digit)] += 1;
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    most > 20 || address.contains("123456789") || address.contains("deadbeef")
}

/// Returns the positions at which `word` occurs in `text` as a whole word.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let places = text.match_indices(word).map(|(at, _)| at);
    places.filter(move |at| {
        !text[..*at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}

/// Returns whether a program calls the contract with this address or constant name.
fn is_called(code: &str, name: &str) -> bool {
    words(code, name).any(|at| {
        let before = &code[char_floor(code, at.saturating_sub(24))..at];
        let bare = before.trim_end_matches([' ', '"', '\'', '`']);
        let is_cast = code[at + name.len()..].starts_with(").") && !bare.ends_with("getaddress(");
        is_cast || CALLS.iter().any(|sign| bare.ends_with(*sign))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        LazyLock::force(&UNLIMITED);
        LazyLock::force(&ALL_OF_COLLECTION);
    }

    #[test]
    fn an_approval_for_a_contract_that_is_never_called_is_found() {
        let operator = "0x7b1e4c0a9df28356b0ce91ad4f73e2805c6dba19";
        for (code, expected) in [
            ("const r = '{A}';\nnft.setapprovalforall(r, true);", true),
            ("await c.setapprovalforall('{A}', true)", true),
            (
                "const r: hex = '{A}';\nwrite({ functionname: 'approve', args: [r, maxuint256] })",
                true,
            ),
            (
                "r = \"{A}\"\ntoken.functions.approve(r, 2**256 - 1).transact()",
                true,
            ),
            (
                "const r = '{A}';\nsign({ message: { spender: r, value: maxuint256 } })",
                true,
            ),
            ("const r = '{A}';\nnft.setapprovalforall(r, false);", false),
            ("const r = '{A}';\ntoken.approve(r, amount);", false),
            ("token.approve(router, maxuint256)", false),
            (
                "const r = '{A}';\ntoken.approve(r, maxuint256);\nnew contract(r, abi).swap(a);",
                false,
            ),
            (
                "const r = '{A}';\ntoken.approve(r, maxuint256);\nwrite({ address: r, functionname: 'deposit' })",
                false,
            ),
            (
                "const abi = parseabi(['function approve(address s, uint256 maxuint)']);\nconst r = '{A}';",
                false,
            ),
            (
                "nft.setapprovalforall('0x1e0049783f008a0085193e00003d00cd54003c71', true)",
                false,
            ),
            (
                "nft.setapprovalforall('0x0000000000000000000000000000000000000000', true)",
                false,
            ),
        ] {
            let code = code.replace("{A}", operator);
            let found = approved(&code, &LeftOut::default());
            assert_eq!(!found.is_empty(), expected, "{code}");
        }
    }
}
