//! The measured processes of the product and of the floor.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use skillc_tests::index_in;

use crate::race::time;
use crate::skills::{NAME, Sample};

impl Sample {
    /// Returns a command that runs the product.
    pub(crate) fn skc(&self, args: &[&str]) -> Command {
        self.world
            .process(env!("CARGO_BIN_EXE_skc-under-test"), args)
    }

    /// Returns a command that runs the floor. Its arguments are the command, the skill's source, then `args`.
    pub(crate) fn floor(&self, command: &str, args: &[&str]) -> Command {
        let mut run = self
            .world
            .process(env!("CARGO_BIN_EXE_skc-floor"), &[command]);
        run.arg(&self.source).args(args);
        run
    }

    /// Builds the skill incrementally.
    pub(crate) fn build(&self) -> Duration {
        time(self.skc(&["build", NAME]))
    }

    /// Builds the skill from scratch.
    pub(crate) fn build_all(&self) -> Duration {
        remove(&self.runtime());
        self.build()
    }

    /// Builds the floor's index from scratch.
    pub(crate) fn floor_build_all(&self) -> Duration {
        remove(&self.floor_index());
        let mut run = self.floor("build", &[]);
        run.arg(self.floor_index());
        time(run)
    }

    /// Returns the path of the product's index.
    pub(crate) fn index(&self) -> PathBuf {
        index_in(&self.runtime(), &self.source)
    }

    /// Returns the path of the floor's index.
    pub(crate) fn floor_index(&self) -> PathBuf {
        self.world.home.join("floor.db")
    }

    fn runtime(&self) -> PathBuf {
        self.world.cwd.join(".skillc/runtime").join(NAME)
    }
}

fn remove(path: &Path) {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{}: {error}", path.display()),
        _ => {}
    }
}
