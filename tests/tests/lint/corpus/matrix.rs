//! Client matrix of the whole corpus: every cell has a reason, and unknown behaviour is never reported as ok.

use skillc_core::clients::Clients;
use skillc_tests::{World, corpus};

#[test]
fn every_cell_that_is_not_ok_has_a_reason_that_names_its_client() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let mut folders: Vec<_> = skills.iter().filter_map(|skill| skill.parent()).collect();
    folders.dedup();
    let mut args = vec!["lint", "--matrix", "--format", "json"];
    args.extend(
        folders
            .iter()
            .map(|path| path.to_str().expect("a UTF-8 path")),
    );
    let world = World::new();
    let run = world.skc_at(&world.cwd, &args).success();
    let json = run.json();
    let rows = json["skills"].as_array().expect("a list");
    assert!(rows.len() >= skills.len(), "{}", rows.len());
    let (mut ok, mut others) = (0, 0);
    for row in rows {
        let cells = row["cells"].as_array().expect("a list");
        assert_eq!(
            cells.len(),
            Clients::shared().clients.len(),
            "{}",
            row["path"]
        );
        for (cell, client) in cells.iter().zip(&Clients::shared().clients) {
            assert_eq!(cell["client"], *client.id);
            let reasons = cell["reasons"].as_array().expect("a list");
            if cell["result"] == "ok" {
                assert!(!client.faults.is_empty(), "{} {}", row["path"], client.id);
                assert!(reasons.is_empty(), "{cell}");
                ok += 1;
                continue;
            }
            let names_it = |text: &serde_json::Value| {
                text.as_str().is_some_and(|text| text.contains(&client.id))
            };
            assert!(!reasons.is_empty(), "{} {cell}", row["path"]);
            for reason in reasons {
                assert!(names_it(&reason["message"]), "{reason}");
                assert_eq!(
                    reason["rule"].is_null(),
                    reason["help"].is_null(),
                    "{reason}"
                );
            }
            others += 1;
        }
    }
    assert!(ok > 1000 && others > 500, "{ok} {others}");
}
