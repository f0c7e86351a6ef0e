//! Quality of the search for sections: judged queries on real skills.
//!
//! Design: C-SEARCH.

use skillc_tests::relevance::Judgements;

use crate::table::Row;

/// The common part of the names of these measurements.
pub(crate) const NAME: &str = "sections found";

/// For each metric: the maximum distance of our search from the best value, 1, as a multiple of the distance of
/// unweighted BM25. Both searches return only sections that contain all words of the query, so their recall should be
/// the same.
const LACKING: f64 = 0.9;
const LACKING_RECALL: f64 = 1.01;

/// Returns the rows of the table; empty if there is no corpus.
pub(crate) fn rows() -> Vec<Row> {
    let Some(judgements) = Judgements::read() else {
        return Vec::new();
    };
    let (ours, plain) = (judgements.ours(), judgements.plain());
    let row = |what: &str, ours, plain, limit| {
        Row::from_figures(&format!("{NAME}: {what} / FTS5"), ours, plain, limit)
    };
    vec![
        row("nDCG@10", ours.ndcg, plain.ndcg, LACKING),
        row("recall@10", ours.recall, plain.recall, LACKING_RECALL),
    ]
}
