//! Wording for the reactions of clients, and for quotations from a file.

use crate::clients::{Behaviour, Client, Fault, Reaction};

/// The maximum number of characters that a message quotes from a file.
const MAX_SHOWN_CHARS: usize = 100;

impl Client {
    /// Returns the client's reaction to a fault in words, for one client and for several: `truncates it at 1024`,
    /// `truncate it at 1024`.
    pub fn does(&self, fault: Fault, reaction: &Reaction) -> (String, String) {
        let (one, several) = match reaction {
            Reaction {
                does: Behaviour::Warn,
                ..
            } if fault == Fault::UnknownField => {
                ("ignores it with a warning", "ignore it with a warning")
            }
            Reaction {
                does: Behaviour::Cut,
                ..
            } => cut(fault, self),
            Reaction {
                does,
                confirmed: true,
                ..
            } => does.words(),
            Reaction {
                does: Behaviour::Error,
                ..
            } => ("may refuse the skill", "may refuse the skill"),
            _ => ("may not load the skill", "may not load the skill"),
        };
        let limit = match fault {
            Fault::NameOver => self.name.max,
            _ => self.description.max,
        };
        let limit = limit.unwrap_or_default().to_string();
        let filled = |words: &str| words.replace("{max}", &limit);
        (filled(one), filled(several))
    }
}

/// Returns the wording for [`Behaviour::Cut`], which depends on the fault: a client cuts a long name and a multi-line
/// value in different places.
fn cut(fault: Fault, client: &Client) -> (&'static str, &'static str) {
    match fault {
        Fault::DescriptionOver if !client.description.counts.is_empty() => {
            ("keeps only {max}", "keep only {max}")
        }
        Fault::NameOver | Fault::DescriptionOver => {
            ("truncates it at {max}", "truncate it at {max}")
        }
        Fault::Dashes => ("ends the frontmatter there", "end the frontmatter there"),
        _ => ("reads its first line only", "read its first line only"),
    }
}

/// Joins words into a list: `a`, `a and b`, `a, b and c`.
pub fn joined(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats a string for a message: on one line, and truncated with `…` if it is too long.
pub fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated_at_a_character_and_shown_on_one_line() {
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
        assert_eq!(shown(" a\r\n  b "), "a b");
    }

    #[test]
    fn behaviour_known_only_from_source_is_worded_as_possible() {
        let words = |text: &str| {
            let reaction: Reaction = toml::from_str(text).expect("a reaction");
            let client = &crate::clients::Clients::shared().clients[0];
            client.does(Fault::Bom, &reaction).0
        };
        assert_eq!(words("does = 'drop'"), "does not load the skill");
        assert_eq!(
            words("does = 'drop'\nconfirmed = false"),
            "may not load the skill"
        );
        assert_eq!(
            words("does = 'error'\nconfirmed = false"),
            "may refuse the skill"
        );
    }
}
