//! Search quality: a pool of skills with judged queries, and the metrics of a search over it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;
use skillc_catalog::entry::SkillHead;
use skillc_catalog::{Catalog, Query, search};
use skillc_core::source::frontmatter::Head;
use skillc_core::testkit::context;
use tempfile::TempDir;

/// The number of results that are evaluated per query.
const RESULTS: usize = 10;

/// The number of skills per folder, below the limit on directories per root.
const FOLDER: usize = 1_000;

/// Words of a query that the baseline ignores.
const STOP_WORDS: &str = "a an and are as at be by can do for from have how i if in into is it its me my need not of on \
                          or our please so that the their them then there this to up use using want was we what when \
                          where which with would you your";

/// A skill of the pool.
#[derive(Debug, Clone)]
pub struct PoolSkill {
    /// The skill's name.
    pub name: String,
    /// The skill's description.
    pub description: String,
    /// The body.
    pub text: String,
}

/// A query and its judgement.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The text of the query.
    pub text: String,
    /// The skill that fits the query; `None` if no skill does.
    pub skill: Option<String>,
}

/// Skills, and judged queries for them.
#[derive(Debug, Clone)]
pub struct Pool {
    /// The skills, by name.
    pub skills: Vec<PoolSkill>,
    /// The queries.
    pub queries: Vec<Judged>,
}

/// The metrics of a search over a pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Mean nDCG@10: a query scores 1 if its skill is the first result, and less if the skill has a lower rank.
    pub ndcg: f64,
    /// The share of queries whose skill is among the results.
    pub recall: f64,
    /// The share of queries without a fitting skill for which the search reports that probably no skill fits.
    pub abstention: f64,
    /// The share of queries with a fitting skill for which the search reports that its first result fits.
    pub offers: f64,
    /// The median time of a query.
    pub time: Duration,
}

