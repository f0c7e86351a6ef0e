//! How well skills are found for judged queries, and how long one query takes among thousands of skills.
//!
//! Design: R27.

use std::time::Duration;

use skillc_tests::retrieval::Pool;

use crate::table::Row;

/// What the names of the measurements have in them.
pub(crate) const NAME: &str = "skills found";

/// How often the pool is repeated for the time of a query: 5,130 skills.
const TIMES: usize = 15;

/// The most that a query takes.
const MOST_OF_QUERY: Duration = Duration::from_millis(2);

/// The figures to be reached, and the share of queries that may be told that nothing fits although something does.
const NDCG: f64 = 0.88;
const RECALL: f64 = 0.97;
const ABSTENTION: f64 = 0.60;
const OFFERS: f64 = 0.90;

/// Returns no rows where there are no judged queries.
pub(crate) fn rows() -> Vec<Row> {
    let Some(pool) = Pool::read() else {
        return Vec::new();
    };
    let (ours, floor) = (pool.ours(), pool.fts5());
    let row = |what: &str, ours: f64, floor: f64, least: f64| {
        let limit = (1.0 - least) / (1.0 - floor);
        Row::from_figures(&format!("{NAME}: {what}"), ours, floor, limit)
    };
    let time = pool.repeated(TIMES).ours().time;
    vec![
        row("nDCG@10 / FTS5", ours.ndcg, floor.ndcg, NDCG),
        row("recall@10 / FTS5", ours.recall, floor.recall, RECALL),
        row(
            "abstention / target",
            ours.abstention,
            ABSTENTION,
            ABSTENTION,
        ),
        row("offers / target", ours.offers, OFFERS, OFFERS),
        Row::from_limit(
            &format!("{NAME}: a query, 5,130 skills"),
            time,
            MOST_OF_QUERY,
        ),
    ]
}
