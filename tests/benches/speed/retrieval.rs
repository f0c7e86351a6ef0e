//! Search quality on judged queries, and the time of one query among thousands of skills. If `SKC_BENCH_MODEL` is set,
//! quality and time are also measured with an embedding model.
//!
//! Design: R27, R42.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use skillc_tests::retrieval::Pool;

use crate::race::Race;
use crate::table::Row;

/// The common part of the names of these measurements.
pub(crate) const NAME: &str = "skills found";

/// The environment variable that names the folder of a model.
const MODEL: &str = "SKC_BENCH_MODEL";

/// Maximum distance from a perfect nDCG@10 with a model, as a multiple of the distance without a model. The maximum
/// exceeds 1 because the model may be poor.
const MOST_OF_MODEL: f64 = 1.1;

/// A query is timed on a catalog with this many copies of the pool: 5,130 skills in total.
const TIMES: usize = 15;

/// Maximum time of a query, as a multiple of its time in `SQLite`'s full-text search, which reads only names and
/// descriptions; and the maximum time of a query with a model.
const OVER_FTS5: f64 = 1.0;
const MOST_OF_QUERY: Duration = Duration::from_millis(2);

/// The minimum of each metric; see `Figures`.
const NDCG: f64 = 0.88;
const RECALL: f64 = 0.97;
const ABSTENTION: f64 = 0.60;
const OFFERS: f64 = 0.90;

/// Returns the rows of the table; empty if there are no judged queries.
pub(crate) fn rows() -> Vec<Row> {
    let Some(pool) = Pool::read() else {
        return Vec::new();
    };
    let (ours, floor) = (pool.ours(), pool.fts5());
    let row = |what: &str, ours: f64, floor: f64, least: f64| {
        let limit = (1.0 - least) / (1.0 - floor);
        Row::from_figures(&format!("{NAME}: {what}"), ours, floor, limit)
    };
    let many = pool.repeated(TIMES);
    let race = Race {
        ours: many.ours().time,
        floor: many.fts5().time,
    };
    let mut rows = vec![
        row("nDCG@10 / FTS5", ours.ndcg, floor.ndcg, NDCG),
        row("recall@10 / FTS5", ours.recall, floor.recall, RECALL),
        row(
            "abstention / target",
            ours.abstention,
            ABSTENTION,
            ABSTENTION,
        ),
        row("offers / target", ours.offers, OFFERS, OFFERS),
        Row::from_parts(
            &format!("{NAME}: a query, 5,130 skills / FTS5"),
            race,
            (1, 1),
            OVER_FTS5,
        ),
    ];
    if let Some(model) = env::var_os(MODEL).map(PathBuf::from) {
        let with = pool.ours_with(Some(&model));
        rows.push(Row::from_figures(
            &format!("{NAME}: nDCG@10 with / without a model"),
            with.ndcg,
            ours.ndcg,
            MOST_OF_MODEL,
        ));
        rows.push(Row::from_limit(
            &format!("{NAME}: a query with a model, 5,130 skills"),
            many.ours_with(Some(&model)).time,
            MOST_OF_QUERY,
        ));
    }
    rows
}
