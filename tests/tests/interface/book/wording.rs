//! Hand-written pages use the words of the glossary and standard technical terms.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Page, pages};

/// Words to avoid, in lower case, and their replacements.
const AVOIDED: [(&str, &str); 19] = [
    ("access log", "usage log"),
    ("agent clients", "clients"),
    ("anew", "again"),
    ("by whomever", "by anyone"),
    ("dead link", "dangling symlink"),
    ("diagnostic", "finding"),
    ("everybody", "everyone"),
    ("global scope", "user scope"),
    ("goes before", "takes precedence over"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("nobody", "no one, or name the subject"),
    ("switch off", "disable"),
    ("switch on", "enable"),
    ("switched off", "disabled"),
    ("switched on", "enabled"),
    ("told of", "informed about"),
    ("whoever", "the subject itself"),
];

/// Returns the prose of a page without code, in lower case; each paragraph, heading and cell is a line.
fn prose(page: &Page) -> String {
    let mut prose = String::new();
    let mut is_code = false;
    for event in Parser::new_ext(&page.text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if !is_code => prose.push_str(&text.to_lowercase()),
            Event::Code(_) => prose.push_str("``"),
            Event::SoftBreak => prose.push(' '),
            Event::End(
                TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell | TagEnd::Item,
            ) => prose.push('\n'),
            _ => {}
        }
    }
    prose
}

/// Whether a text contains these words as whole words.
fn has(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}

#[test]
fn pages_use_the_words_of_the_glossary() {
    let mut found = Vec::new();
    // The design pages quote the specification.
    let is_ours = |page: &&Page| !page.is_generated() && !page.path.starts_with("docs/src/design/");
    for page in pages().iter().filter(is_ours) {
        let prose = prose(page);
        let avoided = AVOIDED.iter().filter(|(word, _)| has(&prose, word));
        found.extend(
            avoided.map(|(word, use_instead)| {
                format!("{}: '{word}'; write '{use_instead}'", page.path)
            }),
        );
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn words_in_code_and_parts_of_words_do_not_count() {
    let page = Page {
        path: "README.md".to_owned(),
        text: "We amend `mend` here.\n\n```\nmend\n```\n\nIs it switched\noff?\n".to_owned(),
    };
    let prose = prose(&page);
    assert!(!has(&prose, "mend"), "{prose}");
    assert!(has(&prose, "switched off"), "{prose}");
}
