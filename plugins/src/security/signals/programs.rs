//! Determines how the programs in a command line use data: whether they print a download or decoded text, and whether
//! they run their input.

use std::collections::{BTreeMap, BTreeSet};

use super::{MAX_MATCHES, Signal};
use crate::security::examined::{Examined, LeftOut};

/// The maximum number of words that specify a time, as after `at`.
const MAX_TIME: usize = 4;

/// The maximum number of aliases and functions that are examined, the maximum number of those that download something,
/// and the maximum length of their names.
const MAX_DEFINED: usize = 20_000;
const MAX_NAMES: usize = 200;
const MAX_NAME: usize = 40;

/// The maximum number of bytes of a function that are searched for a program that downloads something.
const MAX_BODY: usize = 600;

/// The maximum distance between a function and its use, in bytes. A match includes both if they are not farther apart.
const MAX_DISTANCE: usize = 4000;

/// Programs that print a download. Their names are recognised anywhere in a command.
const FETCHERS: [&str; 3] = ["curl", "wget", "aria2c"];

/// Programs that print a download. Their names are also ordinary words.
const CLIENTS: [&str; 7] = [
    "http",
    "https",
    "xh",
    "xhs",
    "fetch",
    "lwp-request",
    "lwp-download",
];

/// Browsers that print a download with the option `-source` or `-dump`.
const BROWSERS: [&str; 6] = ["lynx", "links", "links2", "elinks", "w3m", "ftp"];

/// Programs that print data that another machine sends.
const TALKERS: [&str; 5] = ["nc", "ncat", "netcat", "socat", "telnet"];

/// Programs that print decoded text, depending on their arguments.
const DECODERS: [&str; 11] = [
    "base64", "base32", "basenc", "gbase64", "xxd", "openssl", "dig", "nslookup", "host", "drill",
    "tr",
];

/// Programs that print their arguments.
const PRINTERS: [&str; 4] = ["echo", "printf", "cat", "tac"];

const SHELLS: [&str; 15] = [
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "tcsh", "csh", "rbash", "yash",
    "osh", "elvish", "nu",
];

/// Interpreters that run their input unless an argument names a file.
const INTERPRETERS: [&str; 15] = [
    "python",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "php",
    "bun",
    "deno",
    "osascript",
    "pwsh",
    "powershell",
    "lua",
    "tclsh",
    "rscript",
    "julia",
];

/// Programs and keywords that precede a command. Each has a name, the letters of the options that take a value, and the
/// number of arguments before the command.
const WRAPPERS: [(&str, &str, usize); 46] = [
    ("sudo", "ugpCDhRrTtU", 0),
    ("doas", "uC", 0),
    ("env", "uC", 0),
    ("nice", "n", 0),
    ("nohup", "", 0),
    ("timeout", "ks", 1),
    ("gtimeout", "ks", 1),
    ("stdbuf", "ioe", 0),
    ("busybox", "", 0),
    ("toybox", "", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    ("exec", "a", 0),
    ("time", "fo", 0),
    ("xargs", "IiLnPsdEa", 0),
    ("ionice", "cnpPu", 0),
    ("setsid", "", 0),
    ("chroot", "", 1),
    ("taskset", "", 1),
    ("chrt", "", 1),
    ("flock", "", 1),
    ("gosu", "", 1),
    ("su-exec", "", 1),
    ("runuser", "u", 0),
    ("setpriv", "", 0),
    ("unshare", "", 0),
    ("unbuffer", "", 0),
    ("fakeroot", "", 0),
    ("proot", "r", 0),
    ("firejail", "", 0),
    ("systemd-run", "", 0),
    ("strace", "eo", 0),
    ("pkexec", "", 0),
    ("winpty", "", 0),
    ("arch", "", 0),
    ("caffeinate", "", 0),
    ("chronic", "", 0),
    ("eatmydata", "", 0),
    ("catchsegv", "", 0),
    ("noglob", "", 0),
    ("then", "", 0),
    ("do", "", 0),
    ("else", "", 0),
    ("if", "", 0),
    ("while", "", 0),
    ("until", "", 0),
];

/// File names that stand for standard input.
const INPUTS: [&[u8]; 2] = [b"-", b"/dev/stdin"];

/// Folders that contain the open files of a process.
const OPEN_FILES: [&[u8]; 2] = [b"/dev/fd/", b"/proc/self/fd/"];

/// Programs that start a shell on another machine or in a container. The shell runs the program's input.
const ELSEWHERE: [&str; 7] = ["ssh", "docker", "podman", "nerdctl", "kubectl", "lxc", "oc"];

/// Words that specify a time after `at`.
const TIMES: [&str; 5] = ["now", "noon", "midnight", "teatime", "tomorrow"];

/// Lower-case strings that indicate that a command runs its input.
const READERS: [&str; 8] = [
    "$(cat",
    "`cat",
    "/dev/stdin",
    "eval",
    "source ",
    "$(<",
    "<&0",
    "read ",
];

/// The origin of a command's output: the positions of the commands that downloaded, decoded or received the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Output {
    /// The command that downloaded the data.
    pub(super) fetch: Option<usize>,
    /// The command that decoded the data.
    pub(super) decode: Option<usize>,
    /// The command that received the data from another machine.
    pub(super) talk: Option<usize>,
    /// Whether the address of the download may be in an alias that is too far away.
    pub(super) is_far: bool,
}

