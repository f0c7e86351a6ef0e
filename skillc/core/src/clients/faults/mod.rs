//! Finds the faults of a skill as a client would see them, and the bytes that cause them.
//!
//! This module reports only facts about one `SKILL.md`: the table of clients specifies how a client reacts to a fault,
//! and the caller decides what the reaction means.
//!
//! Design: R1, R3, R15.

mod cause;
mod measure;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use super::{Behaviour, Client, Clients, Fault, STANDARD, Unit};
use crate::resolve::SkillRef;
use crate::source::document::Document;
use crate::source::frontmatter::{Field, Fields, Frontmatter, Value};
use crate::source::lines::Span;

use cause::{char_after, in_source};
use measure::{tag, too_long};

pub use words::{joined, shown};

/// Informational fields that no client acts on. A client that ignores them loses nothing.
const SAY_ONLY: [&str; 3] = ["license", "compatibility", "metadata"];

/// Finds the faults of one skill.
pub struct Faults<'a> {
    main: &'a Document,
    at: &'a SkillRef,
    /// The fields that at least one client supports.
    known: BTreeSet<&'static str>,
}

/// The location of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultPlace {
    /// The span to show: a value, a key, or the first line if a field or the frontmatter is missing.
    pub at: Span,
    /// The smallest span known to cause the fault; `None` if there is none, for example if a field is missing.
    pub cause: Option<Span>,
    /// The problem, as the first half of a message.
    pub subject: String,
    /// The name of the field, if the fault is that the client does not support it.
    pub field: Option<String>,
}

impl FaultPlace {
    fn new(at: Span, subject: impl Into<String>) -> Self {
        Self {
            at,
            cause: None,
            subject: subject.into(),
            field: None,
        }
    }

    fn because_of(self, cause: Span) -> Self {
        Self {
            cause: Some(cause),
            ..self
        }
    }
}

/// A field with non-empty text.
#[derive(Clone, Copy)]
struct Scalar<'a> {
    field: &'a Field,
    /// The field's text without surrounding white space.
    text: &'a str,
    at: Span,
}

impl<'a> Faults<'a> {
    /// Prepares to check a skill.
    ///
    /// `main`: the skill's `SKILL.md`, of which only the frontmatter matters. `at`: the location of the skill.
    pub fn new(main: &'a Document, at: &'a SkillRef) -> Self {
        let known = Clients::shared().fields();
        Self { main, at, known }
    }

    /// Returns the locations of a fault in the skill, for a client that reacts to the fault.
    ///
    /// `does`: the client's reaction, which determines the wording.
    pub fn places(&self, fault: Fault, client: &Client, does: Behaviour) -> Vec<FaultPlace> {
        let one = match fault {
            Fault::UnknownField => return self.unknown_fields(client, does),
            Fault::Flow => return self.flow(),
            Fault::MultiLine => return self.multi_line(),
            Fault::NoFrontmatter => self.no_frontmatter(),
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

    fn field(&self, key: &str) -> Option<&'a Field> {
        self.main.frontmatter.fields()?.get(key)
    }

    fn text(&self, key: &str) -> Option<Scalar<'a>> {
        let field = self.field(key)?;
        let text = field.value.text()?.trim();
        let at = field.place();
        (!text.is_empty()).then_some(Scalar { field, text, at })
    }

    /// Maps a character of a field's text to its span in the file. If that cannot be determined, returns the span of
    /// the value's first character.
    ///
    /// `offset`: the byte offset of the character in the text.
    fn source_of(&self, of: Scalar<'_>, offset: usize) -> Span {
        let source = &self.main.text;
        let found = in_source(source, of.field.value_span, of.text, offset);
        found.unwrap_or_else(|| char_after(source, of.at.start))
    }

    fn first_line(&self) -> Span {
        Span::new(0, self.main.lines.range(1, 2).end)
    }

    /// Reports missing frontmatter at the first byte that differs from an opening `---` line.
    fn no_frontmatter(&self) -> Option<FaultPlace> {
        let Frontmatter::Absent = &self.main.frontmatter else {
            return None;
        };
        let text = &self.main.text;
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let same = text[start..].bytes().zip(*b"---");
        let same = same.take_while(|(is, wanted)| is == wanted).count();
        let place = FaultPlace::new(self.first_line(), "there is no frontmatter");
        Some(match start + same {
            end if end == text.len() => place,
            at => place.because_of(char_after(text, at)),
        })
    }

    /// Reports invalid YAML. If the parser stopped at a colon, the fault is [`Fault::Colon`]. An error on the first
    /// line means that the block exceeds skc's own size limit. Clients do not share this limit, so the error is not
    /// reported.
    fn no_yaml(&self, fault: Fault) -> Option<FaultPlace> {
        let Frontmatter::Invalid { at, .. } = &self.main.frontmatter else {
            return None;
        };
        let is_size = self.main.lines.line(at.start) == 1;
        let is_colon = self.main.text[at.start..].starts_with(':');
        let subject = match fault {
            Fault::Colon if is_colon => "a value without quotes contains ': '",
            Fault::Yaml if !is_colon && !is_size => "the frontmatter is not valid YAML",
            _ => return None,
        };
        let mut cause = char_after(&self.main.text, at.start);
        if is_colon && self.main.text[cause.end..].starts_with(' ') {
            cause.end += 1;
        }
        Some(FaultPlace::new(*at, subject).because_of(cause))
    }

