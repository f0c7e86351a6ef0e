//! Reads configuration files.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use skillc_core::clients::Clients;
use skillc_core::did_you_mean::nearest;
use skillc_core::error::{Error, Result};
use skillc_core::layout::canonical;
use skillc_core::path::Pattern;
use skillc_core::source::{link_end, open, open_within};
use skillc_core::toml_cost::MAX_CONFIG_COST;
use toml::de::{DeTable, DeValue};

use super::toml_text::{At, TomlText};
use super::{BaselineFile, Layer, Level, Override, PATTERN_COST, RuleSetting, RuleSettings, TOPS};
use crate::choice;
use crate::plugin_registry::PluginRegistry;
use crate::rule::preset::Preset;
use crate::rule::settings::{MAX_TEXT_BYTES, MAX_TEXTS};

pub(super) const KEYS: [&str; 6] = [
    "extends",
    "preset",
    "clients",
    "baseline",
    "rules",
    "overrides",
];

pub(super) const OVERRIDE_KEYS: [&str; 2] = ["paths", "rules"];

/// The maximum number of files that one file may extend, directly or transitively.
const MAX_EXTENDS: usize = 32;

pub(super) const MAX_OVERRIDES: usize = 100;

const MAX_PATTERNS: usize = 100;

/// The maximum memory cost of a file and the files that it extends: the cost of 128 KiB of patterns.
const MAX_COST: usize = 4 << 20;

/// The size limit of a file. Design: R20.
const MAX_BYTES: u64 = 1 << 20;

/// The part of a file that contains the lint settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section<'a> {
    /// The whole file; paths are relative to its directory.
    File,
    /// The `[lint]` table; paths are relative to this directory. Other code reads the other tables.
    Lint(&'a Path),
}

/// Reads configuration files and checks the names in them.
#[derive(Clone, Copy)]
pub struct LintFiles<'a> {
    /// The known rules.
    pub plugins: &'a PluginRegistry,
    /// The known clients.
    pub clients: &'a Clients,
    /// The user's home directories: never treated as a project.
    pub homes: [&'a Path; 2],
    /// The canonical paths of the directories that the user trusts.
    pub trusted: &'a [PathBuf],
}

/// The state kept while reading files that extend each other.
#[derive(Default)]
struct Trail {
    /// The canonical path of the directory that must contain the extended files; `None` for no restriction.
    within: Option<PathBuf>,
    /// The canonical paths of the current file and of the files that extend it. Used to detect cycles.
    above: Vec<PathBuf>,
    /// The number of extended files read so far.
    read: usize,
    /// The memory cost of all files so far.
    cost: usize,
    /// The size of all files read so far, including those that are not valid.
    bytes: usize,
    /// The paths of all extended files and baselines that the files name, existing or not.
    named: Vec<PathBuf>,
}

