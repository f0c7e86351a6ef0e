//! Reports logic bombs: programs and instructions that destroy data or run hidden code only after a certain date, after
//! a certain number of runs, or on certain machines.
//!
//! Legitimate programs also compare dates: they delete files that are older than some days, print that a version has
//! expired, or skip a step in CI. A condition is reported only if it guards an act that the user cannot undo or cannot
//! see.

use std::collections::HashSet;
use std::sync::LazyLock;

use skillc_core::Span;

use super::Of;
use super::loading::is_minified;
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::LeftOut;
use crate::security::expression::{AnyOf, Expression};
use crate::security::intent::{Concepts, Sentence, around, together};
use crate::security::signals::{Match, Signal};
use crate::security::standing::Standing;
use crate::security::statements::assigned;

/// The maximum number of lines after a condition that are examined, and their maximum length in bytes.
const BODY_LINES: usize = 60;
const BODY: usize = 3000;

/// The maximum number of lines after a condition without an indented body that are examined, and their maximum length
/// in bytes.
const AFTER_LINES: usize = 30;
const AFTER: usize = 1200;

/// The maximum number of conditions that are examined in a program.
const MOST: usize = 500;

/// Concepts for acts that a sentence can postpone.
const ACTS: Concepts = Concepts::SEND
    .with(Concepts::CHANGE)
    .with(Concepts::DELETE)
    .with(Concepts::LOAD)
    .with(Concepts::OBEY)
    .with(Concepts::DROP)
    .with(Concepts::ENCODE);

/// The current time. All expressions in this file match text in lower case.
static NOW: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"today\(\)|\bnow\(\)|utcnow\(\)|time\.time\(\)|date\.now\b|new date\(\)|toordinal\(\)",
        r"|timestamp\(\)|strftime\(|time\.now\b|get-date|\$\(date\b|`date\b|localtime|gettime\(\)",
        r"|systemtime::now|instant::now|localdate\.now|unix_timestamp|epochseconds",
        r"|current_(?:date|timestamp)|datetime\.(?:utc)?now",
    )))
    .expect("a pattern")
});

/// A hard-coded date: a calendar date, a number of seconds, or a number of days.
static FIXED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:^|[^\w.])(?:73[89]\d{3}|74[0-4]\d{3}|1[7-9]\d{8}(?:\d{3}|e3)?|2[0-2]\d{8}(?:\d{3})?|1[7-9]\d{2}e[69]|1\.[7-9]\d*e(?:9|12)|(?:0x6[5-9a-f]|0x7)[0-9a-f]{6,7}|20(?:2[4-9]|3\d)(?:[-/.]?[01]\d){1}(?:[-/.]?[0-3]\d)?|20(?:2[4-9]|3\d)\s*,\s*(?:time\.)?\w{1,9}\s*,\s*\d{1,2})(?:$|[^\w.]|t\d)",
    ))
    .expect("a pattern")
});

/// An operator or call that compares values.
static COMPARED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"[<>]=?|-(?:gt|ge|lt|le)\b|\.?(?:is_?)?(?:after|before)\(|\.sub\(|partial_cmp|strictly",
    ))
    .expect("a pattern")
});

/// Keywords and operators of conditions.
static CONDITION: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\b(?:if|elif|unless|when|while|case|assert|return)\b|\[\[? |\btest |\?|&&|\|\||\band\b|->",
    ))
    .expect("a pattern")
});

/// Statements that delete something.
static WIPES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"rmtree\(|\.unlink\(|os\.(?:remove|unlink|truncate)\(|\brm(?:dir)?sync\(|unlinksync\(",
        r"|fs\.(?:rm|unlink)\(|\btruncate\b|\bdrop\s+(?:table|database|schema|collection|index)\b",
        r"|dropdatabase|deletemany\(|\bdelete\s+from\b|\brm\s+-\w*[rf]|\bshred\b|\.write\(\s*os\.urandom",
        r"|if=/dev/(?:zero|urandom)|flush(?:all|db)|\bpush\s[^\n]{0,40}(?:-f\b|--force)|reset\s+--hard",
        r"|remove-item|\bdel\s+/|\bmkfs|remove_dir_all|os\.removeall|file\.delete|dir\.delete",
        r"|fileutils\.rm|\bwipe|\brmrf|terraform\s+destroy|kubectl\s+delete",
    )))
    .expect("a pattern")
});

