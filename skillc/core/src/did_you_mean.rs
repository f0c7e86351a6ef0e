//! Suggestions for mistyped words.

use strsim::osa_distance;

/// Words with more characters than this are not compared.
const MAX_CHARS: usize = 64;

/// The limit on the total cost of comparing a word with names. One comparison costs the size of the word times the size
/// of the name, in bytes, because computing an edit distance takes quadratic time.
const MAX_COST: usize = 16 << 20;

/// Returns the name that is most similar to a word, if at most a quarter of the word's letters, rounded up, differ.
/// Ignores case. If several names are equally similar, returns the first one. Ignores all further names once the cost
/// of the comparisons reaches its limit.
pub fn nearest<S: AsRef<str>>(word: &str, names: impl IntoIterator<Item = S>) -> Option<S> {
    let near = distances(word, names);
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// Returns all names that are similar to a word as defined by [`nearest`]. The most similar names come first; equally
/// similar names keep their order.
pub fn near<S: AsRef<str>>(word: &str, names: impl IntoIterator<Item = S>) -> Vec<S> {
    let mut near: Vec<(usize, S)> = distances(word, names).collect();
    near.sort_by_key(|(far, _)| *far);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Returns the names similar to a word, each with its edit distance.
fn distances<S: AsRef<str>>(
    word: &str,
    names: impl IntoIterator<Item = S>,
) -> impl Iterator<Item = (usize, S)> {
    let length = word.chars().count();
    let may_differ = (length <= MAX_CHARS).then(|| length.div_ceil(4));
    let word = word.to_lowercase();
    let (names, mut left) = (names.into_iter(), MAX_COST);
    names.filter_map(move |name| {
        let may_differ = may_differ?;
        let lower = name.as_ref().to_lowercase();
        let is_alike = lower.len().abs_diff(word.len()) <= 4 * may_differ;
        is_alike.then_some(())?;
        left = left.checked_sub(word.len() * lower.len())?;
        let far = osa_distance(&word, &lower);
        (far <= may_differ).then_some((far, name))
    })
}

/// Returns whether two words are equal or one typing error apart: a letter added, missing, replaced, or swapped with
/// the next. Ignores case.
pub fn is_one_slip(word: &str, other: &str) -> bool {
    let are_short = word.len() <= 4 * MAX_CHARS && other.len() <= 4 * MAX_CHARS;
    are_short && osa_distance(&word.to_lowercase(), &other.to_lowercase()) <= 1
}

/// Returns the name that a word is probably a misspelling of: at most one letter in four differs, and the digits are
/// the same. Ignores case; `None` if no name is close enough, or if several names are equally close.
pub fn mistyped<S: AsRef<str>>(word: &str, names: impl IntoIterator<Item = S>) -> Option<S> {
    let length = word.chars().count();
    if length > MAX_CHARS {
        return None;
    }
    let may_differ = length / 4;
    let (word, letters) = (word.to_lowercase(), Letters::new(word));
    let far = |name: &str| {
        let is_alike = name.chars().count().abs_diff(length) <= may_differ
            && letters.differ(&Letters::new(name)) <= 2 * may_differ
            && digits(name).eq(digits(&word));
        let far = is_alike.then(|| osa_distance(&word, &name.to_lowercase()));
        far.filter(|far| *far <= may_differ)
    };
    let mut best = None;
    let mut is_alone = true;
    for name in names {
        let Some(far) = far(name.as_ref()) else {
            continue;
        };
        match &best {
            Some((least, _)) if *least < far => {}
            Some((least, _)) if *least == far => is_alone = false,
            _ => (best, is_alone) = (Some((far, name)), true),
        }
    }
    best.filter(|_| is_alone).map(|(_, name)| name)
}

fn digits(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(char::is_ascii_digit)
}

/// A histogram of a word's letters, in which some letters share a bucket. It provides a cheap lower bound of the edit
/// distance, which avoids most comparisons.
struct Letters([i32; 32]);

impl Letters {
    fn new(word: &str) -> Self {
        let mut counts = [0; 32];
        for letter in word.chars().flat_map(char::to_lowercase) {
            counts[letter as usize % 32] += 1;
        }
        Self(counts)
    }

    /// Returns the number of letters by which two words differ: at most two for each edit.
    fn differ(&self, other: &Self) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        pairs
            .map(|(one, other)| one.abs_diff(*other) as usize)
            .sum()
    }
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

    #[test]
    fn the_nearest_come_first_then_the_given_order() {
        let names = ["abcx", "Abcd", "abcy", "axcy", "bcd"];
        assert_eq!(near("abcd", names), ["Abcd", "abcx", "abcy", "bcd"]);
        assert_eq!(near("", names), [""; 0]);
        assert_eq!(near(&"x".repeat(65), ["x".repeat(65)]), [""; 0]);
    }

    /// Comparing all of these names would take seconds.
    #[test]
    fn names_are_compared_up_to_a_maximum_cost() {
        let (word, typo) = ("x".repeat(62), format!("{}y", "x".repeat(61)));
        let alike = |count| std::iter::repeat_n("y".repeat(62), count);
        let most = MAX_COST / (62 * 62) - 1;
        let names = |count| alike(count).chain([typo.clone()]);
        assert_eq!(near(&word, names(most)), [&*typo]);
        assert_eq!(near(&word, names(most + 1)), [""; 0]);
        // Names of other lengths are not compared.
        let others = std::iter::repeat_n("y".repeat(30_000), 1_000);
        assert_eq!(near(&word, others.chain([typo.clone()])), [&*typo]);
    }

    #[test]
    fn a_typo_is_distinguished_from_another_name() {
        let names = [
            "usage", "step-1", "step-2", "Limits", "api", "notes", "notas",
        ];
        for (word, meant) in [
            ("usge", Some("usage")),
            ("uasge", Some("usage")),
            ("limits", Some("Limits")),
            ("API", Some("api")),
            // These words have no match: too many letters differ, a digit differs, the word has only three letters, or
            // two names are equally close. The exception is `notes ` with a trailing space.
            ("ugse", None),
            ("step-3", None),
            ("apo", None),
            ("notes ", Some("notes")),
            ("notis", None),
            ("", None),
        ] {
            assert_eq!(mistyped(word, names), meant, "{word:?}");
        }
        assert_eq!(mistyped(&"x".repeat(65), [&"x".repeat(65)]), None);
    }
}
