//! The clients page, generated from the table of clients.

use skillc_core::clients::{
    Behaviour, Client, Clients, Fault, FieldKind, Listing, Reaction, SameName,
};

use super::{cell, header, row};

const HEAD: &str = "# Clients\n\n\
    Facts about the clients that read skills, used by [`--client`, `--matrix` and `skc budget`](../clients.md). \
    `~` is the home directory.\n\n\
    **Whatever a section omits is unknown.** If it states no limit, the client may still have one; a fault that is not in \
    its table has not been observed; as far as we know, the client ignores fields that are not listed. Lengths are in \
    characters, or in UTF-16 units if stated: most emoji are two of these. “Not confirmed” means that this follows from \
    the client's source code, without a report of it.\n\n\
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
    point("Folders of a project", codes(&client.dirs.project));
    point("Folders of the user", codes(&client.dirs.user));
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
    let instead = instead.map(|(field, place)| format!("{place} for `{field}`"));
    point(
        "Has elsewhere",
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
        1 => "one level below each of these".to_owned(),
        128.. => "unlimited below each of these".to_owned(),
        _ => format!("{folders} levels below each of these"),
    }
}

const fn same_name(rule: SameName) -> &'static str {
    match rule {
        SameName::All => "each is listed",
        SameName::First => {
            "the first one in the order of the folders wins; the project's folders take precedence over the user's"
        }
        SameName::UserFirst => {
            "the first one in the order of the folders wins; the user's folders take precedence over the project's"
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
    format!("{}; strings unless stated otherwise", all.join(", "))
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
        said.push(format!("without the reserved {}", codes(&limits.reserved)));
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
        format!(", {} together", codes(&limits.counts))
    };
    format!("at most {max} {}{together}", limits.unit.plural())
}

fn listing(listing: &Listing) -> String {
    let mut said = Vec::new();
    if let Some(percent) = listing.percent {
        said.push(format!("{percent} % of the context"));
    }
    if let Some(most) = listing.fallback_chars {
        said.push(format!("{most} characters if its size is unknown"));
    }
    if let Some(most) = listing.max_entries {
        said.push(format!("{most} skills"));
    }
    if let Some(most) = listing.max_bytes {
        said.push(format!("{most} bytes"));
    }
    let first = listing.drops.as_ref();
    let first = first.map_or_else(String::new, |drops| format!("; leaves out {drops}"));
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
        return "\nHow it handles faults is unknown.\n".to_owned();
    }
    let mut table = "\n".to_owned() + header(&["Fault", "What it does"]).as_str();
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