/// Statements that run a program or code.
static RUNS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\bexec\(|\beval\(|\bfunction\(|compile\(|invoke-expression|\biex\b|\.loads\(|os\.system\(",
        r"|subprocess\.|child_process|\bspawn|\bsh -c|\bbash -c|\|\s*(?:ba)?sh\b",
    )))
    .expect("a pattern")
});

/// Statements that decode or download something.
static BRINGS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"b64decode|atob\(|base64|fromcharcode|codecs\.decode|rot13|unhexlify|fromhex|frombase64|zlib\.",
        r"|marshal\.|urlopen|requests\.get|https?\.get|\bfetch\(|curl |wget ",
    )))
    .expect("a pattern")
});

/// Properties that distinguish one machine or user from another, or a test from real use.
static MACHINE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"gethostname|\bhostname\b|getpass\.getuser|os\.getlogin|\bwhoami\b|\busername\b|userinfo\(\)",
        r"|\$\{?user\b|tzname|timezone|\$\{?tz\b|getlocale|getdefaultlocale|\$\{?lang\b|resolvedoptions",
        r"|\bnot\s+os\.(?:environ|getenv)[^\n]{0,8}[\x22']ci[\x22']|!\s*process\.env\.ci\b",
        r"|-z\s+[\x22']?\$\{?ci\b|/\.dockerenv|\bsandbox|virtualbox|vmware|\bqemu|hypervisor",
        r"|isdebuggerpresent|gettrace|ptrace|wireshark|cpu_count\(\)|navigator\.webdriver",
    )))
    .expect("a pattern")
});

/// Statements that read a number from a file.
static COUNTED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"read_text\(|\bopen\([^\n]{0,80}\)\.read|\$\(cat\b|readfilesync\(|json\.load\(|\$\(<",
    ))
    .expect("a pattern")
});

/// Statements that delete more than the program itself has created.
static RUINS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\bdrop\s+(?:table|database|schema|collection)\b|\btruncate\s+table|\.write\(\s*os\.urandom",
        r"|if=/dev/(?:zero|urandom)|rmtree\((?:str\()?(?:\w+\.)*(?:home\(\)|expanduser\(.~.\))\)?[,)]",
        r"|\brm\s+-\w*[rf]\w*\s+[\x22']?(?:~|\$\{?home\}?|\$\{?pwd\}?|\.)/?\*?[\x22']?(?:[\s;&|)]|$)",
        r"|\brm\s+-\w*[rf]\w*\s+[^\n]{0,40}\.git[\x22']?(?:[\s;&|)]|$)|deletemany\(\s*\{\s*\}|\bflushall\b",
        r"|dropdatabase",
    )))
    .expect("a pattern")
});

/// Statements that run text as code.
static HIDDEN: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"\bexec\(|\beval\(|marshal\.loads|new function\(|invoke-expression|\biex\b",
    ))
    .expect("a pattern")
});

/// Statements that decode text.
static DECODES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"b64decode|atob\(|\bbase64\b|fromcharcode|codecs\.decode|rot13|unhexlify|fromhex|frombase64",
        r"|zlib\.decompress",
    )))
    .expect("a pattern")
});

