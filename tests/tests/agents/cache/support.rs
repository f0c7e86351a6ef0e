//! The toolkit of a long-lived server. Tests compare its results with those of new toolkits.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::Value;
use skillc_core::Stop;
use skillc_core::layout::RuntimeDir;
use skillc_ops::open::Open;
use skillc_ops::outline::Outline;
use skillc_ops::search::Search;
use skillc_ops::show::Show;
use skillc_ops::{NoProgress, Operation, Outcome, Toolkit, perform};
use skillc_tests::{World, database};

/// The response of a call, or its error with hints; and its warnings.
pub(crate) type Given = (Result<Value, String>, Vec<String>);

/// A world, and the toolkit of a server in this world.
pub(crate) struct Server {
    pub(crate) world: World,
    toolkit: Toolkit,
}

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

impl Server {
    /// Creates a world with a built skill `demo` that has these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        // In the user's own store, an index is accepted if its content is valid, so tests can restore an older index.
        let mut world = World::demo(files);
        world.home.clone_from(&world.cwd);
        settle(&world);
        world.skc(["build", "demo"]).success();
        Self::in_world(world)
    }

    pub(crate) fn in_world(world: World) -> Self {
        let toolkit = toolkit(&world);
        Self { world, toolkit }
    }

    pub(crate) fn call(&self, call: &Call) -> Given {
        let toolkit = self.toolkit.for_call(Box::new(NoProgress), Stop::default());
        given(&toolkit, call)
    }

    /// Searches `demo`; returns the files of the hits, or the error.
    pub(crate) fn search(&self, query: &str) -> Result<Vec<String>, String> {
        let response = self.call(&search(query)).0?;
        let hits = response["results"].as_array().expect("a list").iter();
        Ok(hits
            .map(|hit| hit["file"].as_str().expect("a text").to_owned())
            .collect())
    }

    /// Asserts that the index is usable and finds the word in this file only.
    #[track_caller]
    pub(crate) fn finds(&self, word: &str, file: &str) {
        assert_eq!(self.search(word), Ok(vec![file.to_owned()]), "{word}");
    }

    /// Asserts that the index is reported as unusable.
    #[track_caller]
    pub(crate) fn is_stale(&self, case: &str) {
        let error = self.search("hello").expect_err(case);
        assert!(error.starts_with("error[E002]: "), "{case}: {error}");
    }

    /// Builds `demo` as another process would.
    pub(crate) fn build(&self) {
        settle(&self.world);
        self.world.skc(["build", "demo"]).success();
    }

    pub(crate) fn source(&self, path: &str) -> PathBuf {
        self.world.demo_source().join(path)
    }

    /// Returns the path of the usage log of `demo`.
    pub(crate) fn log(&self) -> PathBuf {
        RuntimeDir(self.world.demo_runtime()).logs()
    }
}

pub(crate) fn toolkit(world: &World) -> Toolkit {
    Toolkit::new(world.context_at(&world.cwd))
        .expect("plug-ins")
        .0
}

pub(crate) fn search(query: &str) -> Call {
    Call {
        tool: "search",
        arguments: serde_json::json!({"skill": "demo", "query": query}),
    }
}

/// Calls an operation of a toolkit.
pub(crate) fn given(toolkit: &Toolkit, call: &Call) -> Given {
    fn run<O: Operation>(toolkit: &Toolkit, arguments: &Value) -> Given {
        let request = serde_json::from_value(arguments.clone()).expect("a request");
        let Outcome { result, notes } = perform::<O>(toolkit, request);
        let result = result.map(|response| serde_json::to_value(response).expect("JSON"));
        let shown = |error: skillc_core::Error| format!("{error} ({:?})", error.details());
        let notices = notes.notices.iter().map(ToString::to_string);
        (result.map_err(shown), notices.collect())
    }
    match call.tool {
        "search" => run::<Search>(toolkit, &call.arguments),
        "show" => run::<Show>(toolkit, &call.arguments),
        "open" => run::<Open>(toolkit, &call.arguments),
        "outline" => run::<Outline>(toolkit, &call.arguments),
        other => panic!("unsupported tool {other}"),
    }
}

/// Waits until the file system's clock has advanced, so that later writes have a later modification time.
pub(crate) fn settle(world: &World) {
    let probe = world.home.join("probe");
    let written = || {
        fs::write(&probe, "x").expect("should be writable");
        probe
            .metadata()
            .and_then(|found| found.modified())
            .expect("a time")
    };
    let begun = written();
    while written() <= begun {
        thread::yield_now();
    }
}

/// Returns the number of rows in a log.
pub(crate) fn rows(log: &Path) -> usize {
    let sql = "SELECT count(*) FROM access_log";
    let connection = database::read(log);
    connection
        .query_row(sql, [], |row| row.get(0))
        .expect("a log")
}

/// Returns the number of files below a directory that this process has open and whose names begin with `prefix`.
#[cfg(target_os = "linux")]
pub(crate) fn open_files(below: &Path, prefix: &str) -> usize {
    let all = fs::read_dir("/proc/self/fd").expect("Linux").flatten();
    let targets = all.filter_map(|entry| fs::read_link(entry.path()).ok());
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.starts_with(below) && name.starts_with(prefix)
    };
    targets.filter(is_meant).count()
}
