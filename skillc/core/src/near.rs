//! What a mistyped word was meant to be.

use strsim::osa_distance;

/// The longest word that is compared, in characters.
const MAX_CHARS: usize = 64;

/// Returns the name that is most like a word, if one is near: at most a quarter of its letters differ. Capitals do not
/// count; the first of several is taken.
pub fn nearest<S: AsRef<str>>(word: &str, names: impl IntoIterator<Item = S>) -> Option<S> {
    let length = word.chars().count();
    if length > MAX_CHARS {
        return None;
    }
    let word = word.to_lowercase();
    let far = |name: &S| osa_distance(&word, &name.as_ref().to_lowercase());
    let near = names.into_iter().map(|name| (far(&name), name));
    let (far, name) = near.min_by_key(|(far, _)| *far)?;
    (far <= length.div_ceil(4)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_letters_may_differ() {
        let names = ["name", "allowed-tools", "license"];
        for (word, meant) in [
            ("Name", Some("name")),
            ("allowed_tols", Some("allowed-tools")),
            ("licence", Some("license")),
            ("gone", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names), meant, "{word:?}");
        }
        assert_eq!(nearest(&"x".repeat(65), [&"x".repeat(65)]), None);
    }
}
