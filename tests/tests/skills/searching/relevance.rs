//! For judged queries on real skills, the right section comes first.

use skillc_tests::relevance::Judgements;

/// C-SEARCH.2: the order is better than that of unweighted BM25.
#[test]
fn the_section_that_answers_comes_first() {
    let Some(judgements) = Judgements::read() else {
        return;
    };
    assert!(judgements.len() >= 60);
    assert_eq!(judgements.missing(), [""; 0]);
    let (ours, plain) = (judgements.ours(), judgements.plain());
    assert!(ours.ndcg >= 0.80 && ours.recall >= 0.75, "{ours:?}");
    assert!(ours.ndcg >= plain.ndcg + 0.04, "{ours:?}, {plain:?}");
}
