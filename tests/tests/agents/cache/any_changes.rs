//! After any sequence of changes between two calls, a server answers like a new process.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::cache::support::{Call, Server, given, settle, toolkit};

const NAMES: [&str; 5] = ["a.md", "b.md", "c.txt", "deep/a.md", "deep/down/d.md"];
const WORDS: [&str; 4] = ["alpha", "gamma", "delta", "omega"];

/// A change between two calls.
#[derive(Debug, Clone, PartialEq)]
enum Deed {
    Write {
        file: usize,
        word: usize,
        keeps_time: bool,
    },
    Remove {
        file: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
    MoveDirectory,
    Link {
        file: usize,
        to: usize,
    },
    Touch {
        file: usize,
    },
    Build,
    BuildElsewhere,
    Wait,
    Tokenizer {
        name: usize,
        is_global: bool,
    },
    Damage {
        what: usize,
        how: usize,
    },
    KeepCopies,
    RestoreCopy {
        what: usize,
        is_renamed: bool,
    },
    RemoveSkill,
    Nearer,
}

fn deed() -> impl Strategy<Value = Deed> {
    let (file, word) = (0..NAMES.len(), 0..WORDS.len());
    prop_oneof![
        4 => (file.clone(), word, any::<bool>())
            .prop_map(|(file, word, keeps_time)| Deed::Write { file, word, keeps_time }),
        1 => file.clone().prop_map(|file| Deed::Remove { file }),
        1 => (file.clone(), file.clone()).prop_map(|(from, to)| Deed::Rename { from, to }),
        1 => Just(Deed::MoveDirectory),
        1 => (file.clone(), file.clone()).prop_map(|(file, to)| Deed::Link { file, to }),
        1 => file.prop_map(|file| Deed::Touch { file }),
        8 => Just(Deed::Build),
        1 => Just(Deed::BuildElsewhere),
        6 => Just(Deed::Wait),
        2 => (0..4_usize, any::<bool>())
            .prop_map(|(name, is_global)| Deed::Tokenizer { name, is_global }),
        3 => (0..4_usize, 0..5_usize).prop_map(|(what, how)| Deed::Damage { what, how }),
        2 => Just(Deed::KeepCopies),
        3 => (0..4_usize, any::<bool>())
            .prop_map(|(what, is_renamed)| Deed::RestoreCopy { what, is_renamed }),
        1 => Just(Deed::RemoveSkill),
        1 => Just(Deed::Nearer),
    ]
}

impl Server {
    /// Returns the path of one of the build's files: manifest, index, freshness table, log.
    fn built(&self, what: usize) -> PathBuf {
        let index = self.world.demo_index();
        let meta = self.world.demo_runtime().join(".skillc-meta");
        match what {
            0 => meta.join("manifest.json"),
            1 => index,
            2 => {
                let name = index.file_stem().unwrap_or_default().to_string_lossy();
                meta.join(name.replace("search-", "stamps-"))
            }
            _ => self.log(),
        }
    }

