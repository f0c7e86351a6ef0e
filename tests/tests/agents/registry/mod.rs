//! The skill registry: the skills of a working directory as rows, filled, listed and shown by `skc registry`.
//!
//! The cases of the skill registry and the tests that show them; those of the tool and its calls are with the server's tests.
//!
//! | Case | Test |
//! |---|---|
//! | load, happy a | `loading::three_skills_are_three_rows` |
//! | load, happy b | `loading::optional_fields_land_in_their_columns` |
//! | load, happy c | `loading::what_a_skill_does_not_say_has_defaults` |
//! | load, happy d | `loading::paths_and_moments_have_their_forms` |
//! | load, parse error a | `loading::one_broken_skill_of_three_is_told_of_once_and_the_others_load` |
//! | load, parse error b | `loading::skills_that_are_all_broken_leave_an_empty_table` |
//! | load, missing root | `roots::without_any_root_all_is_zero_and_the_rows_stay` |
//! | load, pruning | `loading::a_row_whose_skill_is_gone_goes` |
//! | load, idempotent | `loading::twice_in_a_row_is_the_same` |
//! | load, no SKILL.md | `loading::a_directory_without_a_skill_is_passed_over_in_silence` |
//! | get, hit a | `reading::get_returns_the_whole_row` |
//! | get, hit b | `reading::capabilities_come_decoded` |
//! | get, miss a | `reading::an_unknown_name_is_an_error_with_names_like_it` |
//! | get, miss b | `reading::an_empty_and_a_blank_name_are_unknown` |
//! | list, plain | `reading::a_plain_list_is_everything_by_name` |
//! | list, search a | `reading::a_search_finds_a_name` |
//! | list, search b | `reading::a_search_finds_a_description` |
//! | list, search c | `reading::a_search_takes_upper_and_lower_case_for_the_same` |
//! | list, search d | `reading::a_search_that_hits_nothing_is_an_empty_list` |
//! | list, search, wildcards | `reading::no_character_of_a_search_has_a_meaning` |
//! | list, capability a | `reading::a_capability_is_found` |
//! | list, capability b | `reading::a_part_of_a_capability_is_none` |
//! | list, capability c | `reading::a_skill_without_capabilities_has_none` |
//! | list, both a | `reading::both_conditions_can_hold` |
//! | list, both b | `reading::one_condition_that_holds_is_not_enough` |
//! | corpus a | `corpus::every_skill_of_a_real_tree_is_counted` |
//! | corpus b | `corpus::every_row_of_a_real_tree_can_be_read` |
//!
//! Design: requirements-registry, catalog-commands, catalog-config, catalog-files.

mod corpus;
mod damage;
mod loading;
mod places;
mod reading;
mod roots;
mod settings;
mod support;
mod together;