impl Pool {
    /// Reads the pool next to the repository. Prints a message and returns `None` if there is no pool.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn read() -> Option<Self> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bench/retrieval/nvidia");
        let Ok(queries) = fs::read_to_string(dir.join("queries.jsonl")) else {
            eprintln!("skipped: no judged queries next to the repository");
            return None;
        };
        let queries = queries.lines().filter_map(|line| {
            let query: Value = serde_json::from_str(line).expect("JSON");
            // For some queries, the judgement only names a skill that does not fit.
            let is_known = query["not"].is_null();
            is_known.then(|| Judged {
                text: query["query"].as_str().expect("a text").to_owned(),
                skill: query["relevant"][0].as_str().map(str::to_owned),
            })
        });
        let mut skills: Vec<PoolSkill> = fs::read_dir(dir.join("skills"))
            .expect("the skills")
            .map(|entry| PoolSkill::read(&entry.expect("a skill").path()))
            .collect();
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        let queries = queries.collect();
        Some(Self { skills, queries })
    }

    /// Returns a copy of the pool in which `change` was applied to each skill, and only every `every`-th query is kept.
    #[must_use]
    pub fn changed(&self, every: usize, change: impl Fn(usize, &mut PoolSkill)) -> Self {
        let mut skills = self.skills.clone();
        for (at, skill) in skills.iter_mut().enumerate() {
            change(at, skill);
        }
        let queries = self.queries.iter().step_by(every).cloned().collect();
        Self { skills, queries }
    }

    /// Returns the pool with `times` copies of each skill.
    #[must_use]
    pub fn repeated(&self, times: usize) -> Self {
        let copies = (0..times).flat_map(|copy| {
            self.skills.iter().map(move |skill| PoolSkill {
                name: format!("copy-{copy}-{}", &skill.name[..skill.name.len().min(40)])
                    .trim_end_matches('-')
                    .to_owned(),
                ..skill.clone()
            })
        });
        Self {
            skills: copies.collect(),
            queries: self.queries.clone(),
        }
    }

    /// Measures our search. All queries use the same catalog, as in a server.
    pub fn ours(&self) -> Figures {
        self.ours_with(None)
    }

    /// Like [`ours`](Self::ours), but also ranks the skills with the embedding model in the folder `model`.
    pub fn ours_with(&self, model: Option<&Path>) -> Figures {
        let dir = TempDir::new().expect("a directory");
        let base = dir.path().canonicalize().expect("a path");
        let (home, project) = (base.join("home"), base.join("project"));
        fs::create_dir_all(&home).expect("a directory");
        fs::create_dir_all(project.join(".git")).expect("a directory");
        // Directories to search: one for each skill, and one for each group of skills.
        let config = project.join(".skillc/config.toml");
        fs::create_dir_all(project.join(".skillc")).expect("a directory");
        if let Some(folder) = model {
            let path = Value::from(folder.to_str().expect("UTF-8"));
            fs::create_dir_all(home.join(".skillc")).expect("a directory");
            let text = format!("[skills.search]\nmodel = {path}\n");
            fs::write(home.join(".skillc/config.toml"), text).expect("writable");
        }
        let dirs = 2 * self.skills.len() + 1;
        fs::write(config, format!("[catalog]\nmax_dirs = {dirs}\n")).expect("writable");
        for (at, skill) in self.skills.iter().enumerate() {
            let folder = format!(".agents/skills/{}", at / FOLDER);
            skill.write(&project.join(folder).join(&skill.name));
        }
        let (catalog, notices) = Catalog::read(&context(&project, &home), |_| true);
        assert_eq!(catalog.skills().len(), self.skills.len(), "{notices:?}");
        assert_eq!(catalog.model_warning(), None);
        self.figures(|text| {
            let query = Query {
                text: text.to_owned(),
                limit: Some(RESULTS),
                ..Query::default()
            };
            let found = search(&catalog, &query).expect("an answer");
            let names = found.results.into_iter().map(|hit| hit.name);
            (names.collect(), found.confident)
        })
    }

    /// Measures the baseline: `SQLite`'s full-text search over name and description, with its ranking and stemming. The
    /// stop words of a query are ignored.
    pub fn fts5(&self) -> Figures {
        let db = Connection::open_in_memory().expect("a database");
        let sql =
            "CREATE VIRTUAL TABLE s USING fts5(name, description, tokenize='porter unicode61')";
        db.execute_batch(sql).expect("a table");
        for skill in &self.skills {
            let row = (&skill.name, &skill.description);
            db.execute("INSERT INTO s VALUES(?1, ?2)", row)
                .expect("a row");
        }
        let stop_words: BTreeSet<&str> = STOP_WORDS.split_whitespace().collect();
        let sql =
            format!("SELECT name FROM s WHERE s MATCH ?1 ORDER BY rank, rowid LIMIT {RESULTS}");
        let mut statement = db.prepare(&sql).expect("a statement");
        self.figures(|text| {
            let text = text.to_lowercase();
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
            let words = words.difference(&stop_words);
            let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
            let names = statement.query_map([words.join(" OR ")], |row| row.get(0));
            let names: Vec<String> = names
                .expect("rows")
                .map(|name| name.expect("a name"))
                .collect();
            let is_any = !names.is_empty();
            (names, is_any)
        })
    }

    /// Calculates the metrics. `ask`: runs a query; returns the names of the skills found, and whether the search is
    /// confident.
    fn figures(&self, mut ask: impl FnMut(&str) -> (Vec<String>, bool)) -> Figures {
        let (mut ndcg, mut found, mut offers, mut meant) = (0.0, 0, 0, 0);
        let (mut none, mut abstained) = (0, 0);
        let mut times = Vec::new();
        for query in &self.queries {
            let start = Instant::now();
            let (names, is_confident) = ask(&query.text);
            times.push(start.elapsed());
            let Some(skill) = &query.skill else {
                none += 1;
                abstained += u32::from(!is_confident);
                continue;
            };
            meant += 1;
            offers += u32::from(is_confident);
            if let Some(at) = names.iter().position(|name| name == skill) {
                found += 1;
                ndcg += discount(at);
            }
        }
        times.sort_unstable();
        let share = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
        Figures {
            ndcg: ndcg / f64::from(meant.max(1)),
            recall: share(found, meant),
            abstention: share(abstained, none),
            offers: share(offers, meant),
            time: times[times.len() / 2],
        }
    }
}

/// Returns the weight of the result at a 0-based rank: 1 for the first, then 0.63, 0.5 …
pub(crate) fn discount(at: usize) -> f64 {
    1.0 / f64::from(u32::try_from(at).expect("a rank") + 2).log2()
}

impl PoolSkill {
    fn read(dir: &Path) -> Self {
        let bytes = fs::read(dir.join("SKILL.md")).expect("a file");
        let Head::Ends(end) = Head::parse(&bytes) else {
            panic!("{}: no frontmatter", dir.display());
        };
        let head = SkillHead::parse(&bytes, 0).expect("a frontmatter");
        Self {
            name: head.name,
            description: head.description,
            text: String::from_utf8_lossy(&bytes[end..]).into_owned(),
        }
    }

    fn write(&self, dir: &Path) {
        fs::create_dir_all(dir).expect("a directory");
        // A JSON string is a YAML string, too.
        let description = Value::from(self.description.as_str());
        let text = format!(
            "---\nname: {}\ndescription: {description}\n---\n{}",
            self.name, self.text
        );
        fs::write(dir.join("SKILL.md"), text).expect("a file");
    }
}