    /// Applies a change if possible.
    fn apply(&self, deed: &Deed) {
        let path = |file: usize| self.source(NAMES[file]);
        let done = match deed {
            Deed::Write {
                file,
                word,
                keeps_time,
            } => {
                let path = path(*file);
                let time = path.metadata().and_then(|found| found.modified());
                drop(fs::create_dir_all(path.parent().expect("a directory")));
                let text = format!("# {0}\n\n{0}\n", WORDS[*word]);
                fs::write(&path, text).and_then(|()| match time {
                    Ok(time) if *keeps_time => set_time(&path, time),
                    _ => Ok(()),
                })
            }
            Deed::Remove { file } => fs::remove_file(path(*file)),
            Deed::Rename { from, to } => fs::rename(path(*from), path(*to)),
            Deed::MoveDirectory => fs::rename(self.source("deep"), self.source("high"))
                .or_else(|_| fs::rename(self.source("high"), self.source("deep"))),
            Deed::Link { file, to } => {
                drop(fs::remove_file(path(*file)));
                symlink(path(*to), path(*file))
            }
            Deed::Touch { file } => {
                let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
                set_time(&path(*file), old)
            }
            Deed::Build => {
                self.world.skc(["build", "demo"]);
                Ok(())
            }
            Deed::BuildElsewhere => {
                self.world.skc(["build", "demo", "--global"]);
                Ok(())
            }
            Deed::Wait => {
                settle(&self.world);
                Ok(())
            }
            Deed::Tokenizer { name, is_global } => self.configure(*name, *is_global),
            Deed::Damage { what, how } => self.damage(*what, *how),
            Deed::KeepCopies => {
                (0..4).try_for_each(|what| fs::copy(self.built(what), self.copy(what)).map(drop))
            }
            Deed::RestoreCopy {
                what,
                is_renamed: true,
            } => fs::rename(self.copy(*what), self.built(*what)),
            Deed::RestoreCopy { what, .. } => {
                fs::copy(self.copy(*what), self.built(*what)).map(drop)
            }
            Deed::RemoveSkill => fs::remove_dir_all(self.world.demo_source()).map(|()| {
                self.world.project_skill("demo", &[]);
            }),
            Deed::Nearer => {
                let nearer = self.world.cwd.join("demo");
                fs::remove_dir_all(&nearer).or_else(|_| {
                    self.world.directory("demo", &[]);
                    Ok(())
                })
            }
        };
        // Changes that are impossible are skipped.
        drop(done);
    }

    fn copy(&self, what: usize) -> PathBuf {
        self.world.home.join(format!("copy-{what}"))
    }

    fn configure(&self, name: usize, is_global: bool) -> std::io::Result<()> {
        let root = if is_global {
            &self.world.home
        } else {
            &self.world.cwd
        };
        let path = root.join(".skillc/config.toml");
        drop(fs::create_dir_all(root.join(".skillc")));
        match ["cjk", "ascii", "neither"].get(name) {
            Some(name) => fs::write(path, format!("[search]\ntokenizer = \"{name}\"\n")),
            None => fs::remove_file(path),
        }
    }

    fn damage(&self, what: usize, how: usize) -> std::io::Result<()> {
        let path = self.built(what);
        let mut bytes = fs::read(&path)?;
        match how {
            0 => return fs::remove_file(path),
            1 => bytes.truncate(bytes.len() / 2),
            2 => bytes.clear(),
            3 => bytes.fill(b'x'),
            _ => {
                let at = bytes.len() * 2 / 3;
                bytes[at..].fill(b'x');
            }
        }
        fs::write(path, bytes)
    }
}

fn set_time(path: &std::path::Path, time: SystemTime) -> std::io::Result<()> {
    File::options().write(true).open(path)?.set_modified(time)
}

/// D-STALE, C-INDEX.8, C-RESOLUTION@7.1.
#[test]
fn a_server_answers_like_a_new_process() {
    let mut runner = TestRunner::new(Config {
        cases: 24,
        max_shrink_iters: 64,
        failure_persistence: None,
        ..Config::default()
    });
    let deeds = prop::collection::vec(prop::collection::vec(deed(), 1..4), 40);
    let outcome = runner.run(&deeds, |deeds| {
        let server = Server::new(&[("a.md", "# alpha\n\nalpha\n")]);
        for (at, deeds) in deeds.iter().enumerate() {
            for deed in deeds {
                server.apply(deed);
            }
            let word = WORDS[at % WORDS.len()];
            for call in [
                Call {
                    tool: "search",
                    arguments: json!({"skill": "demo", "query": word}),
                },
                Call {
                    tool: "show",
                    arguments: json!({"skill": "demo", "section": word}),
                },
            ] {
                let mut ours = server.call(&call);
                let fresh = given(&toolkit(&server.world), &call);
                // A new process reports configuration warnings before the call.
                ours.1.retain(|notice| !notice.contains("config.toml"));
                prop_assert_eq!(ours, fresh, "{:?} after {:?}", call, deeds);
            }
        }
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}
