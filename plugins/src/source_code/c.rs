//! Recognises declarations in C, C++ and Java.

use super::head::{Body, Brace, Head, Place};
use super::lexer::Kind;
use super::syntax::has;

/// Words before a `(` that do not declare a function.
const NOT_NAMES: &str = "_Alignas __asm__ __attribute __attribute__ __declspec __extension__ alignas asm catch \
    decltype defined do else explicit for if new noexcept requires return sizeof static_assert switch throw throws \
    typeof while";

/// Words after the parameters of a function.
const AFTER_PARAMETERS: &str = "__attribute __attribute__ asm const default final noexcept override requires throw \
    throws volatile";

/// Words that define a type.
const TYPES: &str = "class enum interface namespace record struct union";

/// A function in a declaration.
struct Function<'a> {
    name: &'a str,
    /// The positions of the first token of the name, and of the parameters.
    first: usize,
    parameters: usize,
}

/// Returns the kind of construct that a `{` opens, if the `{` is between statements.
pub(super) fn brace(head: &Head<'_>, place: &Place<'_>, is_java: bool) -> Brace {
    let start = start(head);
    if place.body == Body::Constants {
        return Brace::other(Body::Members, false);
    }
    if head.word(start) == "typedef" {
        return Brace::PART;
    }
    let function = function(head, start);
    let value = head.find(start, |at| head.is(at, b'='));
    if value.is_some_and(|value| {
        function
            .as_ref()
            .is_none_or(|function| value < function.first)
    }) {
        return Brace::PART;
    }
    if let Some((keyword, name)) = type_name(head, start, function.as_ref()) {
        return match (keyword, name) {
            ("namespace", "") => Brace::scope(None),
            ("namespace", name) => Brace::container(name, Body::Block, true),
            ("enum", name) if is_java => Brace::container(name, Body::Constants, true),
            ("@interface", name) => Brace::leaf(name, true),
            (_, "") => Brace::PART,
            ("enum", name) => Brace::leaf(name, false),
            (_, name) => Brace::container(name, Body::Members, is_java),
        };
    }
    let Some(function) = function else {
        let last = head.len().saturating_sub(1);
        return match head.word(start) {
            "extern" => Brace::BLOCK,
            // A compact constructor of a record.
            _ if is_java && is_constructor(head.word(last), place) => {
                Brace::leaf(head.word(last), true)
            }
            _ => Brace::CODE,
        };
    };
    // Whether a constructor has initializers: `: size_{1}`.
    let initialises = head
        .find(function.parameters, |at| head.is(at, b':'))
        .is_some();
    if initialises
        && matches!(
            place.last,
            Some(Kind::Word | Kind::Sign(b'>' | b':' | b','))
        )
    {
        return Brace::PART;
    }
    Brace::leaf(function.name, true)
}

/// Returns the name that a declaration without a body introduces.
pub(super) fn ends(head: &Head<'_>, place: &Place<'_>, is_java: bool) -> Option<String> {
    let start = start(head);
    match head.word(start) {
        _ if place.body == Body::Constants => return None,
        "typedef" => return defined(head, start),
        "using" | "concept" if !is_java => {
            let is_alias = head.is(start + 2, b'=');
            return head.name(start + 1).filter(|_| is_alias).map(str::to_owned);
        }
        _ => {}
    }
    let function = function(head, start)?;
    let value = head.find(start, |at| head.is(at, b'='));
    let is_value = value.is_some_and(|value| value < function.first);
    let is_pointer = head.inner(function.parameters).next();
    let is_pointer = is_pointer
        .is_some_and(|(kind, _)| matches!(kind, Kind::Sign(b'*' | b'^' | b'&') | Kind::Text));
    // `name(…);` without a type is a call, or the use of a macro.
    let last = function.name.rsplit("::").next().unwrap_or_default();
    let is_typed = function.first > start
        || function.name.contains(['~', ' '])
        || function.name.starts_with("operator")
        || is_constructor(last, place);
    (!is_value && !is_pointer && is_typed).then(|| function.name.to_owned())
}