impl Output {
    pub(super) fn is_some(self) -> bool {
        self != Self::default()
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            fetch: self.fetch.or(other.fetch),
            decode: self.decode.or(other.decode),
            talk: self.talk.or(other.talk),
            is_far: self.is_far || other.is_far,
        }
    }

    /// Returns the position of each of these commands, with the signal that applies if the output is run.
    pub(super) fn parts(self) -> impl Iterator<Item = (Signal, usize)> {
        let parts = [
            (Signal::FetchRun, self.fetch),
            (Signal::DecodeRun, self.decode),
            (Signal::ReverseShell, self.talk),
        ];
        parts
            .into_iter()
            .filter_map(|(signal, place)| Some((signal, place?)))
    }
}

/// A word of a command.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The text without quotes and escapes.
    pub(super) text: Vec<u8>,
    /// Whether the text was quoted and contains more than one word.
    pub(super) is_quoted: bool,
    /// The output of the command list at the beginning of the word.
    pub(super) output: Output,
    /// The output of the word if it is read as a list of commands.
    pub(super) inner: Output,
    /// Whether the word runs its input if it is read as a list of commands.
    pub(super) reads: bool,
    /// Whether the word is a list whose output may be the name of a command.
    pub(super) is_command: bool,
}

impl Word {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            end: start,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        self.text.extend(text);
    }

    /// Returns whether the word is an address.
    pub(super) fn is_address(&self) -> bool {
        memchr::memmem::find(&self.text, b"://").is_some()
    }

    /// Returns the name of the program in lower case, without its folder and trailing punctuation.
    fn name(&self) -> String {
        name(&self.text)
    }

    fn lower(&self) -> String {
        String::from_utf8_lossy(&self.text).to_ascii_lowercase()
    }

    fn is(&self, text: &str) -> bool {
        self.text == text.as_bytes()
    }

    fn is_option(&self) -> bool {
        self.text.len() > 1 && matches!(self.text[0], b'-' | b'+')
    }

    /// Returns the letters of an option such as `-ex`.
    fn letters(&self) -> &[u8] {
        match &self.text[..] {
            [b'-', b'-', ..] => b"",
            [b'-', letters @ ..] => letters,
            _ => b"",
        }
    }

    /// Returns whether the word sets a variable.
    fn is_assignment(&self) -> bool {
        let length = self
            .text
            .iter()
            .take_while(|byte| is_in_name(**byte))
            .count();
        length > 0 && !self.text[0].is_ascii_digit() && self.text.get(length) == Some(&b'=')
    }

    fn is_input(&self) -> bool {
        let is_open = |folder: &&[u8]| {
            let number = self.text.strip_prefix(*folder);
            number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
        };
        INPUTS.contains(&&self.text[..]) || OPEN_FILES.iter().any(is_open)
    }
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn name(text: &[u8]) -> String {
    let start = text.iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let text = &text[start.map_or(0, |slash| slash + 1)..];
    let is_part = |byte: &&u8| is_in_name(**byte) || matches!(byte, b'.' | b'-');
    let length = text.iter().take_while(is_part).count();
    let name = String::from_utf8_lossy(&text[..length]).to_ascii_lowercase();
    let name = name.trim_end_matches(['.', '-']);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

/// Returns whether a name is the name of a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// If a program is an interpreter, returns its name without the version.
fn interpreter(name: &str) -> Option<&'static str> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.into_iter().find(|known| *known == bare)
}

