//! Recognises declarations in JavaScript and TypeScript.

use super::head::{Body, Brace, Head, Place};
use super::lexer::Kind;
use super::syntax::has;

/// Words that can precede a declaration or member.
const MODIFIERS: &str = "abstract accessor async declare default export get override private protected public readonly \
    set static const";

/// Words after which a statement continues on the next line. The words in the second list do not begin a statement.
const UNFINISHED: &str = "class const else export default extends from function implements in instanceof let new of \
    typeof var";
const CONTINUED: &str = "as extends from implements in instanceof is of satisfies";

/// The symbol that a statement declares.
enum Declared<'a> {
    /// A function, an interface, or another symbol that contains no symbols. The flag is true if the statement ends
    /// with the symbol's brackets.
    Leaf(String, bool),
    /// A class. The flag is true if the statement ends with the class's brackets.
    Class(String, bool),
    Namespace(&'a str),
}

/// Returns whether a line end between two words ends a statement.
pub(super) fn ends_between(words: [&str; 2], kind: Kind) -> bool {
    let [last, next] = words;
    let is_start = kind == Kind::Word || kind == Kind::Sign(b'@');
    let is_unfinished = has(UNFINISHED, last) || has(MODIFIERS, last);
    is_start && !is_unfinished && !has(CONTINUED, next)
}

/// Returns the kind of construct that a `{` opens, if the `{` is between statements or members.
pub(super) fn brace(head: &Head<'_>, place: &Place<'_>) -> Brace {
    let body = place.body;
    let is_type = matches!(
        place.last,
        Some(Kind::Sign(b':' | b'<' | b',' | b'|' | b'&' | b'=' | b'?'))
    );
    match declared(head, body) {
        // `class Deck<T = {}>`, `open(): { name: string } {`
        Some(Declared::Leaf(_, true) | Declared::Class(..)) if is_type => Brace::PART,
        Some(Declared::Leaf(name, is_end)) => Brace::leaf(name, is_end),
        Some(Declared::Class(name, is_end)) => Brace::container(name, Body::Members, is_end),
        Some(Declared::Namespace(name)) => Brace::container(name, Body::Block, true),
        None if place.last == Some(Kind::Text) => Brace::PART,
        None => {
            let word = head.word(head.len().saturating_sub(1));
            let is_block = head.len() == 0
                || matches!(place.last, None | Some(Kind::Close(_) | Kind::Arrow))
                || matches!(word, "do" | "else" | "finally" | "static" | "try");
            // The block ends a statement such as `if (…)`.
            let is_statement = head
                .find(0, |at| head.is(at, b'=') || head.is(at, b'.'))
                .is_none();
            if is_block {
                Brace::other(
                    Body::Block,
                    is_statement && body == Body::Block || word == "static",
                )
            } else {
                Brace::other(Body::Object, false)
            }
        }
    }
}

/// Returns the name that a statement declares, unless the statement has brackets that can contain symbols.
pub(super) fn ends(head: &Head<'_>, body: Body) -> Option<String> {
    let is_function = head.find(0, |at| head.word(at) == "function").is_some();
    match declared(head, body)? {
        Declared::Leaf(name, _) if body != Body::Object || is_function || has_arrow(head, 0) => {
            Some(name)
        }
        _ => None,
    }
}

fn declared<'a>(head: &Head<'a>, body: Body) -> Option<Declared<'a>> {
    let mut at = head.after_annotations(0);
    let mut is_default = false;
    while has(MODIFIERS, head.word(at)) {
        let is_modifier = match head.kind(at + 1) {
            Some(Kind::Word | Kind::Text | Kind::Open(b'[') | Kind::Sign(b'*' | b'@')) => true,
            _ => head.word(at) == "default",
        };
        // `const open = …`, but `const enum`.
        if !is_modifier || head.word(at) == "const" && head.word(at + 1) != "enum" {
            break;
        }
        is_default |= head.word(at) == "default";
        at = head.after_annotations(at + 1);
    }
    if is_default && value(head, at).is_some() {
        let is_class = head.word(at) == "class";
        let name_at = at + 1 + usize::from(head.is(at + 1, b'*'));
        let name_at = if head.word(at) == "async" {
            at + 2
        } else {
            name_at
        };
        let name = head.name(name_at).filter(|name| *name != "extends");
        let name = name.filter(|_| matches!(head.word(at), "async" | "class" | "function"));
        let name = name.unwrap_or("default").to_owned();
        return Some(if is_class {
            Declared::Class(name, true)
        } else {
            Declared::Leaf(name, head.word(at) == "function")
        });
    }
    if body == Body::Block {
        statement(head, at)
    } else {
        member(head, at, body)
    }
}

