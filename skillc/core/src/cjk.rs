//! Chinese, Japanese and Korean characters. Their writing systems put few or no spaces between words.
//!
//! Design: R8, C-TOKENIZER.

/// The ranges of Chinese, Japanese and Korean characters, sorted, with both ends inclusive. The ranges omit the symbols
/// and punctuation in the same Unicode blocks: for example, the middle dots U+30FB and U+FF65 separate words.
pub const RANGES: [(char, char); 35] = [
    ('\u{1100}', '\u{11FF}'),   // Hangul Jamo
    ('\u{2E80}', '\u{2FD5}'),   // Han radicals
    ('\u{3005}', '\u{3007}'),   // 々 〆 〇
    ('\u{3021}', '\u{3029}'),   // Hangzhou numerals
    ('\u{3031}', '\u{3035}'),   // vertical kana repeat marks
    ('\u{3038}', '\u{303C}'),   // Hangzhou numerals, repeat mark, 〼
    ('\u{3041}', '\u{3096}'),   // Hiragana
    ('\u{309D}', '\u{309F}'),   // Hiragana iteration marks, ゟ
    ('\u{30A1}', '\u{30FA}'),   // Katakana
    ('\u{30FC}', '\u{30FF}'),   // ー, Katakana iteration marks, ヿ
    ('\u{3105}', '\u{312F}'),   // Bopomofo
    ('\u{3131}', '\u{318E}'),   // Hangul compatibility Jamo
    ('\u{31A0}', '\u{31BF}'),   // Bopomofo extended
    ('\u{31F0}', '\u{31FF}'),   // Katakana phonetic extensions
    ('\u{3400}', '\u{4DBF}'),   // Han extension A
    ('\u{4E00}', '\u{9FFF}'),   // Han
    ('\u{A960}', '\u{A97C}'),   // Hangul Jamo extended A
    ('\u{AC00}', '\u{D7A3}'),   // Hangul syllables
    ('\u{D7B0}', '\u{D7C6}'),   // Hangul Jamo extended B, vowels
    ('\u{D7CB}', '\u{D7FB}'),   // Hangul Jamo extended B, finals
    ('\u{F900}', '\u{FA6D}'),   // Han compatibility ideographs
    ('\u{FA70}', '\u{FAD9}'),   // Han compatibility ideographs
    ('\u{FF66}', '\u{FF9F}'),   // half-width Katakana
    ('\u{FFA0}', '\u{FFBE}'),   // half-width Hangul consonants
    ('\u{FFC2}', '\u{FFC7}'),   // half-width Hangul vowels
    ('\u{FFCA}', '\u{FFCF}'),   // half-width Hangul vowels
    ('\u{FFD2}', '\u{FFD7}'),   // half-width Hangul vowels
    ('\u{FFDA}', '\u{FFDC}'),   // half-width Hangul vowels
    ('\u{16FE3}', '\u{16FE3}'), // old Chinese iteration mark
    ('\u{16FF0}', '\u{16FF6}'), // Han reading marks and numerals
    ('\u{1AFF0}', '\u{1AFFE}'), // Kana extended B
    ('\u{1B000}', '\u{1B122}'), // Kana supplement, Kana extended A
    ('\u{1B132}', '\u{1B167}'), // small Kana
    ('\u{20000}', '\u{2FFFD}'), // Han extensions of plane 2, compatibility supplement
    ('\u{30000}', '\u{3FFFD}'), // Han extensions of plane 3
];

/// The lowest first byte in the UTF-8 encoding of any character in [`RANGES`].
pub const LOWEST_LEAD_BYTE: u8 = 0xE1;

/// Returns whether a character is Chinese, Japanese or Korean: Han, Hiragana, Katakana, Hangul or Bopomofo.
///
/// Design: R8.
pub fn is_cjk(c: char) -> bool {
    let at = RANGES.partition_point(|(_, last)| *last < c);
    RANGES.get(at).is_some_and(|(first, _)| *first <= c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_characters_is_ordered_and_above_the_lowest_lead_byte() {
        assert!(RANGES.iter().all(|(first, last)| first <= last));
        assert!(RANGES.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert_eq!(RANGES[0].0.to_string().as_bytes()[0], LOWEST_LEAD_BYTE);
    }

    /// C-TOKENIZER.1.
    #[test]
    fn letters_of_the_five_scripts_are_cjk_and_nothing_else_is() {
        for c in "使㐀𠀀豈𰀀々〇⼀ぁゟァヺーㇰｦﾟ가힣ᄀㄱꥠힰﾡㄅㆠ".chars()
        {
            assert!(is_cjk(c), "{c:?}");
        }
        for c in "aé\u{301}\u{10ff}ሀ・･、。「」\u{3000}\u{3099}㈱㌔🦀Ａ１ꓐ\u{3040}\u{318f}\u{d7a4}\u{10ffff}\0".chars() {
            assert!(!is_cjk(c), "{c:?}");
        }
    }
}
