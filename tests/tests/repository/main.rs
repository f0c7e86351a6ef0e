//! The repository as a whole: its structure and requirements, and the program over mutated input.

mod design;
mod fuzz;
mod layout;
mod mutations;
mod requirements;
