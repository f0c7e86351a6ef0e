//! Finds addresses in text, and classifies their hosts: for example, as a known vendor, a paste site, a bare IP address
//! or a placeholder.

mod arguments;
mod bare;
mod lists;
mod mirrors;
mod name;
mod numbers;
mod placeholders;
mod publishers;
mod tenants;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::LazyLock;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::view::MOST_ADDRESSES;
use bare::Bare;
use lists::{ANONYMOUS, CATCHERS, CHEAP, KNOWN, TENANTS};
use mirrors::{COMMUNITIES, MIRRORS, RELAYS, REPOSITORIES};
use name::Name;

/// The kind of a host, from the least to the most suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostKind {
    /// This machine or its local network.
    Local,
    /// A host that the reader is expected to replace, or that is well known in examples: `example.com`, `<your-host>`,
    /// `8.8.8.8`.
    Placeholder,
    /// A vendor or registry that many skills mention.
    Known,
    /// Any other host, including hosts and folders that anyone can obtain from a service.
    Other,
    /// A site where anyone can publish text, files or short addresses, so the author is unknown.
    Anonymous,
    /// A service that shows or forwards the requests that it receives: a request catcher, a tunnel, a chat webhook.
    Catcher,
    /// A public IP address.
    Number,
    /// A host whose name suggests an attack: `evil`, `exfil`, `payload`.
    Hostile,
}

impl HostKind {
    /// Returns whether the host is suspicious: honest installers and services do not use such hosts.
    pub(crate) const fn is_suspect(self) -> bool {
        matches!(
            self,
            Self::Anonymous | Self::Catcher | Self::Number | Self::Hostile
        )
    }

    /// Returns the description for a message.
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

/// An address, as found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) kind: HostKind,
    /// The name of the tenant if anyone can obtain such a host or folder from a service. Empty if the address does not
    /// contain the name.
    pub(crate) tenant: Option<String>,
    /// Whether the domain is a variable or placeholder, so the owner of the host is unknown.
    pub(crate) is_open: bool,
    /// Whether the address begins with `http:`.
    pub(crate) is_plain: bool,
    pub(crate) start: usize,
    /// The span of the host.
    pub(crate) host_span: Span,
}

impl Address {
    /// Returns the address whose host begins at `host_start`, and the end of the host; `None` if there is no host.
    ///
    /// `is_fetched`: whether a command downloads the address.
    fn at(text: &str, start: usize, host_start: usize, is_fetched: bool) -> Option<(Self, usize)> {
        let raw = &text[host_start..];
        let raw = &raw[..authority_end(raw)];
        let name = Name::read(raw);
        if name.length == 0 {
            return None;
        }
        let host_end = host_start + name.length;
        let (path, after) = part(&text.as_bytes()[host_end..], |byte| {
            matches!(
                byte,
                b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b']' | b'}' | b'|'
            )
        });
        let path = String::from_utf8_lossy(path).replace("\\/", "/");
        let (kind, tenant) = classify(&name, &path, is_fetched);
        let address = Self {
            host: shortened(name.shown(raw)),
            path,
            kind,
            tenant,
            is_open: name.is_open,
            is_plain: false,
            start,
            host_span: Span::new(host_start, host_end),
        };
        Some((address, text.len() - after.len()))
    }

    /// Returns the address of a host without a path.
    fn of_host(host: &[u8], start: usize, host_start: usize) -> Self {
        let host_span = Span::new(host_start, host_start + host.len());
        let host = String::from_utf8_lossy(host).to_ascii_lowercase();
        let name = Name::read(&host);
        let (kind, tenant) = classify(&name, "", false);
        Self {
            is_open: name.is_open,
            host,
            path: String::new(),
            kind,
            tenant,
            is_plain: false,
            start,
            host_span,
        }
    }

    /// Returns the label that the owner of the host has chosen: the tenant's name, or the registered part of the
    /// domain.
    pub(crate) fn owner(&self) -> &str {
        let name = self.host.split(':').next().unwrap_or(&self.host);
        match &self.tenant {
            Some(tenant) => tenant,
            None => placeholders::owner(name),
        }
    }

