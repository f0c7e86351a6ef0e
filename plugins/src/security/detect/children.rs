//! Tells an environment that a program only hands to a child process from one that it also uses elsewhere.

use skillc_core::source::lines::char_floor;

/// Beginnings of the names of functions that start a process, in lower case.
const STARTERS: [&str; 11] = [
    "run",
    "popen",
    "call",
    "check_",
    "spawn",
    "exec",
    "fork",
    "command",
    "process",
    "system",
    "create_subprocess",
];

/// The maximum number of bytes before an argument that are searched for the name of the called function.
const MOST_BACK: usize = 1000;

/// The maximum number of uses of a variable that are examined. A variable with more uses is not excused.
const MOST_USES: usize = 1000;

/// Returns whether a variable is nowhere used except as the environment of a child process. `text`: the program, in
/// lower case, like `name`.
pub(super) fn is_only_given(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = text.match_indices(name).map(|(at, _)| at).filter(|at| {
        !text[..*at].ends_with(is_letter) && !text[at + name.len()..].starts_with(is_letter)
    });
    let mut first = places.by_ref().take(MOST_USES);
    first.all(|at| is_harmless(text, at, name.len())) && places.next().is_none()
}

/// Returns whether the word at a position is no use of a variable, sets a value in it, or gives it to a child process.
fn is_harmless(text: &str, at: usize, length: usize) -> bool {
    let end = at + length;
    let before = &text[char_floor(text, at.saturating_sub(MOST_BACK))..at];
    let after = &text[end..char_floor(text, end + MOST_BACK)];
    let line = before
        .rfind(['\n', ';'])
        .map_or(before, |end| &before[end + 1..]);
    let rest = after.split('\n').next().unwrap_or_default();
    let start = line.trim_start();
    // A comment, the path of a program such as `/usr/bin/env`, or the name in `process.env`.
    let is_other = ["#", "//", "* "].iter().any(|sign| start.starts_with(sign))
        || before.ends_with(['/', '-'])
        || before.ends_with("process.");
    let is_changed = [".update(", ".setdefault("]
        .iter()
        .any(|call| rest.starts_with(call));
    let is_set = start.is_empty() && (is_changed || is_assigned(rest))
        || start == "del " && rest.starts_with('[');
    // The name of an argument, or a variable that is set: `env=…`, `env: …`.
    let is_name = sets(rest)
        || rest.starts_with(": ") && (start.is_empty() || start.ends_with(['{', ' ', ',', '(']));
    let value = before.trim_end_matches([' ', '&']);
    let is_value = ["env=", "env:"].iter().any(|key| value.ends_with(key));
    let is_whole = rest.is_empty() || rest.starts_with([')', ',', ' ', '}']);
    is_other || is_set || is_name || is_value && is_whole && is_in_starter(before)
}

/// Returns whether a text begins with `=` and a value.
fn sets(text: &str) -> bool {
    let value = text.trim_start().strip_prefix('=');
    // `{env=}` in a string of Python prints the variable.
    value.is_some_and(|value| !value.starts_with(['=', '>', '}', '!', ':']))
}

/// Returns whether an item or field of a variable is set. `rest`: the line after the variable.
fn is_assigned(rest: &str) -> bool {
    let item = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let field = rest.strip_prefix('.');
    let field =
        field.map(|rest| rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'));
    item.map(|(_, value)| value).or(field).is_some_and(sets)
}

/// Returns whether the text ends within the arguments of a function that starts a process.
fn is_in_starter(before: &str) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in before.bytes().enumerate().rev().take(MOST_BACK) {
        match byte {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                let name = before[..at].rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                let name = { name }.next().unwrap_or_default().trim_start_matches('_');
                return STARTERS.iter().any(|starter| name.starts_with(starter));
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_only_given_to_a_child() {
        for (rest, expected) in [
            ("subprocess.run(a, env=env)\n", true),
            (
                "env[\"a\"] = \"b\"\nsubprocess.popen(\n    a(b),\n    env=env,\n)\n",
                true,
            ),
            (
                "env.update(a)\ndel env[\"a\"]\nself._run(a, env=env)\n",
                true,
            ),
            (
                "#!/usr/bin/env python\n# the env\nspawn('a', [], { env: env })\n",
                true,
            ),
            ("subprocess.run(a, env=env)\napi.post(u, json=env)\n", false),
            ("subprocess.run(a, env=env)\nf.write(str(env))\n", false),
            ("env['a'] = 'b'; env['c'] = 'd'\nrun(a, env=env)\n", true),
            ("env.a = b\nenv: dict = c\nenv = d; run(a, env=env)\n", true),
            (
                "env = d; subprocess.run(a, env=env); api.post(u, json=env)\n",
                false,
            ),
            ("subprocess.run(a, env=env)\nprint(f\"{env=}\")\n", false),
            ("subprocess.run(a, env=env)\nreturn env\n", false),
            ("subprocess.run(a, env=env)\nreport(env=env)\n", false),
            ("subprocess.run(a, env=env)\nx = env[\"a\"] == b\n", false),
            (
                "subprocess.run(a, env=env)\nb = json.stringify(env)\n",
                false,
            ),
        ] {
            let text = format!("env = dict(os.environ)\n{rest}");
            assert_eq!(is_only_given(&text, "env"), expected, "{rest}");
        }
    }
}