/// Returns whether the statement before a `:` is the name of an access level, such as `public`.
pub(super) fn is_label(head: &Head<'_>) -> bool {
    let last = head.word(head.len().saturating_sub(1));
    let is_access = |word| matches!(word, "private" | "protected" | "public");
    head.len() == 1 && !last.is_empty()
        || head.len() == 2 && is_access(head.word(0))
        || is_access(last)
}

/// Returns whether a statement is only a use of a macro, such as `BEGIN_DECLARATIONS`.
pub(super) fn is_macro_use(head: &Head<'_>) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let end = if head.opens(1, b'(') { 3 } else { 1 };
    head.len() == end && head.name(0).is_some_and(|name| name.chars().all(is_upper))
}

/// Returns the position after `template<…>`, attributes and annotations.
fn start(head: &Head<'_>) -> usize {
    let mut at = 0;
    loop {
        let next = match head.word(at) {
            "template" if head.is(at + 1, b'<') => head.after_angles(at + 1),
            "export" => at + 1,
            _ if head.opens(at, b'[') => at + 2,
            _ => head.after_annotations(at),
        };
        if next == at || next >= head.len() {
            return next.min(head.len());
        }
        at = next;
    }
}

fn is_constructor(name: &str, place: &Place<'_>) -> bool {
    let outer = place
        .outer
        .map(|outer| outer.rsplit("::").next().unwrap_or(outer));
    let outer = outer.and_then(|outer| outer.split('<').next());
    place.body == Body::Members && !name.is_empty() && outer == Some(name)
}

/// Returns the keyword and the name of a type or namespace that a statement defines.
fn type_name<'a>(
    head: &Head<'a>,
    start: usize,
    function: Option<&Function<'_>>,
) -> Option<(&'a str, &'a str)> {
    let is_keyword = |at: &usize| has(TYPES, head.word(*at));
    let stop = head.find(start, |at| head.is(at, b'='));
    let stop = stop.unwrap_or(head.len());
    let at = (start..stop).find(is_keyword)?;
    let keyword = head.word(at);
    if head.is(at.wrapping_sub(1), b'@') {
        return Some(("@interface", head.name(at + 1)?));
    }
    if keyword == "record" && (head.name(at + 1).is_none() || head.len() < at + 3) {
        return None;
    }
    // `struct echo *next(…) {` is a function, `record Flag(char letter) {` a type.
    let is_returned = matches!(keyword, "struct" | "union" | "enum");
    let is_function = |function: &Function<'_>| {
        (is_returned || function.parameters < at) && !is_macro(head, function.parameters)
    };
    if function.is_some_and(is_function) {
        return None;
    }
    let mut first = at + 1;
    while is_keyword(&first) || has(NOT_NAMES, head.word(first)) || head.opens(first, b'[') {
        // `enum class`, and attributes.
        first += if is_keyword(&first) { 1 } else { 2 };
        first += usize::from(matches!(head.kind(first), Some(Kind::Close(_))));
    }
    let is_end = |at: usize| {
        let is_other = matches!(
            head.word(at),
            "extends" | "final" | "implements" | "permits"
        );
        is_other || matches!(head.kind(at), Some(Kind::Sign(b':') | Kind::Open(_)))
    };
    let end = head.find(first, is_end).unwrap_or(head.len());
    if keyword == "namespace" {
        // A macro can follow the name.
        let mut last = first;
        while head.kind(last + 1) == Some(Kind::Path) {
            last += 2;
        }
        return Some((keyword, head.text(first, last)));
    }
    if keyword == "record" || matches!(keyword, "class" | "interface") && head.is(first + 1, b'<') {
        // Type parameters in Java. In C++, the arguments of a specialisation are part of the name.
        let is_specialised = start > 0 && head.word(0) == "template";
        if !is_specialised {
            return Some((keyword, head.word(first)));
        }
    }
    // Use the last name: the names before it are macros.
    let mut last = end.checked_sub(1).filter(|last| *last >= first);
    while let Some(at) = last
        && head.word(at).is_empty()
        && !head.is(at, b'>')
    {
        last = at.checked_sub(1).filter(|last| *last >= first);
    }
    Some((keyword, last.map_or("", |last| path(head, last, first).1)))
}

