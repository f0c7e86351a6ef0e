//! Reports keys that a program sends although authentication does not need them. A private key or seed phrase signs
//! locally and is never sent. A vendor's key belongs only in the part of a request that authenticates the client. The
//! analysis follows a key into a function to which the program passes the key.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::{OWNERS, has_any};
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::{Examined, LeftOut};
use crate::security::hosts::HostKind;
use crate::security::signals::{Match, Signal};

/// The maximum length of a call's arguments, in bytes.
const MAX_CALL: usize = 900;

/// The maximum number of requests that are examined in a program.
const MOST_REQUESTS: usize = 5000;

/// The maximum number of requests to foreign hosts that are examined in a program.
const MOST_FOREIGN: usize = 200;

/// The maximum number of calls of a function that are searched for keys.
const MOST_CALLS: usize = 100;

/// The number of bytes before a key, on the same line, that are examined.
const MAX_HEAD: usize = 200;

/// The maximum distance between the signature of a function and a request in the function body, in bytes.
const MAX_BODY: usize = 2000;

/// Substrings of the names of keys that only sign locally and are never sent, in lower case.
pub(super) const SIGNING: [&str; 13] = [
    "private_key",
    "privatekey",
    "mnemonic",
    "seed_phrase",
    "secret_phrase",
    "recovery_phrase",
    "wallet_key",
    "wallet_secret",
    "wallet_seed",
    "wallet_pk",
    "seed_words",
    "deployer_key",
    "deployer_pk",
];

/// Substrings of code that uses a wallet, in lower case.
const WALLETS: [&str; 14] = [
    "ethers",
    "web3",
    "eth_account",
    "eth_keys",
    "solana",
    "solders",
    "bip39",
    "bip32",
    "bitcoin",
    "brownie",
    "tronweb",
    "hdwallet",
    "viem",
    "wallet.",
];

/// Properties of a wallet that must never be sent, in lower case.
const PROPERTIES: [&str; 5] = [
    ".private_key",
    ".privatekey",
    ".mnemonic",
    ".seed_phrase",
    ".seedphrase",
];

/// Calls that add data to a request, in lower case: `post(url).body(data)`.
const CHAINED: [&str; 8] = [
    ".body(",
    ".json(",
    ".form(",
    ".query(",
    ".header(",
    ".send_json(",
    ".send_form(",
    ".send_string(",
];

/// The maximum number of calls that add data to a request and are examined.
const MOST_CHAINED: usize = 4;

/// Substrings of the names of headers and parameters that authenticate a client, in lower case.
const SIGN_IN: [&str; 9] = [
    "auth",
    "token",
    "key",
    "secret",
    "cookie",
    "password",
    "bearer",
    "session",
    "credential",
];

/// Functions whose result reveals their argument, in lower case.
const ENCODERS: [&str; 22] = [
    "b64encode",
    "urlsafe_b64encode",
    "base64",
    "btoa",
    "str",
    "string",
    "dumps",
    "stringify",
    "hex",
    "hexlify",
    "quote",
    "urlencode",
    "encodeuricomponent",
    "from",
    "format",
    "reversed",
    "dict",
    "tostring",
    "byte",
    "bytes",
    "queryescape",
    "encodetostring",
];

/// An expression that reads an environment variable. The group is the variable's name.
static READ: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?:environ(?:\.get)?\s*[\[(]\s*["']|(?:getenv|lookupenv|env\.fetch|env\.get|env::var)\(\s*["']|process\.env\.|process\.env\[\s*["']|\benv\[\s*["']|\$env:)([a-z][a-z0-9_]{3,60})"#,
    ))
    .expect("a pattern")
});

/// The beginning of a line such as `key = os.environ["TOKEN"]`, up to the name of the environment variable. The group
/// is the variable on the left.
static HELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?:^|[;{])\s*(?:(?:const|let|var|my|local|export)\s+)?\$?([a-z_]\w*)\s*(?::\s*\w+\s*)?:?=\s*(?:\w+\.)*(?:environ(?:\.get)?\s*[\[(]\s*["']|(?:getenv|lookupenv|env\.fetch|env\.get|(?:std::)?env::var)\(\s*["']|process\.env[.\[]\s*["']?|env\[\s*["']|\$env:)$"#,
    ))
    .expect("a pattern")
});

/// The beginning of a line such as `id = encode(key)`, up to the value. The group is the variable on the left.
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"^\s*(?:(?:const|let|mut|var|my|local|export)\s+){0,2}\$?([a-z_]\w*)\s*(?::\s*[\w.&]+\s*)?:?=\s*[a-z_$(&\[\x22'`]",
    ))
    .expect("a pattern")
});

