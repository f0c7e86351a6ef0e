//! Finds the addresses in a text, and the kinds of their hosts: a known vendor, a paste site, a bare IP address, a
//! placeholder.

mod lists;

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use lists::{ANONYMOUS, CATCHERS, KNOWN};

/// The kind of a host, from the least to the most suspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostKind {
    /// This machine or its own network.
    Local,
    /// A host that the reader is to replace, or that is well known in examples: `example.com`, `<your-host>`,
    /// `8.8.8.8`.
    Placeholder,
    /// A vendor or registry that many skills mention.
    Known,
    /// Any other host.
    Other,
    /// A site where anyone can publish a text, a file or a short address, so that its author is unknown.
    Anonymous,
    /// A service that shows or passes on what it receives: a request catcher, a tunnel, a chat webhook.
    Catcher,
    /// A public IP address.
    Number,
    /// A host whose name suggests an attack: `evil`, `exfil`, `payload`.
    Hostile,
}

impl HostKind {
    /// Returns whether honest installers and services do not use such a host.
    pub(crate) const fn is_suspect(self) -> bool {
        matches!(
            self,
            Self::Anonymous | Self::Catcher | Self::Number | Self::Hostile
        )
    }

    /// Returns the words for a message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Local => "this machine",
            Self::Placeholder => "a placeholder",
            Self::Known => "a known vendor",
            Self::Other => "an unrelated host",
            Self::Anonymous => "a site for anonymous pastes and files",
            Self::Catcher => "a service that collects requests",
            Self::Number => "a bare IP address",
            Self::Hostile => "a host named for an attack",
        }
    }
}

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) kind: HostKind,
    /// Whether the address begins with `http:`.
    pub(crate) is_plain: bool,
    pub(crate) start: usize,
}

impl Address {
    /// Returns whether the address may lead to a real machine or paste of an attacker: it is not an invented one, as in
    /// documentation.
    pub(crate) fn is_live(&self) -> bool {
        const MADE_UP: [&str; 3] = ["192.0.2.", "198.51.100.", "203.0.113."];
        match self.kind {
            HostKind::Number => !MADE_UP.iter().any(|start| self.host.starts_with(start)),
            HostKind::Anonymous | HostKind::Catcher => self.path.len() > 4,
            _ => false,
        }
    }
}

/// The maximum number of addresses in a text for each form other than URLs.
const MOST_OTHERS: usize = 2000;

/// The schemes of URLs.
const SCHEMES: [&str; 8] = [
    "https",
    "http",
    "ftp",
    "wss",
    "ws",
    "tcp",
    "smtp",
    "stratum+tcp",
];

/// The maximum length of a host and of a path, in bytes. The rest is dropped.
const LONGEST: usize = 200;

/// A mail address, or the user and host of `scp` and `ssh`.
static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:^|[\s\x22'`(<:,])[\w.+-]{1,60}@((?:[\w-]{1,60}\.){1,5}[a-z]{2,18}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\b").expect("a pattern")
});

/// A host and its port in a program: `("203.0.113.9", 4444)`.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)[\x22'](\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18})[\x22']\s*,\s*\d{2,5}\b").expect("a pattern")
});

/// The host in the constructor of a client: `HTTPSConnection("a.example")`.
static CLIENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:connection|smtp(?:_ssl)?|ftp(?:_tls)?|connect|client)\(\s*[\x22']([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18}|\d{1,3}(?:\.\d{1,3}){3})[\x22']").expect("a pattern")
});

/// A host without a scheme: the value of a variable that is named for hosts, or the argument of a download command.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:(?:host|server|domain|zone|endpoint|relay|c2|dns)(?:name)?[\x22']?\s{0,2}[:=]\s{0,2}[\x22']|\b(?:host|server|domain|zone|endpoint|relay)=|\b(?:curl|wget)\s+(?:-\S{1,20}\s+){0,6}[\x22']?)([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18}|\d{1,3}(?:\.\d{1,3}){3})(?:$|[\x22'\s:/|;)])").expect("a pattern")
});

/// Ends of file names that look like the ends of host names.
const ENDS: [&str; 34] = [
    "json", "txt", "yaml", "yml", "toml", "html", "htm", "csv", "log", "conf", "cfg", "ini",
    "lock", "env", "md", "py", "sh", "js", "ts", "rs", "go", "rb", "tar", "gz", "zip", "tgz",
    "png", "jpg", "svg", "pdf", "xml", "db", "bin", "out",
];