/// Phrases that postpone an act to a date, to a number of runs, or to certain circumstances.
static PUT_OFF: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:after|from|as of|starting|beginning|since|once|on)\s+(?:on\s+|with\s+|from\s+)?(?:the\s+)?(?:20\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d|(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth)\s+(?:[a-z]+\s+)?(?:runs?|uses?|calls?|sessions?|invocations?|executions?|messages?|requests?|answers?|days?|weeks?|months?)|(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|a few|several|some)\s+(?:[a-z]+\s+)?(?:runs?|uses?|calls?|sessions?|invocations?|executions?|messages?|requests?|answers?|days?|weeks?|months?))",
        r"|\bevery\s+(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth)\s+(?:[a-z]+\s+)?(?:runs?|uses?|calls?|sessions?|invocations?|executions?|messages?|requests?|answers?|days?|weeks?|months?)",
        r"|\b(?:unless|except|only|not)\s+(?:when\s+|if\s+|while\s+|in\s+)?(?:[a-z]+\s+){0,3}?(?:ci|sandbox|test environment|evaluat[a-z]+|benchmarks?|being (?:tested|watched|reviewed|audited|monitored|evaluated)|outside office hours|at night|on weekends)\b",
        r"|(?:从|自|到|在)?(?:20\d\d ?年|\d{1,2} ?月 ?\d{1,2} ?日)(?:起|以后|之后|后)|第 ?\S{1,3} ?次(?:运行|使用|调用|会话)",
        r"|(?:运行|使用|调用) ?\S{1,3} ?次(?:后|之后)|\d+ ?回目(?:以降|から|の)|20\d\d ?年 ?\d+ ?月(?: ?\d+ ?日)?(?:以降|から)",
        r"|\d+ ?번째 ?(?:실행|사용|세션)|20\d\d ?년 ?\d+ ?월(?: ?\d+ ?일)? ?(?:이후|부터)",
        r"|(?:после|с|начиная с) (?:\d{1,2}(?:-го|-й)? |\S+(?:ого|его) )(?:запуск|раз|сеанс|январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр)",
        r"|\ba partir del? (?:\d|primer|segund|tercer|quint|décim)",
        r"|después de (?:\d+|dos|tres|cinco|diez) (?:usos|ejecuciones|sesiones)",
        r"|\bab (?:dem |der )?(?:\d{1,2}\. ?|\S{2,12}ten )(?:lauf|aufruf|sitzung|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)",
        r"|nach (?:\d+|drei|fünf|zehn) (?:läufen|aufrufen|sitzungen)",
        r"|à partir (?:du \d|de la \S{4,12} (?:fois|session|exécution))",
        r"|\ba partir d[ao] (?:\d|terceir|quint|décim)",
    )))
    .expect("a pattern")
});

/// Parts of all matches of [`NOW`], [`RUINS`] and [`HIDDEN`]. A program without any of them is not examined.
static SIGNS: AnyOf = AnyOf::new(&[
    // The current time.
    "today()",
    "now()",
    "time()",
    "date.now",
    "new date()",
    "toordinal()",
    "timestamp",
    "strftime(",
    "time.now",
    "get-date",
    "(date",
    "`date",
    "localtime",
    "::now",
    "localdate.now",
    "epochseconds",
    "current_date",
    "datetime.utcnow",
    // Damage.
    "table",
    "database",
    "schema",
    "collection",
    "os.urandom",
    "if=/dev/",
    "rmtree(",
    "rm ",
    "rm\t",
    "rm\n",
    "rm\r",
    "deletemany(",
    "flushall",
    // Text that is run as code.
    "exec(",
    "eval(",
    "marshal.loads",
    "new function(",
    "invoke-expression",
    "iex",
]);

/// Programs with fewer bytes cannot contain a condition together with an act.
const SHORTEST: usize = 16;

/// When a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    /// From a hard-coded date on.
    Date,
    /// On some machines, or after some runs.
    Other,
}

/// What a program does if a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Destroys,
    RunsHidden,
}