/// Returns the position and the text of the path that ends at a token, such as `Pool<T>::close`.
fn path<'a>(head: &Head<'a>, last: usize, start: usize) -> (usize, &'a str) {
    let before_arguments = |at: usize| {
        if !head.is(at, b'>') {
            return at;
        }
        let open = head.before_angles(at).unwrap_or(at);
        open.saturating_sub(1).max(start)
    };
    let mut first = before_arguments(last);
    loop {
        if first > start && head.is(first - 1, b'~') {
            first -= 1;
        }
        let is_path = first > start && head.kind(first - 1) == Some(Kind::Path);
        if !is_path || first < start + 2 {
            return (first, head.text(first, last));
        }
        let outer = before_arguments(first - 2);
        if head.word(outer).is_empty() {
            return (first, head.text(first, last));
        }
        first = outer;
    }
}

/// Returns the function that a statement declares, if it is a declaration.
fn function<'a>(head: &Head<'a>, start: usize) -> Option<Function<'a>> {
    if let Some(at) = head.find(start, |at| head.word(at) == "operator") {
        return operator(head, at, start);
    }
    let mut found: Option<Function<'_>> = None;
    let mut next = start + 1;
    while next < head.len() {
        let at = next;
        // `std::function<void(int)>` has no parameters.
        next = head.after_angles(at).max(at + 1);
        if head.is(at, b'=') || found.is_some() && head.is(at, b':') {
            break;
        }
        if !head.opens(at, b'(') {
            continue;
        }
        if found
            .as_ref()
            .is_some_and(|found| !is_macro(head, found.parameters))
        {
            break;
        }
        let last = at - 1;
        let is_name = head.name(last).is_some_and(|name| !has(NOT_NAMES, name));
        let is_annotation = last > 0 && head.is(last - 1, b'@');
        if !is_name && !head.is(last, b'>') || is_annotation {
            continue;
        }
        let (first, name) = path(head, last, start);
        // `int (*signal(int number))(int)`
        let mut inner = head.inner(at);
        let is_pointer = inner
            .next()
            .is_some_and(|(kind, _)| kind == Kind::Sign(b'*'));
        let pointed = inner.find(|(kind, _)| *kind == Kind::Word);
        let is_returned = inner
            .next()
            .is_some_and(|(kind, _)| kind == Kind::Open(b'('));
        let name = match pointed {
            Some((_, pointed)) if is_pointer && is_returned => pointed,
            _ => name,
        };
        found = Some(Function {
            name,
            first,
            parameters: at,
        });
    }
    found
}

/// Returns whether brackets contain the arguments of a macro before a declaration. If so, a word follows the brackets.
fn is_macro(head: &Head<'_>, parameters: usize) -> bool {
    let after = head.word(parameters + 2);
    !after.is_empty() && !has(AFTER_PARAMETERS, after)
}

/// Returns the operator whose keyword is at `at`.
fn operator<'a>(head: &Head<'a>, at: usize, start: usize) -> Option<Function<'a>> {
    // `operator()()`
    let from = at + if head.opens(at + 1, b'(') { 3 } else { 1 };
    let parameters = head.find(from, |at| head.opens(at, b'('))?;
    let (first, _) = path(head, at, start);
    Some(Function {
        name: head.text(first, parameters - 1),
        first,
        parameters,
    })
}

/// Returns the name that a `typedef` defines.
fn defined(head: &Head<'_>, start: usize) -> Option<String> {
    // `typedef int (*callback)(int);`
    if let Some(at) = head.find(start, |at| head.opens(at, b'(')) {
        let mut inner = head.inner(at);
        let is_pointer = inner
            .next()
            .is_some_and(|(kind, _)| kind == Kind::Sign(b'*'));
        if is_pointer {
            let name = inner.find(|(kind, _)| *kind == Kind::Word);
            return name.map(|(_, name)| name.to_owned());
        }
        return head.name(at - 1).map(str::to_owned);
    }
    let end = head.find(start, |at| head.opens(at, b'[') || head.is(at, b','));
    let mut names = (start + 1..end.unwrap_or(head.len())).rev();
    names.find_map(|at| head.name(at)).map(str::to_owned)
}
