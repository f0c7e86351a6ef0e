//! Explains mistakes in a value that begins with a bracket and is therefore a list or a map.

use super::explain::{Reason, Scene};

/// Explains a flow-style list or map (`[a, b]`) that ends too early or too late, or is malformed.
pub(super) fn explain(scene: &Scene<'_>, at: usize) -> Option<Reason> {
    let start = scene.value_above(at, ['[', '{'])?;
    let open = &scene.text[start.at..=start.at];
    let begins = format!("{} starts with '{open}'", start.subject());
    let close = match closing(scene.text, start.at) {
        Closing::At(close) => close,
        Closing::Never => {
            let text = format!("{begins}, which is never closed; put it in quotes if it is text");
            return Some(scene.reason(start.at, 1, text));
        }
        Closing::Wrong(at) => {
            let text = format!("{begins}, which is closed by '{}'", &scene.text[at..=at]);
            return Some(scene.reason(at, 1, text));
        }
    };
    let rest = scene.rest_of_line(close + 1);
    if rest.start < rest.end {
        let sign = &scene.text[close..=close];
        let text = format!("{begins} and continues after '{sign}'; put it in quotes");
        return Some(scene.reason(rest.start, rest.end - rest.start, text));
    }
    let text = format!("{begins}, but is not a list or map; put text in quotes");
    (start.at <= at && at <= close).then(|| scene.reason(at, 1, text))
}

/// The place where a bracket is closed.
enum Closing {
    At(usize),
    /// The first closing bracket is of the wrong kind.
    Wrong(usize),
    Never,
}

/// Finds the closing bracket for the bracket at `open`, skipping quoted text.
fn closing(text: &str, open: usize) -> Closing {
    let mut expected = Vec::new();
    let mut quote = None;
    let mut is_fresh = true;
    for (at, sign) in text[open..]
        .char_indices()
        .map(|(at, sign)| (open + at, sign))
    {
        if let Some(open) = quote {
            quote = quote.filter(|_| sign != open);
            continue;
        }
        match sign {
            '[' => expected.push(']'),
            '{' => expected.push('}'),
            ']' | '}' if expected.pop() != Some(sign) => return Closing::Wrong(at),
            ']' | '}' if expected.is_empty() => return Closing::At(at),
            '"' | '\'' if is_fresh => quote = Some(sign),
            _ => {}
        }
        // Within a word, a single quote is an apostrophe.
        is_fresh = "[{,:".contains(sign) || is_fresh && sign.is_whitespace();
    }
    Closing::Never
}
