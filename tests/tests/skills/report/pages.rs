//! Pages for a browser: `SKC_PAGES=DIR cargo test -p skillc-tests --test skills report::pages` writes them to `DIR`.

use std::env::var_os;
use std::fs;
use std::path::PathBuf;

use crate::report::hostile::hostile;
use crate::report::sample::{unused, used};

#[test]
fn pages_are_written_for_a_browser() {
    let place = tempfile::TempDir::new().expect("temporary directory");
    let dir = var_os("SKC_PAGES").map_or_else(|| place.path().to_path_buf(), PathBuf::from);
    for (name, world) in [
        ("used", used()),
        ("unused", unused()),
        ("hostile", hostile()),
    ] {
        let file = dir.join(format!("{name}.html"));
        let to = file.to_str().expect("UTF-8");
        let asked = ["stats", "demo", "--format", "html", "--output", to];
        world.skc_at(&world.cwd, &asked).success();
        let page = fs::read_to_string(&file).expect("the page");
        assert!(page.contains("<h1><bdi>demo</bdi></h1>"), "{name}");
    }
}
