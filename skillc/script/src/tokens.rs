//! Checks tokens during compilation. Rejects code that would take long to compile. Also rejects expressions that create
//! many values before storing any of them in a variable, because only the memory of variables is limited.

use parking_lot::Mutex;
use rhai::{Engine, LexError, Token};

use crate::fault::too_long_by_clock;
use crate::limits::{MAX_ARGUMENTS, MAX_LITERAL_BYTES, TOKENS_BETWEEN_LOOKS};
use crate::meter::Meter;

/// Checks the tokens that the compiler reads.
#[expect(
    deprecated,
    reason = "marks what may change between versions of the engine"
)]
pub(crate) fn follow(engine: &mut Engine, meter: Meter) {
    let nesting: Mutex<Nesting> = Mutex::default();
    engine.on_parse_token(move |token, _, _| {
        let mut nesting = nesting.lock();
        let refusal = nesting.read(&token).or_else(|| nesting.look(&meter));
        refusal.map_or(token, |what| {
            Token::LexError(LexError::Runtime(what).into())
        })
    });
}

/// The open brackets.
#[derive(Default)]
struct Nesting {
    open: Vec<Bracket>,
    tokens: usize,
}

/// An open bracket.
struct Bracket {
    /// Whether every element is counted. All arguments of a call are counted, but the elements of a list or map are
    /// counted only if they contain a call.
    counts_all: bool,
    /// Whether the current element contains a call.
    calls: bool,
    elements: usize,
}

impl Nesting {
    /// Reads one token. Returns an error message if the token exceeds a limit.
    fn read(&mut self, token: &Token) -> Option<String> {
        match token {
            Token::LeftParen => self.open(true),
            Token::LeftBracket | Token::MapStart | Token::LeftBrace => self.open(false),
            Token::RightParen | Token::RightBracket | Token::RightBrace => drop(self.open.pop()),
            // `()` is a call without arguments, and `|` starts a closure.
            Token::Unit | Token::Pipe | Token::Or => self.call(),
            Token::Comma => {
                let bracket = self.open.last_mut()?;
                bracket.elements += usize::from(bracket.counts_all || bracket.calls);
                bracket.calls = false;
                if bracket.elements >= MAX_ARGUMENTS {
                    return Some(format!(
                        "more than {MAX_ARGUMENTS} arguments in a call, or more than {MAX_ARGUMENTS} elements with calls in a list or map"
                    ));
                }
            }
            // Indexing a string literal takes time proportional to the literal's length, but is not charged, because it
            // does not use a variable.
            Token::StringConstant(text) if text.len() > MAX_LITERAL_BYTES => {
                let max = MAX_LITERAL_BYTES >> 10;
                return Some(format!("a string of more than {max} KiB in the script"));
            }
            _ => {}
        }
        None
    }

    fn open(&mut self, counts_all: bool) {
        self.call();
        self.open.push(Bracket {
            counts_all,
            calls: false,
            elements: 0,
        });
    }

    fn call(&mut self) {
        if let Some(bracket) = self.open.last_mut() {
            bracket.calls = true;
        }
    }

    /// Checks the deadline every few tokens.
    fn look(&mut self, meter: &Meter) -> Option<String> {
        self.tokens += 1;
        let is_time = self.tokens.is_multiple_of(TOKENS_BETWEEN_LOOKS);
        (is_time && meter.is_over()).then(too_long_by_clock)
    }
}
