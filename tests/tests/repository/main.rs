//! Checks of the repository as a whole: structure, requirements, and the program on mutated input.

mod design;
mod fuzz;
mod layout;
mod mutations;
mod requirements;
