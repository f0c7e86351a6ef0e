//! Words and phrases that must not occur in text for people, and what to write instead.

/// A word or phrase, in lower case, and what to write instead.
pub type Banned = (&'static str, &'static str);

/// Banned everywhere: synonyms of the fixed name of a concept, and phrases that hide a technical term.
pub const EVERYWHERE: &[Banned] = &[
    ("switched off", "disabled"),
    ("switched on", "enabled"),
    ("switches off", "disables"),
    ("switch it off", "disable it"),
    ("switch a skill", "enable or disable a skill"),
    ("search format", "indexer"),
    ("search formats", "indexers"),
    ("format of search", "indexer"),
    ("wants somebody asked", "requires confirmation"),
    ("whoever", "the caller, the user, the process"),
    ("whomever", "the caller, the user, the process"),
    ("somebody", "the user, another program, a reviewer"),
    ("nobody", "no user, no caller; say who"),
    ("anew", "again, from scratch"),
    ("for naught", "without effect"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("is told of", "sees, is notified of"),
    ("are told of", "see, are notified of"),
    ("goes before", "takes precedence over"),
    ("go before", "take precedence over"),
    ("stands beside", "is next to"),
    ("what of it", "which part of it"),
    ("what becomes of", "the outcome of"),
    ("what became of", "the outcome of"),
    ("what came of", "the result of"),
    ("as good as nothing", "no effect"),
    ("as good as none", "no effect"),
    ("unless given", "default X"),
    ("leads nowhere", "dangling"),
    ("link to nothing", "dangling symlink"),
    ("in the place of", "instead of, replaces"),
    ("is none of ours", "is not ours"),
    ("takes it for", "treats it as"),
    ("is no text", "is not a string"),
    ("is no glob", "is not a valid glob"),
    ("let be", "leave unchanged"),
];

/// Also banned on the book's pages. In code, some of these words name types or are fixed by a specification.
pub const ON_PAGES: &[Banned] = &[
    ("access log", "usage log"),
    ("agent clients", "clients"),
    ("by whomever", "by anyone"),
    ("dead link", "dangling symlink"),
    ("diagnostic", "finding"),
    ("everybody", "everyone"),
    ("global scope", "user scope"),
    ("switch off", "disable"),
    ("switch on", "enable"),
    ("told of", "informed about"),
];

/// Returns the words of a list that occur in text as whole words.
pub fn banned<'a>(text: &str, words: &'a [Banned]) -> Vec<&'a Banned> {
    let text = text.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let stands_alone = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let after = &text[at + word.len()..];
            !text[..at].ends_with(is_word) && !after.starts_with(is_word)
        })
    };
    words
        .iter()
        .filter(|(word, _)| stands_alone(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_match() {
        let found = |text| banned(text, EVERYWHERE).len();
        assert_eq!(found("Whoever reads it"), 1);
        assert_eq!(found("recommended"), 0);
        assert_eq!(found("a renewed effort, amended"), 0);
    }
}
