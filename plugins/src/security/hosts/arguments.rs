//! Finds hosts without a scheme in the arguments of download commands: `curl -fsSL get.acme.io/install.sh`. Also finds
//! hosts in options and variables that redirect the connection to another host: `--resolve`, `http_proxy=`.

use memchr::memmem;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::name::Name;
use super::{authority_end, is_file_name, numbers};

/// The maximum length of a command, in bytes.
const MAX_COMMAND: usize = 16 << 10;

/// How much of a command is read again, in bytes, and the maximum number of words that are read again.
const MAX_AGAIN: usize = 600;
const MAX_WORDS: usize = 60;

/// The maximum number of bytes before a command that are searched for variables that set its proxy.
const MAX_BEFORE: usize = 200;

/// The maximum number of proxies that are set before a command.
const MAX_PROXIES: usize = 4;

/// Options of `curl` whose value is a proxy.
const PROXIES: [&str; 8] = [
    "-x",
    "--proxy",
    "--preproxy",
    "--proxy1.0",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
];

/// Options of `curl` whose value contains the host to connect to in its third field.
const ROUTES: [&str; 2] = ["--resolve", "--connect-to"];

/// A download command, such as `curl`.
struct Tool {
    name: &'static str,
    /// The letters of the command's short options that take a value.
    letters: &'static str,
}

/// The commands whose first argument is an address.
static TOOLS: [Tool; 2] = [
    Tool {
        name: "curl",
        letters: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    },
    Tool {
        name: "wget",
        letters: "aABDeiIloOPQRtTUwX",
    },
];

/// Long options that take a value.
const LONG: [&str; 27] = [
    "cacert",
    "cert",
    "config",
    "connect-timeout",
    "cookie",
    "data",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "directory-prefix",
    "form",
    "header",
    "key",
    "max-time",
    "output",
    "output-dir",
    "output-document",
    "post-data",
    "post-file",
    "referer",
    "request",
    "retry",
    "retry-delay",
    "upload-file",
    "user",
    "user-agent",
    "write-out",
];

/// A host in the arguments of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    /// The position at which the host is reported. This is the position of the command if a variable before the command
    /// sets the host, and otherwise the position of the host.
    pub(super) start: usize,
    /// The position of the host.
    pub(super) host: usize,
    /// Whether the host is a proxy that only relays data between the client and a server.
    is_proxy: bool,
}

/// Returns the hosts in the arguments of all download commands in `text`.
pub(super) fn arguments(text: &str) -> impl Iterator<Item = Argument> {
    TOOLS.iter().flat_map(move |tool| {
        let found = memmem::find_iter(text.as_bytes(), tool.name);
        let mut done = Done::default();
        found.flat_map(move |at| arguments_of(text, at, tool, &mut done))
    })
}

/// How far the commands of a tool have been read. A long command may contain the name of its tool thousands of times,
/// so only little of it is read again.
#[derive(Default)]
struct Done {
    /// The end of the words that have been read.
    words: usize,
    /// The end of the last command.
    command: usize,
}

/// Returns the hosts in the arguments of the command at a position.
fn arguments_of(text: &str, at: usize, tool: &Tool, done: &mut Done) -> Vec<Argument> {
    let before = text.as_bytes()[..at].last();
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Vec::new();
    }
    let mut start = at + tool.name.len();
    if text[start..].starts_with(".exe") {
        start += 4;
    }
    if !text[start..].starts_with([' ', '\t']) {
        return Vec::new();
    }
    let is_inside = at < done.command;
    if !is_inside {
        let rest = &text[start..char_floor(text, start + MAX_COMMAND)];
        done.command = start + command_end(rest);
    }
    let whole = &text[start..done.command.max(start)];
    let near = &whole[..char_floor(whole, MAX_AGAIN)];
    let (command, most) = if at < done.words {
        (near, MAX_WORDS)
    } else {
        (whole, MAX_COMMAND)
    };
    let near = if is_inside { near } else { whole };
    let has_others = near.contains(" --") || near.contains(" -x");
    let mut words = Words::default();
    for word in command.split_inclusive(char::is_whitespace).take(most) {
        let bare = word.trim_end();
        // Stop at the next command. Otherwise, the arguments of later commands would be read again for each command.
        let is_next = words.next == Next::Any && TOOLS.iter().any(|tool| tool.name == bare);
        if is_next || words.has_argument && !has_others {
            break;
        }
        if !is_filled_in(text, start, bare) {
            words.read(bare, start, tool);
        }
        start += word.len();
    }
    done.words = done.words.max(start);
    // A proxy cannot change data that TLS protects.
    let is_protected = near.contains("https:")
        && !near.contains("http:")
        && !near.split_whitespace().any(is_insecure);
    if is_protected {
        words.hosts.retain(|host| !host.is_proxy);
    } else {
        words.hosts.extend(proxies_before(text, at));
    }
    words.hosts
}

