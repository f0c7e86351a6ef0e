//! How rules talk about links.

use skillc_core::RelPath;

/// Returns the path that leads to `file` in a link of `from`.
pub(crate) fn within(from: &RelPath, file: &RelPath) -> String {
    let here: Vec<&str> = from.as_str().split('/').collect();
    let there: Vec<&str> = file.as_str().split('/').collect();
    let folders = here.len() - 1;
    let shared = here[..folders]
        .iter()
        .zip(&there[..there.len() - 1])
        .take_while(|(one, other)| one == other)
        .count();
    let up = std::iter::repeat_n("..", folders - shared);
    let parts: Vec<&str> = up.chain(there[shared..].iter().copied()).collect();
    parts.join("/")
}

/// Returns the anchor that is most like a fragment: one has all the words of the other, or hardly a letter differs.
pub(crate) fn nearest<'a>(
    fragment: &str,
    anchors: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let asked: Vec<String> = words(fragment);
    let far = |anchor: &str| {
        let words = words(anchor);
        let missing = asked.iter().filter(|word| !words.contains(word)).count();
        let extra = words.iter().filter(|word| !asked.contains(word)).count();
        (missing, extra)
    };
    let (missing, extra, anchor) = anchors
        .map(|anchor| {
            let (missing, extra) = far(anchor);
            (missing, extra, anchor)
        })
        .min()?;
    let shared = asked.len() - missing;
    (shared > 0 && missing <= shared && extra <= 2 * shared).then_some(anchor)
}

/// Splits an anchor into its words, in lower case.
fn words(anchor: &str) -> Vec<String> {
    let words = anchor.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rel(path: &str) -> RelPath {
        RelPath::parse(path).unwrap()
    }

    #[test]
    fn a_file_is_named_from_the_folder_of_another() {
        for (from, file, path) in [
            ("SKILL.md", "a.md", "a.md"),
            ("r/a.md", "r/b.md", "b.md"),
            ("r/a.md", "SKILL.md", "../SKILL.md"),
            ("r/s/a.md", "r/t/b.md", "../t/b.md"),
        ] {
            assert_eq!(within(&rel(from), &rel(file)), path);
        }
    }

    #[test]
    fn the_nearest_anchor_shares_words_with_the_fragment() {
        let anchors = ["1-set-up", "set-up-and-run", "teardown", "429-too-many"];
        assert_eq!(nearest("set-up", anchors.into_iter()), Some("1-set-up"));
        assert_eq!(nearest("tear-down", anchors.into_iter()), None);
        assert_eq!(nearest("", anchors.into_iter()), None);
    }
}