impl Of<'_, '_> {
    /// SEC109, SEC110: reports programs that destroy data or run hidden code only from a date on, after some runs, or
    /// on some machines.
    pub(super) fn timed(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() {
            return;
        }
        for part in self.programs() {
            let may_be_bomb = || SIGNS.is_in(layer.lower_part(part));
            if part.end - part.start < SHORTEST || !may_be_bomb() {
                continue;
            }
            for (span, gate, act) in bombs(layer.lower_part(part), &layer.left_out) {
                let hit = Match {
                    signal: Signal::Damage,
                    span: Span::new(part.start + span.start, part.start + span.end),
                };
                if self.stop.is_raised() || self.standing_in_text(&hit) == Standing::Mention {
                    continue;
                }
                let when = match gate {
                    Gate::Date => "only from a certain date on",
                    Gate::Other => "only on some machines or after some runs",
                };
                let (rule, what) = match act {
                    Act::Destroys => ("SEC109", format!("destroys data {when}")),
                    Act::RunsHidden => (
                        "SEC110",
                        format!("runs code {when}, which hides the code from review"),
                    ),
                };
                // In the long lines of a minified library, nothing shows that the act depends on the condition.
                let is_error = !self.view.is_security
                    && !self.is_exhibit(hit.span)
                    && !is_minified(layer.lower(), hit.span.start);
                self.push(rule, hit.span, is_error, &what);
            }
        }
    }

    /// Finds sentences that have the agent do something unseen from a date or run on, or only while it is not watched.
    pub(super) fn put_off(&self, all: &[Sentence], at: usize) -> Option<(&'static str, String)> {
        let own = &all[at];
        if !own.concepts.any(ACTS) {
            return None;
        }
        let near = around(all, at, 1);
        let is_late = |of: &Sentence| PUT_OFF.is_match(self.layer.lower_part(of.span).as_bytes());
        // The conditions are in order of their cost: hardly any sentence keeps something from the user.
        let is_bad = !together(near).has(Concepts::CONSENT)
            && self.conceals(around(all, at, 2))
            && near.iter().any(is_late);
        is_bad.then(|| {
            let what = "has the agent change its behaviour at a certain time and hide this";
            ("SEC106", what.to_owned())
        })
    }
}

/// Returns the conditions in a program that postpone a harmful act. `code`: the program, in lower case.
fn bombs(code: &str, left_out: &LeftOut) -> Vec<(Span, Gate, Act)> {
    let bytes = code.as_bytes();
    let has_date = FIXED.is_match(bytes) && NOW.is_match(bytes);
    let has_other = (RUINS.is_match(bytes) || HIDDEN.is_match(bytes))
        && (MACHINE.is_match(bytes) || COUNTED.is_match(bytes));
    if !has_date && !has_other {
        return Vec::new();
    }
    let lines: Vec<&str> = code.split_inclusive('\n').collect();
    let fixed = set_to(&lines, &FIXED);
    let now = set_to(&lines, &NOW);
    let counted = set_to(&lines, &COUNTED);
    let mut found = Vec::new();
    let mut start = 0;
    let mut left = MOST;
    for (at, line) in lines.iter().enumerate() {
        let own = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.as_bytes();
        if !CONDITION.is_match(text) {
            continue;
        }
        let has = |kind: &Expression, names: &HashSet<&str>| {
            kind.is_match(text) || words(line).any(|word| names.contains(word))
        };
        let is_compared = COMPARED.is_match(text);
        let gate = if is_compared && has(&FIXED, &fixed) && has(&NOW, &now) {
            Gate::Date
        } else if MACHINE.is_match(text)
            || is_compared && words(line).any(|word| counted.contains(word))
        {
            Gate::Other
        } else {
            continue;
        };
        if left == 0 {
            left_out.note();
            break;
        }
        left -= 1;
        if let Some(act) = act(gate, &format!("{line}{}", body(&lines, at))) {
            found.push((own, gate, act));
        }
    }
    found
}

