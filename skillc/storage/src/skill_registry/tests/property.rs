//! Property tests: the rows that are read equal the rows that were written.

use super::*;

use proptest::prelude::*;

/// Characters with special meaning, or with upper and lower case.
const CHARS: &str =
    "[aAbBzZ%_\\\\\"'*?\\[\\]{}éÉßẞİıσςΣǅ\u{1f600}\u{1f9d1}\u{200d}\u{0} \n漢]{0,4}";

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => CHARS, 1 => any::<String>()]
}

fn rows() -> impl Strategy<Value = Vec<SkillRow>> {
    let row = (text(), text(), prop::collection::vec(text(), 0..4));
    let rows = row.prop_map(|(name, description, capabilities)| SkillRow {
        name,
        description,
        capabilities,
        ..SkillRow::default()
    });
    prop::collection::vec(rows, 0..6)
}

/// Returns whether a substring of a string equals another string, ignoring case.
fn contains(text: &str, part: &str) -> bool {
    let fold = |text: &str| -> Vec<char> {
        let lower = text.chars().flat_map(char::to_lowercase);
        lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect()
    };
    let (text, part) = (fold(text), fold(part));
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// REG-READ.3 to REG-READ.8.
    #[test]
    fn a_list_equals_a_naive_filter(rows in rows(), search in text(), any in text(), pick in any::<prop::sample::Index>()) {
        let mut registry = SkillRegistry::in_memory().unwrap();
        Disk::with(rows.clone()).sync(&mut registry).unwrap();
        // The last of several entries with the same name is kept.
        let kept: std::collections::BTreeMap<_, _> = rows.iter().map(|row| (&row.name, row)).collect();
        let capabilities: Vec<&String> = rows.iter().flat_map(|row| &row.capabilities).chain([&any]).collect();
        let capability = *pick.get(&capabilities);
        for (search, capability) in [("", ""), (&*search, ""), ("", &**capability), (&search, capability)] {
            let expected: Vec<&str> = kept.values().filter(|row| {
                (search.is_empty() || contains(&row.name, search) || contains(&row.description, search))
                    && (capability.is_empty() || row.capabilities.iter().any(|one| one == capability))
            }).map(|row| &*row.name).collect();
            let filter = SkillFilter { search: Some(search), capability: Some(capability) };
            let listed = registry.list(filter).unwrap();
            let listed: Vec<&str> = listed.iter().map(|row| &*row.name).collect();
            prop_assert_eq!(listed, expected, "{:?} {:?}", search, capability);
        }
    }

    /// REG-DB.10, REG-READ.1.
    #[test]
    fn rows_round_trip(rows in rows(), body in text()) {
        let mut registry = SkillRegistry::in_memory().unwrap();
        let mut disk = Disk::with(rows);
        for row in &mut disk.winners {
            row.body.clone_from(&body);
        }
        disk.sync(&mut registry).unwrap();
        for row in disk.winners.iter().rev() {
            let is_last = disk.winners.iter().rev().find(|other| other.name == row.name) == Some(row);
            if is_last && !row.name.trim().is_empty() {
                let mut kept = registry.skill(&row.name).unwrap().unwrap();
                kept.loaded_at.clear();
                prop_assert_eq!(&kept, row);
            }
        }
    }
}
