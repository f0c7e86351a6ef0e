//! What a script is told that asks for what is not there: what there is, as the page has it.
//!
//! The engine hands over texts: `txt` of a `Heading`, or `find_al (Document, i64)`.

use skillc_core::near::nearest;

use super::{FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES};

/// How the engine writes the type of a text in a call.
const ENGINE_STRING: &str = "&str | ImmutableString | String";

/// What to do about a value that is nothing.
const ASK_FIRST: &str = "check for () first";

/// Says that a type has no such property. `said`: the engine's words.
///
/// Returns: `None` if they are about something else.
pub(crate) fn property(said: &str) -> Option<String> {
    let said = said.strip_prefix("Unknown property '")?;
    let (name, of) = said.split_once("' - a getter is not registered for type '")?;
    let of = type_name(of.strip_suffix('\'')?);
    if of == "()" {
        return Some(format!("a value is () and has no '{name}'; {ASK_FIRST}"));
    }
    let members = members(of);
    if members.iter().any(|known| known.is(name, true)) {
        return Some(format!("'{name}' of '{of}' is a function: {name}(…)"));
    }
    let near =
        synonym(name, &members).or_else(|| nearest(name, members.iter().map(|member| member.name)));
    Some(format!("'{of}' has no '{name}'{}", meaning(near)))
}

/// Says that a value has nothing in brackets. `types`: as the engine writes them, `Heading [string]`.
pub(crate) fn index(types: &str) -> String {
    let (of, index) = types.split_once(" [").unwrap_or((types, ""));
    let (of, index) = (type_name(of), type_name(index.trim_end_matches(']')));
    match of {
        "()" => format!("a value is () and has nothing in [ ]; {ASK_FIRST}"),
        _ if index.is_empty() => format!("'{of}' has nothing in [ ]"),
        _ => format!("'{of}' has nothing in [ ] for a value of type {index}"),
    }
}

/// Says that a value is of another type than it has to be.
pub(crate) fn mismatch(expected: &str, found: &str) -> String {
    let (expected, found) = (type_name(expected), type_name(found));
    match (expected, found) {
        ("", found) => format!("a value of type {found} does not fit here"),
        (expected, "()") => format!("a value is () and has to be {expected}; {ASK_FIRST}"),
        (expected, "") => format!("a value has to be {expected}"),
        (expected, found) => format!("a value is {found} and has to be {expected}"),
    }
}

/// Returns the member that other languages call by this name.
fn synonym(name: &str, members: &[Member]) -> Option<&'static str> {
    let ours = match name {
        "length" | "size" | "count" => "len",
        _ => return None,
    };
    let mut known = members.iter().map(|member| member.name);
    known.find(|known| *known == ours)
}

/// Says that there is no such function. `signature`: as the engine writes it.
pub(crate) fn call(signature: &str) -> String {
    let (name, arguments) = signature.split_once(" (").unwrap_or((signature, ""));
    let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
    let arguments: Vec<&str> = arguments.split(", ").map(type_name).collect();
    let given = arguments.join(", ");
    let of = arguments.first().copied().unwrap_or_default();
    let members = members(of);
    let is_known = members.iter().any(|known| known.is(name, true));
    if !is_known && members.iter().any(|known| known.is(name, false)) {
        return format!("'{name}' of '{of}' is no function: write it without ()");
    }
    let mut said = if name.starts_with("anon$") {
        format!("this function cannot be called with ({given})")
    } else if is_known || of == "()" || !name.starts_with(char::is_alphabetic) || is_function(name)
    {
        format!("'{name}' cannot be called with ({given})")
    } else {
        if is_lazy_list(of) {
            return format!(
                "'{of}' is not an array and has no function '{name}': go through it with for element in … {{ }}"
            );
        }
        let called = members.iter().filter(|member| member.is_called);
        let called = called.map(|member| member.name);
        match nearest(name, called.chain(functions())) {
            Some(near) if !of.is_empty() => {
                format!("'{of}' has no function '{name}'{}", meaning(Some(near)))
            }
            near if of.is_empty() => format!("there is no function '{name}'{}", meaning(near)),
            _ => format!("no function '{name}' takes ({given})"),
        }
    };
    if arguments.contains(&"()") {
        said += "; a value is (): ";
        said += ASK_FIRST;
    } else if of == "Findings" && name == "at" && arguments.get(1) == Some(&"Document") {
        said += "; report a whole document with out.file(document, message)";
    } else if is_known || is_function(name) {
        said += "; write ";
        said += &forms(of, name).join(" or ");
    }
    said
}

/// Returns how a function of a type is called, as the page has it.
fn forms(of: &str, name: &str) -> Vec<&'static str> {
    let rows = rows(of)
        .chain(FUNCTIONS)
        .filter(|(written, _)| Member::of(written).is_some_and(|known| known.is(name, true)));
    let form =
        |(written, _): &(&'static str, &str)| written.split(" -> ").next().unwrap_or(written);
    rows.map(form).collect()
}

/// Whether a type is a list of ours that has no function of arrays, and does not have this one.
fn is_lazy_list(of: &str) -> bool {
    of == "Matches" || LISTS.iter().any(|list| list.name == of)
}

fn meaning(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean '{near}'?"))
}

/// Returns the name that the page has for a type of the engine.
fn type_name(of: &str) -> &str {
    match of {
        ENGINE_STRING => "string",
        "i64" => "int",
        "f64" => "float",
        of => of,
    }
}

/// What a type has.
struct Member {
    name: &'static str,
    /// Whether parentheses follow.
    is_called: bool,
}

impl Member {
    /// Reads what is written on the page; `None` if it has no name, as what a loop goes through.
    fn of(written: &'static str) -> Option<Self> {
        let end = written.find(['(', '[', ':', ' '])?;
        let (name, rest) = written.split_at(end);
        let is_named = !name.is_empty() && !rest.starts_with(' ');
        let is_called = rest.starts_with('(');
        is_named.then_some(Self { name, is_called })
    }

    fn is(&self, name: &str, is_called: bool) -> bool {
        self.name == name && self.is_called == is_called
    }
}

/// Returns all that values of a type have; nothing if the page does not tell of it.
fn members(of: &str) -> Vec<Member> {
    let rows = rows(of);
    rows.filter_map(|(written, _)| Member::of(written))
        .collect()
}

/// Returns the lines of the page about a type.
fn rows(of: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let page = TYPES.iter().find(|page| page.name == of);
    let shared = SHARED
        .iter()
        .filter(move |shared| page.is_some_and(|page| page.shares.contains(&shared.name)));
    let of_type = page.into_iter().chain(shared).flat_map(|page| page.members);
    let lists = LISTS.iter().filter(move |list| list.name == of);
    let of_list = lists.flat_map(|_| LIST_MEMBERS);
    of_type.chain(of_list)
}

fn functions() -> impl Iterator<Item = &'static str> {
    let functions = FUNCTIONS.iter();
    functions.filter_map(|(written, _)| Some(Member::of(written)?.name))
}

fn is_function(name: &str) -> bool {
    functions().any(|known| known == name)
}
