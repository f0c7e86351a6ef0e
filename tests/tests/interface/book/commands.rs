//! All commands in code blocks and inline code exist, and have the options that the page shows.

use clap::error::ErrorKind;
use pulldown_cmark::{Event, Options, Parser};

use super::{Page, pages, words};

/// Languages of blocks with command lines.
const LANGUAGES: [&str; 5] = ["console", "sh", "bash", "yaml", "groovy"];

/// Returns the command lines of a block, each from `skc` to the end of the command.
fn commands(language: &str, block: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in block.lines() {
        // Command output may contain commands with placeholders.
        if language == "console" && !line.starts_with("$ ") {
            continue;
        }
        let line = line.trim_start_matches(['$', '-', ' ']);
        let starts = ["", "run: ", "script: ", "sh '"];
        let begun = starts.iter().find_map(|start| {
            let rest = line.strip_prefix(start)?;
            rest.starts_with("skc ").then_some(rest)
        });
        let inner = line.find("$(skc ").map(|at| &line[at + 2..]);
        found.extend(begun.or(inner).map(one_command));
    }
    found
}

/// Strips the text after a command: a comment, a redirection or another command.
fn one_command(line: &str) -> String {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let ends = match (quote, c) {
            (Some(end), _) => {
                if c == end {
                    quote = None;
                }
                false
            }
            (None, '"') => {
                quote = Some(c);
                false
            }
            // An unmatched quote ends a string that begins before the command: `sh 'skc lint'`.
            (None, '\'') if line[at + 1..].contains('\'') => {
                quote = Some(c);
                false
            }
            (None, '\'' | ';' | '|' | '<' | '>' | ')' | '&') => true,
            (None, '#') => before == ' ',
            _ => false,
        };
        if ends {
            return line[..at].trim_end().to_owned();
        }
        before = c;
    }
    line.trim_end().to_owned()
}

/// Returns the page's code spans that begin with a command.
fn spans(page: &Page) -> Vec<String> {
    let events = Parser::new_ext(&page.text, Options::ENABLE_TABLES);
    let spans = events.filter_map(|event| match event {
        Event::Code(code) => Some(code.into_string()),
        _ => None,
    });
    spans.filter(|span| span.starts_with("skc ")).collect()
}

/// Returns the kind of parse error that a command line causes, if any.
fn fault(line: &str) -> Option<ErrorKind> {
    let words = words(line);
    let error = skillc::command().try_get_matches_from(words).err()?;
    Some(error.kind())
}

/// Whether a parse error is a wrong name or option. Inline commands may have placeholders and omit arguments, so other
/// errors are accepted.
fn is_wrong_name(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand | ErrorKind::ArgumentConflict
    )
}

#[test]
fn commands_in_code_blocks_are_valid() {
    let mut checked = 0;
    for page in pages() {
        for block in page.blocks() {
            if !LANGUAGES.contains(&block.language.as_str()) {
                continue;
            }
            for line in commands(&block.language, &block.text) {
                let fault = fault(&line).filter(|kind| *kind != ErrorKind::DisplayHelp);
                let is_version = line.contains("--version");
                assert!(
                    fault.is_none() || is_version,
                    "{}: {line}: {fault:?}",
                    page.path
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 250, "{checked}");
}

#[test]
fn inline_commands_exist_with_their_options() {
    let mut checked = 0;
    for page in pages() {
        for span in spans(&page) {
            // An ellipsis stands for omitted arguments.
            let line = span.replace('…', "").replace("...", "");
            let fault = fault(line.trim_end()).filter(|kind| is_wrong_name(*kind));
            assert!(fault.is_none(), "{}: {span}: {fault:?}", page.path);
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn invalid_commands_are_found_and_the_rest_of_a_line_is_ignored() {
    let found = commands(
        "sh",
        "cd \"$(skc path docx)\" && ls\nsh 'skc lint . || true'\n- run: skc lint 'a b' # all\n",
    );
    assert_eq!(found, ["skc path docx", "skc lint .", "skc lint 'a b'"]);
    assert_eq!(
        fault("skc lint --slect SKL3"),
        Some(ErrorKind::UnknownArgument)
    );
    assert_eq!(commands("console", "$ skc list\nskc lnt\n"), ["skc list"]);
    assert_eq!(fault("skc lnt"), Some(ErrorKind::InvalidSubcommand));
    assert_eq!(fault("skc show a 'b c' --nth 2"), None);
}
