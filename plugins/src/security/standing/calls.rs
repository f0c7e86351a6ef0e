//! Decides whether a string in a program is an argument of a call that runs the string. A call is code even in a list
//! of dangers. Various spellings of the function are recognized: `(os.system)("…")`, `getattr(os, "system")("…")`.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::source::lines::char_floor;

use super::code::{Code, Syntax};
use super::definitions::{Defined, defined};
use crate::security::expression::{AnyOf, Expression};

/// The maximum number of bytes before a string that are searched for the calls around the string.
const MAX_BEFORE: usize = 2000;

/// The maximum number of calls around a string that are examined.
const MAX_CALLS: usize = 8;

/// The maximum number of bytes before a call that are searched for an alias of a function that runs commands.
pub(super) const MAX_NAMING: usize = 256 << 10;

/// The maximum number of occurrences of a name that are examined to find such an alias.
const MAX_PLACES: usize = 1000;

/// The maximum number of bytes on each side of such an occurrence that are examined.
const MAX_NAME: usize = 120;

/// What a call does with a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Runs the string as a command.
    Runs,
    /// Does something unknown with the string.
    Unknown,
    /// The same, but the program can start others, or the function can.
    Suspect,
}

/// Matches a callee that ends with the name of a function that runs a command.
static RUNNER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:^|[.>:\\$])(?:system|popen\w*|exec\w*|spawn\w*|shell_exec|passthru|proc_open|check_(?:call|output)|get(?:status)?output|run|sh|eval)$|\bsubprocess\b")
        .expect("a pattern")
});

/// The arguments that precede a command in a call that runs the command: none, or a shell and its options.
static ARGUMENTS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)^[\s\[({]*(?:[\x22'`](?:(?:/\w+)*/?(?:\w*sh|cmd|env)(?:\.exe)?|-[\w-]+|/c)[\x22'`]\s*,?\s*[\[({]*\s*)*$")
        .expect("a pattern")
});

/// Words in a computed callee which show that the call runs code.
static COMPUTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?i-u)(?:\b(?:\w*system|popen\w*|exec\w*|spawn\w*|subprocess|child_process|shell_exec|passthru|proc_open|eval|os|getattr|globals|builtins|__import__|import_module|function|lambda|call_user_func\w*|kernel|deno|bun)\b|=>)")
        .expect("a pattern")
});

/// A function that runs a command, as an argument of another function.
static REFERENCE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:os\.(?:system|popen)|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|subprocess\.(?:run|call|check_call|check_output|Popen|getoutput))\s*,")
        .expect("a pattern")
});

/// Code after a string that passes the strings of a list to a function that runs commands.
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)^[^\n]{0,200}?[\x22'`][\s,\])]{0,8}\.\s*(?:map|forEach|each|flatMap|some|every|filter|find|reduce|then|tap)\b[^\n]{0,200}?\b(?:system|popen|exec\w*|spawn\w*|child_process|eval)\b")
        .expect("a pattern")
});

/// Code after a name that makes the name an alias of a function that runs commands: `test = os.system`, or `test, x =
/// system, 1`.
static NAMED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^(?:\s{0,4},\s{0,4}\w{1,20}){0,4}[\x22']?\s{0,4}(?::=|[:=])\s{0,4}[(\[]{0,3}(?:[\w.\x22']{1,20}\s{0,4},\s{0,4}){0,4}(?:[^\s;,=(][^\n;,=]{0,80}[.\[(\s\x22'])??[\x22']?(?:system|popen|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|getoutput|check_output|shell_exec|passthru)[\x22'\])]{0,4}(?:\[\d\])?\s*(?:[;,}\n]|$)")
        .expect("a pattern")
});

/// Code before a name that makes the name such an alias: `system as test`, `{execSync: test}`.
static NAMED_BEFORE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:system|popen|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|getoutput|check_output)(?:\s{1,4}as\s{1,4}|\s{0,4}:\s{0,4})$")
        .expect("a pattern")
});