    /// Returns whether the address may lead to an attacker's real machine or paste. Returns false for made-up
    /// addresses, as in documentation.
    pub(crate) fn is_live(&self) -> bool {
        const MADE_UP: [&str; 3] = ["192.0.2.", "198.51.100.", "203.0.113."];
        match self.kind {
            HostKind::Number => !MADE_UP.iter().any(|start| self.host.starts_with(start)),
            HostKind::Anonymous | HostKind::Catcher => self.path.len() > 4,
            _ => false,
        }
    }
}

/// The maximum number of addresses of each form other than URLs. SEC118 reports a layer with as many addresses.
const MOST_OTHERS: usize = MOST_ADDRESSES;

/// The schemes of URLs.
const SCHEMES: [&str; 20] = [
    "https",
    "http",
    "ftp",
    "ftps",
    "sftp",
    "scp",
    "tftp",
    "gopher",
    "wss",
    "ws",
    "tcp",
    "smtp",
    "stratum+tcp",
    "telnet",
    "dict",
    "smb",
    "rtsp",
    "ldap",
    "ldaps",
    "mqtt",
];

/// The maximum length of a host, in bytes; the rest is dropped. The same maximum applies to the path of an address.
const LONGEST: usize = 200;

/// File extensions that could also end a host name.
const ENDS: [&str; 34] = [
    "json", "txt", "yaml", "yml", "toml", "html", "htm", "csv", "log", "conf", "cfg", "ini",
    "lock", "env", "md", "py", "sh", "js", "ts", "rs", "go", "rb", "tar", "gz", "zip", "tgz",
    "png", "jpg", "svg", "pdf", "xml", "db", "bin", "out",
];

/// Returns the addresses in `text`: first at most `most` URLs, then mail addresses, hosts of clients and variables,
/// arguments of download commands, and pairs of host and port.
pub(crate) fn addresses(text: &str, most: usize) -> Vec<Address> {
    let mut found = web_addresses(text, most);
    let bytes = text.as_bytes();
    let of_all = |all: Vec<Bare>| {
        let all = all.into_iter();
        all.map(move |of| {
            Address::of_host(&bytes[of.host.start..of.host.end], of.start, of.host.start)
        })
    };
    found.extend(of_all(bare::mails(bytes)));
    let has = |sign: &str| memchr::memmem::find(bytes, sign.as_bytes()).is_some();
    let clients = bare::clients(bytes);
    if !clients.is_empty() && ["(\"", "('", "onnect(", "onnection("].into_iter().any(has) {
        found.extend(of_all(clients));
    }
    let mut values = bare::values(bytes);
    values.retain(|of| {
        !is_file_name(&bytes[of.host.start..of.host.end])
            && !arguments::is_expression(text, of.host)
    });
    found.extend(of_all(values));
    let arguments = arguments::arguments(text).take(MOST_OTHERS);
    let read = arguments.filter_map(|of| Address::at(text, of.start, of.host, true));
    found.extend(read.map(|(address, _)| address));
    found.extend(of_all(bare::pairs(bytes)));
    found
}

/// Returns whether a name ends like a file name.
fn is_file_name(name: &[u8]) -> bool {
    let end = name.rsplit(|byte| *byte == b'.').next();
    end.is_some_and(|end| {
        ENDS.iter()
            .any(|name| name.as_bytes().eq_ignore_ascii_case(end))
    })
}

fn web_addresses(text: &str, most: usize) -> Vec<Address> {
    let bytes = text.as_bytes();
    // The end of the last address. Addresses within the path of another address are skipped.
    let mut done = 0;
    let colons = memchr::memchr_iter(b':', bytes);
    let ends = colons.filter(|at| slashes(&bytes[at + 1..]) > 0);
    let all = ends.flat_map(|at| {
        let mut found = [None, None];
        let begun = scheme(text, at).filter(|(_, start)| *start >= done);
        if let Some((scheme, start)) = begun {
            let from = at + 1 + slashes(&bytes[at + 1..]);
            let is_fetched = is_fetched(text, start);
            for (place, host) in found.iter_mut().zip(host_starts(&text[from..])) {
                let read = host.and_then(|host| Address::at(text, start, from + host, is_fetched));
                if let Some((mut address, end)) = read {
                    address.is_plain = scheme == "http";
                    done = done.max(end);
                    *place = Some(address);
                }
            }
        }
        found.into_iter().flatten()
    });
    all.take(most).collect()
}