/// Objects whose fields programs and templates use, in lower case. A field has the form of a host: `config.host`.
const OBJECTS: [&str; 29] = [
    "app",
    "args",
    "build",
    "cfg",
    "config",
    "cookiecutter",
    "data",
    "env",
    "host",
    "hostvars",
    "inputs",
    "item",
    "options",
    "opts",
    "params",
    "parameters",
    "process",
    "release",
    "secrets",
    "self",
    "server",
    "settings",
    "site",
    "steps",
    "this",
    "values",
    "variables",
    "vars",
    "workflow",
];

/// Returns whether the word at a position is the name of a value that a template inserts: `${{ secrets.HOST }}`.
fn is_filled_in(text: &str, at: usize, word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    let before = text[..at].trim_end_matches([' ', '\t']);
    // Shells reject `${{`, so no command can take the name for an address.
    if before.ends_with("${{") {
        return !word.contains('/');
    }
    let after = text[at + word.len()..].trim_start_matches([' ', '\t']);
    let is_open = (before.ends_with("{{") || before.ends_with("{{-"))
        && (after.starts_with("}}") || after.starts_with("-}}"))
        || before.ends_with("<%=") && after.starts_with("%>");
    let name = word.trim_start_matches('.').to_ascii_lowercase();
    is_open && is_field(&name) && !name.contains('/')
}

/// Returns whether a dotted name in lower case begins with one of the [`OBJECTS`].
fn is_field(name: &str) -> bool {
    let object = name.split_once('.');
    object.is_some_and(|(object, _)| OBJECTS.contains(&object))
}

/// Returns whether the value of a variable is an expression of a program rather than a host:
/// `connect(host=self.site)`. `host`: the span of the value.
pub(super) fn is_expression(text: &str, host: Span) -> bool {
    const ENVIRONMENTS: [&str; 3] = ["process.env.", "os.environ.", "import.meta.env."];
    let (Some(before), Some(name), Some(after)) = (
        text.get(..host.start),
        text.get(host.start..host.end),
        text.get(host.end..),
    ) else {
        return false;
    };
    let name = name.to_ascii_lowercase();
    // In a shell, `host=config.site` names a real host. In brackets, a shell would drop the variable at once.
    let is_argument = || after.starts_with(')') && is_field(&name);
    !before.ends_with(['"', '\''])
        && (ENVIRONMENTS.iter().any(|start| name.starts_with(start)) || is_argument())
}

/// Returns whether an option makes a download command accept any certificate.
fn is_insecure(word: &str) -> bool {
    let is_short = word.starts_with('-') && !word.starts_with("--");
    matches!(word, "--insecure" | "--no-check-certificate") || is_short && word.contains('k')
}

/// Returns the proxies that variables before the command at a position set.
fn proxies_before(text: &str, at: usize) -> Vec<Argument> {
    let from = char_floor(text, at.saturating_sub(MAX_BEFORE));
    let before = &text[from..at];
    let set = ["_proxy=", "_PROXY="].into_iter().flat_map(|end| {
        let found = memmem::find_iter(before.as_bytes(), end);
        found
            .take(MAX_PROXIES)
            .map(move |name| (name, name + end.len()))
    });
    let is_used = |(name, _): &(usize, usize)| {
        let name = &before[..*name];
        !name.ends_with("no") && !name.ends_with("NO")
    };
    let hosts = set
        .filter(is_used)
        .filter_map(|(_, value)| proxy(&before[value..]).map(|host| from + value + host));
    let arguments = hosts.map(|host| Argument {
        start: at,
        host,
        is_proxy: true,
    });
    arguments.collect()
}

/// Returns the position of the host in the value at the start of `text`. The value is an address, or a host and a port.
fn proxy(text: &str) -> Option<usize> {
    let bare = text.trim_start_matches(['"', '\'']);
    let quotes = text.len() - bare.len();
    let word = bare.split(char::is_whitespace).next().unwrap_or_default();
    let scheme = word.find("://").map_or(0, |end| end + 3);
    let host = scheme + after_user(&word[scheme..]);
    is_host(&word[host..]).then_some(quotes + host)
}

/// Returns the position after `user@` in `user@host`; 0 if there is no user.
fn after_user(text: &str) -> usize {
    let raw = &text[..authority_end(text)];
    raw.rfind('@').map_or(0, |at| at + 1)
}

/// The expected kind of a command's next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Next {
    /// An option or an argument.
    #[default]
    Any,
    /// The value of an option.
    Value,
    /// A proxy.
    Proxy,
    /// The fields of one of the [`ROUTES`].
    Route,
}