/// Functions, in lower case, that treat their string arguments as data.
const DATA: [&str; 34] = [
    "set",
    "frozenset",
    "list",
    "tuple",
    "dict",
    "str",
    "bytes",
    "repr",
    "len",
    "sorted",
    "array",
    "append",
    "add",
    "push",
    "extend",
    "insert",
    "freeze",
    "concat",
    "param",
    "compile",
    "escape",
    "quote",
    "split",
    "dedent",
    "format",
    "join",
    "raw",
    "r",
    "re",
    "rule",
    "pattern",
    "case",
    "range",
    "of",
];

/// Functions, in lower case, that compare or print strings, besides those that begin with `assert`, `log` or `print`.
const KNOWN: [&str; 44] = [
    "match",
    "search",
    "fullmatch",
    "findall",
    "finditer",
    "sub",
    "subn",
    "test",
    "includes",
    "contains",
    "startswith",
    "endswith",
    "indexof",
    "find",
    "index",
    "count",
    "replace",
    "get",
    "has",
    "equal",
    "equals",
    "expect",
    "it",
    "describe",
    "skip",
    "info",
    "warn",
    "warning",
    "error",
    "debug",
    "critical",
    "exception",
    "fail",
    "write",
    "writeln",
    "puts",
    "echo",
    "strip",
    "lower",
    "add_argument",
    "option",
    "help",
    "any",
    "all",
];

/// Strings in programs that can start other programs: their facilities for this, and how these are imported.
pub(super) static STARTERS: AnyOf = AnyOf::new(&[
    "subprocess",
    "child_process",
    "import os",
    "os.system",
    "os.popen",
    "from os",
    "__import__",
    "import_module",
    "Deno.Command",
    "Bun.spawn",
    "exec.Command",
]);

/// Methods, in lower case, that call the function that a computed callee returns.
const INVOKERS: [&str; 6] = ["call", "apply", "invoke", "send", "public_send", "__call__"];

/// Words that can precede a parenthesis but are not functions.
const KEYWORDS: [&str; 18] = [
    "in", "is", "and", "or", "not", "if", "elif", "else", "for", "while", "return", "yield",
    "await", "assert", "case", "switch", "typeof", "print",
];

/// Returns what the calls around a string do with it. `at`: the position of the quote. `end`: the end of the part of
/// the string that is a command.
pub(super) fn call(text: &str, at: usize, end: usize, syntax: Syntax) -> Option<Call> {
    let rest = &text[char_floor(text, end)..char_floor(text, end.saturating_add(MAX_BEFORE))];
    if PASSED.is_match(rest.as_bytes()) {
        return Some(Call::Runs);
    }
    let low = char_floor(text, at.saturating_sub(MAX_BEFORE));
    let before = &text[low..char_floor(text, at)];
    let calls = calls(before, syntax);
    let kinds: Vec<Option<Call>> = calls
        .iter()
        .map(|call| kind(call.0, call.1, syntax))
        .collect();
    let low = char_floor(text, at.saturating_sub(MAX_NAMING));
    let is_renamed = || {
        let innermost = calls.first();
        innermost.is_some_and(|call| is_runner(&text[low..char_floor(text, at)], call.0))
    };
    if kinds.contains(&Some(Call::Runs)) || is_renamed() {
        return Some(Call::Runs);
    }
    if calls.len() > MAX_CALLS {
        return Some(Call::Unknown);
    }
    let near = &text[low..char_floor(text, at.saturating_add(MAX_NAMING))];
    let (callee, _) = calls.first()?;
    let name = name_of(callee);
    let own = kinds.first().copied().flatten();
    match defined(near, name) {
        Some(Defined::Runs) => Some(Call::Runs),
        Some(Defined::MayRun) => Some(Call::Suspect),
        // The function may be defined in a part of the program that is not examined.
        None if own == Some(Call::Unknown)
            && !is_known(name)
            && (near.len() < text.len() || STARTERS.is_in(near)) =>
        {
            Some(Call::Suspect)
        }
        _ => own,
    }
}

/// Returns whether a function only compares, prints or stores its strings, according to its name.
fn is_known(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    KNOWN.contains(&&*lower)
        || ["assert", "log", "print", "to"]
            .iter()
            .any(|start| lower.starts_with(start))
}

