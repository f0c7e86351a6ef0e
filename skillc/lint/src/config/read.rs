//! Reads the files.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use skillc_core::clients::Clients;
use skillc_core::error::{Error, Result};
use skillc_core::layout::canonical;
use skillc_core::near::nearest;
use skillc_core::path::Pattern;
use skillc_core::source::{link_end, open};
use toml::de::{DeTable, DeValue};

use super::toml_text::{At, TomlText};
use super::{BaselineFile, Layer, Level, Override, PATTERN_COST, RuleSetting, RuleSettings, TOPS};
use crate::choice;
use crate::plugin::PluginRegistry;
use crate::rule::preset::Preset;

/// The keys of a file.
pub(super) const KEYS: [&str; 6] = [
    "extends",
    "preset",
    "clients",
    "baseline",
    "rules",
    "overrides",
];

/// The keys of an override.
pub(super) const OVERRIDE_KEYS: [&str; 2] = ["paths", "rules"];

/// How many files a file may extend, directly or by way of others.
const MAX_EXTENDS: usize = 32;

/// The most overrides of a file.
const MAX_OVERRIDES: usize = 100;

/// The most patterns of an override.
const MAX_PATTERNS: usize = 100;

/// The most that a file and those that it extends may cost: 128 KiB of patterns.
const MAX_COST: usize = 4 << 20;

/// The largest file that is read. Source: RULINGS R20.
const MAX_BYTES: u64 = 1 << 20;

/// Where in a file the settings of lint are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section<'a> {
    /// The whole file; its paths are below its directory.
    File,
    /// `[lint]`; its paths are below this directory. Other keys are somebody else's.
    Lint(&'a Path),
}

/// Reads configuration files, with what they may name.
#[derive(Clone, Copy)]
pub struct LintFiles<'a> {
    /// The rules.
    pub plugins: &'a PluginRegistry,
    /// The clients.
    pub clients: &'a Clients,
    /// The user's home directories, which are no project.
    pub homes: [&'a Path; 2],
    /// The directories whose files the user trusts, canonical.
    pub trusted: &'a [PathBuf],
}

/// The way through files that extend each other.
#[derive(Default)]
struct Trail {
    /// The directory that they have to be in, canonical; `None` if they may be anywhere.
    within: Option<PathBuf>,
    /// The file and those that led to it, canonical.
    above: Vec<PathBuf>,
    /// How many were read so far.
    read: usize,
    /// What they cost so far.
    cost: usize,
    /// Every file that was named, there or not.
    named: Vec<PathBuf>,
}

