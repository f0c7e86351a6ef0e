//! Quality of the search for sections: judged queries on real skills, and the metrics of `skc search` and of a plain
//! search.
//!
//! The queries and judgements are in `tests/relevance`; the skills are those of [`crate::corpus`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use skillc_core::cjk::is_cjk;
use walkdir::WalkDir;

use crate::retrieval::discount;
use crate::{World, corpus, database, write_config};

/// The number of results that are evaluated per query.
const RESULTS: usize = 10;

/// A section: a file of the skill and a heading.
type Place = (String, String);

/// A query on one skill, and the sections that were judged for it.
#[derive(Debug, Clone)]
struct JudgedQuery {
    /// The skill's directory.
    skill: PathBuf,
    text: String,
    /// The grade of each judged section: 2 if it answers the query, 1 if it is only related.
    grades: BTreeMap<Place, u8>,
}

/// The metrics of a search for sections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionFigures {
    /// Mean nDCG@10: the gain of the first results, discounted by rank, as a share of the best possible gain.
    pub ndcg: f64,
    /// Mean share of the judged sections that are among the first results.
    pub recall: f64,
}

/// The judged queries, and a built index of each skill that the queries search.
pub struct Judgements {
    queries: Vec<JudgedQuery>,
    /// The built skills. A key is a skill's directory, and whether its tokenizer is `cjk`.
    skills: BTreeMap<(PathBuf, bool), World>,
}

impl Judgements {
    /// Reads the judgements and builds the skills. Prints a message and returns `None` if there is no corpus.
    pub fn read() -> Option<Self> {
        let of_corpus = corpus::skills()?;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("relevance/sections.toml");
        let text = fs::read_to_string(file).expect("judgements");
        let table: toml::Table = text.parse().expect("TOML");
        let queries = table["query"].as_array().expect("queries").iter();
        let queries: Vec<_> = queries
            .map(|query| JudgedQuery::parse(query, &of_corpus))
            .collect();
        let mut skills = BTreeMap::new();
        for query in &queries {
            let key = (query.skill.clone(), query.is_cjk());
            skills
                .entry(key)
                .or_insert_with(|| built(&query.skill, query.is_cjk()));
        }
        Some(Self { queries, skills })
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Returns whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Returns the judged sections that do not exist in the skills.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for query in &self.queries {
            let rows = rows(self.skill(query));
            let places: BTreeSet<Place> = rows
                .into_iter()
                .map(|(_, [file, section, _])| (file, section))
                .collect();
            let gone = query.grades.keys().filter(|place| !places.contains(*place));
            missing.extend(gone.map(|(file, heading)| format!("{}: {file}#{heading}", query.text)));
        }
        missing
    }

    /// Measures `skc search`.
    pub fn ours(&self) -> SectionFigures {
        self.figures(|query| {
            let skill = query.skill.to_string_lossy();
            let args = ["search", &skill, &query.text, "--format", "json"];
            let found = self.skill(query).skc(args).success().json();
            let results = found["results"].as_array().expect("results").iter();
            let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
            results
                .map(|hit| (text(&hit["file"]), text(&hit["section"])))
                .collect()
        })
    }

    /// Measures the baseline: the same words in the same sections, ranked by the database, with equal weights for all
    /// columns.
    pub fn plain(&self) -> SectionFigures {
        let tables: BTreeMap<_, _> = self
            .skills
            .iter()
            .map(|(key, world)| (key, plain_index(world, key.1)))
            .collect();
        self.figures(|query| {
            let is_cjk = query.is_cjk();
            let words = query.text.split_whitespace();
            let words: Vec<String> = words
                .map(|word| format!("\"{}\"", spaced(word, is_cjk)))
                .collect();
            let sql =
                "SELECT place FROM sections WHERE sections MATCH ?1 ORDER BY rank, rowid LIMIT ?2";
            let mut statement = tables[&(query.skill.clone(), is_cjk)]
                .prepare(sql)
                .expect("a statement");
            let found = statement.query_map((words.join(" "), RESULTS), |row| row.get(0));
            let found = found.expect("rows").map(|place| place.expect("a place"));
            found
                .map(|place: String| {
                    let (file, heading) = place.split_once('\n').expect("a heading");
                    (file.to_owned(), heading.to_owned())
                })
                .collect()
        })
    }

    fn skill(&self, query: &JudgedQuery) -> &World {
        &self.skills[&(query.skill.clone(), query.is_cjk())]
    }