/// Returns the symbol that a statement declares. `at`: the position after the modifiers of the statement.
fn statement<'a>(head: &Head<'a>, at: usize) -> Option<Declared<'a>> {
    let name = head.name(at + 1);
    match head.word(at) {
        "function" => {
            let at = at + 1 + usize::from(head.is(at + 1, b'*'));
            Some(Declared::Leaf(head.name(at)?.to_owned(), true))
        }
        "class" => Some(Declared::Class(name?.to_owned(), true)),
        "enum" | "interface" => Some(Declared::Leaf(name?.to_owned(), true)),
        "module" | "namespace" if name.is_some() || head.kind(at + 1) == Some(Kind::Text) => {
            Some(Declared::Namespace(head.text(at + 1, head.len() - 1)))
        }
        "global" if at > 0 => Some(Declared::Namespace("global")),
        "type" if head.is(at + 2, b'=') || head.is(at + 2, b'<') => {
            Some(Declared::Leaf(name?.to_owned(), false))
        }
        "const" | "let" | "var" => {
            let assigned = head.find(at, |at| head.is(at, b'='))?;
            valued(head, assigned + 1, name?.to_owned())
        }
        _ => {
            let assigned = head.find(at, |at| head.is(at, b'='))?;
            let is_path = |at: usize| head.name(at).is_some() || head.is(at, b'.');
            if !(at..assigned).all(is_path) {
                return None;
            }
            let is_name =
                |part: &&str| !["exports", "module", "prototype", "this", "window"].contains(part);
            let names = (at..assigned).filter_map(|at| head.name(at));
            let names: Vec<&str> = names.filter(is_name).collect();
            if names.is_empty() {
                return None;
            }
            valued(head, assigned + 1, names.join("::"))
        }
    }
}

/// Returns the symbol that a member of a class or object declares. `at`: the position after the modifiers of the
/// member.
fn member<'a>(head: &Head<'a>, at: usize, body: Body) -> Option<Declared<'a>> {
    let at = at + usize::from(head.is(at, b'*'));
    let (name, after) = if head.opens(at, b'[') {
        (head.text(at, at + 1), at + 2)
    } else if head.kind(at) == Some(Kind::Text) {
        (head.text(at, at), at + 1)
    } else {
        (head.name(at)?, at + 1)
    };
    let after = after + usize::from(head.is(after, b'?') || head.is(after, b'!'));
    let name = name.to_owned();
    match head.kind(after)? {
        Kind::Open(b'(') => Some(Declared::Leaf(name, body == Body::Members)),
        Kind::Sign(b'<') => {
            let is_method = head.opens(head.after_angles(after), b'(');
            is_method.then_some(Declared::Leaf(name, body == Body::Members))
        }
        Kind::Sign(b':') if body == Body::Object => valued(head, after + 1, name),
        Kind::Sign(b'=' | b':') if body == Body::Members => {
            let assigned = head.find(after, |at| head.is(at, b'='))?;
            valued(head, assigned + 1, name)
        }
        _ => None,
    }
}

/// Returns the symbol that is declared by assigning a value to a name.
fn valued<'a>(head: &Head<'a>, at: usize, name: String) -> Option<Declared<'a>> {
    Some(if value(head, at)? {
        Declared::Class(name, false)
    } else {
        Declared::Leaf(name, false)
    })
}

/// Returns whether the value is a class, or `None` if it is neither a class nor a function.
fn value(head: &Head<'_>, at: usize) -> Option<bool> {
    match head.word(at) {
        "class" => return Some(true),
        "function" => return Some(false),
        _ => {}
    }
    let is_async = head.word(at) == "async" && head.kind(at + 1) != Some(Kind::Arrow);
    let at = at + usize::from(is_async);
    let is_function = match head.kind(at)? {
        Kind::Word if is_async && head.word(at) == "function" => true,
        Kind::Word => head.kind(at + 1) == Some(Kind::Arrow),
        Kind::Open(b'(') | Kind::Sign(b'<') => has_arrow(head, at),
        _ => false,
    };
    is_function.then_some(false)
}

fn has_arrow(head: &Head<'_>, at: usize) -> bool {
    head.find(at, |at| head.kind(at) == Some(Kind::Arrow))
        .is_some()
}
