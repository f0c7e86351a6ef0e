//! Tests searches with an embedding model in catalogs that reuse the index of an earlier catalog.

use std::fs;

use serde_json::json;
use skillc_catalog::{Catalog, Query, Reason, SearchResults, search};

use crate::support::{World, configure, described, write};

/// Writes a model with vectors for two pairs of similar words. `is_swapped`: whether to swap the vectors of the last
/// two words.
fn write_model(world: &World, is_swapped: bool) {
    let words = json!({"[UNK]": 0, "invoice": 1, "deploy": 2, "bill": 3, "ship": 4});
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": words},
    });
    let header = json!({"embeddings": {"dtype": "I8", "shape": [5, 2], "data_offsets": [0, 10]}})
        .to_string();
    let pairs: [u8; 4] = if is_swapped {
        [1, 9, 9, 1]
    } else {
        [9, 1, 1, 9]
    };
    let length = (header.len() as u64).to_le_bytes();
    let data = [&[0, 0, 9, 0, 0, 9][..], &pairs].concat();
    let table = [&length[..], header.as_bytes(), &data].concat();
    write(
        &world.home.join("model/tokenizer.json"),
        &tokenizer.to_string(),
    );
    // A new file has another inode, so the change is detected even within one tick of the clock.
    let new = world.home.join("model/new");
    fs::write(&new, table).expect("a file");
    fs::rename(new, world.home.join("model/model.safetensors")).expect("a file");
}

fn found(catalog: &Catalog, text: &str) -> SearchResults {
    let query = Query {
        text: text.into(),
        ..Query::default()
    };
    search(catalog, &query).expect("a result")
}

/// R42: after a model is added, replaced or removed, the vectors of the earlier index are not reused.
#[test]
fn a_changed_model_changes_the_results() {
    let world = World::new();
    described(world.repo.join(".agents/skills/check"), "An invoice.");
    described(world.repo.join(".agents/skills/rollout"), "To deploy.");
    let setting = "[skills.search]\nmodel = \"~/model\"\n";
    let mut before = world.catalog();
    assert_eq!(found(&before, "bill").count, 0);
    for (is_swapped, first) in [(false, "check"), (true, "rollout"), (false, "check")] {
        configure(&world.home, setting);
        write_model(&world, is_swapped);
        let (after, fresh) = (world.catalog(), world.catalog());
        after.reuse_index(&before);
        let results = found(&after, "bill");
        assert_eq!(results, found(&fresh, "bill"));
        assert_eq!(results.results[0].name, first);
        assert_eq!(results.results[0].reason, Reason::SimilarMeaning);
        assert!(!results.confident);
        assert_eq!(after.model_warning(), None);
        before = after;
    }
    configure(&world.home, "");
    let after = world.catalog();
    after.reuse_index(&before);
    assert_eq!(found(&after, "bill").count, 0);
}