/// The state of the scan over the words of a command.
#[derive(Default)]
struct Words {
    hosts: Vec<Argument>,
    next: Next,
    /// The quote at the beginning of a value that continues in the next word.
    open: Option<char>,
    /// Whether the next word may be the value of an unknown option or of a variable.
    is_unsure: bool,
    /// Whether the first argument has been read.
    has_argument: bool,
}

impl Words {
    fn add(&mut self, host: usize, is_proxy: bool) {
        self.hosts.push(Argument {
            start: host,
            host,
            is_proxy,
        });
    }

    /// Reads the word at a position.
    fn read(&mut self, word: &str, place: usize, tool: &Tool) {
        if let Some(quote) = self.open {
            self.open = self.open.filter(|_| !word.ends_with(quote));
            return;
        }
        if word.is_empty() || word == "\\" {
            return;
        }
        let next = std::mem::take(&mut self.next);
        if next != Next::Any {
            let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''));
            self.open = quote.filter(|quote| word.len() == 1 || !word.ends_with(*quote));
        }
        match next {
            Next::Any if word.starts_with('-') => self.option(word, place, tool),
            Next::Any => self.argument(word, place),
            Next::Value => {
                // Example: `wget -e http_proxy=…`.
                let value = word.find("_proxy=").map(|name| name + "_proxy=".len());
                let host = value.and_then(|value| Some(value + proxy(&word[value..])?));
                if let Some(host) = host {
                    self.add(place + host, true);
                }
            }
            Next::Proxy => {
                if let Some(host) = proxy(word) {
                    self.add(place + host, true);
                }
            }
            Next::Route => {
                let field = word.match_indices(':').nth(1).map(|(at, _)| at + 1);
                if let Some(field) = field.filter(|field| is_host(&word[*field..])) {
                    self.add(place + field, false);
                }
            }
        }
    }

    fn option(&mut self, word: &str, place: usize, tool: &Tool) {
        let is_curl = tool.name == "curl";
        if is_curl && PROXIES.contains(&word) {
            self.next = Next::Proxy;
        } else if is_curl && ROUTES.contains(&word) {
            self.next = Next::Route;
        } else if let Some(host) = word.strip_prefix("-x").filter(|_| is_curl) {
            if let Some(host) = proxy(host) {
                self.add(place + 2 + host, true);
            }
        } else if has_value(&word[1..], tool) {
            self.next = Next::Value;
        } else {
            self.is_unsure |= word.starts_with("--") && !word.contains('=');
        }
    }

    fn argument(&mut self, word: &str, place: usize) {
        let bare = word.trim_start_matches(['"', '\'']);
        if self.has_argument || bare.contains(":/") {
            return;
        }
        // Clients accept `//host` as an address without a scheme.
        let bare = match bare.strip_prefix("//") {
            Some(rest) => rest.trim_start_matches('/'),
            None => bare,
        };
        let start = word.len() - bare.len() + after_user(bare);
        let host = &word[start..];
        let has_path = || host[authority_end(host)..].starts_with('/');
        if is_host(host) && (!self.is_unsure || has_path()) {
            self.add(place + start, false);
            self.has_argument = true;
        } else if bare.contains('$') {
            self.is_unsure = true;
        } else {
            self.has_argument = !self.is_unsure;
        }
    }
}

/// Returns the end of the command at the start of `text`. A `\` at the end of a line continues the command.
fn command_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let end = bytes.iter().enumerate().position(|(at, byte)| match byte {
        b'\n' => at == 0 || bytes[at - 1] != b'\\',
        b'|' | b';' | b'`' => true,
        _ => false,
    });
    end.unwrap_or(text.len())
}

/// Returns whether an option takes the next word as its value. `option`: the text of the option after the first hyphen.
fn has_value(option: &str, tool: &Tool) -> bool {
    if let Some(long) = option.strip_prefix('-') {
        return LONG.contains(&long);
    }
    let first = option.find(|letter: char| tool.letters.contains(letter));
    first.is_some_and(|at| at + 1 == option.len())
}

/// Returns whether a word begins with a host, as opposed to an ordinary word or a file name.
fn is_host(word: &str) -> bool {
    let raw = &word[..authority_end(word)];
    let name = Name::read(raw);
    if name.v6.is_some() {
        return true;
    }
    if name.is_open {
        return false;
    }
    let text = &name.text;
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    let has_path = word[name.length..].starts_with('/');
    if numbers::of_name(text).is_some() {
        return dots == 3 || text.starts_with("0x") || dots == 0 && has_path;
    }
    let top = text.rsplit('.').next().unwrap_or_default();
    let is_top = (2..=18).contains(&top.len()) && top.chars().all(char::is_alphabetic);
    // These endings occur in both file names and hosts.
    let is_both = dots > 1 && matches!(top, "sh" | "rs" | "zip" | "py" | "md");
    dots > 0 && is_top && (has_path || is_both || !is_file_name(text.as_bytes()))
}
