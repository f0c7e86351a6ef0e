//! `skc plugin test`: runs the test cases of scripts.
//!
//! The cases of `no-todo.rhai` are in `no-todo.test.toml` beside it: each has input text, and the findings and fixes
//! that a rule must produce for it, or the sections that an indexer must find. Each script is tested in isolation, so
//! that results depend on nothing else. A second run of the cases measures line coverage, because tracing would be too
//! slow for the time limits of the first run.

mod case_file;
mod cases;
mod keys;
mod report;
mod run;
mod update;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::budget::MAX_OPERATIONS;
use skillc_core::layout::canonical;
use skillc_core::shell::shell_word;
use skillc_core::source::{Stamp, read_start};
use skillc_core::{Context, Error, Result, Warning};
use skillc_lint::PluginRegistry;
use skillc_script::limits::MAX_SCRIPT_BYTES;
use skillc_script::{Host, Printed, Script};

use self::case_file::MAX_CASES_BYTES;
use self::cases::Cases;
use self::run::Bench;
use self::update::Expectation;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict};
use crate::plugins::{
    CASES, FoundScript, FoundScripts, Places, PluginFault, read_pack, refused, script_of_cases,
    shown,
};
use crate::staged::{Durability, Staged};
use crate::toolkit::Toolkit;
use crate::watched::Watched;

pub use report::{
    Difference, PluginTestResponse, RefusedFix, ScriptCoverage, TestedCase, TestedScript,
};

/// Arguments of `skc plugin test`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PluginTestRequest {
    /// Scripts, case files or folders [default: all of the project]
    #[cfg_attr(feature = "clap", arg(value_name = "PATH"))]
    #[serde(default)]
    pub path: Vec<String>,
    /// Replace the expectations in case files with the actual results
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub update: bool,
    /// Test again after every edit, until Ctrl-C
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(skip)]
    #[schemars(skip)]
    pub watch: bool,
}

/// Implements `skc plugin test`.
pub struct PluginTest;

impl Operation for PluginTest {
    const NAME: &'static str = "plugin test";
    const ABOUT: &'static str = "Run the test cases of plug-in scripts";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc plugin test",
            does: "all scripts of the project",
        },
        Example {
            command: "skc plugin test rules/no-todo.rhai",
            does: "one script, with rules/no-todo.test.toml",
        },
        Example {
            command: "skc plugin test --update",
            does: "save the actual results as expected results; review the diff",
        },
        Example {
            command: "skc plugin test --watch",
            does: "test again after every edit",
        },
    ];
    type Request = PluginTestRequest;
    type Response = PluginTestResponse;

    fn run(
        toolkit: &Toolkit,
        request: PluginTestRequest,
        notes: &mut Notes,
    ) -> Result<PluginTestResponse> {
        let found = find(toolkit, &request.path);
        refused(found.missing.iter())?;
        notes.details.extend(found.notices);
        for (path, reason) in found.left_out {
            let fault = PluginFault::whole(shown(&toolkit.context, &path), reason);
            notes.warn(Warning::PluginLeftOut {
                fault: fault.to_string(),
            });
        }
        let used = Arc::<AtomicU64>::default();
        let testing = Testing {
            toolkit,
            host: Host::default().counting(&used),
            used,
            linked: PluginRegistry::linked()?,
            is_update: request.update,
        };
        let work = toolkit.work("Testing scripts", found.scripts.len());
        let mut response = PluginTestResponse::default();
        for script in found.scripts {
            let tested = testing.script(&script, &mut response.written)?;
            response.add(tested);
            work.advance()?;
            if testing.is_spent() {
                break;
            }
        }
        for cases in found.orphans {
            response.add(orphan(&toolkit.context, &cases));
        }
        Ok(response)
    }

    fn watched(toolkit: &Toolkit, request: &PluginTestRequest) -> Watched {
        let mut watched = Watched {
            plugins: places(toolkit, &request.path),
            ..Watched::default()
        };
        for script in find(toolkit, &request.path).scripts {
            watched.files.push(cases_beside(&script.path));
        }
        watched
    }

    fn written(response: &PluginTestResponse) -> Vec<(PathBuf, Stamp)> {
        response.written.clone()
    }

    fn verdict(response: &PluginTestResponse) -> Verdict {
        if response.failed == 0 && response.faults == 0 {
            Verdict::Passed
        } else {
            Verdict::Failed
        }
    }
}