/// The aliases and functions in `text` that download something or start a shell.
#[derive(Debug)]
pub(super) struct Names<'a> {
    text: &'a [u8],
    /// The names of those that download something, each with the position of its definition.
    fetchers: BTreeMap<&'a [u8], usize>,
    shells: BTreeSet<&'a [u8]>,
    /// The number of definitions that have been examined.
    count: usize,
    /// Whether a definition or a use was not examined.
    pub(super) left_out: LeftOut,
}

impl<'a> Names<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let text = text.as_bytes();
        let mut names = Self {
            text,
            fetchers: BTreeMap::new(),
            shells: BTreeSet::new(),
            count: 0,
            left_out: LeftOut::default(),
        };
        for at in memchr::memmem::find_iter(text, b"alias ") {
            let rest = &text[at + 6..text.len().min(at + 160)];
            let length = rest.iter().take_while(|byte| is_in_name(**byte)).count();
            let (name, value) = rest.split_at(length);
            if let Some(value) = value.strip_prefix(b"=") {
                names.add(at, name, value, false);
            }
        }
        for at in memchr::memmem::find_iter(text, b"()") {
            let before = &text[at.saturating_sub(MAX_NAME)..at];
            let before = before.trim_ascii_end();
            let length = before
                .iter()
                .rev()
                .take_while(|byte| is_in_name(**byte))
                .count();
            names.add_function(&before[before.len() - length..], at + 2);
        }
        for at in memchr::memmem::find_iter(text, b"function ") {
            let start = at + b"function ".len();
            let rest = &text[start..];
            let length = rest
                .iter()
                .take(MAX_NAME)
                .take_while(|byte| is_in_name(**byte));
            let (name, _) = rest.split_at(length.count());
            names.add_function(name, start + name.len());
        }
        names
    }

    /// Adds a function. `after`: the offset after its name and brackets.
    fn add_function(&mut self, name: &'a [u8], after: usize) {
        let text = self.text;
        let rest = text[after..text.len().min(after + MAX_BODY)].trim_ascii_start();
        if let Some(body) = rest.strip_prefix(b"{").filter(|_| !name.is_empty()) {
            let line = memchr::memchr(b'\n', body).unwrap_or(body.len());
            let first = body[..line].trim_ascii_end();
            let is_one = first.ends_with(b" }") || first.ends_with(b";}");
            let end = memchr::memmem::find(body, b"\n}").unwrap_or(body.len());
            let length = if is_one { line } else { end };
            self.add(after - name.len().min(after), name, &body[..length], true);
        }
    }

    /// Returns whether only blanks and backticks follow a position on its line.
    fn is_line_end(&self, at: usize) -> bool {
        let mut rest = self.text[at.min(self.text.len())..].iter();
        let next = rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'`'));
        next.is_none_or(|byte| *byte == b'\n')
    }

    /// Adds an alias or a function that is defined at an offset. `has_more`: whether the value can have several
    /// commands.
    fn add(&mut self, at: usize, alias: &'a [u8], value: &[u8], has_more: bool) {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"';|&($`".contains(byte);
        let mut words = value.split(is_end).filter(|word| !word.is_empty());
        let program = name(words.next().unwrap_or_default());
        let mut more = words.filter(|_| has_more).map(name);
        let fetches = |program: &str| FETCHERS.contains(&program);
        let own = name(alias);
        if alias.is_empty() || FETCHERS.contains(&&*own) || is_shell(&own) {
            return;
        }
        self.count += 1;
        let is_full = self.fetchers.len() == MAX_NAMES && !self.fetchers.contains_key(alias);
        if self.count > MAX_DEFINED || is_full {
            self.left_out.note();
        } else if fetches(&program) || more.any(|program| fetches(&program)) {
            self.fetchers.insert(alias, at);
        } else if is_shell(&program) {
            self.shells.insert(alias);
        }
    }

    /// Adds the positions of all names of aliases and functions that download something.
    pub(super) fn add_places(&self, places: &mut Vec<usize>) {
        for name in self.fetchers.keys() {
            let is_word = |at: &usize| {
                let before = at.checked_sub(1).map(|before| self.text[before]);
                let after = self.text.get(at + name.len());
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"|;&)`<>".contains(byte);
                !before.is_some_and(is_in_name) && after.is_none_or(ends)
            };
            let found = memchr::memmem::find_iter(self.text, name);
            places.extend(found.filter(is_word).most(MAX_MATCHES, &self.left_out));
        }
    }
}

