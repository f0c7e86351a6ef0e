//! Lists the drop-in files of this package.

fn main() -> std::io::Result<()> {
    skillc_build::modules("src/indexers", "indexers")
}
