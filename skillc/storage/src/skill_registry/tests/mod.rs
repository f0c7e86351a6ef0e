//! Tests of the skill registry, by family of requirements.

mod database;
mod failing;
mod loading;
mod property;
mod reading;
mod together;
mod unusable;
mod unused;

use super::*;

use crate::audit_testkit::{AT_MS, TempDatabase};

/// Returns a skill with every column filled.
fn skill(name: &str) -> SkillRow {
    SkillRow {
        name: name.into(),
        description: format!("Does {name} things."),
        version: Some("1.0".into()),
        entrypoint: Some("run.sh".into()),
        capabilities: vec!["read".into(), "write".into()],
        greek_letter: Some("epsilon".into()),
        body: format!("# {name}\n"),
        source_path: format!(".agents/skills/{name}/SKILL.md"),
        frontmatter_json: format!(r#"{{"name":"{name}"}}"#),
        loaded_at: String::new(),
    }
}

/// Returns the row of a skill's file in a directory.
fn source(name: &str, dir: &str) -> SourceRow {
    let path = format!("{dir}/{name}/SKILL.md");
    let hash = skillc_core::hash::Sha::digest(path.as_bytes()).to_string();
    SourceRow {
        id: hash[..16].into(),
        name: name.into(),
        dir: format!("{dir}/{name}"),
        scope: "repo".into(),
        origin: "agents".into(),
        mtime_ms: 1_769_847_300_007,
        sha256: hash,
        is_winner: true,
        path,
    }
}

/// Returns the search data of a skill's file.
fn head(row: &SkillRow, source: &SourceRow) -> HeadRow {
    HeadRow {
        path: source.path.clone(),
        mtime_ms: source.mtime_ms,
        bytes: row.body.len() as u64,
        changed_ns: 1_769_847_300_007_000_000,
        inode: 12,
        name: row.name.clone(),
        description: row.description.clone(),
    }
}

#[derive(Clone, Default)]
struct Disk {
    winners: Vec<SkillRow>,
    sources: Vec<SourceRow>,
    heads: Vec<HeadRow>,
    skipped: usize,
    at_ms: i64,
}

impl Disk {
    /// Returns a disk that contains these skills, with one file for each.
    fn with(winners: impl IntoIterator<Item = SkillRow>) -> Self {
        let winners: Vec<SkillRow> = winners.into_iter().collect();
        let sources: Vec<SourceRow> = winners.iter().map(|row| source(&row.name, "/w")).collect();
        let pairs = winners.iter().zip(&sources);
        Self {
            heads: pairs.map(|(row, source)| head(row, source)).collect(),
            sources,
            winners,
            skipped: 0,
            at_ms: AT_MS,
        }
    }

    fn with_skills(names: &[&str]) -> Self {
        Self::with(names.iter().map(|name| skill(name)))
    }

    fn sync(&self, registry: &mut SkillRegistry) -> Result<Synced, RegistryFault> {
        registry.sync(&Snapshot {
            winners: &self.winners,
            sources: &self.sources,
            heads: &self.heads,
            skipped: self.skipped,
            roots: &["/w".to_owned()],
            skc_version: "0.3.0",
            at_ms: self.at_ms,
        })
    }
}

/// Creates a registry of skills with these names. Returns its temporary directory and the registry.
fn registry(names: &[&str]) -> (TempDatabase, SkillRegistry) {
    let place = TempDatabase::new();
    let mut registry = SkillRegistry::open(&place.db).unwrap();
    Disk::with_skills(names).sync(&mut registry).unwrap();
    (place, registry)
}

fn names(registry: &SkillRegistry) -> String {
    let rows = registry.list(SkillFilter::default()).unwrap();
    let names: Vec<String> = rows.into_iter().map(|row| row.name).collect();
    names.join(",")
}

/// Returns the rows of skills, sources and heads, without the times at which skills were loaded.
fn content(registry: &SkillRegistry) -> (Vec<SkillRow>, Vec<SourceRow>, Vec<HeadRow>) {
    let mut rows = registry.list(SkillFilter::default()).unwrap();
    for row in &mut rows {
        row.loaded_at.clear();
    }
    let sources = registry.sources().unwrap().rows;
    (rows, sources, registry.heads().unwrap())
}

/// Executes statements on the connection of a registry.
fn run(registry: &SkillRegistry, sql: &str) {
    let open = registry.open.as_ref().unwrap();
    open.connection.execute_batch(sql).unwrap();
}

/// Returns the error message of a failure, without the path.
fn message<T>(result: Result<T, RegistryFault>, place: &TempDatabase) -> String {
    let error = skillc_core::Error::from(result.err().expect("a fault"));
    let path = place.db.display().to_string();
    error.to_string().replace(&path, "DB")
}
