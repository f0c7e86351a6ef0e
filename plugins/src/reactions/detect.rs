//! Which faults a skill has, as a client would see them.

use std::collections::BTreeSet;

use skillc_core::clients::{Behaviour, Client, Clients, Fault, Unit};
use skillc_core::{Document, Field, Fields, Frontmatter, Skill, Span, Value};

use crate::frontmatter::{field, place, shown, structure};

/// Fields that tell people something and no client acts on: to ignore them loses nothing.
const SAY_ONLY: [&str; 3] = ["license", "compatibility", "metadata"];

/// A skill under check.
pub(super) struct Scene<'a> {
    main: &'a Document,
    skill: &'a Skill,
    /// The fields that any client has.
    known: BTreeSet<&'static str>,
}

/// Where a fault is.
pub(super) struct Place {
    pub(super) at: Span,
    /// What is wrong, as the first half of a message.
    pub(super) subject: String,
    /// The field, if the client does not have it.
    pub(super) field: Option<String>,
}

impl Place {
    fn new(at: Span, subject: impl Into<String>) -> Self {
        Self {
            at,
            subject: subject.into(),
            field: None,
        }
    }
}

impl<'a> Scene<'a> {
    pub(super) fn new(main: &'a Document, skill: &'a Skill) -> Self {
        let known = Clients::shared().fields();
        Self { main, skill, known }
    }

    /// Returns where a skill has a fault, for a client that does something about it.
    pub(super) fn places(&self, fault: Fault, client: &Client, does: Behaviour) -> Vec<Place> {
        let one = match fault {
            Fault::UnknownField => return self.unknown_fields(client, does),
            Fault::Flow => return self.flow(),
            Fault::MultiLine => return self.multi_line(),
            Fault::NoFrontmatter => None,
            Fault::Colon | Fault::Yaml => self.no_yaml(fault),
            Fault::Bom => self.bom(),
            Fault::Dashes => self.dashes(),
            Fault::NoName => self.missing("name"),
            Fault::NoDescription => self.missing("description"),
            Fault::NameOver => self.name_over(client, does),
            Fault::NameCharacters => self.name_characters(client),
            Fault::NameReserved => self.name_reserved(client),
            Fault::DirMismatch => self.dir_mismatch(),
            Fault::DescriptionOver => self.description_over(client, does),
            Fault::DescriptionMarkup => self.markup(does),
            Fault::ArgumentHintList => self.list("argument-hint"),
            Fault::AllowedToolsList => self.list("allowed-tools"),
            Fault::MetadataNoMap => self.metadata(),
        };
        one.into_iter().collect()
    }