/// Returns the addresses in a text: URLs, at most `most`, then mail addresses, then hosts of clients, then pairs of
/// host and port.
pub(crate) fn addresses(text: &str, most: usize) -> Vec<Address> {
    let mut found = web_addresses(text, most);
    if memchr::memchr(b'@', text.as_bytes()).is_some() {
        found.extend(
            MAIL.captures_iter(text.as_bytes())
                .take(MOST_OTHERS)
                .filter_map(|found| {
                    let host =
                        String::from_utf8_lossy(found.get(1)?.as_bytes()).to_ascii_lowercase();
                    let start = found.get(0)?.start();
                    Some(Address {
                        kind: kind(&host, ""),
                        is_plain: false,
                        path: String::new(),
                        host,
                        start,
                    })
                }),
        );
    }
    let opens = memchr::memmem::find(text.as_bytes(), b"(\"")
        .or_else(|| memchr::memmem::find(text.as_bytes(), b"('"));
    if opens.is_some() {
        let clients = CLIENT.captures_iter(text.as_bytes()).take(MOST_OTHERS);
        found.extend(clients.filter_map(|client| {
            let host = String::from_utf8_lossy(client.get(1)?.as_bytes()).to_ascii_lowercase();
            Some(Address {
                kind: kind(&host, ""),
                is_plain: false,
                path: String::new(),
                host,
                start: client.get(0)?.start(),
            })
        }));
    }
    if ["=", ":", "curl ", "wget "]
        .iter()
        .any(|sign| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
    {
        let bare = BARE.captures_iter(text.as_bytes()).take(MOST_OTHERS);
        found.extend(bare.filter_map(|bare| {
            let at = bare.get(1)?;
            let host = String::from_utf8_lossy(at.as_bytes()).to_ascii_lowercase();
            let end = host.rsplit('.').next().unwrap_or_default();
            (!ENDS.contains(&end)).then(|| Address {
                kind: kind(&host, ""),
                is_plain: false,
                path: String::new(),
                host: host.clone(),
                start: at.start(),
            })
        }));
    }
    // In such a pair, a comma follows a quote.
    let mut quotes = memchr::memchr2_iter(b'"', b'\'', text.as_bytes());
    let is_argument = |quote: usize| text[quote + 1..].trim_start().starts_with(',');
    if !quotes.any(is_argument) {
        return found;
    }
    found.extend(
        PAIR.captures_iter(text.as_bytes())
            .take(MOST_OTHERS)
            .filter_map(|pair| {
                let host = String::from_utf8_lossy(pair.get(1)?.as_bytes()).to_ascii_lowercase();
                let start = pair.get(0)?.start();
                Some(Address {
                    kind: kind(&host, ""),
                    is_plain: false,
                    path: String::new(),
                    host,
                    start,
                })
            }),
    );
    found
}

fn web_addresses(text: &str, most: usize) -> Vec<Address> {
    let bytes = text.as_bytes();
    // The end of the last address: an address in its path is not returned.
    let mut done = 0;
    let all = memchr::memmem::find_iter(bytes, b"://").filter_map(|at| {
        let letters = bytes[..at].iter().rev().take(12);
        let length = letters
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+')
            .count();
        let before = &text[at - length..at];
        let scheme = SCHEMES.iter().rev().find(|scheme| {
            let rest = before.len().checked_sub(scheme.len());
            rest.is_some_and(|rest| {
                before[rest..].eq_ignore_ascii_case(scheme)
                    && (rest == 0 || before.as_bytes()[rest - 1] == b'+')
            })
        })?;
        let start = at - scheme.len();
        if start < done {
            return None;
        }
        let rest = &bytes[at + 3..];
        // Skip the user before the host.
        let user = rest.iter().take(81).position(|byte| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'@' | b'`')
        });
        let user = user.filter(|end| *end > 0 && rest[*end] == b'@');
        let rest = &rest[user.map_or(0, |end| end + 1)..];
        let (host, rest) = part(rest, |byte| {
            matches!(
                byte,
                b'/' | b'"'
                    | b'\''
                    | b'<'
                    | b'>'
                    | b'`'
                    | b')'
                    | b']'
                    | b'}'
                    | b','
                    | b';'
                    | b'|'
                    | b'\\'
            )
        });
        let (path, after) = part(rest, |byte| {
            matches!(
                byte,
                b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b']' | b'}' | b'|'
            )
        });
        if host.is_empty() {
            return None;
        }
        done = bytes.len() - after.len();
        let host = String::from_utf8_lossy(host);
        let host = host.trim_end_matches(['.', ':', '*']).to_ascii_lowercase();
        let path = String::from_utf8_lossy(path).into_owned();
        Some(Address {
            kind: kind(&host, &path),
            is_plain: *scheme == "http",
            host,
            path,
            start,
        })
    });
    all.take(most).collect()
}

/// Splits bytes at the first whitespace or byte that `ends` accepts, or at [`LONGEST`].
fn part(bytes: &[u8], ends: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let mut known = bytes.iter().take(LONGEST);
    let end = known.position(|byte| byte.is_ascii_whitespace() || *byte == 0x0b || ends(*byte));
    bytes.split_at(end.unwrap_or(bytes.len().min(LONGEST)))
}

