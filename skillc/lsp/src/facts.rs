//! Describes, in Markdown, how clients handle the fields of the frontmatter.

use skillc_core::clients::{Client, ClientField, FieldKind};

/// Describes how clients handle a field.
pub(crate) fn of_field(key: &str, clients: &[Client]) -> String {
    let (readers, others): (Vec<&Client>, Vec<&Client>) =
        clients.iter().partition(|client| client.has_field(key));
    let mut text = format!("**`{key}`**\n");
    for client in readers {
        text += &format!("\n- `{}`: {}", client.id, of_client(key, client));
    }
    let instead = others
        .iter()
        .filter_map(|client| Some((client, client.instead.get(key)?)));
    for (client, instead) in instead {
        text += &format!("\n- `{}`: not read; use `{instead}` instead", client.id);
    }
    let others: Vec<String> = others
        .iter()
        .filter(|client| !client.instead.contains_key(key))
        .map(|client| format!("`{}`", client.id))
        .collect();
    if !others.is_empty() {
        text += &format!("\n\nNot read by {}.", others.join(", "));
    }
    text
}

fn of_client(key: &str, client: &Client) -> String {
    let mut facts = Vec::new();
    for field in &client.typed_fields {
        if field.key == key {
            facts.push(kinds(field));
        } else if let Some(inner) = field.key.strip_prefix(key)
            && let Some(inner) = inner.strip_prefix('.')
        {
            facts.push(format!("reads the key `{inner}`, {}", kinds(field)));
        }
    }
    if client.required.iter().any(|required| required == key) {
        facts.push("required".to_owned());
    }
    match key {
        "name" => {
            let limits = &client.name;
            let unit = limits.unit.plural();
            facts.extend(limits.max.map(|max| format!("at most {max} {unit}")));
            facts.extend(limits.pattern.map(|pattern| pattern.about().to_owned()));
            let reserved = limits.reserved.iter();
            facts.extend(reserved.map(|word| format!("must not contain `{word}`")));
        }
        "description" => {
            let limits = &client.description;
            let unit = limits.unit.plural();
            facts.extend(limits.max.map(|max| format!("at most {max} {unit}")));
        }
        _ => {}
    }
    facts.join("; ")
}

/// Lists the types of a field: `a string or a list`.
fn kinds(field: &ClientField) -> String {
    let kinds = field.kinds.iter().map(|kind| match kind {
        FieldKind::Word(word) => format!("`{word}`"),
        other => other.to_string(),
    });
    kinds.collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use skillc_core::clients::Clients;

    use super::*;

    #[test]
    fn facts_name_types_limits_and_the_clients_that_do_not_read_a_field() {
        let clients: Vec<Client> = ["spec", "claude-code"]
            .map(|id| Clients::shared().client(id).unwrap().clone())
            .into();
        let name = of_field("name", &clients);
        assert!(
            name.contains("- `spec`: a string; required; at most 64 characters; words of a-z"),
            "{name}"
        );
        let hint = of_field("argument-hint", &clients);
        assert!(
            hint.contains("- `claude-code`: ") && hint.ends_with("Not read by `spec`."),
            "{hint}"
        );
        assert!(of_field("nonsense", &clients).contains("Not read by `spec`, `claude-code`."));
    }
}
