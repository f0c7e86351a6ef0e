//! Determines what a function or a class that a program defines does with its arguments: a function that runs them as
//! commands may have any name, such as `check`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::source::lines::char_floor;

use super::calls::{STARTERS, is_runner};
use crate::security::expression::Expression;

/// How much of a definition is examined, in bytes.
const MAX_BODY: usize = 1200;

/// The maximum number of places with a name that are examined. A program with more of them is not trusted.
const MAX_PLACES: usize = 300;

/// The maximum number of names of functions that are examined. A program with more names is not trusted.
const MAX_PARTS: usize = 20;

/// How much of the code around a name is examined to find out whether it is a definition, in bytes.
const NEAR: usize = 160;

/// What a function does with its arguments, or a class with those of its methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Defined {
    /// Neither of the following.
    Other,
    /// It is a class that can run commands, or a part of it was not examined.
    MayRun,
    /// It runs them as commands.
    Runs,
}

/// The end of the code before the name of a function or a class.
static BEFORE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)(?:^|[^\w.])(?:def|function\s*\*?|class|sub|func|fn)\s+$")
        .expect("a pattern")
});

/// The code after a name that is set to a function, or that is the name of a method in JavaScript.
static AFTER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^\s{0,4}(?:(?::[^=\n]{1,40})?[=:]\s{0,4}(?:async\s+)?(?:lambda\b|function\b|(?:\([^()]{0,120}\)|\w{1,40})\s*=>)|\([^()]{0,120}\)\s*\{)")
        .expect("a pattern")
});

