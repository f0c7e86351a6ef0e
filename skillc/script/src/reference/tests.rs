//! Tests that the reference page lists exactly the registered functions and types.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use rhai::{Array, Dynamic, ImmutableString, Map};

use super::{FUNCTIONS, LIST_MEMBERS, LISTS, SHARED, TYPES, TypePage};
use crate::host::api;

/// A name and its argument types. A property has a dot: `.line(Match)`.
type Key = (String, Vec<String>);

/// The functions and properties, each with its return type.
type Members = BTreeMap<Key, String>;

const OF_THE_LANGUAGE: [&str; 7] = ["any", "array", "bool", "char", "int", "map", "string"];

fn registered() -> Members {
    let api = api();
    let noted = api.noted();
    let mut names = noted.types.clone();
    names.extend([
        (TypeId::of::<()>(), String::new()),
        (TypeId::of::<Dynamic>(), "any".to_owned()),
        (TypeId::of::<Array>(), "array".to_owned()),
        (TypeId::of::<bool>(), "bool".to_owned()),
        (TypeId::of::<char>(), "char".to_owned()),
        (TypeId::of::<i64>(), "int".to_owned()),
        (TypeId::of::<Map>(), "map".to_owned()),
        (TypeId::of::<ImmutableString>(), "string".to_owned()),
    ]);
    let mut members = Members::new();
    for function in &noted.functions {
        let name = |of: &TypeId| names.get(of).expect(&function.name).clone();
        let arguments = function.arguments.iter().map(name).collect();
        let key = (function.name.clone(), arguments);
        members.insert(key, name(&function.returns));
    }
    for of in &noted.iterated {
        let key = ("for".to_owned(), vec![names[of].clone()]);
        members.insert(key, "any".to_owned());
    }
    // A property can also be called like a function: `list.len()`.
    let properties: Vec<Key> = members
        .keys()
        .filter_map(|(name, of)| Some((name.strip_prefix('.')?.to_owned(), of.clone())))
        .collect();
    members.retain(|key, _| !properties.contains(key));
    members
}

fn documented() -> Members {
    let mut members = Members::new();
    for page in TYPES {
        add(&mut members, Some(page.name), page.members, "");
        for shared in SHARED {
            if page.shares.contains(&shared.name) {
                add(&mut members, Some(page.name), shared.members, "");
            }
        }
    }
    for list in LISTS {
        add(&mut members, Some(list.name), LIST_MEMBERS, list.of);
    }
    add(&mut members, None, FUNCTIONS, "");
    members
}

/// Adds the members documented for a type. A `place` in a signature is replaced by every type with a position.
fn add(members: &mut Members, of: Option<&str>, rows: &[(&str, &str)], element: &str) {
    let placed = |page: &&TypePage| page.shares.contains(&"place");
    for (written, _) in rows {
        let (name, arguments, returns) = parsed(written);
        let returns = returns.replace("element", element);
        let all: Vec<&str> = of.into_iter().chain(arguments).collect();
        if all.contains(&"place") {
            for page in TYPES.iter().filter(placed) {
                let each = all.iter().map(|one| one.replace("place", page.name));
                let key = (name.clone(), each.collect());
                assert_eq!(members.insert(key, returns.clone()), None, "{written}");
            }
        } else {
            let key = (name, all.iter().map(ToString::to_string).collect());
            assert_eq!(members.insert(key, returns), None, "{written}");
        }
    }
}

/// Returns the name, the argument types, and the return type.
fn parsed(written: &str) -> (String, Vec<&str>, &str) {
    if let Some((_, of)) = written
        .strip_prefix("for ")
        .and_then(|rest| rest.split_once(": "))
    {
        return ("for".to_owned(), Vec::new(), of);
    }
    let end = written.find(['(', '[', ':']).expect(written);
    let (name, rest) = written.split_at(end);
    if let Some(of) = rest.strip_prefix(": ") {
        return (format!(".{name}"), Vec::new(), of);
    }
    let close = rest.find([')', ']']).expect(written);
    let arguments = rest[1..close]
        .split(", ")
        .filter_map(|one| one.split_once(": "));
    let arguments = arguments.map(|(_, of)| of).collect();
    let returns = rest[close + 1..].trim_start_matches(" -> ");
    let name = if name.is_empty() { "[]" } else { name };
    (name.to_owned(), arguments, returns)
}

fn shown((name, arguments): &Key) -> String {
    format!("{name}({})", arguments.join(", "))
}

/// R20: script authors rely on the reference, so it must list exactly the members that exist.
#[test]
fn the_page_has_exactly_the_registered_members() {
    let (registered, documented) = (registered(), documented());
    let missing: Vec<String> = registered
        .keys()
        .filter(|key| !documented.contains_key(*key))
        .map(shown)
        .collect();
    let invented: Vec<String> = documented
        .keys()
        .filter(|key| !registered.contains_key(*key))
        .map(shown)
        .collect();
    assert_eq!((missing, invented), (vec![], vec![]));
    for (key, returns) in &registered {
        let said = &documented[key];
        let is_right = match returns.as_str() {
            "any" => said == "any" || said.ends_with(" or ()") || key.0 == "for",
            returns => said == returns,
        };
        assert!(is_right, "{} is {returns} and not {said}", shown(key));
    }
}

#[test]
fn the_page_has_exactly_the_registered_types() {
    let api = api();
    let registered: BTreeSet<&str> = api.noted().types.values().map(String::as_str).collect();
    let pages = TYPES.iter().map(|page| page.name);
    let known: BTreeSet<&str> = pages.chain(LISTS.iter().map(|list| list.name)).collect();
    let mut own = known.clone();
    own.remove("string");
    assert_eq!(registered, own);
    for said in documented().values().filter(|said| !said.is_empty()) {
        let of = said.trim_end_matches(" or ()");
        assert!(
            known.contains(of) || OF_THE_LANGUAGE.contains(&of),
            "{said}"
        );
    }
}
