//! Determines whether a program runs the value of a variable or the entries of a list. If so, the strings in the value
//! or list are not data, whatever the name of the variable.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::source::lines::char_floor;

use super::calls::MAX_NAMING;
use super::definitions::are_mapped;

/// How much of a program after a string is searched at once for code that runs it, in bytes.
const MAX_AFTER: usize = 16 << 10;

/// The maximum number of such parts. After each part, the search goes on where the program next uses the name. The
/// strings of a program with more parts are not trusted.
const MAX_WINDOWS: usize = 4;

/// How much of the code before the use of a name belongs to the next part, in bytes.
const NEAR: usize = 160;

/// A loop over a list. Captures the loop variable and the name of the list.
static LOOP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)\bfor\s+\(?\s*(?:(?:const|let|var)\s+)?(\w+)\s+(?:in|of)\s+[\x22'$({\[]{0,4}(\w+)",
    )
    .expect("a pattern")
});

/// A call that runs a variable as a command. Captures the name of the variable.
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(?:(?:os\.(?:system|popen)|execSync|spawnSync|shell_exec|passthru|subprocess\.\w+)[\s)]*\(\s*\[?\s*(?:[\x22'][\w/]*sh[\x22']\s*,\s*\[?\s*[\x22']-\w*c[\x22']\s*,\s*)?|(?:eval|\w*sh\s+-\w*c)\s+[\x22']?\$\{?)(\w+)")
        .expect("a pattern")
});

/// Returns whether a program runs a string. `end`: the end of the string; `code`: the code before the string on its
/// line, or the beginning of the list that contains the string.
pub(super) fn are_run(text: &str, end: usize, code: &str) -> bool {
    let Some(name) = name(code) else {
        return false;
    };
    let mut start = char_floor(text, end);
    for _ in 0..MAX_WINDOWS {
        let high = char_floor(text, start.saturating_add(MAX_AFTER));
        if are_run_within(text, start, high, name) {
            return true;
        }
        // The part may end within the code that uses the name.
        let from = high.saturating_sub(NEAR).max(start);
        let next = memchr::memmem::find(&text.as_bytes()[from..], name.as_bytes());
        let Some(next) = next.filter(|_| high < text.len()) else {
            return false;
        };
        start = char_floor(text, (from + next).saturating_sub(NEAR).max(start));
    }
    true
}

/// Returns whether the code between two positions in a program runs the value of a variable or the entries of a list.
fn are_run_within(text: &str, start: usize, high: usize, name: &str) -> bool {
    let rest = &text.as_bytes()[start..high];
    let mut names = BTreeSet::from([name.as_bytes()]);
    for found in LOOP.captures_iter(rest) {
        if let (Some(variable), Some(list)) = (found.get(1), found.get(2))
            && list.as_bytes() == name.as_bytes()
        {
            names.insert(variable.as_bytes());
        }
    }
    let mut runs = RUN.captures_iter(rest);
    runs.any(|found| {
        let variable = found.get(1);
        variable.is_some_and(|variable| names.contains(variable.as_bytes()))
    }) || {
        let low = char_floor(text, start.saturating_sub(MAX_NAMING));
        let near = &text[low..char_floor(text, start.saturating_add(MAX_NAMING))];
        are_mapped(near, rest, &names)
    }
}

/// Returns the name of the variable to which the code assigns: `const BLOCKED = [`.
fn name(code: &str) -> Option<&str> {
    let (before, value) = code.split_once('=')?;
    if value.starts_with(['=', '~', '>']) {
        return None;
    }
    // Remove a type annotation after the name.
    let before = before.split(':').next()?.trim_end();
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    before
        .rsplit(is_other)
        .next()
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_may_be_run() {
        let gap = "# é\n".repeat(8000);
        let far = format!("]\n{gap}os.system(BAD[0])");
        let often = format!("]\n{gap}a in BAD\n").repeat(6);
        let harmless = format!("]\n{gap}a in BAD\n{gap}");
        for (code, rest, expected) in [
            ("BAD = [", "]\nfor c in BAD: os.system(c)", true),
            ("BAD: list[str] = [", "]\nos.system(BAD[0])", true),
            ("bad = ", "\nsubprocess.run(['sh', '-c', bad])", true),
            ("const BAD = [", "]\nfor (const c of BAD) execSync(c)", true),
            (
                "BAD=(",
                ")\nfor c in \"${BAD[@]}\"; do eval \"$c\"; done",
                true,
            ),
            ("BAD=", "\nbash -c \"$BAD\"", true),
            ("BAD = [", "]\n*map(os.system, BAD),", true),
            ("const BAD = [", "]\nBAD.forEach(execSync)", true),
            ("BAD = [", &*far, true),
            ("BAD = [", &*often, true),
            ("BAD = [", &*harmless, false),
            ("BAD = [", "]\nfor c in BAD: check(c)\nos.system(d)", false),
            ("BAD = [", "]\nfor c in GOOD: os.system(c)", false),
            ("BAD = [", "]\nsubprocess.run([guard, BAD[0]])", false),
            ("assert a == ", "\nos.system(a)", false),
            ("print(", ")\nos.system(a)", false),
            ("= ", "", false),
        ] {
            assert_eq!(are_run(rest, 0, code), expected, "{code}{rest}");
        }
    }

    #[test]
    fn all_patterns_compile() {
        for pattern in [&LOOP, &RUN] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