/// The parameters of a function, a method or an arrow function.
static PARAMETERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:\bdef\s+\w+\s*\(|\bconstructor\s*\(|\bfunction\b\s*\*?\s*\w*\s*\(|^\s*\()([^()]{1,160})|\blambda\s+([\w\s,=*]{1,80}):|[=:]\s*(?:async\s+)?(?:\(([^()]{1,120})\)|(\w{1,40}))\s*=>")
        .expect("a pattern")
});

/// A call with a variable, or a shell with a variable as code, as its first argument.
static PASSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)([\w.$]{1,60})\s*\(\s*\[?\s*(?:[\x22'][\w/.]*(?:sh|cmd)(?:\.exe)?[\x22']\s*,\s*\[?\s*[\x22'][-/]\w*[cC][\x22']\s*,\s*)?(?:[fbr]{0,2}[\x22'`])?\$?\{?(\w+)")
        .expect("a pattern")
});

/// The name of a function that runs its first argument as a command. The method `exec` of a regular expression does
/// not.
static STARTS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^(?:subprocess\.\w+|(?:[\w.]+\.)?(?:system|popen|Popen|execSync|execFile|execFileSync|spawn|spawnSync|shell_exec|passthru|getoutput|getstatusoutput|check_output|check_call)|exec|eval|(?:cp|child_process|proc)\.exec)$")
        .expect("a pattern")
});

/// A list whose entries a function runs: `map(os.system, BAD)`.
static MAPPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(?:map|filter|starmap|imap|imap_unordered|map_async|forEach)\s*\(\s*([\w.$]{1,60})\s*,\s*[\[({*]{0,3}\s*(\w+)")
        .expect("a pattern")
});

/// The same as a method: `BAD.forEach(execSync)`, `BAD.map(c => execSync(c))`.
static EACH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(\w+)\s*\.\s*(?:map|forEach|each|flatMap|some|every|filter|find|reduce)\s*\(\s*(?:\(?\s*\w+\s*\)?\s*=>[\s{(]{0,4}(?:await\s+)?)?([\w.$]{1,60})\s*[()]")
        .expect("a pattern")
});

/// Returns what the function or the class with a name does with its arguments; `None` if the program does not define
/// it.
pub(super) fn defined(text: &str, name: &str) -> Option<Defined> {
    if name.is_empty() {
        return None;
    }
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_whole = |at: &usize| {
        let next = bytes.get(at + name.len());
        !bytes[..*at].last().is_some_and(is_part) && !next.is_some_and(is_part)
    };
    let mut callees = Callees::new(text);
    let mut places = memchr::memmem::find_iter(bytes, name).filter(is_whole);
    let kinds = places.by_ref().take(MAX_PLACES).filter_map(|at| {
        let end = at + name.len();
        let before = &bytes[at.saturating_sub(NEAR)..at];
        let after = &bytes[end..bytes.len().min(end + NEAR)];
        let is_keyword = may_end_keyword(before) && BEFORE.is_match(before);
        (is_keyword || may_define(after) && AFTER.is_match(after)).then(|| {
            let is_class = is_keyword && before.trim_ascii_end().ends_with(b"class");
            what(&mut callees, end, is_class)
        })
    });
    let found = kinds.max();
    // Another definition may follow.
    let is_more = places.next().is_some();
    found.max(is_more.then_some(Defined::MayRun))
}

/// Returns whether code may end with a keyword before a name. This check already rejects nearly all other code.
fn may_end_keyword(before: &[u8]) -> bool {
    let word = before.trim_ascii_end();
    word.len() < before.len() && word.last().is_some_and(|last| b"fnsbc*".contains(last))
}

/// Returns whether code after a name may define the name.
fn may_define(after: &[u8]) -> bool {
    match after.trim_ascii_start().first() {
        Some(b'=' | b':') => true,
        Some(b'(') => memchr::memchr(b'{', after).is_some(),
        _ => false,
    }
}

/// Returns what a definition does. `start`: the position after its name.
fn what(callees: &mut Callees<'_>, start: usize, is_class: bool) -> Defined {
    let text = callees.text;
    let body = &text[start..char_floor(text, start + MAX_BODY)];
    let ends = ["\ndef ", "\nclass ", "\nfunction ", "\nif __name__"];
    let end = ends.iter().filter_map(|end| body.find(end)).min();
    let is_cut = end.is_none() && body.len() < text.len() - start && !leaves_block(body);
    let body = &body[..end.unwrap_or(body.len())];
    let header = PARAMETERS.captures_iter(body.as_bytes());
    // In the body of a function, further functions have other parameters.
    let most = if is_class { body.len() } else { 1 };
    let groups = header.take(most);
    let groups = groups.filter_map(|found| found.iter().skip(1).flatten().next());
    let words = groups.flat_map(|group| {
        let is_other = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
        group.as_bytes().split(is_other)
    });
    let own: [&[u8]; 3] = [b"self", b"this", b"cls"];
    let words = words.filter(|word| !word.is_empty() && !own.contains(word));
    let parameters: BTreeSet<&[u8]> = words.collect();
    let mut found = Defined::Other;
    if is_cut && callees.may_start() {
        found = Defined::MayRun;
    }
    for call in PASSES.captures_iter(body.as_bytes()) {
        let (Some(callee), Some(argument)) = (call.get(1), call.get(2)) else {
            continue;
        };
        if parameters.contains(argument.as_bytes()) {
            found = found.max(callees.kind(callee.as_bytes()));
        } else if is_class && STARTS.is_match(callee.as_bytes()) {
            found = found.max(Defined::MayRun);
        }
    }
    found
}

/// Returns whether a line of code after the first one is not indented, so that the body of a function has ended.
fn leaves_block(body: &str) -> bool {
    let mut lines = body.split('\n').skip(1);
    let is_inside = |c: char| c.is_whitespace() || matches!(c, '#' | ')' | '}' | ']');
    lines.any(|line| !line.is_empty() && !line.starts_with(is_inside))
}

/// The functions that a program calls. The program is searched only once for each name, and only for a few names,
/// because a search takes long.
struct Callees<'a> {
    text: &'a str,
    /// The names, and whether the program gives each of them to a function that runs commands.
    known: BTreeMap<&'a [u8], bool>,
    /// Whether the program can start other programs. Computed on first use.
    may_start: Option<bool>,
}

impl<'a> Callees<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            known: BTreeMap::new(),
            may_start: None,
        }
    }

    /// Returns whether the program can start other programs.
    fn may_start(&mut self) -> bool {
        let text = self.text;
        *self.may_start.get_or_insert_with(|| STARTERS.is_in(text))
    }

    /// Returns what a function does with its first argument.
    fn kind(&mut self, callee: &'a [u8]) -> Defined {
        if STARTS.is_match(callee) {
            return Defined::Runs;
        }
        if self.known.len() >= MAX_PARTS && !self.known.contains_key(callee) {
            return Defined::MayRun;
        }
        let text = self.text;
        let is_alias = || std::str::from_utf8(callee).is_ok_and(|callee| is_runner(text, callee));
        if *self.known.entry(callee).or_insert_with(is_alias) {
            Defined::Runs
        } else {
            Defined::Other
        }
    }
}

