//! Error messages for unknown members and functions, with suggestions from the reference.
//!
//! The engine supplies the unknown name only as part of a message, in forms such as `find_al (Document, i64)`.

use skillc_core::did_you_mean::nearest;

use super::{FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES};

/// The name that the engine uses for the string type in a signature.
const ENGINE_STRING: &str = "&str | ImmutableString | String";

/// The advice for a value that may be `()`.
const ASK_FIRST: &str = "check for () first";

/// Creates the message for an unknown property. `said`: the engine's message.
///
/// Returns `None` for any other message.
pub(crate) fn property(said: &str) -> Option<String> {
    let said = said.strip_prefix("Unknown property '")?;
    let (name, of) = said.split_once("' - a getter is not registered for type '")?;
    let of = type_name(of.strip_suffix('\'')?);
    if of == "()" {
        return Some(format!("value is () and has no '{name}'; {ASK_FIRST}"));
    }
    let members = members(of);
    if members.iter().any(|known| known.is(name, true)) {
        return Some(format!("'{name}' of '{of}' is a function: write {name}(…)"));
    }
    let near =
        synonym(name, &members).or_else(|| nearest(name, members.iter().map(|member| member.name)));
    Some(format!("'{of}' has no '{name}'{}", meaning(near)))
}

/// Creates the message for a value that cannot be indexed. `types`: the types of the value and the index in the
/// engine's notation, such as `Heading [string]`.
pub(crate) fn index(types: &str) -> String {
    let (of, index) = types.split_once(" [").unwrap_or((types, ""));
    let (of, index) = (type_name(of), type_name(index.trim_end_matches(']')));
    match of {
        "()" => format!("value is () and cannot be indexed; {ASK_FIRST}"),
        _ if index.is_empty() => format!("'{of}' cannot be indexed"),
        _ => format!("'{of}' cannot be indexed with a value of type {index}"),
    }
}

/// Creates the message for a type mismatch.
pub(crate) fn mismatch(expected: &str, found: &str) -> String {
    let (expected, found) = (type_name(expected), type_name(found));
    match (expected, found) {
        ("", found) => format!("unexpected value of type {found}"),
        (expected, "()") => format!("value is () but must be {expected}; {ASK_FIRST}"),
        (expected, "") => format!("value must be {expected}"),
        (expected, found) => format!("value is {found} but must be {expected}"),
    }
}

/// Returns the member that corresponds to a name from another language.
fn synonym(name: &str, members: &[Member]) -> Option<&'static str> {
    let ours = match name {
        "length" | "size" | "count" => "len",
        _ => return None,
    };
    let mut known = members.iter().map(|member| member.name);
    known.find(|known| *known == ours)
}

/// Creates the message for an unknown function. `signature`: the function's name and the types of its arguments, in the
/// engine's notation.
pub(crate) fn call(signature: &str) -> String {
    let (name, arguments) = signature.split_once(" (").unwrap_or((signature, ""));
    let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
    let arguments: Vec<&str> = arguments.split(", ").map(type_name).collect();
    let given = arguments.join(", ");
    let of = arguments.first().copied().unwrap_or_default();
    let members = members(of);
    let is_known = members.iter().any(|known| known.is(name, true));
    if !is_known && members.iter().any(|known| known.is(name, false)) {
        return format!("'{name}' of '{of}' is not a function: write it without ()");
    }
    let mut said = if name.starts_with("anon$") {
        format!("this function cannot be called with ({given})")
    } else if is_known || of == "()" || !name.starts_with(char::is_alphabetic) || is_function(name)
    {
        format!("'{name}' cannot be called with ({given})")
    } else {
        if is_lazy_list(of) {
            return format!(
                "'{of}' is not an array and has no function '{name}': iterate with for element in … {{ }}"
            );
        }
        let called = members.iter().filter(|member| member.is_called);
        let called = called.map(|member| member.name);
        match nearest(name, called.chain(functions())) {
            Some(near) if !of.is_empty() => {
                format!("'{of}' has no function '{name}'{}", meaning(Some(near)))
            }
            near if of.is_empty() => format!("unknown function '{name}'{}", meaning(near)),
            _ => format!("no function '{name}' takes ({given})"),
        }
    };
    if arguments.contains(&"()") {
        said += "; an argument is (): ";
        said += ASK_FIRST;
    } else if of == "Findings" && name == "at" && arguments.get(1) == Some(&"Document") {
        said += "; report a whole document with out.file(document, message)";
    } else if is_known || is_function(name) {
        said += "; write ";
        said += &forms(of, name).join(" or ");
    }
    said
}

/// Returns the signatures of a function of a type, as written in the reference.
fn forms(of: &str, name: &str) -> Vec<&'static str> {
    let rows = rows(of)
        .chain(FUNCTIONS)
        .filter(|(written, _)| Member::parse(written).is_some_and(|known| known.is(name, true)));
    let form =
        |(written, _): &(&'static str, &str)| written.split(" -> ").next().unwrap_or(written);
    rows.map(form).collect()
}

/// Returns whether a type is a list type of the host. Such types lack the functions of arrays.
fn is_lazy_list(of: &str) -> bool {
    of == "Matches" || LISTS.iter().any(|list| list.name == of)
}

fn meaning(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean '{near}'?"))
}

/// Returns the name that the reference uses for a type of the engine.
fn type_name(of: &str) -> &str {
    match of {
        ENGINE_STRING => "string",
        "i64" => "int",
        "f64" => "float",
        of => of,
    }
}

/// A member of a type.
struct Member {
    name: &'static str,
    /// Whether the member is a function, and so is written with parentheses.
    is_called: bool,
}

impl Member {
    /// Parses a member as written in the reference. Returns `None` for a member without a name, such as a loop or an
    /// index.
    fn parse(written: &'static str) -> Option<Self> {
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

/// Returns all members of a type; empty if the reference does not list the type.
fn members(of: &str) -> Vec<Member> {
    let rows = rows(of);
    rows.filter_map(|(written, _)| Member::parse(written))
        .collect()
}

/// Returns the reference entries of a type.
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
    functions.filter_map(|(written, _)| Some(Member::parse(written)?.name))
}

fn is_function(name: &str) -> bool {
    functions().any(|known| known == name)
}
