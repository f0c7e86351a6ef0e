//! REF104 script-option.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::did_you_mean::nearest;
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, RelPath, Skill, Span, Target};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::mentions::{Around, Written};
use crate::python::options_of;

declare_rule! {
    /// Reports a documented command that passes an undefined option to a Python script.
    ///
    /// ## Why
    /// An agent runs the command as documented. If the script has no such option, the command fails, and the agent has
    /// to guess.
    ///
    /// The rule takes the options of a script from the script's calls to `add_argument` (`argparse`). It checks only
    /// long options (`--format`), in the code spans and code blocks of all Markdown files in the skill. Like
    /// `argparse`, it accepts unambiguous prefixes and `--help`, and it accepts `--no-x` for an option `--x` with
    /// `BooleanOptionalAction`.
    ///
    /// ## What is not reported
    /// Options of a script that:
    ///
    /// - does not use `argparse`
    /// - accepts unknown options (`parse_known_args`)
    /// - defines options with variables, in a loop, or in other files
    ///
    /// ## Example
    /// ```markdown
    /// Run `python scripts/check.py query.sql --output report.md`.
    /// ```
    /// The script has `parser.add_argument("--report")`. Write instead:
    /// ```markdown
    /// Run `python scripts/check.py query.sql --report report.md`.
    /// ```
    pub(crate) struct ScriptOption {
        code: "REF104",
        name: "script-option",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum size of a script that is read, in bytes, and the maximum number of scripts.
const MAX_SCRIPT: u64 = 512 << 10;
const MAX_SCRIPTS: usize = 200;

/// The maximum number of reported options per document, and the maximum number of a script's options that are compared
/// with each reported option.
const MAX_TOLD: usize = 100;
const MAX_COMPARED: usize = 200;

/// The maximum length, in bytes, of the text that is searched for options after a mention of a script.
const MAX_COMMAND: usize = 2_000;

impl Rule for ScriptOption {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        let mut scripts: BTreeMap<&RelPath, Option<BTreeSet<String>>> = BTreeMap::new();
        for doc in skill.documents() {
            // The options that were already reported in this document.
            let mut told: BTreeSet<(&RelPath, &str)> = BTreeSet::new();
            for mention in skill.references().in_document(&doc.path) {
                let Target::File(path) = &mention.target else {
                    continue;
                };
                if mention.is_link() || !path.has_extension("py") || out.is_full() {
                    continue;
                }
                let Some(command) = command(doc, mention.span) else {
                    continue;
                };
                let asked = options_in(&doc.text, command);
                let is_run = || {
                    let written = Around::new(doc, mention.span).written();
                    matches!(written, Written::Python | Written::Run | Written::Called)
                };
                if asked.is_empty() || !is_run() {
                    continue;
                }
                let is_known = scripts.contains_key(path);
                if !is_known && scripts.len() == MAX_SCRIPTS {
                    continue;
                }
                let known = scripts.entry(path).or_insert_with(|| read(skill, path));
                let Some(known) = known else {
                    continue;
                };
                for span in asked {
                    let option = &doc.text[span.start..span.end];
                    if is_taken(option, known) {
                        continue;
                    }
                    if !told.insert((path, option)) || told.len() > MAX_TOLD {
                        continue;
                    }
                    let message = format!("'{path}' has no option '{option}'");
                    let finding = out.within(&doc.path, span, message);
                    let names = known.iter().map(String::as_str);
                    match nearest(option, names.take(MAX_COMPARED)) {
                        Some(near) => finding.help(format!("did you mean '{near}'?")),
                        None => finding.help(format!("its options: {}", shown(known))),
                    };
                }
            }
        }
    }
}

fn read(skill: &Skill, path: &RelPath) -> Option<BTreeSet<String>> {
    let size = skill.tree.get(path)?.stamp.size;
    if size > MAX_SCRIPT {
        return None;
    }
    let file = skill.tree.read_file(path).ok()??;
    options_of(&file.text())
}

/// Returns the span of a command's arguments: the text after the script, up to the end of the code span or of the line.
/// A line that ends with `\` continues on the next line. Returns `None` for a script that is not mentioned in code.
fn command(doc: &Document, script: Span) -> Option<Span> {
    let at = script.start;
    let text = &doc.text;
    let most = char_floor(text, script.end + MAX_COMMAND);
    if let Some(span) = doc.code_span_at(at) {
        return Some(Span::new(script.end, span.end.min(most)));
    }
    if !doc.is_in_code_block(at) {
        return None;
    }
    let mut end = script.end;
    for line in text[script.end..most].split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    Some(Span::new(script.end, end))
}

/// Returns the long options of a command, up to the start of another command.
fn options_in(text: &str, command: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let rest = &text[command.start..command.end];
    let mut at = 0;
    let mut quote = None;
    let mut word_start = true;
    while let Some(c) = rest[at..].chars().next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if matches!(c, '|' | ';' | '&' | '`' | '>' | '<') => break,
            None if c == '#' && word_start => break,
            None if word_start && rest[at..].starts_with("--") => {
                let name = &rest[at + 2..];
                let length = name
                    .bytes()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                    .count();
                // Arguments after `--` belong to another program.
                if length == 0 {
                    break;
                }
                let behind = name[length..].chars().next();
                let is_whole = behind.is_none_or(|c| {
                    c.is_whitespace() || matches!(c, '=' | '`' | ']' | ')' | '|' | '\\' | ',')
                });
                if is_whole && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    let start = command.start + at;
                    found.push(Span::new(start, start + 2 + length));
                }
                at += 2 + length;
                word_start = false;
                continue;
            }
            _ => {}
        }
        word_start = c.is_whitespace() || matches!(c, '[' | '(');
        at += c.len_utf8();
    }
    found
}

/// Returns whether a script accepts an option: `--help`, an option that the script defines, or an unambiguous prefix of
/// a defined option.
fn is_taken(option: &str, known: &BTreeSet<String>) -> bool {
    let begin_so = known.iter().filter(|name| name.starts_with(option));
    option == "--help" || known.contains(option) || begin_so.count() == 1
}

/// Formats the first options for a message.
fn shown(known: &BTreeSet<String>) -> String {
    const MAX_SHOWN: usize = 8;
    let names = known.iter().take(MAX_SHOWN).map(|name| format!("'{name}'"));
    let names: Vec<String> = names.collect();
    match known.len() {
        0 => "none".to_owned(),
        count if count > MAX_SHOWN => {
            format!("{} and {} more", names.join(", "), count - MAX_SHOWN)
        }
        _ => names.join(", "),
    }
}