impl LintFiles<'_> {
    /// Reads a file and those that it extends.
    ///
    /// Returns: a layer for each, the file's own last; `None` if there is no file.
    ///
    /// # Errors
    /// E100 with the place and what may have been meant.
    pub fn read(self, path: &Path) -> Result<Option<Vec<Layer>>> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        self.layers_of(path, &mut self.trail(path, Section::File))
            .map(Some)
    }

    /// Returns the files that a file extends, directly or by way of others, there or not: as far as they can be understood.
    pub fn extended_by(self, path: &Path, section: Section<'_>) -> Vec<PathBuf> {
        let mut trail = self.trail(path, section);
        if let Ok(text) = read_text(path, trail.within.as_deref()) {
            // A fault is reported by the caller that needs what the files say.
            let _ = self.parse_within(path, &text, section, &mut trail);
        }
        trail.named
    }

    /// Reads a text and the files that it extends.
    ///
    /// Returns: as [`read`](Self::read).
    ///
    /// # Errors
    /// As `read`.
    pub fn parse(self, path: &Path, text: &str, section: Section<'_>) -> Result<Vec<Layer>> {
        self.parse_within(path, text, section, &mut self.trail(path, section))
    }

    /// Begins at a file. A file from an unreviewed repository must not reveal the user's files through parse errors: what it
    /// extends has to be in that repository, unless the file is the user's own or the user trusts the project.
    fn trail(self, path: &Path, section: Section<'_>) -> Trail {
        let base = path.parent().unwrap_or(path);
        let is_home = |dir: &Path| self.homes.iter().any(|home| canonical(home) == dir);
        let is_users = matches!(section, Section::Lint(root) if is_home(&canonical(root)));
        let top = match section {
            Section::File => canonical(top_of(base)),
            Section::Lint(root) => canonical(root),
        };
        // A home directory holds much that is no project.
        let top = if is_home(&top) { canonical(base) } else { top };
        Trail {
            within: (!is_users && !self.trusted.contains(&top)).then_some(top),
            above: path.canonicalize().into_iter().collect(),
            ..Trail::default()
        }
    }

    fn layers_of(self, path: &Path, trail: &mut Trail) -> Result<Vec<Layer>> {
        let text = read_text(path, trail.within.as_deref())
            .map_err(|reason| Error::invalid_option(format!("{}: {reason}", path.display())))?;
        self.parse_within(path, &text, Section::File, trail)
    }

    fn parse_within(
        self,
        path: &Path,
        text: &str,
        section: Section<'_>,
        trail: &mut Trail,
    ) -> Result<Vec<Layer>> {
        let file = TomlText { path, text };
        let table = file.parse()?;
        let table = match section {
            Section::File => &table,
            Section::Lint(_) => match table.get("lint") {
                Some(lint) => table_of(file, "lint", lint)?,
                None => return Ok(Vec::new()),
            },
        };
        let mut layers = match table.get("extends") {
            Some(extends) => self.extended(file, extends, trail)?,
            None => Vec::new(),
        };
        let base = match section {
            Section::File => path.parent().unwrap_or(path),
            Section::Lint(base) => base,
        };
        let root = match section {
            Section::File => top_of(base),
            Section::Lint(base) => base,
        };
        let cost = text.len() + PATTERN_COST * pattern_bytes(table);
        trail.cost += cost;
        if trail.cost > MAX_COST {
            let what = "the paths of overrides take more than 128 KiB, with those of the files that are extended";
            let at = table.get("overrides").or_else(|| table.get("extends"));
            return Err(file.fault(&at.map_or(0..0, At::span), what, None));
        }
        let layer = Layer {
            cost,
            ..self.layer(file, table, base, root)?
        };
        trail
            .named
            .extend(layer.baseline.iter().map(|list| list.path.clone()));
        layers.push(layer);
        Ok(layers)
    }

    fn extended(self, file: TomlText<'_>, value: &At<'_>, trail: &mut Trail) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        for (name, at) in file.texts("extends", value)? {
            let fault = |what: &str| file.fault(&at, format_args!("'{name}' {what}"), None);
            let path = file.path.parent().unwrap_or(file.path).join(name);
            if let Some(top) = &trail.within
                && !link_end(&path).starts_with(top)
            {
                let hint = format!(
                    "It has to be in {}. To let it be anywhere, name that folder in permissions.trust_projects of your \
                     ~/.skillc/config.toml.",
                    top.display()
                );
                let what = format_args!("'{name}' is outside the project");
                return Err(file.fault(&at, what, Some(hint)));
            }
            trail.named.push(path.clone());
            let path = path.canonicalize().ok().filter(|path| path.is_file());
            let path = path.ok_or_else(|| fault("is no file"))?;
            if path.extension().is_none_or(|kind| kind != "toml") {
                return Err(fault("is not called '.toml'"));
            }
            if trail.above.contains(&path) {
                return Err(fault("extends itself"));
            }
            trail.read += 1;
            if trail.read > MAX_EXTENDS {
                return Err(fault("is one file too many: 32 may be extended"));
            }
            trail.above.push(path.clone());
            let mut extended = self.layers_of(&path, trail)?;
            // A list is of one project; what is extended may be of several.
            for layer in &mut extended {
                layer.baseline = None;
            }
            layers.extend(extended);
            trail.above.pop();
        }
        Ok(layers)
    }

    /// `base`: the directory that patterns are below. `root`: the one that files it names have to be below.
    fn layer(
        self,
        file: TomlText<'_>,
        table: &DeTable<'_>,
        base: &Path,
        root: &Path,
    ) -> Result<Layer> {
        let mut layer = Layer {
            preset: None,
            baseline: None,
            clients: None,
            rules: RuleSettings::default(),
            overrides: Vec::new(),
            cost: 0,
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "extends" => {}
                "preset" => layer.preset = Some(preset(file, value)?),
                "clients" => layer.clients = Some(self.clients(file, value)?),
                "baseline" => layer.baseline = Some(baseline(file, value, root)?),
                "rules" => layer.rules = self.rules(file, value)?,
                "overrides" => layer.overrides = self.overrides(file, value, base)?,
                other => return Err(file.unknown_key(&key.span(), other, &KEYS)),
            }
        }
        Ok(layer)
    }

    fn clients(self, file: TomlText<'_>, value: &At<'_>) -> Result<Vec<String>> {
        let named = file.texts("clients", value)?.into_iter();
        let named = named.map(|(name, at)| match self.clients.client(name) {
            Ok(client) => Ok(client.id.clone()),
            Err(error) => Err(file.fault(
                &at,
                format_args!("unknown client '{name}'"),
                error.details(),
            )),
        });
        named.collect()
    }

    fn overrides(self, file: TomlText<'_>, value: &At<'_>, base: &Path) -> Result<Vec<Override>> {
        let expected = || file.expected(value, "overrides", "[[overrides]] with paths and rules");
        let list = value.get_ref().as_array().ok_or_else(expected)?;
        if list.len() > MAX_OVERRIDES {
            let what = format!(
                "there are {} overrides; at most {MAX_OVERRIDES} are read",
                list.len()
            );
            return Err(file.fault(&value.span(), what, None));
        }
        list.iter()
            .map(|item| self.one_override(file, item, base))
            .collect()
    }

    fn one_override(self, file: TomlText<'_>, item: &At<'_>, base: &Path) -> Result<Override> {
        let table = table_of(file, "overrides", item)?;
        for key in table.keys() {
            if !OVERRIDE_KEYS.contains(&key.get_ref().as_ref()) {
                return Err(file.unknown_key(&key.span(), key.get_ref(), &OVERRIDE_KEYS));
            }
        }
        let missing = |key: &str| {
            file.fault(
                &item.span(),
                format_args!("an override has no '{key}'"),
                None,
            )
        };
        let paths = table.get("paths").ok_or_else(|| missing("paths"))?;
        let rules = table.get("rules").ok_or_else(|| missing("rules"))?;
        let pattern = |(glob, at): (&str, Range<usize>)| {
            Pattern::parse(glob)
                .map_err(|_| file.fault(&at, format_args!("'{glob}' is no glob"), None))
        };
        let globs = file.texts("paths", paths)?;
        if globs.len() > MAX_PATTERNS {
            let what = format!(
                "there are {} paths; at most {MAX_PATTERNS} are read",
                globs.len()
            );
            return Err(file.fault(&paths.span(), what, None));
        }
        let paths = globs.into_iter().map(pattern);
        let settings = self.rules(file, rules)?;
        if settings.0.iter().any(|setting| !setting.options.is_empty()) {
            let what = "an override sets levels, not options";
            return Err(file.fault(&rules.span(), what, None));
        }
        Ok(Override {
            base: base.to_path_buf(),
            paths: paths.collect::<Result<_>>()?,
            rules: settings,
        })
    }

    fn rules(self, file: TomlText<'_>, value: &At<'_>) -> Result<RuleSettings> {
        let mut settings = Vec::new();
        for (key, value) in table_of(file, "rules", value)? {
            let selector = key.get_ref().as_ref();
            if let Err(hint) = choice::check(selector, self.plugins) {
                let what = format!("unknown rule '{selector}'");
                return Err(file.fault(&key.span(), what, Some(hint)));
            }
            settings.push(self.rule(file, selector, value)?);
        }
        Ok(RuleSettings(settings))
    }

    /// Reads what is said of one selector: a level, or a table with `level` and options.
    fn rule(self, file: TomlText<'_>, selector: &str, value: &At<'_>) -> Result<RuleSetting> {
        let mut setting = RuleSetting {
            selector: selector.to_owned(),
            level: None,
            options: BTreeMap::new(),
        };
        let table = match value.get_ref() {
            DeValue::Table(table) => table,
            DeValue::String(_) => {
                setting.level = Some(level(file, selector, value)?);
                return Ok(setting);
            }
            _ => {
                let expected = "\"off\", \"warning\", \"error\" or a table of options";
                return Err(file.expected(value, selector, expected));
            }
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name == "level" {
                setting.level = Some(level(file, "level", value)?);
                continue;
            }
            let known = self
                .plugins
                .rule(selector)
                .map_or(&[][..], |rule| rule.options());
            let Some(option) = known.iter().find(|option| option.is_named(name)) else {
                let names: Vec<&str> = known.iter().map(|option| &*option.name).collect();
                return Err(file.unknown_key(
                    &key.span(),
                    name,
                    &[&["level"], &names[..]].concat(),
                ));
            };
            let found = json(value.get_ref());
            let Some(found) = found.filter(|found| option.kind.takes(found)) else {
                return Err(file.expected(value, name, &option.kind.expected()));
            };
            if setting
                .options
                .insert(option.name.to_string(), found)
                .is_some()
            {
                let what = format!("'{}' is given twice", option.name);
                return Err(file.fault(&key.span(), what, None));
            }
        }
        Ok(setting)
    }
}

