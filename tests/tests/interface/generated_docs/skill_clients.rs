//! The clients page, generated from the table of clients.

use skillc_core::clients::{
    Behaviour, Client, Clients, Fault, FieldKind, Listing, Reaction, SameName,
};

use super::{cell, header, row};

const HEAD: &str = "# Clients\n\n\
    [`--client`, `--matrix` and `skc budget`](../clients.md) use these facts about clients. \
    `~` is the home directory.\n\n\
    **Whatever a section omits is unknown.** A client for which no limit is stated may still have one, and if a \
    client's table does not list a fault, we do not know what the client does. As far as we know, a client ignores \
    the fields that its section does not list. Lengths are in characters, or in UTF-16 units if stated: most emoji \
    take two UTF-16 units. “Not confirmed” means that the behaviour follows from the client's source code, but no \
    report confirms it.\n\n\
    Clients change. Each section cites its sources, with dates; some faults have a source of their own. Please report \
    errors as issues.\n\n";

pub(crate) fn page() -> String {
    let clients = &Clients::shared().clients;
    let mut page = HEAD.to_owned();
    page += &header(&["Client", "Name", "Description", "Listing", "Known faults"]);
    for client in clients {
        let id = &client.id;
        let most = |max: Option<usize>| max.map_or("-".to_owned(), |max| max.to_string());
        page += &row(&[
            &format!("[{id}](#{id})"),
            &most(client.name.max),
            &most(client.description.max),
            &cell(&client.listing.as_ref().map_or("-".to_owned(), listing)),
            &known(client).count().to_string(),
        ]);
    }
    for client in clients {
        page += &section(client);
    }
    page
}

fn section(client: &Client) -> String {
    let mut text = format!("\n## {}\n\n", client.id);
    let mut point = |label: &str, value: String| {
        if !value.is_empty() {
            text += &format!("* **{label}**: {value}\n");
        }
    };
    point("Project folders", codes(&client.dirs.project));
    point("User folders", codes(&client.dirs.user));
    point("Depth", client.max_depth.map_or_else(String::new, depth));
    let same = client.same_name.map_or("", same_name);
    point("Skills with the same name", same.to_owned());
    point("Fields", fields(client));
    point("Required fields", codes(&client.required));
    point("Name", name(client));
    point("Description", description(client));
    let budget = client.listing.as_ref();
    point("Listing", budget.map_or_else(String::new, listing));
    let placeholders = client.placeholders.as_ref();
    point(
        "Placeholders",
        placeholders.map_or_else(String::new, |all| {
            if all.is_empty() {
                "none".to_owned()
            } else {
                codes(all)
            }
        }),
    );
    point("Accepted booleans", codes(&client.booleans));
    point("Other files that it reads", codes(&client.sidecars));
    let instead = client.instead.iter();
    let instead = instead.map(|(field, place)| format!("{place} instead of `{field}`"));
    point(
        "Equivalent fields",
        cell(&instead.collect::<Vec<_>>().join(", ")),
    );
    text += &faults(client);
    text += &format!(
        "\nSeen in: {} (date: {}).\n",
        cell(&client.origin.source),
        client.origin.date
    );
    text
}

fn codes(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

fn depth(folders: usize) -> String {
    match folders {
        1 => "one level below each folder".to_owned(),
        128.. => "unlimited below each folder".to_owned(),
        _ => format!("{folders} levels below each folder"),
    }
}

const fn same_name(rule: SameName) -> &'static str {
    match rule {
        SameName::All => "all are listed",
        SameName::First => {
            "the skill in the first folder wins; project folders take precedence over user folders"
        }
        SameName::UserFirst => {
            "the skill in the first folder wins; user folders take precedence over project folders"
        }
        SameName::One => "one wins; which one is unknown",
    }
}

fn fields(client: &Client) -> String {
    let field = |field: &skillc_core::clients::ClientField| {
        let kind = |kind: &FieldKind| match kind {
            FieldKind::Word(word) => format!("`{word}`"),
            other => other.to_string(),
        };
        let kinds: Vec<String> = field.kinds.iter().map(kind).collect();
        match kinds.as_slice() {
            [one] if one == "a string" => format!("`{}`", field.key),
            _ => format!("`{}` ({})", field.key, kinds.join(" or ")),
        }
    };
    let all: Vec<String> = client.typed_fields.iter().map(field).collect();
    format!(
        "{}; each is a string unless stated otherwise",
        all.join(", ")
    )
}