    fn bom(&self) -> Option<FaultPlace> {
        let is_before = self.main.text.starts_with('\u{feff}');
        self.main.frontmatter.fields().filter(|_| is_before)?;
        let place = FaultPlace::new(self.first_line(), "there is a byte order mark before '---'");
        Some(place.because_of(char_after(&self.main.text, 0)))
    }

    fn flow(&self) -> Vec<FaultPlace> {
        let mut found = Vec::new();
        for field in self.fields() {
            self.flow_of(field, &mut found);
        }
        found
    }

    fn flow_of(&self, field: &Field, found: &mut Vec<FaultPlace>) {
        let starts = |signs: [char; 2]| self.main.text[field.value_span.start..].starts_with(signs);
        if let Some(kind) = field.value.structure().filter(|_| starts(['[', '{'])) {
            let subject = format!("'{}' is {kind} in brackets", shown(&field.key));
            let place = FaultPlace::new(field.value_span, subject);
            found.push(place.because_of(char_after(&self.main.text, field.value_span.start)));
        } else if let Value::Map(inner) = &field.value {
            for field in inner.iter() {
                self.flow_of(field, found);
            }
        }
    }

    /// Finds `---` inside the block: some clients treat any three hyphens as the end of the block.
    fn dashes(&self) -> Option<FaultPlace> {
        let Frontmatter::Valid(_) = &self.main.frontmatter else {
            return None;
        };
        let head = self.main.text[..self.main.body_start].trim_end();
        let start = self.main.lines.range(2, 2).start;
        let block = head.strip_suffix("---")?.get(start..)?;
        let at = start + block.find("---")?;
        let subject = "the frontmatter contains '---' before its end";
        let at = Span::new(at, at + 3);
        Some(FaultPlace::new(at, subject).because_of(at))
    }

    fn multi_line(&self) -> Vec<FaultPlace> {
        let line = |at: usize| self.main.lines.line(at);
        let is_long = |field: &&Field| {
            let value = field.value_span;
            matches!(field.value, Value::Text(_))
                && value.end > value.start
                && line(value.end - 1) > line(field.key_span.start)
        };
        let of_interest = ["name", "description"].into_iter();
        let fields = of_interest.filter_map(|key| self.field(key));
        fields
            .filter(is_long)
            .map(|field| {
                let end = self.main.text[field.key_span.end..].find(['\r', '\n']);
                let end = field.key_span.end + end.unwrap_or_default();
                let first = self.main.text[field.key_span.end..end]
                    .trim_start_matches(':')
                    .trim();
                let mut subject = format!("'{}' has a multi-line value", field.key);
                // A line-based parser treats the block indicator as the whole value.
                if first.starts_with(['>', '|']) {
                    subject += &format!(", whose first line is only '{}'", shown(first));
                }
                let place = FaultPlace::new(field.key_span, subject);
                place.because_of(char_after(&self.main.text, end))
            })
            .collect()
    }

    /// Reports the fields that the client does not support. Skips informational fields and fields that no client
    /// supports, unless the client rejects unknown fields with an error.
    fn unknown_fields(&self, client: &Client, does: Behaviour) -> Vec<FaultPlace> {
        let is_lost = |key: &str| {
            does == Behaviour::Error || self.known.contains(key) && !SAY_ONLY.contains(&key)
        };
        let unknown = self.fields().filter(|field| {
            let key = field.key.as_str();
            !client.has_field(key) && is_lost(key)
        });
        unknown
            .map(|field| {
                let standard = Clients::shared().client(STANDARD);
                let is_standard = standard.is_ok_and(|spec| spec.has_field(&field.key));
                let not = if is_standard { "" } else { "not " };
                let subject = format!("field '{}' is {not}in the standard", shown(&field.key));
                FaultPlace {
                    field: Some(field.key.clone()),
                    cause: Some(field.key_span),
                    ..FaultPlace::new(field.key_span, subject)
                }
            })
            .collect()
    }

    fn missing(&self, key: &str) -> Option<FaultPlace> {
        let first_line = self.first_line();
        let at = match &self.main.frontmatter {
            Frontmatter::Valid(fields) => match fields.get(key) {
                None => first_line,
                Some(field) if field.value == Value::Null => field.key_span,
                Some(_) => return None,
            },
            Frontmatter::Invalid { fields, .. } if !fields.mentions(key) => first_line,
            _ => return None,
        };
        Some(FaultPlace::new(at, format!("there is no '{key}'")))
    }

    fn name_over(&self, client: &Client, does: Behaviour) -> Option<FaultPlace> {
        let name = self.text("name")?;
        let (unit, max) = (client.name.unit, client.name.max?);
        let over = too_long("name has", &[name.text], unit, max, does)?;
        let cause = self.first_over(&[name], unit, max)?;
        Some(FaultPlace::new(name.at, over).because_of(cause))
    }

