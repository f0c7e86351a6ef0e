//! The skills that a client would find from the working directory, and the data about them that its listing uses.
//!
//! Design: R1, R12.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::clients::{Client, Clients, Fault, SameName};
use skillc_core::layout::canonical;
use skillc_core::resolve::main_file;
use skillc_core::source::{Located, locate};
use skillc_core::{Fields, Frontmatter, RelPath, Result, SourceFile, Stop, Warning};

use crate::client_roots::{USUAL_DEPTH, roots_of};
use crate::lint::scope::Scope;
use crate::notes::Notes;
use crate::skill_walk::{Reach, skills_below};
use crate::toolkit::Toolkit;

/// The data of a skill that a listing can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) name: String,
    /// The path at which the skill's directory was found, with symlinks unresolved.
    pub(super) path: String,
    /// The directory's name.
    pub(super) dir: String,
    /// The fault that affects the whole frontmatter.
    pub(super) fault: Option<Fault>,
    /// Whether another skill of the same name takes precedence.
    pub(super) is_shadowed: bool,
    /// The frontmatter's text fields, trimmed; none is empty.
    pub(super) texts: BTreeMap<String, String>,
}

impl Head {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    fn size(&self) -> usize {
        self.texts.values().map(String::len).sum()
    }
}

/// The skills of a run. Each is read once, however many clients find it.
pub(super) struct Skills<'a> {
    toolkit: &'a Toolkit,
    /// The skills that were named; `None` if each client finds its own.
    named: Option<Vec<PathBuf>>,
    heads: BTreeMap<PathBuf, Option<Head>>,
    /// Caches directory walks, by directory and depth.
    below: BTreeMap<(PathBuf, usize), Vec<PathBuf>>,
}

impl<'a> Skills<'a> {
    /// Finds the named skills. Without names, [`for_client`](Self::for_client) finds the skills of each client.
    ///
    /// # Errors
    /// Returns the errors of the arguments of `skc lint`.
    pub(super) fn find(toolkit: &'a Toolkit, asked: &[String], notes: &mut Notes) -> Result<Self> {
        let mut named = None;
        if !asked.is_empty() {
            let scope = Scope::find(toolkit, asked, notes)?;
            if let (true, Some(only)) = (scope.is_single, scope.skills.first()) {
                notes.root = Some(only.at.canonical.clone());
            }
            let dirs = scope.skills.into_iter().map(|found| found.at.source);
            named = Some(dirs.collect());
        }
        Ok(Self {
            toolkit,
            named,
            heads: BTreeMap::new(),
            below: BTreeMap::new(),
        })
    }

    /// Returns the named skills. Without names, returns the skills that a client would find, without duplicates, in the
    /// order of the client's folders.
    pub(super) fn for_client(&mut self, client: &Client, notes: &mut Notes) -> Vec<Head> {
        let dirs = match &self.named {
            Some(dirs) => dirs.clone(),
            None => self.found_by(client, notes),
        };
        let mut seen = BTreeSet::new();
        let mut heads = Vec::new();
        for dir in dirs {
            let real = canonical(&dir);
            if !seen.insert(real.clone()) {
                continue;
            }
            let known = self.heads.get(&real).cloned();
            let head = known.unwrap_or_else(|| {
                let head = read(&dir, notes);
                self.heads.insert(real, head.clone());
                head
            });
            heads.extend(head);
        }
        if self.named.is_none() {
            shadow(&mut heads, client.same_name);
        }
        heads
    }

    fn found_by(&mut self, client: &Client, notes: &mut Notes) -> Vec<PathBuf> {
        let depth = client.max_depth.unwrap_or(USUAL_DEPTH);
        let mut found = Vec::new();
        for root in roots_of(client, &self.toolkit.context) {
            let key = (root.dir, depth);
            if !self.below.contains_key(&key) {
                let below = walk(&key.0, depth, &self.toolkit.stop, notes);
                self.below.insert(key.clone(), below);
            }
            found.extend(self.below[&key].iter().cloned());
        }
        found
    }
}