/// Returns the length of up to three slashes at the start of `bytes`. Each slash may be escaped with a `\`, as in JSON.
fn slashes(bytes: &[u8]) -> usize {
    let mut length = 0;
    for _ in 0..3 {
        match &bytes[length..] {
            [b'/', ..] => length += 1,
            [b'\\', b'/', ..] => length += 2,
            _ => break,
        }
    }
    length
}

/// Returns the scheme that ends at a position, and its start.
fn scheme(text: &str, end: usize) -> Option<(&'static str, usize)> {
    let letters = text.as_bytes()[..end].iter().rev().take(12);
    let length = letters
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+')
        .count();
    let before = &text[end - length..end];
    let scheme = SCHEMES.iter().rev().copied().find(|scheme| {
        let rest = before.len().checked_sub(scheme.len());
        rest.is_some_and(|rest| {
            before[rest..].eq_ignore_ascii_case(scheme)
                && (rest == 0 || before.as_bytes()[rest - 1] == b'+')
        })
    })?;
    Some((scheme, end - scheme.len()))
}

/// Returns the end of the authority (user, host and port) at the start of `text`.
fn authority_end(text: &str) -> usize {
    let end = text.bytes().position(|byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | 0x0b)
    });
    end.unwrap_or(text.len())
}

/// Returns the offset of the host in the text after a scheme. Clients skip everything up to the last `@`. If the text
/// before the `@` contains punctuation, readers and some clients may mistake it for the host, so the function also
/// returns its offset.
fn host_starts(text: &str) -> [Option<usize>; 2] {
    let authority = &text[..authority_end(text)];
    let Some(at) = authority.rfind('@') else {
        return [Some(0), None];
    };
    let ends = |c: char| {
        matches!(
            c,
            '\\' | ',' | ';' | '|' | '&' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>'
        ) || !c.is_ascii() && !c.is_alphanumeric()
    };
    if authority[..at].contains(ends) {
        [Some(0), Some(at + 1)]
    } else {
        [Some(at + 1), None]
    }
}

/// Returns whether a download command precedes a position on the same line.
fn is_fetched(text: &str, at: usize) -> bool {
    const COMMANDS: [&str; 7] = [
        "curl ", "wget ", "aria2c ", "iwr ", "irm ", "request ", "method ",
    ];
    let bytes = &text.as_bytes()[at.saturating_sub(LONGEST)..at];
    let line = bytes.rsplit(|byte| *byte == b'\n').next();
    let line = line.unwrap_or_default().to_ascii_lowercase();
    COMMANDS
        .iter()
        .any(|command| memchr::memmem::find(&line, command.as_bytes()).is_some())
}

/// Truncates a host for messages.
fn shortened(mut host: String) -> String {
    host.truncate(char_floor(&host, LONGEST));
    host
}

/// Splits bytes at the first whitespace or byte that `ends` accepts, or at [`LONGEST`].
fn part(bytes: &[u8], ends: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let mut known = bytes.iter().take(LONGEST);
    let end = known.position(|byte| byte.is_ascii_whitespace() || *byte == 0x0b || ends(*byte));
    bytes.split_at(end.unwrap_or(bytes.len().min(LONGEST)))
}

/// Returns the kind of a host. `path`: the part of the address after the host.
pub(crate) fn kind(host: &str, path: &str) -> HostKind {
    classify(&Name::read(host), path, false).0
}

/// Returns whether a host's top-level domain is very cheap or reserved.
pub(crate) fn is_cheap(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    let top = name.rsplit('.').next();
    top.is_some_and(|top| CHEAP.contains(&top))
}

