//! Search quality: the right skill comes first for judged queries, in a public catalog and in catalogs derived from it.

use skillc_tests::retrieval::{Figures, Pool, PoolSkill};

/// Asserts that our search reaches at least these metrics on a pool, and beats `SQLite`'s full-text search.
#[track_caller]
fn check(pool: &Pool, ndcg: f64, recall: f64) -> Figures {
    let (ours, baseline) = (pool.ours(), pool.fts5());
    assert!(ours.ndcg >= ndcg && ours.recall >= recall, "{ours:?}");
    assert!(ours.ndcg > baseline.ndcg, "{ours:?}, {baseline:?}");
    assert!(ours.offers >= 0.88, "{ours:?}");
    ours
}

/// R27.
#[test]
fn the_skill_that_is_meant_comes_first() {
    let Some(pool) = Pool::read() else { return };
    let ours = check(&pool, 0.905, 0.975);
    assert!(ours.abstention >= 0.6, "{ours:?}");
}

/// R27: often only the name and description of a skill can be searched, or only the first sentence of the description.
#[test]
fn descriptions_are_enough() {
    let Some(pool) = Pool::read() else { return };
    let no_text = |_, skill: &mut PoolSkill| skill.text.clear();
    check(&pool.changed(3, no_text), 0.785, 0.92);
    check(
        &pool.changed(3, |_, skill| {
            skill.text.clear();
            let end = skill.description.find(". ");
            skill
                .description
                .truncate(end.map_or(usize::MAX, |end| end + 1));
        }),
        0.73,
        0.87,
    );
}

/// R27: the body of a skill may also be about the subjects of other skills.
#[test]
fn texts_of_other_skills_do_no_harm() {
    let Some(pool) = Pool::read() else { return };
    let others: Vec<String> = pool.skills.iter().map(|skill| skill.text.clone()).collect();
    let other = |at: usize| &others[(at * 37 + 11) % others.len()];
    check(
        &pool.changed(3, |at, skill| skill.text += other(at)),
        0.87,
        0.95,
    );
}