/// Returns whether a word contains the name of a program that downloads.
fn has_fetcher(text: &[u8]) -> bool {
    let is_part = |byte: u8| is_in_name(byte) || matches!(byte, b'-' | b'.');
    // Ignore names of programs in the address of a download.
    let end = memchr::memmem::find(text, b"://").unwrap_or(text.len());
    (0..end).any(|at| {
        let may_begin = at == 0 || !is_part(text[at - 1]);
        may_begin
            && FETCHERS.iter().any(|name| {
                let rest = &text[at..];
                let (own, after) = rest.split_at(name.len().min(rest.len()));
                let ends = || {
                    let is_windows = |end: &[u8]| end.eq_ignore_ascii_case(b".exe");
                    after.first().is_none_or(|byte| !is_part(*byte))
                        || after == b"."
                        || after.get(..4).is_some_and(is_windows)
                };
                own.eq_ignore_ascii_case(name.as_bytes()) && ends()
            })
    })
}

/// The program that a command starts, after any wrappers.
struct Head {
    /// The index of the program's word; the number of words if there is no program.
    at: usize,
    /// Whether a wrapper starts a shell when no program follows: `sudo -s`.
    starts_shell: bool,
    /// Whether the program receives the input as arguments: `xargs`.
    by_arguments: bool,
}

fn head(words: &[Word]) -> Head {
    let mut head = Head {
        at: 0,
        starts_shell: false,
        by_arguments: false,
    };
    while let Some(word) = words.get(head.at) {
        if word.is_assignment() || word.is("!") {
            head.at += 1;
            continue;
        }
        let name = word.name();
        let wrapper = WRAPPERS.iter().find(|(known, _, _)| *known == name);
        let Some((_, values, count)) = wrapper.filter(|_| !word.is_quoted) else {
            break;
        };
        head.by_arguments |= name == "xargs";
        head.at += 1;
        let mut left = *count;
        while let Some(word) = words.get(head.at) {
            if word.is_option() {
                let letters = word.letters();
                let is_root = matches!(&*name, "sudo" | "doas");
                head.starts_shell |= is_root && letters.iter().any(|of| matches!(of, b's' | b'i'));
                head.at += 1;
                let takes_value = match letters.last() {
                    Some(last) => values.as_bytes().contains(last),
                    None => {
                        !word.is("--") && !word.text.contains(&b'=') && is_value(words, head.at)
                    }
                };
                head.at += usize::from(takes_value);
            } else if word.is_assignment() {
                head.at += 1;
            } else if left > 0 {
                left -= 1;
                head.at += 1;
            } else {
                break;
            }
        }
    }
    head.at = head.at.min(words.len());
    head
}

/// Returns whether the word after a long option is the option's value, as opposed to another option or a program.
fn is_value(words: &[Word], at: usize) -> bool {
    let (Some(word), Some(_)) = (words.get(at), words.get(at + 1)) else {
        return false;
    };
    let name = word.name();
    let is_program = is_shell(&name)
        || interpreter(&name).is_some()
        || WRAPPERS.iter().any(|(known, _, _)| *known == name);
    !is_program && !word.is_option() && !word.is_assignment()
}

/// Returns whether all words are wrappers of the command that follows them.
pub(super) fn is_prefix(words: &[Word]) -> bool {
    wrappers(words) == words.len()
}

/// Returns the number of words before the program, such as wrappers and their options.
pub(super) fn wrappers(words: &[Word]) -> usize {
    head(words).at
}