    fn name_characters(&self, client: &Client) -> Option<FaultPlace> {
        let name = self.text("name")?;
        let shown = shown(name.text);
        let pattern = client.name.pattern;
        let (subject, offset) = pattern
            .and_then(|pattern| {
                let subject = || format!("name '{shown}' does not consist of {}", pattern.about());
                Some((subject(), pattern.first_fault(name.text)?))
            })
            .or_else(|| {
                let mut forbidden = client.name.forbid.iter();
                let found = |sign: &String| Some((sign.clone(), name.text.find(sign.as_str())?));
                let (sign, offset) = forbidden.find_map(found)?;
                Some((format!("name '{shown}' contains '{sign}'"), offset))
            })?;
        let cause = self.source_of(name, offset);
        Some(FaultPlace::new(name.at, subject).because_of(cause))
    }

    fn name_reserved(&self, client: &Client) -> Option<FaultPlace> {
        let name = self.text("name")?;
        let lower = name.text.to_lowercase();
        let mut reserved = client.name.reserved.iter();
        let word = reserved.find(|word| lower.contains(word.as_str()))?;
        let shown = shown(name.text);
        let subject = format!("name '{shown}' contains the reserved word '{word}'");
        let offset = name.text.to_ascii_lowercase().find(word.as_str());
        let first = self.source_of(name, offset.unwrap_or_default());
        let is_whole = self.main.text[first.start..].len() >= word.len() && offset.is_some();
        let end = first.start + word.len();
        let is_whole = is_whole && self.main.text.is_char_boundary(end);
        let cause = if is_whole {
            Span::new(first.start, end)
        } else {
            first
        };
        Some(FaultPlace::new(name.at, subject).because_of(cause))
    }

    fn dir_mismatch(&self) -> Option<FaultPlace> {
        let Scalar { text: name, at, .. } = self.text("name")?;
        let dir = &self.at.name;
        let paths = [&self.at.source, &self.at.canonical];
        if paths.iter().all(|path| !path.ends_with(dir)) {
            return None;
        }
        let subject = || {
            format!(
                "name '{}' differs from the directory, '{}'",
                shown(name),
                shown(dir)
            )
        };
        (name != dir).then(|| FaultPlace::new(at, subject()).because_of(at))
    }

    fn description_over(&self, client: &Client, does: Behaviour) -> Option<FaultPlace> {
        let limits = &client.description;
        let counted: &[String] = &limits.counts;
        let others = counted.iter().filter(|key| *key != "description");
        let others = others.filter_map(|key| Some((key.as_str(), self.text(key)?)));
        let own = self.text("description").map(|text| ("description", text));
        let texts: Vec<(&str, Scalar<'_>)> = own.into_iter().chain(others).collect();
        let (_, first) = *texts.first()?;
        let (keys, texts): (Vec<&str>, Vec<Scalar<'_>>) = texts.into_iter().unzip();
        let has = if keys.len() == 1 { "has" } else { "have" };
        let subject = format!("{} {has}", joined(&keys));
        let values: Vec<&str> = texts.iter().map(|text| text.text).collect();
        let over = too_long(&subject, &values, limits.unit, limits.max?, does)?;
        let cause = self.first_over(&texts, limits.unit, limits.max?)?;
        Some(FaultPlace::new(first.at, over).because_of(cause))
    }

    /// Returns the span of the first character beyond `max`, the limit on the combined length of all the strings.
    fn first_over(&self, texts: &[Scalar<'_>], unit: Unit, max: usize) -> Option<Span> {
        let mut left = max;
        for text in texts {
            if let Some(offset) = unit.first_over(text.text, left) {
                return Some(self.source_of(*text, offset));
            }
            left -= unit.count(text.text);
        }
        None
    }

    fn markup(&self, does: Behaviour) -> Option<FaultPlace> {
        let description = self.text("description")?;
        let text = description.text;
        let (subject, offset) = if does == Behaviour::Strip {
            let (offset, tag) = tag(text)?;
            (
                format!("description contains the tag '{}'", shown(tag)),
                offset,
            )
        } else {
            let (offset, sign) = text.match_indices(['<', '>']).next()?;
            (format!("description contains '{sign}'"), offset)
        };
        let cause = self.source_of(description, offset);
        Some(FaultPlace::new(description.at, subject).because_of(cause))
    }

    fn list(&self, key: &str) -> Option<FaultPlace> {
        let field = self.field(key)?;
        let is_list = matches!(field.value, Value::List(_));
        is_list.then(|| self.at_value(field, format!("'{key}' is a list")))
    }

    fn metadata(&self) -> Option<FaultPlace> {
        let field = self.field("metadata")?;
        let kind = match &field.value {
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            _ => return None,
        };
        let subject = format!("'metadata' is {kind}, not a map");
        Some(self.at_value(field, subject))
    }

    /// Reports a value, with its first character as the cause.
    fn at_value(&self, field: &Field, subject: String) -> FaultPlace {
        let at = field.place();
        FaultPlace::new(at, subject).because_of(char_after(&self.main.text, at.start))
    }
}