/// Returns the files and folders of the scripts to test.
fn places(toolkit: &Toolkit, asked: &[String]) -> Vec<PathBuf> {
    let context = &toolkit.context;
    if asked.is_empty() {
        // Take only the first folder: the project's or, without a project, the user's.
        return Places::new(context).folders.into_iter().take(1).collect();
    }
    let script = |path: &String| {
        let path = context.cwd.join(path);
        script_of_cases(&path).unwrap_or(path)
    };
    asked.iter().map(script).collect()
}

fn find(toolkit: &Toolkit, asked: &[String]) -> FoundScripts {
    let places = places(toolkit, asked);
    if asked.is_empty() {
        FoundScripts::in_folders(&places)
    } else {
        FoundScripts::named(&places)
    }
}

/// Returns the path of a script's case file.
fn cases_beside(script: &Path) -> PathBuf {
    script.with_extension(CASES)
}

/// Reports a case file without its script: otherwise nothing would show that its cases do not run.
fn orphan(context: &Context, cases: &Path) -> TestedScript {
    let script = script_of_cases(cases).unwrap_or_default();
    let beside = script.file_name().unwrap_or_default().display();
    let reason = format!(
        "its script {beside} does not exist: rename this file to match a script, or remove it"
    );
    let fault = PluginFault::whole(shown(context, cases), reason);
    TestedScript::new(&shown(context, &script)).faulty(fault)
}

/// Returns whether a file is a symlink that leads out of its folder.
fn leads_out(file: &Path) -> bool {
    let folder = file.parent().map(canonical);
    folder.is_none_or(|folder| !canonical(file).starts_with(folder))
}

/// A value, or a fault of a script or of its cases.
type Faulty<T> = std::result::Result<T, Box<PluginFault>>;

/// The state shared by the tests of all scripts.
struct Testing<'a> {
    toolkit: &'a Toolkit,
    host: Host,
    /// The number of operations that the scripts have used so far, in all runs of their cases.
    used: Arc<AtomicU64>,
    linked: PluginRegistry,
    is_update: bool,
}