/// Returns the origin of the text that a command prints.
pub(super) fn output(words: &[Word], names: &Names<'_>) -> Output {
    let mut output = Output::default();
    let fetches = |word: &&Word| !word.is_quoted && has_fetcher(&word.text);
    output.fetch = words.iter().find(fetches).map(|word| word.start);
    output.decode = decoder(words);
    let at = head(words).at;
    let Some(word) = words.get(at) else {
        return output;
    };
    let (name, args) = (word.name(), &words[at + 1..]);
    let name = &*name;
    let defined = names.fetchers.get(&word.text[..]);
    let is_fetcher = defined.is_some()
        || CLIENTS.contains(&name) && args.iter().any(|arg| arg.text.contains(&b'.'))
        || BROWSERS.contains(&name) && args.iter().any(prints);
    let is_talker =
        TALKERS.contains(&name) || name == "openssl" && args.iter().any(|arg| arg.is("s_client"));
    if is_fetcher {
        // If the use has no address, the address may be in the function: begin the match there.
        let is_near = |at: &&usize| **at < word.start && word.start - **at < MAX_DISTANCE;
        let defined = defined.filter(|at| **at < word.start && !args.iter().any(Word::is_address));
        // The download of a function is also found without its use.
        let is_far = |at: &usize| !is_near(&at) && names.text[*at..].starts_with(b"alias ");
        output.is_far = output.fetch.is_none() && defined.is_some_and(is_far);
        let start = defined.filter(is_near).copied().unwrap_or(word.start);
        output.fetch = output.fetch.or(Some(start));
    }
    if is_talker {
        output.talk = Some(word.start);
    }
    if PRINTERS.contains(&name) {
        output = args.iter().fold(output, |all, arg| all.or(arg.output));
    }
    output
}

/// Returns whether an option makes a browser print the page, or an FTP client print the file.
fn prints(arg: &Word) -> bool {
    let text = arg.lower();
    let text = text.trim_start_matches('-');
    let is_known = text.starts_with("source") || text.starts_with("dump") || text.starts_with('o');
    arg.is_option() && is_known
}

/// Returns the position of the program in a command that decodes text.
fn decoder(words: &[Word]) -> Option<usize> {
    let has = |args: &[Word], is: fn(&Word) -> bool| args.iter().any(is);
    let decodes = |(at, word): (usize, &Word)| {
        let name = word.name();
        if !DECODERS.contains(&&*name) {
            return None;
        }
        // Stop at the next decoder of the same name, which has its own arguments. Otherwise, many such decoders would
        // take quadratic time.
        let rest = &words[at + 1..];
        let end = rest.iter().position(|arg| arg.name() == name);
        let args = &rest[..end.unwrap_or(rest.len())];
        let is_decoder = match &*name {
            "base64" | "base32" | "basenc" | "gbase64" => has(args, |arg| {
                let letters = arg.letters();
                arg.lower().starts_with("--d")
                    || letters.len() < 4 && letters.iter().any(|of| matches!(of, b'd' | b'D'))
            }),
            "xxd" => has(args, |arg| arg.letters().contains(&b'r')),
            "openssl" => {
                has(args, |arg| arg.is("-d"))
                    && has(args, |arg| {
                        matches!(arg.lower().trim_start_matches('-'), "enc" | "base64")
                    })
            }
            "dig" | "nslookup" | "host" | "drill" => has(args, |arg| arg.lower().contains("txt")),
            "tr" => {
                let is_alphabet = |arg: &Word| arg.lower().contains("a-");
                args.len() == 2 && args.first().is_some_and(is_alphabet)
            }
            _ => false,
        };
        is_decoder.then_some(word.start)
    };
    words.iter().enumerate().find_map(decodes)
}

/// If a command runs its input, returns the end of the program's name.
pub(super) fn reads(words: &[Word], names: &Names<'_>) -> Option<usize> {
    let head = head(words);
    let Some(word) = words.get(head.at) else {
        let last = words.last().filter(|_| head.starts_shell)?;
        return Some(last.end);
    };
    let (name, text) = (word.name(), word.lower());
    let args = &words[head.at + 1..];
    let is_comment = |arg: &Word| arg.text.first() == Some(&b'#');
    let args = &args[..args.iter().position(is_comment).unwrap_or(args.len())];
    let is_variable = ["$shell", "${shell", "$bash", "${bash", "$0"]
        .iter()
        .any(|start| text.starts_with(start));
    let runs = if is_shell(&name) || is_variable || names.shells.contains(&word.text[..]) {
        head.by_arguments || shell_reads(args)
    } else if let Some(name) = interpreter(&name) {
        interpreter_reads(name, args)
    } else {
        match &*name {
            "iex" | "invoke-expression" => true,
            // Without a command, `parallel` runs each line.
            "parallel" => args.iter().all(Word::is_option),
            "su" => !args.iter().any(|arg| arg.letters().contains(&b'c')),
            "source" => args.first().is_some_and(Word::is_input),
            "" if word.is(".") => args.first().is_some_and(Word::is_input),
            "batch" => args.is_empty() && names.is_line_end(word.end),
            _ => runs_elsewhere(&name, args),
        }
    };
    runs.then_some(word.end)
}