impl LintFiles<'_> {
    /// Reads a file and the files that it extends.
    ///
    /// Returns one layer for each of these files, with the layer of the file itself last; `None` if the file does not
    /// exist.
    ///
    /// # Errors
    /// E100 with the position of the fault and a suggestion.
    pub fn read(self, path: &Path) -> Result<Option<Vec<Layer>>> {
        self.read_counted(path, &mut 0)
    }

    /// Reads a file like [`read`](Self::read). `bytes`: increased by the size of all files that were read, even if one
    /// of them is not valid.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn read_counted(self, path: &Path, bytes: &mut usize) -> Result<Option<Vec<Layer>>> {
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let mut trail = self.trail(path, Section::File);
        let layers = self.layers_of(path, &mut trail);
        *bytes += trail.bytes;
        layers.map(Some)
    }

    /// Returns the files that a file extends, directly or transitively, and their baselines, existing or not. Stops at
    /// the first file that is not valid.
    pub fn extended_by(self, path: &Path, section: Section<'_>) -> Vec<PathBuf> {
        let mut trail = self.trail(path, section);
        if let Ok(text) = read_text(path, trail.within.as_deref()) {
            // Ignore the error: the caller that needs the settings reports it.
            let _ = self.parse_within(path, &text, section, &mut trail);
        }
        trail.named
    }

    /// Parses the text of a configuration file, and reads the files that it extends.
    ///
    /// Returns the same layers as [`read`](Self::read).
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn parse(self, path: &Path, text: &str, section: Section<'_>) -> Result<Vec<Layer>> {
        self.parse_within(path, text, section, &mut self.trail(path, section))
    }

    /// Creates the state for reading a file. A file from an unreviewed repository must not reveal the user's files
    /// through parse errors, so it may extend only files in that repository. This does not apply to the user's own
    /// files or to projects that the user trusts.
    fn trail(self, path: &Path, section: Section<'_>) -> Trail {
        let base = path.parent().unwrap_or(path);
        let is_home = |dir: &Path| self.homes.iter().any(|home| canonical(home) == dir);
        let is_users = matches!(section, Section::Lint(root) if is_home(&canonical(root)));
        let top = match section {
            Section::File => canonical(top_of(base)),
            Section::Lint(root) => canonical(root),
        };
        // A home directory contains many files that do not belong to a project, so it is not treated as a project.
        let top = if is_home(&top) { canonical(base) } else { top };
        Trail {
            within: (!is_users && !self.trusted.contains(&top)).then_some(top),
            above: path.canonicalize().into_iter().collect(),
            ..Trail::default()
        }
    }

    fn layers_of(self, path: &Path, trail: &mut Trail) -> Result<Vec<Layer>> {
        let text = read_text(path, trail.within.as_deref());
        trail.bytes += text.as_ref().map_or_else(
            |_| {
                let size = path.metadata().map_or(0, |file| file.len());
                usize::try_from(size.min(MAX_BYTES)).unwrap_or(usize::MAX)
            },
            String::len,
        );
        let text =
            text.map_err(|reason| Error::invalid_option(format!("{}: {reason}", path.display())))?;
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
        let table = file.parse(MAX_CONFIG_COST)?;
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
            let what = "the paths of overrides, including those in extended files, exceed 128 KiB";
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
                    "It must be inside {}. To allow any location, list that folder in permissions.trust_projects of your \
                     ~/.skillc/config.toml.",
                    top.display()
                );
                let what = format_args!("'{name}' is outside the project");
                return Err(file.fault(&at, what, Some(hint)));
            }
            trail.named.push(path.clone());
            let path = path.canonicalize().ok().filter(|path| path.is_file());
            let path = path.ok_or_else(|| fault("is not a file"))?;
            if path.extension().is_none_or(|kind| kind != "toml") {
                return Err(fault("is not named '*.toml'"));
            }
            if trail.above.contains(&path) {
                return Err(fault("extends itself"));
            }
            trail.read += 1;
            if trail.read > MAX_EXTENDS {
                return Err(fault("exceeds the limit of 32 extended files"));
            }
            trail.above.push(path.clone());
            let mut extended = self.layers_of(&path, trail)?;
            // A baseline belongs to one project, but several projects may share an extended file.
            for layer in &mut extended {
                layer.baseline = None;
            }
            layers.extend(extended);
            trail.above.pop();
        }
        Ok(layers)
    }

    /// Reads the settings of one file. `base`: the directory that patterns are relative to. `root`: the directory that
    /// must contain the baseline.
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
            is_inside: false,
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
                "{} overrides; at most {MAX_OVERRIDES} are allowed",
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
                .map_err(|_| file.fault(&at, format_args!("'{glob}' is not a valid glob"), None))
        };
        let globs = file.texts("paths", paths)?;
        if globs.len() > MAX_PATTERNS {
            let what = format!("{} paths; at most {MAX_PATTERNS} are allowed", globs.len());
            return Err(file.fault(&paths.span(), what, None));
        }
        let paths = globs.into_iter().map(pattern);
        let settings = self.rules(file, rules)?;
        if settings
            .list
            .iter()
            .any(|setting| !setting.options.is_empty())
        {
            let what = "an override can only set levels, not options";
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
        Ok(RuleSettings::new(settings))
    }

    /// Reads the setting of one selector: a level, or a table with `level` and options.
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
            let texts = found.as_array().map_or(&[][..], Vec::as_slice);
            let bytes: usize = texts.iter().filter_map(Value::as_str).map(str::len).sum();
            if texts.len() > MAX_TEXTS || bytes > MAX_TEXT_BYTES {
                let size = MAX_TEXT_BYTES >> 10;
                let what =
                    format!("'{name}' has more than {MAX_TEXTS} strings or {size} KiB of text");
                return Err(file.fault(&value.span(), what, None));
            }
            if setting
                .options
                .insert(option.name.to_string(), found)
                .is_some()
            {
                let what = format!("'{}' is set twice", option.name);
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

/// Reads the path of a baseline. The configuration may come from an unreviewed repository, and skc writes to the
/// baseline. Therefore the path must stay within the project after symlinks are resolved.
fn baseline(file: TomlText<'_>, value: &At<'_>, root: &Path) -> Result<BaselineFile> {
    let named = value.get_ref().as_str().filter(|name| !name.is_empty());
    let named = named.ok_or_else(|| file.expected(value, "baseline", "the name of a file"))?;
    let path = plain(&file.path.parent().unwrap_or(file.path).join(named));
    let there = path.ancestors().find_map(|above| above.canonicalize().ok());
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let is_within =
        path.starts_with(plain(root)) && there.is_some_and(|there| there.starts_with(&real_root));
    if !is_within {
        let hint = format!("It must be inside {}.", root.display());
        let what = format_args!("baseline '{named}' is outside the project");
        return Err(file.fault(&value.span(), what, Some(hint)));
    }
    Ok(BaselineFile {
        path,
        root: real_root,
    })
}

/// Removes `.` and `..` from a path lexically, without file system access.
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

/// Returns the root of the repository or project that contains a directory; the directory itself if there is none.
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

/// Returns the total length of the patterns of all overrides.
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

/// Converts a value to JSON; `None` if it contains a date or a number that JSON cannot represent.
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

/// Reads a file. `within`: the directory that must contain the file after symlinks are resolved; `None` for no
/// restriction.
fn read_text(path: &Path, within: Option<&Path>) -> Result<String, String> {
    if within.is_some_and(|top| !link_end(path).starts_with(top)) {
        return Err("a symlink that leads out of the project".into());
    }
    let opened = within.map_or_else(|| open(path), |top| open_within(path, &[top]));
    let opened = opened.map_err(|error| error.to_string())?;
    // A directory or a device with this name is an error too, because the user may have intended a file.
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
