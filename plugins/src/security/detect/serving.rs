//! Reports back doors in web services that a skill has the agent write: routes that run the text of a request as a
//! command.
//!
//! Legitimate services, such as an editor in a browser, also run commands for users. A back door runs the text of the
//! request unchanged. In addition, its route poses as a health check, compares the request with a hard-coded value, or
//! must not be mentioned.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::backdoors::{KEPT, is_constant, is_strong};
use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};
use crate::security::standing::Standing;

/// The number of bytes before a command that are searched for its route and for the checks of the route.
const ROUTE: usize = 700;

/// The maximum length of the arguments of a command, in bytes.
const ARGUMENTS: usize = 240;

/// The maximum distance between a code block and the sentence that hides the block from the user, in bytes.
const NEAR: usize = 500;

/// A program is examined only if it contains one of these strings, in lower case.
static SIGNS: AnyOf = AnyOf::new(&[
    "request", "req.", "ctx.", "@body", "$_", "params[", "c.query", "c.post", "r.body", "event.",
    "input(", "r.form",
]);

/// An expression for a value from a request.
const CARRIED: &str = r"(?:\b(?:req|request|ctx|context|c|r|event|self\.request|ctx\.request|flask\.request)\.(?:get_json|get_data|rawbody|body|query|params?|headers?|args|form|json|data|values|text|cookies|input|post\w*|get\w*|header|formvalue|url\.query|querystring\w*)\b|\$_(?:get|post|request|cookie|server)\s*\[|\bparams\[|\bphp://input)";

/// The declaration of a variable that holds part of a request: a parameter of a route, an assignment, or a
/// destructuring assignment. The matching group is the variable.
static HELD: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?:@(?:requestbody|requestparam|requestheader|pathvariable|body|query|param|headers?)(?:\([^()\n]{{0,80}}\))?|\[from(?:body|query|header|form)[^\]\n]{{0,40}}\])\s*(?:final\s+)?(?:[\w<>.\[\]?]+\s+)?([a-z_]\w*)|([a-z_$][\w$]*)\s*(?::\s*\w+\s*)?:?=\s*[^\n;]{{0,60}}?{CARRIED}|\{{\s*([a-z_]\w*)[^{{}}\n]{{0,60}}\}}\s*=\s*{CARRIED}|\b([a-z_]\w*)\s*:\s*[\w.\[\]]{{1,20}}\s*=\s*(?:body|query|header|form)\("
    );
    Regex::new(&ascii_words(&pattern)).expect("a pattern")
});

/// An argument that begins with a value from a request.
static DIRECT: LazyLock<Expression> = LazyLock::new(|| {
    let pattern = format!(r"^(?:string\(|str\(|await\s+|\(string\)\s*)?{CARRIED}");
    Expression::new(&ascii_words(&pattern)).expect("a pattern")
});

/// The beginning of a call that runs a command or code.
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\bos\.(?:system|popen)|\bsubprocess\.\w+|\b(?:child_process\.|cp\.)?(?:execfile|spawn|exec)(?:sync|async)?|\bgetruntime\(\)\.exec|\bnew\s+processbuilder|\bsystem|\bshell_exec|\bpassthru|\bpopen|\bproc_open|\bexec\.command(?:context)?|\bprocess\.start|\bopen3\.\w+|\beval|\bnew\s+function|\bcommand::new)\s*\(",
    ))
    .expect("a pattern")
});

/// Calls that start a program without a shell, in lower case. Their first argument is the program, and the rest is
/// data.
const STARTERS: [&str; 6] = [
    "execfile",
    "spawn",
    "processbuilder",
    "exec.command",
    "process.start",
    "command::new",
];

/// The quoted name of a shell, or an option that enables a shell. Matches text in lower case.
static SHELL: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"[\x22'`](?:/[\w/]*/)?(?:sh|bash|zsh|cmd|powershell|pwsh)(?:\.exe)?[\x22'` ]|shell\s*[=:]\s*true",
    ))
    .expect("a pattern")
});

/// An innocent name of a route, or of the function behind a route.
static INNOCENT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"[\x22'`/](?:_+)?(?:health\w*|healthz|livez|readyz|status\w*|diag\w*|metrics?|ping|actuator|heartbeat|version|favicon\w*|telemetry|robots\.txt|trace|uptime|probe|\.well-known)(?:[\x22'`/?.]|$)",
    ))
    .expect("a pattern")
});

/// A comparison with a fixed string or a constant.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:[=!]==?\s*|\.equals\(\s*|\b(?:compare_digest|timingsafeequal|hash_equals|constanttimecompare|secure_compare)\([^\n]{0,100}?,\s*)(?:[br]?[\x22'`]([^\x22'`\s]{6,128})[\x22'`]|([a-z_]\w*)\b)|[\x22']([^\x22'\s]{6,128})[\x22'](?:\s*[=!]==?|\.equals\()",
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC108: reports routes that run the text of a request as a command.
    pub(super) fn serving(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() || !SIGNS.is_in(layer.lower()) {
            return;
        }
        for part in self.written_code() {
            self.serving_in(part);
        }
    }

    fn serving_in(&mut self, part: Span) {
        let code = self.layer.lower_part(part);
        if !SIGNS.is_in(code) || !RUN.is_match(code) {
            return;
        }
        let around = Span::new(part.start.saturating_sub(NEAR), part.end + NEAR);
        let is_kept =
            self.layer.doc.is_some() && KEPT.is_match(self.layer.lower_part(around).as_bytes());
        let left_out = &self.layer.left_out;
        let mut constants = BTreeMap::new();
        let commands = commands_of_requests(code).into_iter();
        for (start, end) in commands.most(MOST_EXAMINED, left_out) {
            let from = char_floor(code, start.saturating_sub(ROUTE));
            let route = &code[from..end];
            let is_posed = INNOCENT.is_match(route.as_bytes());
            if !is_posed && !is_kept && !is_guarded(code, route, &mut constants, left_out) {
                continue;
            }
            let hit = Match {
                signal: Signal::SafetyOff,
                span: Span::new(part.start + start, part.start + end),
            };
            // A sentence such as `do not mention this route` is not a warning about the route.
            let is_code = self.standing_in_text(&hit) == Standing::Order;
            if !is_code && !self.is_order(&hit) {
                continue;
            }
            let is_error = !self.is_exhibit(hit.span) && !self.view.is_security;
            let what =
                "runs the text of a request as a command in the service that the agent writes";
            self.push("SEC108", hit.span, is_error, what);
        }
    }
}