/// A statement such as `const { KEY } = process.env`. The group is the list of names.
static UNPACKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(r"\{([^{}\n]{1,200})\}\s*=\s*process\.env\b")).expect("a pattern")
});

/// The beginning of a call that sends a request.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:(?:\b\w{1,24}|\))\.(?:get|post|put|patch|head|request|send|open|sendbeacon|postform|newrequest\w*)|\bfetch|\burlopen|\baxios|\brequest)\(",
    ))
    .expect("a pattern")
});

/// The signature of a function. The groups are the name and the parameters, in two alternative forms.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:def|function|func|fn|sub)\s+([a-z_]\w{0,60})\s*\(([^()\n]{1,200})\)|\b(?:const|let|var)\s+([a-z_]\w{0,60})\s*=\s*(?:async\s*)?\(([^()\n]{1,200})\)\s*=>",
    ))
    .expect("a pattern")
});

/// A key that a program reads from the environment.
struct Key<'a> {
    /// The name of the environment variable, in lower case.
    name: &'a str,
    /// The variable to which the key is assigned, in lower case.
    held: Option<&'a str>,
    /// The variables to which the encoded key is assigned, each with the position of the assignment.
    encoded: Vec<(&'a str, usize)>,
    /// Substrings of the issuer's host names; `None` for a key that is never sent.
    owners: Option<&'static [&'static str]>,
}

impl Of<'_, '_> {
    /// SEC103: reports keys that are sent although authentication does not need them.
    pub(super) fn leaked(&mut self) {
        if self.layer.is_sample || !self.layer.layer.is_file() {
            return;
        }
        for part in self.programs() {
            self.leaked_in(part);
        }
    }

    fn leaked_in(&mut self, part: Span) {
        let layer = self.layer;
        let code = layer.lower_part(part);
        let keys = if code.contains("env") {
            keys(code, &layer.left_out)
        } else {
            Vec::new()
        };
        let has_wallet = has_any(code, &PROPERTIES) && has_any(code, &WALLETS);
        if keys.is_empty() && !has_wallet {
            return;
        }
        let mut left = MOST_FOREIGN;
        let requests = REQUEST.find_iter(code);
        let requests = requests.most(MOST_REQUESTS, &layer.left_out);
        for request in requests.map(|found| with_chained(code, arguments(code, found.end()))) {
            let span = Span::new(part.start + request.start, part.start + request.end);
            let address = layer
                .leads_to(span)
                .filter(|address| address.kind >= HostKind::Other && self.is_strange(address));
            let Some(address) = address.filter(|address| self.is_foreign(address)) else {
                continue;
            };
            if left == 0 {
                layer.left_out.note();
                return;
            }
            left -= 1;
            let call = &code[request.clone()];
            let passed = Passed::read(code, request.start, &layer.left_out);
            let sent = keys.iter().find(|key| {
                let is_issuer = |owner: &&str| address.host.contains(*owner);
                let is_own = key
                    .owners
                    .is_some_and(|owners| owners.iter().any(is_issuer));
                let parameter = passed.as_ref().and_then(|passed| passed.parameter(key));
                let names = [Some(key.name), key.held, parameter];
                let encoded = key.encoded.iter().filter(|(_, at)| {
                    let near = *at..*at + MAX_BODY;
                    near.contains(&request.start)
                });
                let encoded = encoded.map(|(name, _)| *name);
                let names = names.into_iter().flatten().chain(encoded);
                let mut uses = names.flat_map(|name| {
                    places(call, name).filter(move |at| !is_name(call, *at, name.len()))
                });
                !is_own && uses.any(|at| is_sent(call, at, key.owners.is_none()))
            });
            let sent = sent.map(|key| format!("'{}'", key.name.to_ascii_uppercase()));
            let of_wallet = || {
                let is_given = has_wallet && gives_property(call);
                is_given.then(|| "the private key of a wallet".to_owned())
            };
            let Some(name) = sent.or_else(of_wallet) else {
                continue;
            };
            let hit = Match {
                signal: Signal::Send,
                span,
            };
            let what = format!(
                "sends {name} to '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push_order("SEC103", &hit, true, &what);
        }
    }
}

/// Returns the keys that a program reads from the environment. `code`: in lower case.
fn keys<'a>(code: &'a str, left_out: &LeftOut) -> Vec<Key<'a>> {
    let found = READ.captures_iter(code).filter_map(|found| found.get(1));
    let found = found.filter(|name| is_signing(name.as_str()) || owners(name.as_str()).is_some());
    let read = found.map(|name| (name.as_str(), held(code, name.start())));
    let unpacked = UNPACKED
        .captures_iter(code)
        .filter_map(|found| found.get(1));
    let unpacked = unpacked.flat_map(|list| list.as_str().split(','));
    let unpacked = unpacked.map(|item| {
        let (name, held) = item.split_once(':').unwrap_or((item, item));
        (named(name), Some(named(held)))
    });
    let unpacked = unpacked.filter(|(name, _)| is_signing(name));
    let mut known = BTreeSet::new();
    read.chain(unpacked)
        .filter(|key| known.insert(*key))
        .most(MOST_COMPARED, left_out)
        .map(|(name, held)| {
            let owners = owners(name);
            let encoded = if owners.is_none() {
                encoded(code, name, held, left_out)
            } else {
                Vec::new()
            };
            Key {
                name,
                held,
                encoded,
                owners,
            }
        })
        .collect()
}

