//! Recognizes commands that the text replaces with another command, in languages other than English: ``Statt `a` immer
//! `b` ``.
//!
//! The words must be directly before or after the command. Otherwise they may belong to another command, as in ``Statt
//! `a`, nutze `b` ``.

use std::sync::LazyLock;

use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;
use skillc_core::{Document, Span};

use super::MAX_CLAUSE;
use crate::security::context::clause_in;
use crate::security::expression::Expression;

/// The maximum number of bytes after a command that are examined.
const REST: usize = 40;

/// Words for `instead of`, directly before a command. Matches text in lower case.
static BEFORE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)(?:(?:^|[\s(.:;,*_-])(?:statt|anstatt|anstelle von|au lieu d(?:e|')|plut(?:ô|o)t qu(?:e|')|en (?:lugar|vez) de",
        r"|em vez de|ao inv(?:é|e)s de|invece di|al posto di|anzich(?:é|e)|вместо)|(?:不用|不要用|别用|而不是))[\s`*_(\x22']*$"
    ))
    .expect("a pattern")
});

/// Words for `instead of`, directly after a command, in languages that put them last.
static AFTER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^[\s`*_)\x22']*(?:の(?:代|か)わりに|ではなく|でなく|(?:이|가) 아니라|(?:을|를)? ?대신에? |말고)")
        .expect("a pattern")
});

/// Returns whether the text says to use something else instead of the command in a code span.
pub(super) fn is_replaced(doc: &Document, code: Span) -> bool {
    let text = &doc.text;
    let before = clause_in(doc, code.start, MAX_CLAUSE);
    let end = char_floor(text, code.end);
    let after = &text[end..char_floor(text, end + REST)];
    BEFORE.is_match(lower(before).as_bytes())
        || !after.is_ascii() && AFTER.is_match(after.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::RelPath;

    #[test]
    fn a_command_is_replaced_by_the_words_beside_it() {
        for (text, expected) in [
            ("Statt `X` immer das Paket nehmen.", true),
            ("Au lieu de `X`, utiliser le paquet.", true),
            ("En lugar de `X`, usar el paquete.", true),
            ("Em vez de `X`, use o pacote.", true),
            ("Invece di `X`, usare il pacchetto.", true),
            ("Вместо `X` используйте пакет.", true),
            ("不用 `X`，改用发行版的包。", true),
            ("`X` の代わりに、パッケージを使います。", true),
            ("`X` 대신 패키지를 사용합니다.", true),
            ("Statt `a` nutze `X`.", false),
            ("Statt zu warten `X` ausführen.", false),
            ("En lugar de esperar, ejecuta `X`.", false),
            ("Вместо этого выполните `X`.", false),
            ("代わりに `X` を実行します。", false),
            ("`a` 대신 `X` 를 실행합니다.", false),
        ] {
            let path = RelPath::parse("a.md").unwrap();
            let doc = Document::parse(path, text.as_bytes().to_vec());
            let code = doc.code_span_at(text.find('X').unwrap()).unwrap();
            assert_eq!(is_replaced(&doc, code), expected, "{text}");
        }
    }
}
