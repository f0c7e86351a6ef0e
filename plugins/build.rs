//! Lists the drop-in files of this package.

fn main() -> std::io::Result<()> {
    skillc_build::modules("indexers", "indexers")?;
    skillc_build::modules("rules", "rules")?;
    skillc_build::scripts("scripts", "scripts")
}