/// Returns the variables to which a program assigns a key after encoding it, each with the position of the assignment.
fn encoded<'a>(
    code: &'a str,
    name: &'a str,
    held: Option<&'a str>,
    left_out: &LeftOut,
) -> Vec<(&'a str, usize)> {
    let names = [Some(name), held];
    let places = names
        .into_iter()
        .flatten()
        .flat_map(|name| places(code, name).map(move |at| (at, name.len())));
    let places = places.most(MOST_EXAMINED, left_out);
    let assigned = places.filter_map(|(at, length)| {
        let from = char_floor(code, at.saturating_sub(MAX_HEAD));
        let line = code[from..at]
            .rfind('\n')
            .map_or(from, |end| from + end + 1);
        let before = &code[line..at];
        let found = ASSIGNED.captures(before)?;
        let (whole, variable) = (found.get(0)?, found.get(1)?);
        let start = line + whole.end() - 1;
        let value = &code[start..at];
        let opened = value.matches('(').count() > value.matches(')').count();
        let rest = &code[at + length..];
        let is_whole = !rest.starts_with('.')
            || [".encode", ".as_bytes", ".trim", ".strip", ".tostring"]
                .iter()
                .any(|method| rest.starts_with(method));
        let call = &code[start..at + length];
        let is_encoded = opened && is_whole && is_sent(call, at - start, true);
        is_encoded.then_some((&code[line + variable.start()..line + variable.end()], line))
    });
    assigned.collect()
}

/// Returns whether a request sends a property of a wallet that must never be sent. `call`: the arguments of the
/// request, in lower case.
fn gives_property(call: &str) -> bool {
    PROPERTIES.iter().any(|name| {
        call.match_indices(*name).any(|(at, _)| {
            let rest = &call[at + name.len()..];
            let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '('));
            // Only a part of the key, or something else that is computed from it.
            let is_used = [".pub", ".sign", ".addr", ".len"]
                .iter()
                .any(|part| rest.starts_with(part));
            !goes_on && !is_used && is_sent(call, at, true)
        })
    })
}

/// Extends the arguments of a request by those of the calls that add data to the request.
fn with_chained(code: &str, request: Range<usize>) -> Range<usize> {
    let mut end = request.end;
    for _ in 0..MOST_CHAINED {
        let Some(rest) = code[end..].strip_prefix(')') else {
            break;
        };
        let rest = rest.trim_start();
        let Some(name) = CHAINED.iter().find(|name| rest.starts_with(**name)) else {
            break;
        };
        end = arguments(code, code.len() - rest.len() + name.len()).end;
    }
    request.start..end
}

/// Returns whether a variable's name is that of a key that only signs locally.
pub(super) fn is_signing(name: &str) -> bool {
    has_any(name, &SIGNING) && !name.contains("public")
}

/// Returns substrings of the host names of a key's issuer; `None` if the issuer is unknown.
fn owners(name: &str) -> Option<&'static [&'static str]> {
    let mut known = OWNERS.iter();
    let (_, hosts) = known.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some(*hosts)
}

