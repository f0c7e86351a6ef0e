//! Reports programs that download or decode text and pass it to an interpreter, as an argument or as input.
//!
//! The install hooks of malicious packages run their second stage in this way: a call such as `eval` is easy to find,
//! while `spawn('node', ['-e', text])` looks like the start of another program. Legitimate programs also pass scripts
//! to interpreters, so the origin of the text decides.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::loading::{TRANSFORM, argument, is_minified, transformed};
use super::sending::has_any;
use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::expression::AnyOf;
use crate::security::signals::{Match, Signal};

/// A program is examined only if it contains one of these strings.
static SIGNS: AnyOf = AnyOf::new(&[
    "spawn",
    "exec",
    "Popen",
    "subprocess",
    "system",
    "_compile",
    "open3",
]);

/// A call that starts an interpreter, up to the interpreter's name.
const STARTED: &str = r"\b(?:spawn\w*|exec\w*|fork|Popen|run|call|check_call|check_output|system|popen\w*|capture\w*)\s*\(\s*\[?\s*(?:process\.(?:execPath|argv0|argv\[0\])|sys\.executable|RbConfig\.ruby|[\x22'`](?:/[\w./-]*/)?(?:node|nodejs|bun|deno|python[\d.]*|pythonw|py|bash|sh|zsh|dash|ksh|pwsh|powershell|perl|ruby|php)(?:\.exe)?[\x22'`])";

/// A call that passes a program to an interpreter as an argument. The group is the variable that holds the program.
static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    let options = r"\s*,\s*\[?\s*(?:[\x22'`]-[\w=./-]{1,40}[\x22'`]\s*,\s*){0,5}[\x22'`](?:-e|-c|-p|-pe|-r|-lc|-ec|--eval|--print|eval|-Command|-command)[\x22'`]\s*,\s*";
    let pattern = format!("{STARTED}{options}({VALUE})");
    Regex::new(&ascii_words(&pattern)).expect("a pattern")
});

/// The name of a variable.
const VALUE: &str = r"[A-Za-z_$][\w$]*";

/// Code that writes a variable to the input of another program, or compiles a module from it. The matching group is the
/// variable.
static INPUT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"\bstdin\.(?:write|end)\(\s*({VALUE})|\.communicate\(\s*(?:input\s*=\s*)?({VALUE})|(?:\b\w+|[)\]])\._compile\(\s*({VALUE})"
    );
    Regex::new(&ascii_words(&pattern)).expect("a pattern")
});

/// A call that starts an interpreter with a variable as its input. The group is the variable.
static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(r"{STARTED}[^\n]{{0,120}}?\binput\s*[:=]\s*({VALUE})");
    Regex::new(&ascii_words(&pattern)).expect("a pattern")
});

/// A call that starts an interpreter.
static INTERPRETER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&ascii_words(STARTED)).expect("a pattern"));

/// A variable that holds downloaded data: a download is assigned to it, it collects the parts of a response, or it is
/// the parameter of a callback that receives the text of a response.
static DOWNLOADED: LazyLock<Regex> = LazyLock::new(|| {
    let download = r"(?:\burlopen\(|\brequests\.(?:get|post)\(|\bhttpx\.|\bNet::HTTP\b|\bURI\.open|\bfetch\(|\bgot\(|\baxios|\.text\(\)|\bres(?:ponse)?\.(?:data|text|body)\b)";
    let pattern = format!(
        r"\b({VALUE})\s*=\s*(?:[^\n;=>\s][^\n;=]{{0,160}}?)?{download}|\.on\(\s*[\x22']data[\x22']\s*,[^\n]{{0,60}}?({VALUE})\s*(?:\+=|\.push\()|\.on\(\s*[\x22']data[\x22']\s*,[^\n]{{0,40}}\n?[^\n]{{0,20}}?({VALUE})\s*\+=|\.(?:text\(\)|data|body)\s*\)\s*\.then\(\s*(?:async\s*)?(?:function\s*)?\(?\s*({VALUE})"
    );
    Regex::new(&ascii_words(&pattern)).expect("a pattern")
});

/// Substrings of code that reads from the network.
const REACHES: [&str; 14] = [
    "https.",
    "http.",
    "'https'",
    "\"https\"",
    "'http'",
    "\"http\"",
    "node:http",
    "fetch(",
    "urlopen",
    "requests.",
    "httpx",
    "axios",
    "Net::HTTP",
    "URI.open",
];

impl Of<'_, '_> {
    /// SEC101, SEC110: reports downloaded or decoded text that a program passes to an interpreter.
    pub(super) fn inlined(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() || !SIGNS.is_in(layer.text()) {
            return;
        }
        for part in self.programs() {
            self.inlined_in(part);
        }
    }