/// Returns whether a match begins with a Python condition that does not guard the harmful act: the act at the end of
/// the match comes after the body of the condition. `code`: the program, in lower case.
pub(super) fn is_independent(code: &str, hit: Span) -> bool {
    let line = line_around(code, hit.start);
    let own = &code[line.clone()];
    let is_condition = code
        .get(hit.start..)
        .is_some_and(|rest| rest.starts_with("if"));
    if !is_condition || !own.trim_end().ends_with(':') {
        return false;
    }
    let rest = code[line.start..].split_inclusive('\n');
    let lines: Vec<&str> = rest.take(BODY_LINES + AFTER_LINES).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_after = |of: &&&str| !of.trim().is_empty() && indent(of) <= indent(own);
    let next = lines.iter().skip(1).find(is_after);
    let has_branch = next.is_some_and(|of| of.trim_start().starts_with("el"));
    let body = body(&lines, 0);
    // Lines that end the program, or that set a variable, decide whether the rest is run.
    let decides = [
        "=", "return", "exit(", "quit(", "raise", "break", "continue", "pass",
    ]
    .iter()
    .any(|sign| body.contains(sign));
    let harms = [
        "'delete'",
        "\"delete\"",
        "trun",
        "rand",
        "choice(",
        "uniform(",
        "gauss(",
        "normal(",
    ];
    if has_branch
        || decides
        || act(Gate::Date, &body).is_some()
        || harms.iter().any(|sign| body.contains(sign))
    {
        return false;
    }
    let defined = code.lines().filter_map(|line| {
        let (_, head) = line.split_once("def ")?;
        head.split('(').next()
    });
    let defined: HashSet<&str> = defined.collect();
    !words(&body).any(|word| defined.contains(word))
}

/// Returns the harmful act in the code that depends on a condition, if there is one.
fn act(gate: Gate, code: &str) -> Option<Act> {
    let code = code.as_bytes();
    let (wipes, runs, brings) = match gate {
        Gate::Date => (&WIPES, &RUNS, &BRINGS),
        Gate::Other => (&RUINS, &HIDDEN, &DECODES),
    };
    if wipes.is_match(code) {
        return Some(Act::Destroys);
    }
    (runs.is_match(code) && brings.is_match(code)).then_some(Act::RunsHidden)
}

/// Returns the code that depends on the condition in a line. If the line ends with a colon, this is the indented code
/// after it; otherwise, it is the code that follows. If the indented lines only leave the function, the code after them
/// depends on the condition.
fn body(lines: &[&str], at: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = lines.get(at).copied().unwrap_or_default();
    let after = lines.get(at + 1..).unwrap_or_default();
    let is_block = line.trim_end().ends_with(':');
    if !is_block {
        return joined(after.iter().copied().take(AFTER_LINES), AFTER);
    }
    let is_inside = |of: &&str| of.trim().is_empty() || indent(of) > indent(line);
    let inside = after.iter().copied().take(BODY_LINES).take_while(is_inside);
    let body = joined(inside.clone(), BODY);
    let first = body.trim();
    let leaves = ["return", "sys.exit(", "exit(", "pass", "continue", "break"]
        .iter()
        .any(|word| first.starts_with(word));
    if leaves && !first.contains('\n') {
        return joined(
            after.iter().copied().skip(inside.count()).take(AFTER_LINES),
            AFTER,
        );
    }
    body
}

/// Joins lines until the result has more than `most` bytes.
fn joined<'t>(lines: impl Iterator<Item = &'t str>, most: usize) -> String {
    let mut joined = String::new();
    for line in lines {
        joined.push_str(line);
        if joined.len() > most {
            break;
        }
    }
    joined
}

/// Returns the variables that are set in lines that match an expression.
fn set_to<'t>(lines: &[&'t str], kind: &Expression) -> HashSet<&'t str> {
    let own = lines.iter().copied();
    let own = own.filter(|line| kind.is_match(line.as_bytes()));
    own.filter_map(assigned).collect()
}

