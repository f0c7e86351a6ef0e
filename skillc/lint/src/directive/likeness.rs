//! Detects misspelled directives, such as `Skilllint_disable-line`.
//!
//! Such a comment has no effect, so it is reported. Comments that may be ordinary text or directives of other tools are
//! not reported.

use skillc_core::did_you_mean::nearest;
use strsim::osa_distance;

use super::Word;

/// The prefix of all directive words.
const TOOL: &str = "skilllint";

/// The maximum length, in bytes, of a word that is examined.
const MAX_BYTES: usize = 64;

/// Returns the intended word, and whether it was written as two words, such as `skilllint: disable-line`.
pub(super) fn meant(word: &str, next: Option<&str>) -> Option<(&'static str, bool)> {
    if word.len() > MAX_BYTES || next.is_some_and(|next| next.len() > MAX_BYTES) {
        return directive_meant(word, "").map(|word| (word, false));
    }
    let next = next.unwrap_or_default();
    directive_meant(word, "")
        .map(|word| (word, false))
        .or_else(|| {
            let is_tool = letters(word).ends_with("lint");
            let meant = directive_meant(word, next).filter(|_| is_tool)?;
            Some((meant, true))
        })
}

/// Returns the directive that is probably meant by `word` and `next`. If `next` is empty, `word` is the whole
/// directive; otherwise, `word` is the tool's name.
fn directive_meant(word: &str, next: &str) -> Option<&'static str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | ':');
    if word.len() > MAX_BYTES || !word.chars().all(is_part) || !next.chars().all(is_part) {
        return None;
    }
    let letters = letters(word) + &letters(next);
    let at = ["disable", "enable"]
        .iter()
        .filter_map(|verb| letters.find(verb));
    let (tool, rest) = letters.split_at(at.min()?);
    let is_tool = tool.starts_with("sk") && tool.ends_with("lint") && osa_distance(tool, TOOL) <= 2;
    if !is_tool {
        return None;
    }
    let known = Word::ALL.map(|(known, _)| known);
    let exact = known
        .into_iter()
        .find(|known| self::letters(known)[TOOL.len()..] == *rest);
    let is_one = next.is_empty();
    let near = || nearest(&format!("{TOOL}-{rest}"), known).filter(|_| is_one);
    exact.or_else(near)
}

fn letters(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
