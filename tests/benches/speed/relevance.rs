//! How well sections are found for judged queries on real skills.
//!
//! Design: C-SEARCH.

use skillc_tests::relevance::Judgements;

use crate::table::Row;

/// What the names of the measurements have in them.
pub(crate) const NAME: &str = "sections found";

/// The maximum ratio of what each figure lacks to 1, to the same of unweighted BM25. Sections that do not contain all words
/// of the query are never found, so the recall can only stay the same.
const LACKING: f64 = 0.9;
const LACKING_RECALL: f64 = 1.01;

/// Returns no rows without the corpus.
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