fn preset(file: TomlText<'_>, value: &At<'_>) -> Result<Preset> {
    let name = value.get_ref().as_str();
    let names = Preset::ALL.map(Preset::as_str).join("\", \"");
    name.and_then(Preset::named)
        .ok_or_else(|| file.expected(value, "preset", &format!("one of \"{names}\"")))
}

/// Reads the name of a baseline. A configuration may come with an unreviewed repository, and the baseline is written to: it
/// stays within the project, links included.
fn baseline(file: TomlText<'_>, value: &At<'_>, root: &Path) -> Result<BaselineFile> {
    let named = value.get_ref().as_str().filter(|name| !name.is_empty());
    let named = named.ok_or_else(|| file.expected(value, "baseline", "the name of a file"))?;
    let path = plain(&file.path.parent().unwrap_or(file.path).join(named));
    let there = path.ancestors().find_map(|above| above.canonicalize().ok());
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let is_within =
        path.starts_with(plain(root)) && there.is_some_and(|there| there.starts_with(&real_root));
    if !is_within {
        let hint = format!("It has to be within {}.", root.display());
        let what = format_args!("baseline '{named}' is outside the project");
        return Err(file.fault(&value.span(), what, Some(hint)));
    }
    Ok(BaselineFile {
        path,
        root: real_root,
    })
}