/// Returns whether a program other than an interpreter runs its input as code.
fn runs_elsewhere(name: &str, args: &[Word]) -> bool {
    let takes = |options: &[&str]| {
        args.windows(2).any(|pair| {
            let is_option = options.iter().any(|option| pair[0].is(option));
            is_option && pair[1].is_input()
        })
    };
    match name {
        "make" | "gmake" => {
            takes(&["-f", "--file", "--makefile"]) || args.iter().any(|arg| arg.is("-f-"))
        }
        "expect" => args.first().is_some_and(Word::is_input),
        "awk" | "gawk" | "mawk" => {
            takes(&["-f"]) || args.iter().any(|arg| arg.lower().contains("system("))
        }
        "sed" | "gsed" => args
            .iter()
            .any(|arg| arg.is("e") || arg.text.ends_with(b"/e")),
        "uv" => {
            let is_run = args.first().is_some_and(|arg| arg.is("run"));
            is_run && args.iter().any(Word::is_input)
        }
        "at" => {
            let first = args.first().map(Word::lower).unwrap_or_default();
            args.len() <= MAX_TIME && TIMES.contains(&&*first)
        }
        // A new container has no access to the user's files.
        _ if ELSEWHERE.contains(&name) && !args.first().is_some_and(|arg| arg.is("run")) => {
            let shell = args.iter().skip(1).position(|arg| is_shell(&arg.name()));
            let shell = shell.map(|at| at + 1);
            // The command for a remote shell may be a single word: `ssh host "sudo sh"`.
            let is_one = |arg: &Word| arg.is_quoted && arg.reads;
            shell.is_some_and(|at| shell_reads(&args[at + 1..]))
                || name == "ssh" && args.last().is_some_and(is_one)
        }
        _ => false,
    }
}

/// Returns whether a shell with these arguments runs its input.
fn shell_reads(args: &[Word]) -> bool {
    let mut is_asked = false;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if arg.is_input() {
            return true;
        }
        if arg.is("--") {
            break;
        }
        if !arg.is_option() {
            return is_asked || !is_file(&arg.text);
        }
        let letters = arg.letters();
        if letters.contains(&b'c') {
            return args.get(at).is_some_and(code_reads);
        }
        // With one of these options, a shell does not run anything.
        if arg.is("--version") || arg.is("--help") || letters.contains(&b'n') && letters.len() < 4 {
            return false;
        }
        is_asked |= letters.contains(&b's');
        at += usize::from(matches!(letters.last(), Some(b'o' | b'O')));
    }
    true
}

/// Returns whether the commands that are passed to a shell as an argument run their input.
fn code_reads(code: &Word) -> bool {
    let text = code.lower();
    code.reads || is_shell(&code.name()) || READERS.iter().any(|sign| text.contains(sign))
}

/// Returns whether a word is the path of a script.
fn is_file(text: &[u8]) -> bool {
    let starts = [&b"/"[..], b"./", b"../", b"~/"];
    text.len() > 2 && starts.iter().any(|start| text.starts_with(start))
        || [&b".sh"[..], b".bash", b".zsh", b".ksh", b".py"]
            .iter()
            .any(|end| text.ends_with(end))
}