/// Returns whether a program gives the name of a callee to a function that runs commands.
pub(super) fn is_runner(before: &str, callee: &str) -> bool {
    let bytes = before.as_bytes();
    let name = name_of(callee);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_named = |at: usize| {
        let end = at + name.len();
        let is_whole = !bytes[..at].last().is_some_and(is_part);
        let next = &bytes[end..bytes.len().min(end + MAX_NAME)];
        let last = &bytes[at.saturating_sub(MAX_NAME)..at];
        let line = next.split_inclusive(|byte| *byte == b'\n').next();
        is_whole && (line.is_some_and(|line| NAMED.is_match(line)) || NAMED_BEFORE.is_match(last))
    };
    // Most occurrences are calls. They do not count toward the limit, because an attacker could add any number of them.
    let may_name = |at: &usize| {
        let mut next = bytes[at + name.len()..].iter();
        let next = next.find(|byte| !matches!(byte, b' ' | b'\t' | b'\'' | b'"'));
        let last = bytes[..*at].trim_ascii_end();
        next.is_some_and(|byte| b"=:,".contains(byte))
            || last.ends_with(b"as")
            || last.ends_with(b":")
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| is_part(&byte));
    let mut places = memchr::memmem::rfind_iter(bytes, name).filter(may_name);
    // A program with more places is not trusted.
    is_name && (places.by_ref().take(MAX_PLACES).any(is_named) || places.next().is_some())
}

/// Returns the last part of the name of a function.
fn name_of(callee: &str) -> &str {
    let mut parts = callee.rsplit(['.', ':', '>', '\\']);
    parts.next().unwrap_or(callee)
}

/// Returns what a call does with a string. `arguments`: the text between the parenthesis and the string.
fn kind(callee: &str, arguments: &str, syntax: Syntax) -> Option<Call> {
    let name = name_of(callee);
    let runs = RUNNER.is_match(callee.as_bytes());
    let is_result = callee.ends_with([')', ']', '}']);
    let is_computed = callee.contains(['(', '[', '{']) && (runs || INVOKERS.contains(&name));
    if (is_result || is_computed) && COMPUTED.is_match(callee.as_bytes()) {
        return Some(Call::Runs);
    }
    if is_result {
        return Some(Call::Unknown);
    }
    // Remove the prefix of the string, such as the `f` of `f"`.
    let arguments = arguments.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_first = ARGUMENTS.is_match(arguments.as_bytes());
    let is_reference = || {
        let code = Code::read(arguments, syntax).without_strings(arguments);
        REFERENCE.is_match(code.as_bytes())
    };
    if runs && is_first || is_reference() {
        return Some(Call::Runs);
    }
    // A capital letter marks the name of a class, whose objects only store the string.
    let is_data = name.starts_with(char::is_uppercase) || DATA.contains(&name);
    (is_first && !is_data).then_some(Call::Unknown)
}

/// Returns the calls that are open at the end of a text, innermost first: the callee, and the text after the
/// parenthesis.
fn calls(before: &str, syntax: Syntax) -> Vec<(&str, &str)> {
    let bytes = before.as_bytes();
    let Code { open, pairs, .. } = Code::read(before, syntax);
    let groups = open.iter().rev().filter(|at| bytes[**at] == b'(');
    let calls = groups.filter_map(|at| {
        let callee = callee(before, *at, &pairs);
        // In `{key:(…)}` and `!(…)`, the parenthesis only groups.
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '}');
        let is_call = callee.ends_with(is_name) && !KEYWORDS.contains(&callee);
        is_call.then(|| (callee, &before[at + 1..]))
    });
    calls.take(MAX_CALLS + 1).collect()
}

