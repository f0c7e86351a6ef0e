//! What a script is told that asks for what is not there: what there is, as the page has it.
//!
//! The engine hands over texts: `txt` of a `Heading`, or `find_al (Document, i64)`.

use skillc_core::near::nearest;

use super::{FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES};

/// How the engine writes the type of a text in a call.
const ENGINE_STRING: &str = "&str | ImmutableString | String";

/// What to do about a value that is nothing.
const ASK_FIRST: &str = "ask for () first";

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
    let near = nearest(name, members.iter().map(|member| member.name));
    Some(format!("'{of}' has no '{name}'{}", meaning(near)))
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
    }
    said
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
    let page = TYPES.iter().find(|page| page.name == of);
    let shared = SHARED
        .iter()
        .filter(|shared| page.is_some_and(|page| page.shares.contains(&shared.name)));
    let of_type = page.into_iter().chain(shared).flat_map(|page| page.members);
    let lists = LISTS.iter().filter(|list| list.name == of);
    let of_list = lists.flat_map(|_| LIST_MEMBERS);
    let rows = of_type.chain(of_list);
    rows.filter_map(|(written, _)| Member::of(written))
        .collect()
}

fn functions() -> impl Iterator<Item = &'static str> {
    let functions = FUNCTIONS.iter();
    functions.filter_map(|(written, _)| Some(Member::of(written)?.name))
}

fn is_function(name: &str) -> bool {
    functions().any(|known| known == name)
}