impl Testing<'_> {
    /// Returns whether the scripts have used more operations than allowed: a repository can contain any number of
    /// scripts and cases. The limit is that of a skill, not of a run, because tests measure coverage, which is slow.
    fn is_spent(&self) -> bool {
        self.used.load(Ordering::Relaxed) > MAX_OPERATIONS
    }

    /// Tests a script.
    ///
    /// # Errors
    /// Returns E999 if reading or writing fails, or if the call is cancelled.
    fn script(
        &self,
        found: &FoundScript,
        written: &mut Vec<(PathBuf, Stamp)>,
    ) -> Result<TestedScript> {
        let context = &self.toolkit.context;
        let name = shown(context, &found.path);
        let mut tested = TestedScript::new(&name);
        let (host, printed) = self.host.printing();
        let (script, bytes) = match self.load(&host, found, &name) {
            Ok(loaded) => loaded,
            Err(fault) => return Ok(tested.faulty(*fault)),
        };
        let bench = match Bench::new(context, &script, &self.linked, printed, &self.used)? {
            Ok(bench) => bench,
            Err(fault) => return Ok(tested.faulty(PluginFault::from_script(fault, &bytes))),
        };
        let file = cases_beside(&found.path);
        if file.symlink_metadata().is_err() {
            return Ok(tested);
        }
        let beside = shown(context, &file);
        tested.cases_file = Some(beside.clone());
        let cases = match cases_in(&file, &beside, &script) {
            Ok(cases) => cases,
            Err(fault) => return Ok(tested.faulty(*fault)),
        };
        let news = self.run(&bench, &cases, &mut tested)?;
        if self.is_spent() {
            let reason = format!(
                "the cases took more than {MAX_OPERATIONS} operations, the limit for one run; cases that are not \
                shown, and those of later scripts, were not run. Test fewer scripts at a time: skc plugin test {}",
                shell_word(&name)
            );
            return Ok(tested.faulty(PluginFault::whole(beside, reason)));
        }
        if !news.is_empty() {
            if leads_out(&file) {
                let reason =
                    "is a symlink that leads out of its folder; --update does not write there";
                tested.cases.clear();
                return Ok(tested.faulty(PluginFault::whole(beside, reason)));
            }
            written.push(self.write(&file, &cases, &news)?);
        }
        if !cases.all.is_empty() {
            tested.coverage = self.coverage(&name, &bytes, &cases)?;
        }
        Ok(tested)
    }

    /// Loads a script. `name`: its path as displayed. Returns the script and the bytes of the file.
    fn load(&self, host: &Host, found: &FoundScript, name: &str) -> Faulty<(Script, Vec<u8>)> {
        if let Some(pack) = &found.pack {
            read_pack(pack, &shown(&self.toolkit.context, pack), &[])?;
        }
        let bytes = bytes_of(&found.path, MAX_SCRIPT_BYTES)
            .map_err(|reason| Box::new(PluginFault::whole(name, reason)))?;
        match host.load(name, &bytes) {
            Ok(script) => Ok((script, bytes)),
            Err(fault) => Err(Box::new(PluginFault::from_script(fault, &bytes))),
        }
    }

    /// Runs cases. Returns their updated expectations, by index.
    fn run(
        &self,
        bench: &Bench<'_>,
        cases: &Cases,
        tested: &mut TestedScript,
    ) -> Result<BTreeMap<usize, Vec<Expectation>>> {
        let mut news = BTreeMap::new();
        for (number, case) in cases.all.iter().enumerate() {
            self.toolkit.stop.check()?;
            if self.is_spent() {
                break;
            }
            bench.printed.take();
            let (mut case, expectations) = report::compare(case, bench.run(case), self.is_update);
            case.printed = bench.printed.take();
            if !expectations.is_empty() {
                news.insert(number, expectations);
            }
            tested.cases.push(case);
        }
        Ok(news)
    }

    /// Runs the cases of a script again to measure line coverage.
    fn coverage(&self, name: &str, bytes: &[u8], cases: &Cases) -> Result<Option<ScriptCoverage>> {
        let (host, coverage) = self.host.covering();
        let Ok(script) = host.load(name, bytes) else {
            return Ok(None);
        };
        let script: &Script = &script;
        let Ok(bench) = Bench::new(
            &self.toolkit.context,
            script,
            &self.linked,
            Printed::default(),
            &self.used,
        )?
        else {
            return Ok(None);
        };
        for case in &cases.all {
            self.toolkit.stop.check()?;
            if self.is_spent() {
                return Ok(None);
            }
            // The result is known from the first run.
            drop(bench.run(case));
        }
        Ok(Some(ScriptCoverage::from_covered(
            &script.covered(&coverage),
        )))
    }

    /// Writes updated expectations to the case file.
    fn write(
        &self,
        file: &Path,
        cases: &Cases,
        news: &BTreeMap<usize, Vec<Expectation>>,
    ) -> Result<(PathBuf, Stamp)> {
        let fail = |error: &io::Error| Error::io("writing", file, error);
        let text = update::updated(&cases.text, news);
        let mut text = text.map_err(|reason| fail(&io::Error::other(reason)))?;
        if cases.has_crlf {
            text = text.replace('\n', "\r\n");
        }
        if cases.has_mark {
            text.insert(0, '\u{feff}');
        }
        // If the file is a symlink, resolve it: otherwise, the rename would replace the symlink.
        let file = canonical(file);
        let context = &self.toolkit.context;
        let mut staged = Staged::new(&context.home, Durability::from_context(context));
        staged.write(&file, text.as_bytes())?;
        staged.commit()?;
        let stamp = fs::metadata(&file).map(|found| Stamp::from_metadata(&found));
        Ok((file.clone(), stamp.map_err(|e| fail(&e))?))
    }
}

/// Reads the case file of a script. `beside`: the displayed path of the case file.
fn cases_in(file: &Path, beside: &str, script: &Script) -> Faulty<Cases> {
    let bytes = bytes_of(file, MAX_CASES_BYTES)
        .map_err(|reason| Box::new(PluginFault::whole(beside, reason)))?;
    case_file::read(&bytes, script).map_err(|error| {
        let lined = lined(&bytes);
        let fault = PluginFault::in_file(beside, &lined, error.at, error.message);
        Box::new(fault)
    })
}

/// Reads a file, up to one byte beyond the limit so that the caller can detect a larger one.
fn bytes_of(path: &Path, max_bytes: usize) -> std::result::Result<Vec<u8>, String> {
    let read = read_start(path, max_bytes as u64 + 1);
    read.map_err(|error| format!("cannot be read: {error}"))
}

/// Returns the content of a file in the form that positions refer to: without a byte order mark, and with line endings
/// normalized to LF.
fn lined(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    text.into_bytes()
}