/// Returns the range of a call's arguments. `start`: the position after the opening parenthesis.
pub(super) fn arguments(code: &str, start: usize) -> Range<usize> {
    let end = char_floor(code, start + MAX_CALL);
    let mut depth = 1_usize;
    for (at, byte) in code[start..end].bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return start..start + at;
        }
    }
    start..end
}

/// Returns the positions at which `word` occurs in `text` as a whole word.
fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            !text[..*at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
        })
}

/// Returns whether a word in the arguments of a call is only the name of a header, parameter or argument, and not a
/// value: `{"x-key": …}`, `key=…`.
fn is_name(call: &str, at: usize, length: usize) -> bool {
    let rest = &call[at + length..];
    if let Some(after) = rest.strip_prefix(['"', '\'']) {
        let after = after.trim_start();
        // The quote ends the string. The string is a name if a colon or an arrow follows.
        return after.starts_with(':') || after.starts_with("=>");
    }
    // In a Python f-string, `{key=}` inserts the value too.
    let after = rest.strip_prefix('=');
    after.is_some_and(|after| !after.starts_with(['=', '}', '>', '!', ':']))
}

/// Returns the variable to which the program assigns, unchanged, the environment variable whose name is at `at`.
fn held(code: &str, at: usize) -> Option<&str> {
    let from = char_floor(code, at.saturating_sub(MAX_HEAD));
    let before = &code[from..at];
    let line = before.rsplit('\n').next().unwrap_or(before);
    let found = HELD.captures(line)?.get(1)?;
    Some(found.as_str())
}

/// The parameters of a function, and the arguments that a program passes to the function.
struct Passed<'a> {
    parameters: Vec<&'a str>,
    /// The arguments of all calls, each with its index in the call.
    arguments: Vec<(usize, &'a str)>,
}

impl<'a> Passed<'a> {
    /// Returns the parameters of the function that contains a position, and the arguments that are passed to them.
    fn read(code: &'a str, at: usize, left_out: &LeftOut) -> Option<Self> {
        let from = char_floor(code, at.saturating_sub(MAX_BODY));
        let head = FUNCTION.captures_iter(&code[from..at]).last()?;
        let name = head.get(1).or_else(|| head.get(3))?;
        let list = head.get(2).or_else(|| head.get(4))?;
        let own = from + name.start();
        let name = name.as_str();
        let is_taken = |name: &&str| !matches!(*name, "self" | "cls" | "");
        let calls = places(code, name).filter_map(|at| {
            let start = at + name.len();
            (at != own && code[start..].starts_with('(')).then(|| arguments(code, start + 1))
        });
        let calls = calls.most(MOST_CALLS, left_out);
        Some(Self {
            parameters: list
                .as_str()
                .split(',')
                .map(named)
                .filter(is_taken)
                .collect(),
            arguments: calls
                .flat_map(|call| code[call].split(',').enumerate())
                .collect(),
        })
    }