/// Returns whether code passes the entries of one of these lists to a function that may run them. `text`: the program.
pub(super) fn are_mapped(text: &str, code: &[u8], names: &BTreeSet<&[u8]>) -> bool {
    let mapped = MAPPED.captures_iter(code);
    let mapped = mapped.map(|found| (found.get(1), found.get(2)));
    let each = EACH.captures_iter(code);
    let each = each.map(|found| (found.get(2), found.get(1)));
    let mut callees = Callees::new(text);
    mapped.chain(each).any(|(callee, list)| {
        list.is_some_and(|list| names.contains(list.as_bytes()))
            && callee.is_some_and(|callee| callees.kind(callee.as_bytes()) != Defined::Other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_runs_its_arguments_if_its_body_does() {
        let long = "x".repeat(MAX_BODY);
        let cut = format!("def check(c):\n  '{long}'\n  os.system(c)");
        let ended = format!("def check(c):\n  return c in BAD\nx = '{long}'\nos.system(c)");
        let harmless = format!("def check(c):\n  '{long}'\n  return c in BAD");
        let repeated = format!("def check(c): {}", "a(c);".repeat(30));
        let methods = " def f(s, d): s.d = d\n".repeat(30);
        let methods = format!("r = os.system\nclass check:\n{methods} def g(s, c): r(c)\n");
        for (text, expected) in [
            ("def check(c): os.system(c)", Some(Defined::Runs)),
            (
                "def check(c, *, d=1):\n  return subprocess.run(['sh', '-c', c])",
                Some(Defined::Runs),
            ),
            ("check = lambda c: os.system(c)", Some(Defined::Runs)),
            ("const check = (c) => { execSync(c) }", Some(Defined::Runs)),
            ("const check = c => execSync(c)", Some(Defined::Runs)),
            ("x = {check(c) { execSync(`${c}`) }}", Some(Defined::Runs)),
            ("function check(c) { cp.exec(c) }", Some(Defined::Runs)),
            ("r = os.system\ndef check(c): r(c)", Some(Defined::Runs)),
            ("def check(bad): os.system(f\"{bad}\")", Some(Defined::Runs)),
            ("def check(bad): os.system(bad)", Some(Defined::Runs)),
            (&*repeated, Some(Defined::Other)),
            (&*methods, Some(Defined::Runs)),
            (&*cut, Some(Defined::MayRun)),
            (&*ended, Some(Defined::Other)),
            (&*harmless, Some(Defined::Other)),
            (
                "def check(c): a(c);b(c);d(c);e(c);f(c);g(c);h(c);i(c);j(c);k(c);l(c)\n\
                 def check(c): m(c);n(c);o(c);p(c);q(c);s(c);t(c);u(c);v(c);w(c)",
                Some(Defined::MayRun),
            ),
            (
                "class check:\n  def __init__(s, c): os.system(c)",
                Some(Defined::Runs),
            ),
            (
                "class check:\n  def __init__(s, c): s.c = c\n  def f(s): os.system('a')",
                Some(Defined::MayRun),
            ),
            (
                "def check(c):\n  return subprocess.run([python, HOOK], input=c)",
                Some(Defined::Other),
            ),
            (
                "function check(c) { return BAD.exec(c) }",
                Some(Defined::Other),
            ),
            (
                "def check(c): return c in BAD\ndef d(c): os.system(c)",
                Some(Defined::Other),
            ),
            ("@dataclass\nclass check:\n  c: str", Some(Defined::Other)),
            (
                "const check = (c: string) => { execSync(c) }",
                Some(Defined::Runs),
            ),
            ("check(c)\nx.check = y\nz = c => 1", None),
            ("recheck = lambda c: os.system(c)", None),
        ] {
            assert_eq!(defined(text, "check"), expected, "{text}");
        }
    }

    #[test]
    fn the_entries_of_a_list_may_be_mapped() {
        let names = BTreeSet::from([&b"BAD"[..]]);
        for (code, expected) in [
            ("*map(os.system, BAD),", true),
            ("pool.map(subprocess.call, [*BAD])", true),
            ("BAD.forEach(execSync)", true),
            ("BAD.map((c) => cp.execSync(c))", true),
            ("r = os.system\nlist(map(r, BAD))", true),
            (
                "map(a,BAD);map(b,BAD);map(c,BAD);map(d,BAD);map(e,BAD);map(f,BAD);map(g,BAD);\
                 map(h,BAD);map(i,BAD);map(j,BAD);map(k,BAD);map(l,BAD);map(m,BAD);map(n,BAD);\
                 map(o,BAD);map(p,BAD);map(q,BAD);map(s,BAD);map(t,BAD);map(u,BAD);map(v,BAD)",
                true,
            ),
            ("map(os.system, GOOD)", false),
            ("map(re.compile, BAD)", false),
            ("BAD.map(c => new RegExp(c))", false),
            ("BAD.some(c => re.exec(c))", false),
        ] {
            assert_eq!(
                are_mapped(code, code.as_bytes(), &names),
                expected,
                "{code}"
            );
        }
    }

    #[test]
    fn all_patterns_compile() {
        for pattern in [&PARAMETERS, &PASSES, &MAPPED, &EACH] {
            assert!(!pattern.as_str().is_empty());
        }
        for expression in [&BEFORE, &AFTER, &STARTS] {
            LazyLock::force(expression);
        }
    }
}