/// Returns the ranges of the calls that run the text of a request as a command. `code`: in lower case.
fn commands_of_requests(code: &str) -> Vec<(usize, usize)> {
    let held = HELD.captures_iter(code).filter_map(|found| {
        let name = found.iter().skip(1).flatten().next()?;
        Some(name.as_str())
    });
    let held: BTreeSet<&str> = held.collect();
    let calls = RUN.find_iter(code).filter_map(|call| {
        // `pattern.exec(text)` matches a regular expression, and runs no command.
        let before = &code[..call.start()];
        let is_method = before.ends_with('.')
            && !["io.", "kernel.", "shell."]
                .iter()
                .any(|of| before.ends_with(*of));
        if is_method {
            return None;
        }
        let end = char_floor(code, call.end() + ARGUMENTS);
        let rest = &code[call.end()..end];
        let list = &rest[..closing(rest)];
        let is_starter = has_any(call.as_str(), &STARTERS)
            || call.as_str().starts_with("subprocess") && !list.contains("true");
        // The command follows the program in `Command::new("sh").arg("-c").arg(text)`.
        let chain = if call.as_str().starts_with("command::new") {
            rest.split(';').next().unwrap_or_default()
        } else {
            list
        };
        let arguments = chain.split(',').flat_map(|part| part.split(".arg("));
        let arguments = arguments.map(|part| part.trim().trim_start_matches(['[', '{', ' ', '\n']));
        let mut arguments = arguments.filter(|part| !part.is_empty());
        let at = arguments.position(|part| is_whole(part, &held))?;
        let runs = !is_starter || at == 0 || SHELL.is_match(chain.as_bytes());
        runs.then_some((call.start(), call.end()))
    });
    calls.collect()
}

/// Returns whether an argument is an unchanged part of a request.
fn is_whole(argument: &str, held: &BTreeSet<&str>) -> bool {
    if argument.contains(['+', '%', '`']) || argument.contains("${") {
        return false;
    }
    let name = argument
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
        .next();
    let rest = name.map_or("", |name| &argument[name.len()..]);
    let is_held = name.is_some_and(|name| held.contains(name));
    is_held && (rest.is_empty() || rest.starts_with(['.', '[', ']', ')', ' ', '!']))
        || DIRECT.is_match(argument.as_bytes())
}

/// Returns whether a route compares something with a hard-coded secret. `constants`: the names that other routes
/// compare, and whether each of them is a constant.
fn is_guarded<'c>(
    code: &'c str,
    route: &'c str,
    constants: &mut BTreeMap<&'c str, bool>,
    left_out: &LeftOut,
) -> bool {
    COMPARED.captures_iter(route).any(|found| {
        let value = found.get(1).or_else(|| found.get(3));
        if value.is_some_and(|value| is_strong(value.as_str())) {
            return true;
        }
        let Some(name) = found.get(2).map(|name| name.as_str()) else {
            return false;
        };
        if !constants.contains_key(name) && constants.len() == MOST_COMPARED {
            left_out.note();
            return false;
        }
        let is_new = || is_constant(code, name, left_out);
        *constants.entry(name).or_insert_with(is_new)
    })
}

/// Returns the position of the parenthesis that closes a call. If there is none, returns the length of `text`.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [&*SHELL, &*INNOCENT, &*DIRECT] {
            assert!(!expression.is_match(b""));
        }
        assert!(!COMPARED.as_str().is_empty());
    }

    #[test]
    fn a_command_from_a_request_is_told_from_an_option() {
        for (code, expected) in [
            ("exec(req.body.c, done)", true),
            ("const { c } = req.body;\nexecsync(c)", true),
            ("subprocess.check_output(request.data, shell=true)", true),
            ("cmd = request.headers.get('x')\nos.popen(cmd).read()", true),
            (
                "run(@requestbody string b) { new processbuilder(\"sh\", \"-c\", b).start(); }",
                true,
            ),
            (
                "c := r.header.get(\"x\")\nexec.command(\"sh\", \"-c\", c)",
                true,
            ),
            ("system($_post['c']);", true),
            ("eval(params[:c])", true),
            ("exec(`ping ${req.query.host}`)", false),
            ("exec(\"ping \" + req.query.host)", false),
            ("spawn('ls', [req.query.folder])", false),
            (
                "exec.command(\"git\", \"show\", r.formvalue(\"rev\"))",
                false,
            ),
            ("const m = /a(b)/.exec(req.body.text);", false),
            ("const user = load(req.body);\nexec('make')", false),
        ] {
            assert_eq!(!commands_of_requests(code).is_empty(), expected, "{code}");
        }
    }
}