    /// Returns the parameter that receives a key, if the program passes the key to the function.
    fn parameter(&self, key: &Key<'_>) -> Option<&'a str> {
        let is_in = |text: &str, name: &str| places(text, name).next().is_some();
        let (index, _) = self.arguments.iter().find(|(_, text)| {
            is_in(text, key.name) || key.held.is_some_and(|held| is_in(text, held))
        })?;
        self.parameters.get(*index).copied()
    }
}

/// Returns the name of a parameter, without its type and default value.
fn named(parameter: &str) -> &str {
    let name = parameter.trim().trim_start_matches(['$', '&', '*']);
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    &name[..end.unwrap_or(name.len())]
}

/// Returns whether a request leaks the key at a position in its arguments. `is_secret`: whether the key must not be
/// sent even to authenticate.
fn is_sent(call: &str, at: usize, is_secret: bool) -> bool {
    // If the key is an argument of another function, such as one that signs a message, the request sends only the
    // result. The result contains the key if the function merely encodes or reads it.
    let mut depth = 0_usize;
    for (place, byte) in call[..at].bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                let is_letter = |c: char| c.is_alphanumeric() || c == '_';
                let function = call[..place].trim_end_matches(is_letter).len();
                let function = &call[function..place];
                let reads = ["get", "getenv", "fetch", "lookupenv"];
                let is_chained = || {
                    let call = call[..=place].rfind('.').map(|dot| &call[dot..=place]);
                    call.is_some_and(|call| CHAINED.contains(&call))
                };
                if !ENCODERS.contains(&function) && !reads.contains(&function) && !is_chained() {
                    return false;
                }
            }
            _ => {}
        }
    }
    if is_secret {
        return true;
    }
    // Find the name of the header or parameter, and the string directly before the key.
    let near = char_floor(call, at.saturating_sub(MAX_HEAD / 8));
    let sources = [
        "environ",
        "getenv",
        "process.env",
        "env.",
        "lookupenv",
        "env[",
    ];
    let sources = sources.iter();
    let source = sources.filter_map(|sign| call[near..at].find(*sign)).min();
    let head = &call[..source.map_or(at, |source| near + source)];
    let place = head
        .rsplit([',', '{', '(', '?', '&', '\n'])
        .next()
        .unwrap_or_default();
    let before = head
        .rsplit(['"', '\'', '`', '&', '?'])
        .next()
        .unwrap_or_default();
    let (name, _) = place.split_once([':', '=']).unwrap_or((place, ""));
    !has_any(name, &SIGN_IN) && !has_any(before, &SIGN_IN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&READ, &HELD, &ASSIGNED, &UNPACKED, &REQUEST, &FUNCTION] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_key_is_followed_into_a_function() {
        let key = Key {
            name: "private_key",
            held: Some("held"),
            encoded: Vec::new(),
            owners: None,
        };
        for (code, expected) in [
            (
                "ping(a, held)\ndef ping(event, tag=\"\"):\n    get(",
                Some("tag"),
            ),
            ("function ping(ev, tag) { fetch(", None),
            (
                "const ping = (tag) => fetch(u + tag);\nping(held);\nfetch(",
                Some("tag"),
            ),
            (
                "ping(environ[\"private_key\"])\ndef ping(self, tag: str):\n get(",
                Some("tag"),
            ),
            ("ping(holder)\ndef ping(tag):\n    get(", None),
        ] {
            let passed = Passed::read(code, code.len(), &LeftOut::default());
            let found = passed.and_then(|passed| passed.parameter(&key));
            assert_eq!(found, expected, "{code}");
        }
    }

    #[test]
    fn a_variable_holds_a_key_that_is_assigned_as_it_is() {
        for (line, expected) in [
            ("key = os.environ[\"", Some("key")),
            ("a()\n    k = os.environ.get('", Some("k")),
            ("const key = process.env.", Some("key")),
            ("key := os.getenv(\"", Some("key")),
            ("$key = $env:", Some("key")),
            ("wallet = new wallet(process.env.", None),
            ("account = account.from_key(os.environ[\"", None),
            ("if key == os.environ[\"", None),
        ] {
            assert_eq!(held(line, line.len()), expected, "{line}");
        }
    }

    #[test]
    fn the_name_of_a_header_is_not_its_value() {
        for (call, expected) in [
            ("u, headers={\"x-api-KEY\": a}", true),
            ("u, params={'KEY' : a}", true),
            ("u, { KEY => a }", false),
            ("u, { 'KEY' => a }", true),
            ("u, {KEY: a}", false),
            ("u, KEY=a", true),
            ("u, json=[KEY]", false),
            ("u, {KEY}", false),
            ("u + f\"?a={KEY=}\"", false),
            ("u + f\"?a={KEY=!r}\"", false),
            ("u, a == KEY", false),
            ("u + KEY + \": \"", false),
        ] {
            let at = call.find("KEY").unwrap();
            assert_eq!(is_name(call, at, "KEY".len()), expected, "{call}");
        }
    }

    #[test]
    fn a_key_that_signs_is_not_sent() {
        for (call, is_secret, expected) in [
            ("u, headers={\"x-trace-id\": KEY[::-1]}", true, true),
            ("u, headers={\"authorization\": KEY}", true, true),
            ("u, json={\"s\": sign(KEY, m)}", true, false),
            ("u, json={\"s\": b64encode(KEY)}", true, true),
            ("u, headers={\"x-trace-id\": KEY}", false, true),
            ("u, params={\"e\": e, \"t\": KEY}", false, true),
            ("u, headers={\"x-api-key\": KEY}", false, false),
            (
                "u, headers={\"authorization\": f\"bearer {KEY}\"}",
                false,
                false,
            ),
            ("`https://a.io/?api_key=${KEY}`", false, false),
            ("`https://a.io/?t=${KEY}`", false, true),
            ("u, auth=(\"x\", KEY)", false, false),
        ] {
            let at = call.find("KEY").unwrap();
            assert_eq!(is_sent(call, at, is_secret), expected, "{call}");
        }
    }
}