    fn inlined_in(&mut self, part: Span) {
        let text = self.layer.text();
        let Some(code) = text.get(part.start..part.end) else {
            return;
        };
        let passed = passed(code);
        if passed.is_empty() {
            return;
        }
        let decoded = transformed(text, part);
        let fetched = downloaded(code);
        let target = OnceCell::new();
        let passed = passed.into_iter().most(MOST_EXAMINED, &self.layer.left_out);
        for Passed { start, end, name } in passed {
            if is_minified(code, start) {
                continue;
            }
            let is_fetched = fetched.contains(name);
            let call = argument(code, end - name.len(), "(");
            let is_decoded = decoded.contains(name) || TRANSFORM.is_match(call);
            let hit = Match {
                signal: Signal::DecodeRun,
                span: Span::new(part.start + start, part.start + end),
            };
            let of_fetch = || target.get_or_init(|| self.target()).clone();
            let (rule, what) = match is_fetched.then(of_fetch).flatten() {
                Some(target) => ("SEC101", format!("runs what it downloads from {target}")),
                // The address of the download is itself encoded.
                None if is_fetched && !decoded.is_empty() => (
                    "SEC110",
                    "runs what it downloads from an address that it decodes".to_owned(),
                ),
                None if is_decoded => {
                    let what = "decodes code before running it, which hides the code from review";
                    ("SEC110", what.to_owned())
                }
                None => continue,
            };
            let is_error = !self.is_exhibit(hit.span);
            self.push_order(rule, &hit, is_error, &what);
        }
    }
}

/// A variable that a program passes to an interpreter, and the range of code that ends with the variable.
struct Passed<'a> {
    start: usize,
    end: usize,
    name: &'a str,
}

/// Returns the variables that a program passes to interpreters, as arguments or as input.
fn passed(code: &str) -> Vec<Passed<'_>> {
    let starts = INTERPRETER.is_match(code);
    let inputs = INPUT.captures_iter(code).filter(|found| {
        // Python has private methods with this name, which compile patterns, queries and the like.
        let whole = found.get(0).map_or("", |whole| whole.as_str());
        let is_private = ["self.", "cls.", "re."]
            .iter()
            .any(|own| whole.starts_with(own));
        let is_module = found.get(3).is_some() && !is_private;
        starts || is_module
    });
    let all = INLINE.captures_iter(code).chain(GIVEN.captures_iter(code));
    let all = all.chain(inputs);
    all.filter_map(|found| {
        let (whole, name) = (found.get(0)?, first(&found)?);
        Some(Passed {
            start: whole.start(),
            end: name.end(),
            name: name.as_str(),
        })
    })
    .collect()
}

/// Returns the variables that hold downloaded data.
fn downloaded(code: &str) -> BTreeSet<&str> {
    if !has_any(code, &REACHES) {
        return BTreeSet::new();
    }
    let found = DOWNLOADED.captures_iter(code).filter(|found| {
        let start = found.get(0).map_or(0, |whole| whole.start());
        let before = &code[char_floor(code, start.saturating_sub(12))..start];
        // `stdout.on('data')` and the like read from another process, not from the network.
        !before.ends_with("stdin") && !before.ends_with("stdout") && !before.ends_with("stderr")
    });
    let names = found.filter_map(|found| first(&found).map(|name| name.as_str()));
    let mut names: BTreeSet<&str> = names.collect();
    // Include variables that are computed from downloaded data: `const code = parts.join("")`.
    for line in code.lines() {
        let Some((left, right)) = line.split_once('=') else {
            continue;
        };
        let name = left
            .trim()
            .rsplit([' ', '\t', '{', '('])
            .next()
            .unwrap_or_default();
        let source = right
            .trim_start()
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next();
        let is_read = right.contains(".read")
            || right.contains(".join")
            || right.contains(".decode")
            || right.contains("toString");
        if is_read && !name.is_empty() && source.is_some_and(|source| names.contains(source)) {
            names.insert(name);
        }
    }
    names
}

/// Returns the first capture group that matched.
fn first<'a>(found: &Captures<'a>) -> Option<regex::Match<'a>> {
    found.iter().skip(1).flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_an_interpreter_runs_is_found() {
        for (code, expected) in [
            ("spawn(process.execPath, ['-e', d], {})", Some("d")),
            (
                "subprocess.Popen([sys.executable, '-u', '-c', code])",
                Some("code"),
            ),
            (
                "execFileSync('/usr/bin/node', ['--input-type=module', '--eval', src])",
                Some("src"),
            ),
            ("system('ruby', '-e', body)", Some("body")),
            ("execFileSync(\"bash\", [\"-c\", script])", Some("script")),
            ("const p = spawn('sh');\np.stdin.end(text);", Some("text")),
            ("subprocess.run(['bash'], input=text)", Some("text")),
            ("m._compile(src, '/x.js')", Some("src")),
            ("p = spawn('git');\np.stdin.end(text);", None),
            ("spawn(process.execPath, ['-e', 'console.log(1)'])", None),
            ("spawn(process.execPath, ['server.js', port])", None),
        ] {
            let found = passed(code).first().map(|passed| passed.name);
            assert_eq!(found, expected, "{code}");
        }
    }

    #[test]
    fn a_variable_for_a_download_is_found() {
        for (code, expected) in [
            ("https.get(u, r => { r.on('data', c => d += c) })", true),
            ("const r = await fetch(u); const d = await r.text();", true),
            ("fetch(u).then(r => r.text()).then(d => go(d))", true),
            ("d = urlopen(u).read()", true),
            ("r = requests.get(u)\nd = r.read()", true),
            ("fetch(u); child.stdout.on('data', c => d += c)", false),
            ("fetch(u); d = open('a').read()", false),
            ("child.on('data', c => d += c)", false),
        ] {
            assert_eq!(downloaded(code).contains("d"), expected, "{code}");
        }
    }
}