    fn fields(&self) -> impl Iterator<Item = &'a Field> {
        let fields = self.main.frontmatter.fields();
        fields.into_iter().flat_map(Fields::iter)
    }

    /// Returns a field that is a text and not empty, without what is blank around it.
    fn text(&self, key: &str) -> Option<(&'a str, Span)> {
        let field = field(self.main, key)?;
        let text = field.value.text()?.trim();
        (!text.is_empty()).then(|| (text, place(field)))
    }

    /// A colon where the fault is marked tells the most frequent fault from all others. One at the first line is a block
    /// that is too large for us, which says nothing of clients.
    fn no_yaml(&self, fault: Fault) -> Option<Place> {
        let Frontmatter::Invalid { at, .. } = &self.main.frontmatter else {
            return None;
        };
        let is_size = self.main.lines.line(at.start) == 1;
        let is_colon = self.main.text[at.start..].starts_with(':');
        let subject = match fault {
            Fault::Colon if is_colon => "a value without quotes contains ': '",
            Fault::Yaml if !is_colon && !is_size => "the frontmatter is no YAML",
            _ => return None,
        };
        Some(Place::new(*at, subject))
    }

    fn bom(&self) -> Option<Place> {
        let is_before = self.main.text.starts_with('\u{feff}');
        self.main.frontmatter.fields().filter(|_| is_before)?;
        let at = Span::new(0, self.main.lines.range(1, 2).end);
        Some(Place::new(at, "a byte order mark stands before '---'"))
    }

    fn flow(&self) -> Vec<Place> {
        let mut found = Vec::new();
        for field in self.fields() {
            self.flow_of(field, &mut found);
        }
        found
    }

    fn flow_of(&self, field: &Field, found: &mut Vec<Place>) {
        let starts = |signs: [char; 2]| self.main.text[field.value_span.start..].starts_with(signs);
        if let Some(kind) = structure(&field.value).filter(|_| starts(['[', '{'])) {
            let subject = format!("'{}' is {kind} in brackets", shown(&field.key));
            found.push(Place::new(field.value_span, subject));
        } else if let Value::Map(inner) = &field.value {
            for field in inner.iter() {
                self.flow_of(field, found);
            }
        }
    }

    /// What some clients take for the end of the block: three hyphens anywhere in it.
    fn dashes(&self) -> Option<Place> {
        let Frontmatter::Valid(_) = &self.main.frontmatter else {
            return None;
        };
        let head = self.main.text[..self.main.body_start].trim_end();
        let start = self.main.lines.range(2, 2).start;
        let block = head.strip_suffix("---")?.get(start..)?;
        let at = start + block.find("---")?;
        let subject = "the frontmatter has '---' before its last line";
        Some(Place::new(Span::new(at, at + 3), subject))
    }

    fn multi_line(&self) -> Vec<Place> {
        let line = |at: usize| self.main.lines.line(at);
        let is_long = |field: &&Field| {
            let value = field.value_span;
            matches!(field.value, Value::Text(_))
                && value.end > value.start
                && line(value.end - 1) > line(field.key_span.start)
        };
        let of_interest = ["name", "description"].into_iter();
        let fields = of_interest.filter_map(|key| field(self.main, key));
        fields
            .filter(is_long)
            .map(|field| {
                let subject = format!("'{}' stands on several lines", field.key);
                Place::new(field.key_span, subject)
            })
            .collect()
    }

    /// Who ignores a field is not asked about one that nobody knows, or that is there to be read by people.
    fn unknown_fields(&self, client: &Client, does: Behaviour) -> Vec<Place> {
        let is_lost = |key: &str| {
            does == Behaviour::Error || self.known.contains(key) && !SAY_ONLY.contains(&key)
        };
        let unknown = self.fields().filter(|field| {
            let key = field.key.as_str();
            !client.has_field(key) && is_lost(key)
        });
        unknown
            .map(|field| {
                let whose = if self.known.contains(field.key.as_str()) {
                    "of other clients"
                } else {
                    "of no known client"
                };
                let subject = format!("field '{}' is {whose}", shown(&field.key));
                Place {
                    field: Some(field.key.clone()),
                    ..Place::new(field.key_span, subject)
                }
            })
            .collect()
    }

    fn missing(&self, key: &str) -> Option<Place> {
        let first_line = Span::new(0, self.main.lines.range(1, 2).end);
        let at = match &self.main.frontmatter {
            Frontmatter::Valid(fields) => match fields.get(key) {
                None => first_line,
                Some(field) if field.value == Value::Null => field.key_span,
                Some(_) => return None,
            },
            Frontmatter::Invalid { fields, .. } if !fields.mentions(key) => first_line,
            _ => return None,
        };
        Some(Place::new(at, format!("there is no '{key}'")))
    }

    fn name_over(&self, client: &Client, does: Behaviour) -> Option<Place> {
        let (name, at) = self.text("name")?;
        let over = too_long(
            "name has",
            &[name],
            client.name.unit,
            client.name.max?,
            does,
        )?;
        Some(Place::new(at, over))
    }

    fn name_characters(&self, client: &Client) -> Option<Place> {
        let (name, at) = self.text("name")?;
        let shown = shown(name);
        let pattern = client.name.pattern;
        if let Some(pattern) = pattern.filter(|pattern| !pattern.matches(name)) {
            let subject = format!("name '{shown}' is not {}", pattern.about());
            return Some(Place::new(at, subject));
        }
        let mut forbidden = client.name.forbid.iter();
        let sign = forbidden.find(|sign| name.contains(sign.as_str()))?;
        Some(Place::new(at, format!("name '{shown}' contains '{sign}'")))
    }

    fn name_reserved(&self, client: &Client) -> Option<Place> {
        let (name, at) = self.text("name")?;
        let lower = name.to_lowercase();
        let mut reserved = client.name.reserved.iter();
        let word = reserved.find(|word| lower.contains(word.as_str()))?;
        let subject = format!("name '{}' contains the reserved word '{word}'", shown(name));
        Some(Place::new(at, subject))
    }

    fn dir_mismatch(&self) -> Option<Place> {
        let (name, at) = self.text("name")?;
        let dir = &self.skill.at.name;
        let paths = [&self.skill.at.source, &self.skill.at.canonical];
        if paths.iter().all(|path| !path.ends_with(dir)) {
            return None;
        }
        let subject = || {
            format!(
                "name '{}' is not the directory's, '{}'",
                shown(name),
                shown(dir)
            )
        };
        (name != dir).then(|| Place::new(at, subject()))
    }

    fn description_over(&self, client: &Client, does: Behaviour) -> Option<Place> {
        let limits = &client.description;
        let counted: &[String] = &limits.counts;
        let others = counted.iter().filter(|key| *key != "description");
        let others = others.filter_map(|key| Some((key.as_str(), self.text(key)?)));
        let own = self.text("description").map(|text| ("description", text));
        let texts: Vec<(&str, (&str, Span))> = own.into_iter().chain(others).collect();
        let (_, (_, at)) = *texts.first()?;
        let keys: Vec<&str> = texts.iter().map(|(key, _)| *key).collect();
        let has = if keys.len() == 1 { "has" } else { "have" };
        let subject = format!("{} {has}", super::joined(&keys));
        let values: Vec<&str> = texts.iter().map(|(_, (text, _))| *text).collect();
        let over = too_long(&subject, &values, limits.unit, limits.max?, does)?;
        Some(Place::new(at, over))
    }

    fn markup(&self, does: Behaviour) -> Option<Place> {
        let (text, at) = self.text("description")?;
        let subject = if does == Behaviour::Strip {
            format!("description contains the tag '{}'", shown(tag(text)?))
        } else {
            let sign = text.chars().find(|c| matches!(c, '<' | '>'))?;
            format!("description contains '{sign}'")
        };
        Some(Place::new(at, subject))
    }

    fn list(&self, key: &str) -> Option<Place> {
        let field = field(self.main, key)?;
        let is_list = matches!(field.value, Value::List(_));
        is_list.then(|| Place::new(place(field), format!("'{key}' is a list")))
    }

    fn metadata(&self) -> Option<Place> {
        let field = field(self.main, "metadata")?;
        let kind = match &field.value {
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            _ => return None,
        };
        let subject = format!("'metadata' is {kind}, not a map");
        Some(Place::new(place(field), subject))
    }
}

/// Says how long texts are together if they are too long; who cuts says itself where.
fn too_long(has: &str, texts: &[&str], unit: Unit, max: usize, does: Behaviour) -> Option<String> {
    let count = |unit: Unit| texts.iter().map(|text| unit.count(text)).sum::<usize>();
    let length = count(unit);
    if length <= max {
        return None;
    }
    // Where both are the same the common word is better, and one finding is enough for all clients.
    let unit = if length == count(Unit::Characters) {
        Unit::Characters
    } else {
        unit
    };
    let limit = if does == Behaviour::Cut {
        String::new()
    } else {
        format!(", more than {max}")
    };
    Some(format!("{has} {length} {}{limit}", unit.plural()))
}

/// Returns the first tag, as HTML has them.
fn tag(text: &str) -> Option<&str> {
    let starts = text.match_indices('<').map(|(at, _)| &text[at..]);
    let mut tags = starts.filter_map(|rest| {
        let inner = rest[1..].trim_start_matches('/');
        let end = rest.find('>')?;
        inner
            .starts_with(|c: char| c.is_ascii_alphabetic())
            .then(|| &rest[..=end])
    });
    tags.next()
}