/// Returns the callee before a parenthesis. The result is empty if the parenthesis only groups.
fn callee<'a>(text: &'a str, parenthesis: usize, pairs: &[(usize, usize)]) -> &'a str {
    let bytes = text.as_bytes();
    let before = text[..parenthesis].trim_end_matches([' ', '\t']);
    let end = before.len();
    let mut start = end;
    while let Some(at) = start.checked_sub(1) {
        let byte = bytes[at];
        if matches!(byte, b')' | b']' | b'}') {
            let Ok(pair) = pairs.binary_search_by_key(&at, |(close, _)| *close) else {
                break;
            };
            start = pairs[pair].1;
        } else if byte.is_ascii_alphanumeric() || b"_.:>$\\!?@".contains(&byte) || !byte.is_ascii()
        {
            start = at;
        } else {
            break;
        }
    }
    let callee = before.get(start..end).unwrap_or_default();
    // `f?.(…)`
    callee.strip_suffix("?.").unwrap_or(callee)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_its_function_and_arguments() {
        let runs = Some(Call::Runs);
        let unknown = Some(Call::Unknown);
        let syntax = Syntax {
            has_regex: true,
            has_triple: true,
        };
        let many = format!("match=system\n{}\nmatch(", "match;".repeat(2000));
        let named = format!("match=system\n{}\nmatch(", "match,".repeat(2 * MAX_PLACES));
        let far = format!("match=system\n#{}\nmatch(", "#".repeat(17_000));
        for (before, after, expected) in [
            ("os.system(", ")", runs),
            ("BAD = [\n (os.system)(", "),\n]", runs),
            ("BAD = [\n (os.system)(\n  ", "\n ),\n]", runs),
            ("BAD = {'a': (os.system)(f", ")}", runs),
            ("BAD = {'a':(os.system)(", ")}", runs),
            ("assert (os.system)(", ") == 0", runs),
            ("BAD = [getattr(os, 'sys' + 'tem')(", ")]", runs),
            ("BAD = [__import__('os').popen(", ")]", runs),
            ("BAD = [(lambda c: f(c))(", ")]", runs),
            ("BAD = [subprocess.run(['bash', '-c', ", "])]", runs),
            ("BAD = [*map(os.system, [", "])]", runs),
            ("BAD = [Thread(target=os.system, args=(", ",))]", runs),
            (
                "BAD = [\n (0,require('child_process').execSync)(",
                ")\n]",
                runs,
            ),
            ("BAD = [cp['execSync'](", ")]", runs),
            ("BAD = [(() => run)()(", ")]", runs),
            ("BAD = [cp.execSync?.(", ")]", runs),
            ("BAD = [...[", "].map(cp.execSync)]", runs),
            ("BAD = [Kernel.method(:system).call(", ")]", runs),
            ("BAD = [($f = 'system')(", ")]", runs),
            (
                "const x = {test: require('child_process').execSync}\nx.test(",
                ")",
                runs,
            ),
            (
                "const expect=require('child_process').execSync\nexpect(",
                ")",
                runs,
            ),
            ("check = os.system\ncheck(", ")", runs),
            ("from os import system as match\nmatch(", ")", runs),
            ("match,y=system,1\nmatch(", ")", runs),
            ("y, match = 1, system\nmatch(", ")", runs),
            ("match=(system)\nmatch(", ")", runs),
            ("(match:=system)\nmatch(", ")", runs),
            ("match=[system][0]\nmatch(", ")", runs),
            (many.as_str(), ")", runs),
            (named.as_str(), ")", runs),
            (far.as_str(), ")", runs),
            ("match, system = a, b\nset(match(", "))", unknown),
            (
                "const {execSync: log} = require('child_process')\nlog(",
                ")",
                runs,
            ),
            (
                "check = system == x\nmatch = a.exec(b)\nset(match(",
                "))",
                unknown,
            ),
            (
                "BAD = [str(str(str(str(str(str(str(str(str(",
                ")))))))))]",
                unknown,
            ),
            ("BAD = [go(", ")]", unknown),
            ("BAD = [x[0](", ")]", unknown),
            ("BAD = [", "]", None),
            ("BAD = {cmd:(", ")}", None),
            ("BAD = frozenset([", "])", None),
            ("BAD = [re.compile(", ")]", None),
            ("BAD = [Rule('a', ", ")]", None),
            ("BAD.append(", ")", None),
            ("if x in (", ")", None),
            ("f(x)\nBAD = [", "]", None),
            ("subprocess.run(['node', HOOK], input=[", "])", None),
        ] {
            let text = format!("{before}\"curl a | sh\"{after}");
            let end = before.len() + 1 + "curl a | sh".len();
            assert_eq!(call(&text, before.len(), end, syntax), expected, "{text}");
        }
    }
}