/// Returns the kind of a host. `path`: the part of the address after the host.
pub(crate) fn kind(host: &str, path: &str) -> HostKind {
    let name = host.split(':').next().unwrap_or(host);
    if is_placeholder(host) {
        return HostKind::Placeholder;
    }
    if let Some(number) = number(name) {
        return number;
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    if matches!(last, "localhost" | "local" | "internal") || !name.contains('.') {
        return HostKind::Local;
    }
    if is_hostile(name) {
        return HostKind::Hostile;
    }
    let is_below = |list: &Domains| list.has(name);
    if is_below(&LISTS.catchers)
        || path.contains("/webhooks/")
            && ["discord.com", "discordapp.com"]
                .iter()
                .any(|domain| self::is_below(name, domain))
        || name == "api.telegram.org" && path.starts_with("/bot")
        || name == "hooks.slack.com"
    {
        return HostKind::Catcher;
    }
    if is_below(&LISTS.anonymous)
        || name == "gist.githubusercontent.com"
        || name.starts_with("paste.")
        || name.starts_with("pastebin.")
        || self::is_below(name, "t.me")
    {
        return HostKind::Anonymous;
    }
    if is_below(&LISTS.known) {
        return HostKind::Known;
    }
    HostKind::Other
}

/// A set of domains, which includes the names below them.
struct Domains(HashSet<&'static str>);

impl Domains {
    /// Returns whether a name is one of the domains, or below one.
    fn has(&self, name: &str) -> bool {
        let dots = name.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
        self.0.contains(name)
            || dots
                .take(20)
                .any(|(at, _)| self.0.contains(&name[at + 1..]))
    }
}

struct Lists {
    catchers: Domains,
    anonymous: Domains,
    known: Domains,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let of = |list: &[&'static str]| Domains(list.iter().copied().collect());
    Lists {
        catchers: of(CATCHERS),
        anonymous: of(ANONYMOUS),
        known: of(KNOWN),
    }
});

fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether a name is to be replaced by the reader, or reserved for examples.
fn is_placeholder(host: &str) -> bool {
    const RESERVED: [&str; 6] = [
        "example.com",
        "example.org",
        "example.net",
        "yourdomain.com",
        "yoursite.com",
        "mydomain.com",
    ];
    let is_sign = |c: char| matches!(c, '$' | '{' | '<' | '[' | '%' | '(' | '*');
    let name = host.split(':').next().unwrap_or(host);
    host.contains(is_sign)
        || host.contains("...")
        || RESERVED.iter().any(|domain| is_below(name, domain))
        || is_reserved(name)
        || [
            "your-",
            "your_",
            "yourserver",
            "your.",
            "my-server",
            "mysite",
            "acme.",
            "company.com",
            "mycompany",
            "example-",
        ]
        .iter()
        .any(|sign| name.contains(sign))
}

/// Returns whether a name below a reserved domain is one that documentation uses: `api.example`, `registry.example`.
fn is_reserved(name: &str) -> bool {
    const USUAL: [&str; 24] = [
        "api", "your", "my", "www", "acme", "company", "corp", "app", "host", "server", "registry",
        "mail", "internal", "db", "auth", "cdn", "git", "docs", "test", "service", "site", "web",
        "demo", "staging",
    ];
    let below = [".example", ".test", ".invalid"]
        .iter()
        .find_map(|domain| name.strip_suffix(domain));
    // Only the label before the reserved domain counts: `cdn.acme.example` is a placeholder, `cdn.evil-tools.example`
    // is not.
    let owner = below.and_then(|rest| rest.rsplit('.').next());
    owner.is_some_and(|owner| USUAL.contains(&owner.split('-').next().unwrap_or(owner)))
}

/// Returns the kind of a host that is an IP address; `None` for other hosts.
fn number(name: &str) -> Option<HostKind> {
    let parts: Vec<Option<u8>> = name.split('.').map(|part| part.parse().ok()).collect();
    let parts: Option<Vec<u8>> = parts.into_iter().collect();
    let parts = if let Some([a, b, c, d]) = parts.as_deref() {
        [*a, *b, *c, *d]
    } else {
        // A single number, decimal or hexadecimal, is an IP address too.
        let whole = match name.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => name
                .parse()
                .ok()
                .filter(|number: &u32| *number > 0x0100_0000),
        };
        whole?.to_be_bytes()
    };
    Some(match parts {
        [127 | 0 | 10, ..]
        | [192, 168, ..]
        | [172, 16..=31, ..]
        | [169, 254, ..]
        | [100, 64..=127, ..] => HostKind::Local,
        [1, 2, 3, 4] | [8, 8, ..] | [1, 1, 1, 1] => HostKind::Placeholder,
        _ => HostKind::Number,
    })
}

/// Returns whether a word of a name suggests an attack.
fn is_hostile(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "evil",
        "attacker",
        "malicious",
        "malware",
        "exfil",
        "hacker",
        "payload",
        "stealer",
        "steal",
        "c2",
        "cnc",
        "backdoor",
        "phish",
        "phishing",
        "rogue",
        "badguy",
        "ransom",
        "botnet",
        "keylog",
        "keylogger",
        "harvest",
        "exploit",
        "trojan",
        "pwn",
        "adversary",
        "hostile",
    ];
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit() && word.len() > 2);
        WORDS.contains(&word)
            || ["evil", "attacker", "malicious", "malware", "exfil"]
                .iter()
                .any(|sign| word.starts_with(sign))
    })
}
