//! Reports programs that give another machine control of a shell, and programs that encode the addresses of hosts.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use regex::bytes::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::hosts::addresses;
use crate::security::signals::{Match, Signal};

/// The maximum distance between the parts of a remote shell, in bytes.
const REACH: usize = 900;

/// The name of a shell that a program starts.
static SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?i-u)["'`](?:/usr)?(?:/bin/)?(?:ba|z|da|k|a)?sh(?:\s+-i)?["'`]|["'`](?:cmd|powershell|pwsh)(?:\.exe)?["'`]|(?:^|[\s"'`(=\\])/bin/(?:ba|z|da|k)?sh\b"#,
    ))
    .expect("a pattern")
});

/// A call that opens a connection, as opposed to one that accepts connections.
static CONNECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?i-u)\bsock\w*\.connect(?:_ex)?\(|\bs\.connect\(|socket\.socket\(|\bcreate_?connection\(|\bnet\.(?:connect|dial\w*|socket)\b|\b\w{1,3}\.connect\(\s*[\w.+ ]{1,24}\s*,|tcpstream::connect|tcpsocket|\bsocket\.tcp\b|socket\.connect|fsockopen|stream_socket_client|io::socket|\bnew\s+(?:\w+\.)*socket\(|tcpclient|opentcp|\bconnect\(\s*\w*sock|/inet/tcp|/dev/tcp/",
    ))
    .expect("a pattern")
});

/// Every match of [`CONNECT`] contains at least one of these strings, in lower case.
const CONNECTS: [&str; 7] = [
    "connect",
    "sock",
    "net.dial",
    "tcpclient",
    "opentcp",
    "/inet/tcp",
    "/dev/tcp/",
];

/// Finds any of [`CONNECTS`]; `None` if the CPU lacks the required SIMD instructions.
static ANY_CONNECT: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(CONNECTS));

/// Code that joins the streams of a shell to a connection.
static WIRE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?i-u)\.pipe\(|\bdup2\b|\bstd(?:in|out)\b|\bfileno\b|redirectstandard|getinputstream|getoutputstream|\breopen\b|proc_open|\bpty\b|openpty|popen|<&|>&|&0|getline",
    ))
    .expect("a pattern")
});

/// Code that runs the data that it receives.
static RECEIVE_RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?is-u)(?:\.gets\b|\.recv\w*\(|\.readline\(|\.read_to_\w+\(|\.read_line\(|readstring\(|\.on\(\s*.data.).{0,300}(?:io\.popen|open3|\bsystem\(|%x|os\.popen|os\.system|subprocess\.|child_process|\bexec\w*\(|spawn\w*\(|exec\.command|command::new|\beval\(|runtime\.getruntime)",
    ))
    .expect("a pattern")
});

/// A shell that reads from a pipe or writes to it.
static PIPE_SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?i-u)\b(?:ba|z|da|k|a)?sh\b[^\n|;&]{0,30}(?:<|-i\b|2>&1)|\|\s*(?:/bin/)?(?:ba|z|da)?sh\b",
    ))
    .expect("a pattern")
});

/// A command-line network client that a pipe can connect to a shell.
static PIPE_CLIENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?i-u)\b(?:nc|ncat|netcat|telnet|socat)\s|\bopenssl\s+s_client\b|/dev/tcp/|\bcurl\s[^\n]{0,60}-T\b",
    ))
    .expect("a pattern")
});

/// Substrings of code that connects to the user's own machines, or that accepts connections instead of opening them.
const CLIENTS: [&str; 12] = [
    "paramiko",
    "sshclient",
    "asyncssh",
    "ssh2",
    "node-ssh",
    "fabric",
    "netmiko",
    "docker.from_env",
    "dockerode",
    "node-pty",
    "xterm",
    "psycopg",
];

impl Of<'_, '_> {
    /// SEC102: reports a program that starts a shell and joins it to a connection, in any order and in any programming
    /// language.
    pub(super) fn steered(&mut self) {
        let layer = self.layer;
        if layer.is_sample {
            return;
        }
        let text = layer.text();
        let parts = if layer.layer.is_file() {
            self.programs()
        } else {
            vec![Span::new(0, text.len())]
        };
        let lower = layer.lower().as_bytes();
        for part in parts {
            let connects = |any: &Searcher| any.find(&lower[part.start..part.end]).is_some();
            if !ANY_CONNECT.as_ref().is_none_or(connects) {
                continue;
            }
            self.obeys(part);
            let code = &text.as_bytes()[part.start..part.end];
            let shells = SHELL.find_iter(code);
            for shell in shells.most(MOST_EXAMINED, &layer.left_out) {
                let start = char_floor(text, (part.start + shell.start()).saturating_sub(REACH));
                let start = start.max(part.start);
                let end = char_floor(text, (part.start + shell.end() + REACH).min(part.end));
                let near = &text[start..end];
                let Some(connect) = CONNECT.find(near.as_bytes()) else {
                    continue;
                };
                let is_local = [
                    "localhost",
                    "127.0.0.1",
                    "::1",
                    "/var/run",
                    "unix:",
                    ".sock",
                ]
                .iter()
                .any(|host| near.contains(host));
                let lower = near.to_ascii_lowercase();
                let is_client = CLIENTS.iter().any(|name| lower.contains(name));
                if is_local || is_client || !WIRE.is_match(near.as_bytes()) {
                    continue;
                }
                let hit = Match {
                    signal: Signal::ReverseShell,
                    span: Span::new(
                        char_floor(text, start + connect.start()),
                        char_floor(text, start + connect.end()),
                    ),
                };
                if self.is_order(&hit) && !self.is_lesson(&hit, None) {
                    let what = "starts a shell and connects it to another machine";
                    self.push("SEC102", hit.span, !self.is_in_lab(&hit), what);
                    return;
                }
            }
        }
        self.through_fifo();
    }