/// Returns whether an interpreter with these arguments runs its input.
fn interpreter_reads(name: &str, args: &[Word]) -> bool {
    let codes: &[u8] = match name {
        "python" => b"cmVh",
        "perl" | "ruby" => b"eEnpcv",
        "node" | "nodejs" | "bun" | "deno" => b"epcvh",
        "php" => b"rflRFBivm",
        "pwsh" | "powershell" => b"cCeEfF",
        _ => b"ecvl",
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let next = args.get(at);
        if arg.is_input() {
            return true;
        }
        if arg.is("run") && matches!(name, "deno" | "bun") || arg.is("--") {
            continue;
        }
        if !arg.is_option() {
            return false;
        }
        let letters = arg.letters();
        let is_code = letters.first().is_some_and(|first| codes.contains(first))
            || letters.len() <= 4 && letters.iter().any(|letter| codes.contains(letter))
            || ["--eval", "--print", "--check", "--version", "--help"]
                .iter()
                .any(|option| arg.is(option));
        if is_code {
            return next.is_some_and(|code| code.is_input() || runs_input(code));
        }
        let takes_value = ["--input-type", "--import", "--require", "--loader"]
            .iter()
            .any(|option| arg.is(option))
            || matches!(arg.letters(), b"r" | b"X" | b"W" | b"I");
        at += usize::from(takes_value);
    }
    true
}

/// Returns whether code in a language other than shell runs its input.
fn runs_input(code: &Word) -> bool {
    let text = code.lower();
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    has(&["exec", "eval", "system", "compile", "function("])
        && has(&[
            "stdin",
            "<>",
            "readfilesync(0",
            "open(0",
            "read(0",
            "php://input",
        ])
}

/// Determines which words of a command are run by a preceding program: `sh -c …`, `eval …`. The words are passed
/// one by one, so the time is linear for any number of options.
#[derive(Debug, Default)]
pub(super) struct Runner {
    start: Option<usize>,
    /// Whether the next word is the value of an option.
    is_value: bool,
}

impl Runner {
    /// Returns the position of the program that runs the next word, if there are only options and their values in
    /// between.
    pub(super) fn start(&self) -> Option<usize> {
        self.start
    }

    /// Updates the state with the next word.
    pub(super) fn pass(&mut self, word: &Word) {
        let is_value = std::mem::take(&mut self.is_value);
        if self.start.is_some() && word.is_option() {
            // With `-n`, a shell only checks the code.
            self.start = self.start.filter(|_| word.letters() != b"n");
            self.is_value = takes_value(word);
        } else if self.start.is_none() || !is_value {
            self.start = is_runner(word).then_some(word.start);
        }
    }
}

/// Returns whether an option of a shell or an interpreter takes a value.
fn takes_value(option: &Word) -> bool {
    let values = [
        "--rcfile",
        "--init-file",
        "--require",
        "--import",
        "--loader",
    ];
    let is_short = match &option.text[..] {
        [b'-' | b'+', letters @ ..] if !letters.starts_with(b"-") => {
            matches!(
                letters.last(),
                Some(b'o' | b'O' | b'W' | b'X' | b'r' | b'I')
            )
        }
        _ => false,
    };
    is_short || values.iter().any(|known| option.is(known))
}

/// Returns whether a program runs the first argument after its options.
fn is_runner(word: &Word) -> bool {
    let name = word.name();
    let is_known = is_shell(&name)
        || interpreter(&name).is_some()
        || matches!(
            &*name,
            "source" | "eval" | "exec" | "iex" | "su" | "trap" | "bash_env"
        )
        || word.is(".");
    is_known && !word.is_quoted
}

/// If a command runs the value of one of the variables, returns the end of the word with the variable.
pub(super) fn runs_variable(words: &[Word], names: &BTreeSet<Vec<u8>>) -> Option<usize> {
    let mut runner = Runner::default();
    words.iter().find_map(|word| {
        let is_run = runner.start().is_some();
        runner.pass(word);
        let name = word.text.strip_prefix(b"$")?;
        let inner = name
            .strip_prefix(b"{")
            .and_then(|name| name.strip_suffix(b"}"));
        (is_run && names.contains(inner.unwrap_or(name))).then_some(word.end)
    })
}

/// Returns whether a word after `>` is a program after a prompt or a prefix, as opposed to the file of a redirection.
/// `is_first`: whether the `>` is the first character of its line.
pub(super) fn may_follow_prompt(word: &Word, is_first: bool) -> bool {
    let is_program = || {
        let name = word.name();
        is_shell(&name)
            || interpreter(&name).is_some()
            || WRAPPERS.iter().any(|(known, _, _)| *known == name)
    };
    has_fetcher(&word.text) || is_first && is_program()
}