fn name(client: &Client) -> String {
    let limits = &client.name;
    let mut said = Vec::new();
    if let Some(max) = limits.max {
        said.push(format!("at most {max} {}", limits.unit.plural()));
    }
    if let Some(max) = limits.qualified_max {
        said.push(format!("{max} with a plug-in's name as prefix"));
    }
    if let Some(pattern) = limits.pattern {
        said.push(pattern.about().to_owned());
    }
    if !limits.forbid.is_empty() {
        said.push(format!("without {}", codes(&limits.forbid)));
    }
    if !limits.reserved.is_empty() {
        said.push(format!(
            "without the reserved words {}",
            codes(&limits.reserved)
        ));
    }
    cell(&said.join("; "))
}

fn description(client: &Client) -> String {
    let limits = &client.description;
    let Some(max) = limits.max else {
        return String::new();
    };
    let together = if limits.counts.is_empty() {
        String::new()
    } else {
        let counted = limits.counts.iter().map(|field| format!("`{field}`"));
        let counted: Vec<String> = counted.collect();
        format!(" for {} together", counted.join(" and "))
    };
    format!("at most {max} {}{together}", limits.unit.plural())
}

fn listing(listing: &Listing) -> String {
    let mut said = Vec::new();
    if let Some(percent) = listing.percent {
        said.push(format!("{percent} % of the context"));
    }
    if let Some(most) = listing.fallback_chars {
        said.push(format!(
            "or {most} characters if the size of the context is unknown"
        ));
    }
    if let Some(most) = listing.max_entries {
        said.push(format!("{most} skills"));
    }
    if let Some(most) = listing.max_bytes {
        said.push(format!("{most} bytes"));
    }
    let first = listing.drops.as_ref();
    let first = first.map_or_else(String::new, |drops| {
        format!("; beyond that, the client leaves out {drops}")
    });
    said.join(", ") + first.as_str()
}

/// Returns the faults for which the client's reaction is known.
fn known(client: &Client) -> impl Iterator<Item = (Fault, &Reaction)> {
    let faults = client
        .faults
        .iter()
        .map(|(fault, reaction)| (*fault, reaction));
    faults.filter(|(_, reaction)| reaction.does != Behaviour::Unknown)
}

fn faults(client: &Client) -> String {
    if known(client).next().is_none() {
        return "\nHow this client handles faults is unknown.\n".to_owned();
    }
    let mut table = "\n".to_owned() + header(&["Fault", "What the client does"]).as_str();
    for (fault, reaction) in known(client) {
        table += &row(&[fault.about(), &cell(&does(reaction))]);
    }
    table
}

fn does(reaction: &Reaction) -> String {
    let mut said = reaction.does.words().0.to_owned();
    if let Some(since) = &reaction.since {
        said += &format!(", since {since}");
    }
    if let Some(until) = &reaction.until {
        said += &format!("; until {} it {}", until.when, until.does.past());
    }
    if !reaction.confirmed {
        said += "; not confirmed";
    }
    if let Some(origin) = &reaction.origin {
        said += &format!(" ({})", origin.seen());
    }
    said
}

/// An independent check of the generator's output.
#[test]
fn every_client_is_on_the_page_with_its_folders_and_known_faults() {
    let page = page();
    for client in &Clients::shared().clients {
        let after = page.split(&format!("\n## {}\n", client.id)).nth(1);
        let section = after
            .expect("a section")
            .split("\n## ")
            .next()
            .unwrap_or_default();
        for dir in client.dirs.project.iter().chain(&client.dirs.user) {
            assert!(
                section.contains(&format!("`{dir}`")),
                "{}: {dir}",
                client.id
            );
        }
        let rows = section
            .lines()
            .filter(|line| line.starts_with("| "))
            .count();
        let faults = known(client).count();
        let expected = if faults == 0 { 0 } else { faults + 2 };
        assert_eq!(rows, expected, "{}", client.id);
    }
    assert!(page.lines().count() < 600, "the page is too long");
}