    /// Calculates the metrics. `ask`: runs a query, and returns the sections found, best first.
    fn figures(&self, mut ask: impl FnMut(&JudgedQuery) -> Vec<Place>) -> SectionFigures {
        let (mut ndcg, mut recall) = (0.0, 0.0);
        for query in &self.queries {
            let mut seen = BTreeSet::new();
            let found: Vec<u8> = ask(query)
                .into_iter()
                .take(RESULTS)
                // A second section with the same heading adds no gain.
                .map(|place| {
                    let grade = query.grades.get(&place).copied().unwrap_or_default();
                    if seen.insert(place) { grade } else { 0 }
                })
                .collect();
            let mut ideal: Vec<u8> = query.grades.values().copied().collect();
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            ideal.truncate(RESULTS);
            ndcg += gain(&found) / gain(&ideal);
            let hits = found.iter().filter(|grade| **grade > 0).count();
            recall += share(hits, query.grades.len());
        }
        let count = share(self.queries.len(), 1);
        SectionFigures {
            ndcg: ndcg / count,
            recall: recall / count,
        }
    }
}

impl JudgedQuery {
    fn parse(query: &toml::Value, of_corpus: &[PathBuf]) -> Self {
        let text = |key: &str| query[key].as_str().expect("a text").to_owned();
        let name = text("skill");
        let skill = of_corpus.iter().find(|dir| dir.ends_with(&name));
        let skill = skill.unwrap_or_else(|| panic!("{name} is not in the corpus"));
        let mut grades = BTreeMap::new();
        for (key, grade) in [("answers", 2), ("related", 1)] {
            let places = query.get(key).and_then(toml::Value::as_array);
            for place in places.into_iter().flatten() {
                let place = place.as_str().expect("a place");
                let (file, heading) = place.split_once('#').expect("a heading");
                grades.insert((file.to_owned(), heading.to_owned()), grade);
            }
        }
        assert!(!grades.is_empty(), "{name}: no judged sections");
        Self {
            skill: skill.clone(),
            text: text("text"),
            grades,
        }
    }

    fn is_cjk(&self) -> bool {
        self.text.contains(is_cjk)
    }
}

/// Builds a skill in a world of its own.
fn built(skill: &Path, is_cjk: bool) -> World {
    let world = World::new();
    if is_cjk {
        write_config(&world.home, "[search]\ntokenizer = \"cjk\"\n");
    }
    world.skc(["build", &skill.to_string_lossy()]).success();
    world
}

/// Returns the rowid, the file, the heading and the text of each row in the index.
fn rows(world: &World) -> Vec<(i64, [String; 3])> {
    let mut files = WalkDir::new(&world.home).into_iter().flatten();
    let index = files.find(|file| {
        let name = file.file_name().to_string_lossy();
        name.starts_with("search-") && name.ends_with(".db")
    });
    let db = database::read(index.expect("an index").path());
    let sql = "SELECT id, c0, c1, c2 FROM sections_content ORDER BY id";
    let mut statement = db.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?]))
    });
    let rows = rows.expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

/// Copies the sections into a table of the database's own full-text search.
fn plain_index(world: &World, is_cjk: bool) -> Connection {
    let db = Connection::open_in_memory().expect("a database");
    let tokenize = if is_cjk {
        "unicode61"
    } else {
        "porter unicode61"
    };
    let sql = format!(
        "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, place UNINDEXED, tokenize='{tokenize}')"
    );
    db.execute_batch(&sql).expect("a table");
    for (rowid, [file, section, content]) in rows(world) {
        let place = format!("{file}\n{section}");
        let [file, section, content] = [file, section, content].map(|text| spaced(&text, is_cjk));
        let sql =
            "INSERT INTO sections(rowid, file, section, content, place) VALUES(?1, ?2, ?3, ?4, ?5)";
        db.execute(sql, (rowid, file, section, content, place))
            .expect("a row");
    }
    db
}

/// Puts spaces around Chinese, Japanese and Korean characters, so that each is a separate word, as in our tokenizer.
fn spaced(text: &str, is_wanted: bool) -> String {
    if !is_wanted {
        return text.to_owned();
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if is_cjk(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced
}

/// Returns the discounted gain of graded results, best first.
fn gain(grades: &[u8]) -> f64 {
    let gains = grades.iter().enumerate();
    gains
        .map(|(at, grade)| (f64::from(*grade).exp2() - 1.0) * discount(at))
        .sum()
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}