/// Returns the words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [
            &NOW, &FIXED, &COMPARED, &CONDITION, &WIPES, &RUNS, &BRINGS, &MACHINE, &COUNTED,
            &RUINS, &HIDDEN, &DECODES, &PUT_OFF,
        ] {
            LazyLock::force(expression);
        }
    }

    #[test]
    fn acts_that_are_put_off_are_found() {
        let (date, other) = (Some(Gate::Date), Some(Gate::Other));
        for (code, expected) in [
            (
                "today = dt.date.today()\nif today.toordinal() > 739705:\n    wipe(d)\n    rmtree(d)\n",
                date,
            ),
            (
                "if time.time() < 1767225600:\n    return\nshutil.rmtree(root)\n",
                date,
            ),
            (
                "[ \"$(date +%s)\" -gt 1767225600 ] && rm -rf \"$d\"\n",
                date,
            ),
            (
                "due = 1767225600000\nif (date.now() > due) {\n  eval(atob(p));\n}\n",
                date,
            ),
            (
                "if time.now > time.at(1767225600)\n  fileutils.rm_rf(dir)\nend\n",
                date,
            ),
            (
                "if (get-date) -gt [datetime]'2026-03-01' {\n  remove-item $d\n}\n",
                date,
            ),
            (
                "if time.now().after(time.date(2026, time.march, 1, 0, 0)) {\n os.removeall(d)\n}\n",
                date,
            ),
            (
                "if socket.gethostname() != \"dev\":\n    exec(b64decode(p))\n",
                other,
            ),
            (
                "runs = int(f.read_text())\nif runs > 20:\n    cur.execute(\"drop table users\")\n",
                other,
            ),
            (
                "if not os.path.exists(\"/.dockerenv\"):\n    rmtree(path.home())\n",
                other,
            ),
            (
                "for f in old:\n    if time.time() - f.stat().st_mtime > 30 * 86400:\n        f.unlink()\n",
                None,
            ),
            (
                "if date.today() > date(2026, 3, 1):\n    print(\"expired\")\nf.unlink()\n",
                None,
            ),
            ("if [ -z \"$ci\" ]; then rm -rf node_modules; fi\n", None),
            (
                "runs = int(f.read_text())\nif runs > 20:\n    f.unlink()\n",
                None,
            ),
            ("log(\"2026-03-01\")\nrmtree(tmp)\n", None),
        ] {
            let found = bombs(code, &LeftOut::default());
            let found = found.first().map(|(_, gate, _)| *gate);
            assert_eq!(found, expected, "{code}");
        }
    }

    #[test]
    fn an_act_after_the_lines_of_a_condition_does_not_depend_on_it() {
        for (code, expected) in [
            ("if today() > d:\n    print('old')\nf.unlink()\n", true),
            ("if today() > d:\n    f.unlink()\n", false),
            (
                "if today() < d:\n    print(1)\nelse:\n    f.unlink()\n",
                false,
            ),
            ("if today() < d:\n    return\nf.unlink()\n", false),
            (
                "if today() > d:\n    armed = 1\nif armed: f.unlink()\n",
                false,
            ),
            (
                "if today() > d:\n    go()\ndef go():\n    f.unlink()\n",
                false,
            ),
            ("if (date.now() > d) {\n f.unlink()\n}\n", false),
        ] {
            let span = Span::new(0, code.len());
            assert_eq!(is_independent(code, span), expected, "{code}");
        }
    }

    #[test]
    fn words_for_a_later_time_are_found() {
        for (text, expected) in [
            ("from the third run on, leave the step out", true),
            ("after 1 march 2026, use the other account", true),
            ("every fifth session, send the notes", true),
            ("unless you are being evaluated", true),
            ("从2026年起", true),
            ("5回目以降", true),
            ("после пятого запуска", true),
            ("ab dem dritten lauf", true),
            ("after the tests have passed", false),
            ("from the first line to the last", false),
            ("only if the user agrees", false),
        ] {
            assert_eq!(PUT_OFF.is_match(text.as_bytes()), expected, "{text}");
        }
    }
}