/// Returns a path without `.` and `..`, whatever is there.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Returns the top of the repository or project that a directory is in; the directory itself outside of any.
fn top_of(dir: &Path) -> &Path {
    let is_top = |dir: &&Path| TOPS.iter().any(|top| dir.join(top).exists());
    dir.ancestors().find(is_top).unwrap_or(dir)
}

fn level(file: TomlText<'_>, of: &str, value: &At<'_>) -> Result<Level> {
    let word = value.get_ref().as_str().unwrap_or_default();
    Level::parse(word).ok_or_else(|| {
        let error = file.expected(value, of, "\"off\", \"warning\" or \"error\"");
        match (error, nearest(word, Level::WORDS)) {
            (Error::InvalidOption { message, .. }, Some(meant)) => Error::InvalidOption {
                message,
                hint: Some(format!("Did you mean \"{meant}\"?").into()),
            },
            (error, _) => error,
        }
    })
}

/// Returns how long the patterns of all overrides are together.
fn pattern_bytes(table: &DeTable<'_>) -> usize {
    let overrides = table
        .get("overrides")
        .and_then(|list| list.get_ref().as_array());
    let tables = overrides.into_iter().flatten();
    let paths = tables.filter_map(|item| item.get_ref().as_table()?.get("paths"));
    let texts = paths.flat_map(|paths| match paths.get_ref() {
        DeValue::Array(list) => list
            .iter()
            .filter_map(|text| text.get_ref().as_str())
            .collect(),
        text => Vec::from_iter(text.as_str()),
    });
    texts.map(str::len).sum()
}

fn table_of<'v, 't>(file: TomlText<'_>, of: &str, value: &'v At<'t>) -> Result<&'v DeTable<'t>> {
    let table = value.get_ref().as_table();
    table.ok_or_else(|| file.expected(value, of, "a table"))
}

/// Returns a value as JSON; `None` if it has a date or a number that JSON has not.
fn json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            Value::from(i64::from_str_radix(&digits, number.radix()).ok()?)
        }
        DeValue::Float(number) => Value::from(number.as_str().parse::<f64>().ok()?),
        DeValue::Array(list) => list
            .iter()
            .map(|item| json(item.get_ref()))
            .collect::<Option<_>>()?,
        DeValue::Table(table) => {
            let pair = |(key, value): (&toml::Spanned<_>, &At<'_>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                Some((key.to_string(), json(value.get_ref())?))
            };
            Value::Object(table.iter().map(pair).collect::<Option<Map<_, _>>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}

/// Reads a file. `within`: the directory that it has to be in, links followed; `None` if it may be anywhere.
fn read_text(path: &Path, within: Option<&Path>) -> Result<String, String> {
    if within.is_some_and(|top| !link_end(path).starts_with(top)) {
        return Err("a link out of the project".into());
    }
    let opened = open(path).map_err(|error| error.to_string())?;
    // Whatever else is there may be meant as one.
    let (file, _) = opened.ok_or("not a file")?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("larger than 1 MiB".into());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
