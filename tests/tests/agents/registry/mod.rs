//! The skill registry: a table of the skills of a working directory, managed with `skc registry`.
//!
//! The table lists the specified cases and their tests. The cases of the MCP tool are among the server's tests.
//!
//! | Case | Test |
//! |---|---|
//! | load, happy a | `loading::three_skills_are_three_rows` |
//! | load, happy b | `loading::optional_fields_are_stored_in_their_columns` |
//! | load, happy c | `loading::missing_fields_have_defaults` |
//! | load, happy d | `loading::paths_and_timestamps_are_normalized` |
//! | load, parse error a | `loading::one_invalid_skill_of_three_is_reported_once_and_the_others_load` |
//! | load, parse error b | `loading::if_all_skills_are_invalid_the_table_is_empty` |
//! | load, missing root | `roots::without_any_root_counts_are_zero_and_rows_are_kept` |
//! | load, pruning | `loading::rows_of_deleted_skills_are_pruned` |
//! | load, idempotent | `loading::a_second_sync_changes_nothing` |
//! | load, no SKILL.md | `loading::a_directory_without_a_skill_is_skipped_silently` |
//! | get, hit a | `reading::get_returns_the_whole_row` |
//! | get, hit b | `reading::capabilities_are_decoded` |
//! | get, miss a | `reading::an_unknown_name_is_an_error_with_suggestions` |
//! | get, miss b | `reading::empty_and_blank_names_are_unknown` |
//! | list, plain | `reading::a_plain_list_has_everything_sorted_by_name` |
//! | list, search a | `reading::a_search_matches_names` |
//! | list, search b | `reading::a_search_matches_descriptions` |
//! | list, search c | `reading::a_search_is_case_insensitive` |
//! | list, search d | `reading::a_search_without_matches_is_an_empty_list` |
//! | list, search, wildcards | `reading::a_search_has_no_wildcards` |
//! | list, capability a | `reading::a_capability_matches` |
//! | list, capability b | `reading::a_part_of_a_capability_does_not_match` |
//! | list, capability c | `reading::a_skill_without_capabilities_does_not_match` |
//! | list, both a | `reading::search_and_capability_can_be_combined` |
//! | list, both b | `reading::both_search_and_capability_must_match` |
//! | corpus a | `corpus::every_corpus_skill_is_counted` |
//! | corpus b | `corpus::every_corpus_row_can_be_read` |
//!
//! Design: requirements-registry, catalog-commands, catalog-config, catalog-files.

mod concurrency;
mod corpus;
mod damage;
mod loading;
mod places;
mod reading;
mod roots;
mod settings;
mod support;
