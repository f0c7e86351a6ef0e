//! Hand-written pages use the words of the glossary and standard technical terms.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use skillc_tests::wording::{EVERYWHERE, ON_PAGES, banned};

use super::{Page, pages};

/// Returns the prose of a page in lower case, without code. Each paragraph, heading and table cell is one line.
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

#[test]
fn pages_use_the_words_of_the_glossary() {
    let mut found = Vec::new();
    // The design pages quote the specification.
    let is_ours = |page: &&Page| !page.is_generated() && !page.path.starts_with("docs/src/design/");
    for page in pages().iter().filter(is_ours) {
        let prose = prose(page);
        let avoided = [EVERYWHERE, ON_PAGES].map(|words| banned(&prose, words));
        found.extend(
            avoided.iter().flatten().map(|(word, use_instead)| {
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
    let found = banned(&prose(&page), EVERYWHERE);
    assert_eq!(found, [&("switched off", "disabled")]);
}