/// Returns the kind of a host, and its tenant.
///
/// `is_fetched`: whether a command downloads the address.
fn classify(name: &Name, path: &str, is_fetched: bool) -> (HostKind, Option<String>) {
    let found = if let Some(address) = name.v6 {
        Found::Kind(numbers::of_v6(address))
    } else if name.is_open {
        Found::Kind(HostKind::Placeholder)
    } else {
        found(&name.text, path, is_fetched)
    };
    let (kind, tenant) = match found {
        Found::Kind(kind) => (kind, None),
        Found::Tenant(tenant) if placeholders::is_free_stand_in(tenant) => {
            (HostKind::Placeholder, None)
        }
        Found::Tenant(tenant) => (HostKind::Other, Some(tenant.to_owned())),
    };
    let least = if name.is_long && !name.is_open {
        HostKind::Hostile
    } else if name.is_odd {
        HostKind::Other
    } else {
        HostKind::Local
    };
    (kind.max(least), tenant)
}

/// The result of looking up a host name in the lists.
enum Found<'a> {
    Kind(HostKind),
    /// The name belongs to a tenant of a service.
    Tenant(&'a str),
}

/// Top-level domains of local networks. None of them is delegated on the Internet, so no attacker can register a name
/// under them.
const LOCAL: [&str; 13] = [
    "corp",
    "home",
    "internal",
    "intern",
    "intra",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "localnet",
    "priv",
    "private",
];

fn found<'a>(name: &'a str, path: &'a str, is_fetched: bool) -> Found<'a> {
    if let Some(number) = numbers::of_name(name) {
        return Found::Kind(number);
    }
    if numbers::is_masked(name) || placeholders::is_placeholder(name) {
        return Found::Kind(HostKind::Placeholder);
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    if LOCAL.contains(&last) || is_below(name, "home.arpa") || !name.contains('.') {
        return Found::Kind(HostKind::Local);
    }
    if is_hostile(name) {
        return Found::Kind(HostKind::Hostile);
    }
    if LISTS.catchers.has(name)
        || path.contains("/webhooks/")
            && ["discord.com", "discordapp.com"]
                .iter()
                .any(|domain| is_below(name, domain))
        || name == "api.telegram.org" && path.starts_with("/bot")
        || name == "hooks.slack.com"
    {
        return Found::Kind(HostKind::Catcher);
    }
    if LISTS.anonymous.has(name)
        || name == "gist.githubusercontent.com"
        || name.starts_with("paste.")
        || name.starts_with("pastebin.")
        || is_below(name, "t.me")
    {
        return Found::Kind(HostKind::Anonymous);
    }
    // The known host may itself belong to a tenant.
    if LISTS.known.0.contains(name) && tenants::tenant(name, path, None, is_fetched).is_none() {
        return Found::Kind(HostKind::Known);
    }
    let below = LISTS.tenants.below(name);
    if let Some(tenant) = tenants::tenant(name, path, below, is_fetched) {
        return Found::Tenant(tenant);
    }
    Found::Kind(if LISTS.known.has(name) {
        HostKind::Known
    } else {
        HostKind::Other
    })
}

/// A set of domains. It includes all names under these domains.
struct Domains(HashSet<&'static str>);

impl Domains {
    /// Returns whether a name is one of the domains, or under one of them.
    fn has(&self, name: &str) -> bool {
        let dots = name.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
        self.0.contains(name)
            || dots
                .take(20)
                .any(|(at, _)| self.0.contains(&name[at + 1..]))
    }

    /// Returns the part of a host name before its domain, if the domain is in this list.
    fn below<'a>(&self, name: &'a str) -> Option<&'a str> {
        let dots = name.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
        dots.take(20)
            .find(|(at, _)| self.0.contains(&name[at + 1..]))
            .map(|(at, _)| &name[..at])
    }
}

struct Lists {
    catchers: Domains,
    anonymous: Domains,
    known: Domains,
    tenants: Domains,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let of = |list: &[&'static str]| Domains(list.iter().copied().collect());
    Lists {
        catchers: of(CATCHERS),
        anonymous: of(ANONYMOUS),
        known: of(&[KNOWN, MIRRORS, RELAYS, COMMUNITIES, REPOSITORIES].concat()),
        tenants: of(TENANTS),
    }
});

fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether a word in a host name suggests an attack.
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