/// Returns the skills below a directory, down to a depth.
fn walk(dir: &Path, depth: usize, stop: &Stop, notes: &mut Notes) -> Vec<PathBuf> {
    if !dir.is_dir() {
        return Vec::new();
    }
    notes.detail(format!("below   {}", dir.display()));
    let reach = Reach::new(Some(depth)).until(stop);
    let places = skills_below(dir, reach, Clients::shared(), notes);
    match places {
        Ok(places) => places.into_iter().map(|place| place.dir).collect(),
        Err(error) => {
            notes.warn(Warning::SkillSkipped {
                skill: dir.display().to_string(),
                reason: error.message(),
            });
            Vec::new()
        }
    }
}

/// Marks the skills that are not listed because another skill of the same name takes precedence. If it is known that
/// only one skill of a name is listed, but not which one, the largest is assumed to be listed. If nothing is known, all
/// skills of that name are. The size of a listing is therefore not underestimated.
fn shadow(heads: &mut [Head], rule: Option<SameName>) {
    let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
    if matches!(rule, None | Some(SameName::All)) {
        return;
    }
    for at in 0..heads.len() {
        let first = *firsts.entry(heads[at].name.clone()).or_insert(at);
        if first == at {
            continue;
        }
        let is_larger = heads[at].size() > heads[first].size();
        let (kept, hidden) = match rule {
            Some(SameName::One) if is_larger => (at, first),
            _ => (first, at),
        };
        heads[hidden].is_shadowed = true;
        firsts.insert(heads[kept].name.clone(), kept);
    }
}

/// Reads the data of a skill for a listing; `None`, with a warning, if the skill cannot be read.
fn read(dir: &Path, notes: &mut Notes) -> Option<Head> {
    let path = dir.display().to_string();
    let fault = match text_of_main(dir) {
        Ok(text) => return Some(head(dir, path, &text)),
        Err(fault) => fault,
    };
    notes.warn(Warning::SkillSkipped {
        skill: path,
        reason: fault,
    });
    None
}

fn text_of_main(dir: &Path) -> Result<String, String> {
    let name = main_file(dir).ok_or("no SKILL.md")?;
    let main = RelPath::parse(&name).map_err(|error| error.message())?;
    let dir = canonical(dir);
    if locate(&dir, &main) == Located::Outside {
        return Err("SKILL.md is a symlink that leads out of the skill".into());
    }
    match SourceFile::read(&dir, &main) {
        Ok(Some(file)) => Ok(file.text().into_owned()),
        Ok(None) => Err("SKILL.md cannot be read".into()),
        Err(error) => Err(error.message()),
    }
}

fn head(dir: &Path, path: String, text: &str) -> Head {
    let (frontmatter, _) = Frontmatter::split(text);
    let mut texts = BTreeMap::new();
    for field in frontmatter.fields().into_iter().flat_map(Fields::iter) {
        let value = field.value.text().map(str::trim).unwrap_or_default();
        if !value.is_empty() {
            texts.insert(field.key.clone(), value.to_owned());
        }
    }
    let fault = fault(&frontmatter, text);
    if let (Some(Fault::Colon), Frontmatter::Invalid { at, .. }) = (fault, &frontmatter)
        && let Some((key, value)) = line_around(text, at.start).split_once(':')
    {
        let value = || value.trim().to_owned();
        texts.entry(key.trim().to_owned()).or_insert_with(value);
    }
    let own = dir.file_name().unwrap_or_default().to_string_lossy();
    Head {
        name: texts.get("name").map_or(&*own, String::as_str).to_owned(),
        path,
        dir: own.into_owned(),
        fault,
        is_shadowed: false,
        texts,
    }
}

/// Returns the fault that prevents a client from reading the fields as written.
fn fault(frontmatter: &Frontmatter, text: &str) -> Option<Fault> {
    let begins_at = |at: usize, sign: char| text.get(at..).is_some_and(|t| t.starts_with(sign));
    match frontmatter {
        Frontmatter::Absent | Frontmatter::Unclosed => Some(Fault::NoFrontmatter),
        Frontmatter::Invalid { at, .. } if begins_at(at.start, ':') => Some(Fault::Colon),
        Frontmatter::Invalid { .. } => Some(Fault::Yaml),
        _ if begins_at(0, '\u{feff}') => Some(Fault::Bom),
        _ => None,
    }
}

/// Returns the line around a byte offset.
fn line_around(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}
