//! Pages for a browser: `SKC_PAGES=DIR cargo test -p skillc-tests --test report pages` writes them there.

use std::env::var_os;
use std::fs;
use std::path::Path;

use crate::hostile::hostile;
use crate::sample::{page, unused, used};

#[test]
fn pages_can_be_written_for_a_browser() {
    let Some(dir) = var_os("SKC_PAGES") else {
        return;
    };
    for (name, world) in [
        ("used", used()),
        ("unused", unused()),
        ("hostile", hostile()),
    ] {
        let file = Path::new(&dir).join(format!("{name}.html"));
        fs::write(file, page(&world, &[])).expect("a folder to write to");
    }
}