    /// Reports a program that opens a connection and runs the data that it receives.
    fn obeys(&mut self, part: Span) {
        let text = self.layer.text();
        let code = &text.as_bytes()[part.start..part.end];
        let connects = CONNECT.find_iter(code);
        for connect in connects.most(MOST_EXAMINED, &self.layer.left_out) {
            let start = part.start + connect.start();
            let end = char_floor(text, (start + REACH).min(part.end));
            let start = char_floor(text, start);
            let near = &text[start..end];
            let is_local = ["localhost", "127.0.0.1", "unix:", ".sock"]
                .iter()
                .any(|host| near.contains(host));
            let hit = Match {
                signal: Signal::ReverseShell,
                span: Span::new(start, char_floor(text, part.start + connect.end())),
            };
            if !is_local
                && RECEIVE_RUN.is_match(near.as_bytes())
                && self.is_order(&hit)
                && !self.is_lesson(&hit, None)
            {
                self.push(
                    "SEC102",
                    hit.span,
                    !self.is_in_lab(&hit),
                    "runs what it receives over a connection to another machine",
                );
                return;
            }
        }
    }

    /// Reports a shell that is connected to the network through a named pipe.
    fn through_fifo(&mut self) {
        let text = self.layer.text();
        for word in ["mkfifo", "mknod"] {
            let places = text.match_indices(word);
            for (at, _) in places.most(MOST_EXAMINED, &self.layer.left_out) {
                let end = char_floor(text, at + 400);
                let near = &text.as_bytes()[at..end];
                let hit = Match {
                    signal: Signal::ReverseShell,
                    span: Span::new(at, char_floor(text, at + 120)),
                };
                if PIPE_SHELL.is_match(near)
                    && PIPE_CLIENT.is_match(near)
                    && self.is_order(&hit)
                    && !self.is_lesson(&hit, None)
                {
                    let what = "opens a shell that a remote machine controls through a named pipe";
                    self.push("SEC102", hit.span, !self.is_in_lab(&hit), what);
                    return;
                }
            }
        }
    }

    /// SEC110: reports a program that sends or downloads data, if the program contains an encoded address of a foreign
    /// host.
    pub(super) fn hidden_host(&mut self) {
        let layer = self.layer;
        if layer.layer.is_file() || !layer.is_disguised() || layer.is_sample {
            return;
        }
        if !self.reaches() {
            return;
        }
        let text = layer.text().trim();
        if text.len() > 200 || text.contains(char::is_whitespace) || !text.contains("://") {
            return;
        }
        let found = addresses(text, 2);
        let Some(address) = found.iter().find(|address| self.is_foreign(address)) else {
            return;
        };
        if address.start > 0 {
            return;
        }
        let hit = Match {
            signal: Signal::DecodeRun,
            span: Span::new(0, layer.text().len()),
        };
        if self.view.is_security || !self.is_order(&hit) {
            return;
        }
        let what = format!("hides the address of '{}'", address.host);
        self.push("SEC110", hit.span, true, &what);
    }

    /// Returns whether the layer's file is a script that connects to other machines.
    fn reaches(&self) -> bool {
        const WORDS: [&str; 16] = [
            "requests.",
            "urllib",
            "urlopen",
            "fetch(",
            "axios",
            "http.",
            "https.",
            "curl",
            "wget",
            "socket",
            "httpx",
            "aiohttp",
            "webclient",
            "invoke-",
            "net/http",
            "net::",
        ];
        let file = self.layer.file;
        let named = || {
            let lower = file.text.to_ascii_lowercase();
            WORDS.iter().any(|word| lower.contains(word))
        };
        self.layer.is_script && *self.layer.of_file.reaches.get_or_init(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_connection_has_one_of_the_texts() {
        for text in [
            "sock.connect((h, 1))",
            "SOCKET.connect_ex(",
            "s.connect(",
            "socket.socket(",
            "create_connection(",
            "createConnection(",
            "net.Dial(\"tcp\"",
            "net.socket",
            "c.connect(h, 1)",
            "TcpStream::connect",
            "TCPSocket.new",
            "socket.tcp",
            "fsockopen",
            "stream_socket_client",
            "IO::Socket",
            "new java.net.Socket(",
            "TcpClient",
            "opentcp",
            "connect(sockfd",
            "/inet/tcp",
            "/dev/tcp/",
        ] {
            assert!(CONNECT.is_match(text.as_bytes()), "{text}");
            let lower = text.to_lowercase();
            assert!(CONNECTS.iter().any(|sign| lower.contains(sign)), "{text}");
        }
    }

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &SHELL,
            &CONNECT,
            &WIRE,
            &RECEIVE_RUN,
            &PIPE_SHELL,
            &PIPE_CLIENT,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
