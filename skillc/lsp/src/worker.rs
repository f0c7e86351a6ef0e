//! The thread that lints and answers requests.
//!
//! The thread takes messages in the order in which they were sent. Requests are handled first, then the skills of
//! edited documents, then all other skills of the workspace. Linting is interrupted by an edit of the same skill, and
//! background work by any request or edit; interrupted work starts again. The answer to a request is interrupted if the
//! client cancels the request. There is no delay after an edit: linting one skill takes a few milliseconds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread;

use lsp_server::{ErrorCode, RequestId};
use serde_json::{Value, json};
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::{SkillRef, Stop};
use skillc_lint::{Diagnostic, RunSkill};
use skillc_ops::Toolkit;
use skillc_ops::lint::live::{compare, skills_in};

use crate::answer::Fault;
use crate::busy::Busy;
use crate::client::{Client, MAX_FOLDERS, Out};
use crate::desk::Desk;
use crate::documents::Open;
use crate::in_flight::InFlight;
use crate::progress::Progress;
use crate::pull::{is_asked, shown};
use crate::requests::{Needs, Request};
use crate::visible::visible;

/// An event that the worker handles.
pub(crate) enum Event {
    /// A document was opened, changed or closed.
    Document {
        uri: String,
        open: Arc<Open>,
        is_closed: bool,
    },
    /// A request.
    Call(Call),
    /// The client has cancelled a request.
    Cancel(RequestId),
    /// Folders were added to the workspace and removed from it.
    Folders {
        added: Vec<PathBuf>,
        removed: Vec<PathBuf>,
    },
    /// The skills of a folder were found; an error if there are too many files.
    Found {
        folder: PathBuf,
        skills: skillc_core::Result<Vec<SkillRef>>,
    },
    /// Files were saved, created, changed or deleted.
    Files(Vec<PathBuf>),
    /// Any settings may have changed.
    Settings,
    /// The connection is ending.
    End,
}

/// A request that has not been answered yet.
pub(crate) struct Call {
    pub(crate) id: RequestId,
    pub(crate) request: &'static Request,
    pub(crate) params: Value,
}

/// How urgent it is to lint a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// A user edits the skill or waits for its findings.
    Now,
    /// No user waits.
    Later,
}

/// The state of the thread.
pub(crate) struct Worker {
    desk: Desk,
    out: Out,
    busy: Busy,
    in_flight: InFlight,
    /// Passed to the threads that look for skills.
    events: SyncSender<Event>,
    calls: VecDeque<Call>,
    /// Requests that wait until a skill, given by its canonical root, has been linted.
    waiting: Vec<(PathBuf, Call)>,
    /// Requests that wait until all skills have been linted.
    waiting_for_all: Vec<Call>,
    /// The skills to lint: `now` contains those that a user is waiting for; `later` contains all others, by their
    /// canonical roots.
    now: VecDeque<SkillRef>,
    later: BTreeMap<PathBuf, SkillRef>,
    /// Every skill that has been linted, by its canonical root.
    known: BTreeMap<PathBuf, SkillRef>,
    /// `compared` contains the data for rules that compare skills; `among` contains the findings of these rules.
    compared: BTreeMap<PathBuf, RunSkill>,
    among: BTreeMap<PathBuf, Vec<Diagnostic>>,
    is_compare_due: bool,
    /// The files that changed, and whether any settings may have changed, since the last step. The changes are
    /// combined, because an editor can report hundreds of them at once.
    changed: BTreeSet<PathBuf>,
    is_reload_due: bool,
    /// The folders in which skills are being looked for.
    searched: BTreeSet<PathBuf>,
    progress: Progress,
    /// How many times the client was told to request findings again.
    refreshed: usize,
}

impl Worker {
    /// Creates the worker of a connection.
    pub(crate) fn new(
        base: Toolkit,
        client: Client,
        out: Out,
        busy: Busy,
        in_flight: InFlight,
        events: SyncSender<Event>,
    ) -> Self {
        let progress = Progress::new(client.has_progress);
        Self {
            desk: Desk::new(base, client),
            out,
            busy,
            in_flight,
            events,
            calls: VecDeque::new(),
            waiting: Vec::new(),
            waiting_for_all: Vec::new(),
            now: VecDeque::new(),
            later: BTreeMap::new(),
            known: BTreeMap::new(),
            compared: BTreeMap::new(),
            among: BTreeMap::new(),
            is_compare_due: false,
            changed: BTreeSet::new(),
            is_reload_due: false,
            searched: BTreeSet::new(),
            progress,
            refreshed: 0,
        }
    }

    /// Handles events, answers requests and lints skills until the connection ends. The thread that handles messages
    /// answers the remaining requests.
    pub(crate) fn run(mut self, events: &Receiver<Event>) {
        loop {
            while let Ok(event) = events.try_recv() {
                if matches!(event, Event::End) {
                    return;
                }
                self.take(event);
            }
            if self.busy.is_ended() {
                return;
            }
            if self.step() {
                continue;
            }
            match events.recv() {
                Ok(Event::End) | Err(_) => return,
                Ok(event) => self.take(event),
            }
        }
    }

    fn take(&mut self, event: Event) {
        if !matches!(event, Event::Call(_) | Event::Cancel(_) | Event::End) {
            self.desk.renew_scripts();
        }
        match event {
            Event::Document {
                uri,
                open,
                is_closed,
            } => self.document(uri, &open, is_closed),
            Event::Call(call) => self.calls.push_back(call),
            Event::Cancel(id) => self.cancel(&id),
            Event::Folders { added, removed } => self.folders(added, &removed),
            Event::Found { folder, skills } => self.found(&folder, skills),
            Event::Files(files) => self.changed.extend(files),
            Event::Settings => self.is_reload_due = true,
            Event::End => {}
        }
    }

    /// Does one piece of work; returns false if there is nothing to do.
    fn step(&mut self) -> bool {
        self.apply_changes();
        if let Some(call) = self.calls.pop_front() {
            self.call(call);
        } else if let Some(at) = self.now.pop_front() {
            self.lint(at, Urgency::Now);
        } else if let Some((_, at)) = self.later.pop_first() {
            self.lint(at, Urgency::Later);
        } else if self.is_compare_due {
            self.compare();
        } else if self.searched.is_empty() && !self.waiting_for_all.is_empty() {
            for call in std::mem::take(&mut self.waiting_for_all) {
                self.answer(call);
            }
        } else {
            self.progress.end(&self.out);
            return false;
        }
        true
    }

    fn document(&mut self, uri: String, open: &Arc<Open>, is_closed: bool) {
        let now = (!is_closed).then(|| Arc::clone(open));
        self.desk.set_open(uri, now);
        self.edited_open(open);
    }

    fn edited_open(&mut self, open: &Open) {
        if let (Some(path), Some(real)) = (&open.path, &open.real) {
            self.edited(path, real);
        }
    }

    /// Lints the skills that contain a file. `path`: the path as sent by the client; `real`: the canonical path.
    fn edited(&mut self, path: &Path, real: &Path) {
        let innermost = self.desk.place(path).map(|place| place.at);
        let around: Vec<SkillRef> = real
            .ancestors()
            .filter_map(|dir| self.known.get(dir).cloned())
            .collect();
        for at in around {
            self.enqueue(at, Urgency::Later);
        }
        if let Some(at) = innermost {
            self.enqueue(at, Urgency::Now);
        }
    }

    fn enqueue(&mut self, at: SkillRef, urgency: Urgency) {
        if self.is_due(&at.canonical) {
            return;
        }
        match urgency {
            Urgency::Now => {
                self.later.remove(&at.canonical);
                self.now.push_back(at);
            }
            Urgency::Later => drop(self.later.insert(at.canonical.clone(), at)),
        }
    }

    /// Returns whether a user is waiting for the linting of a skill, given by its canonical root.
    fn is_due(&self, root: &Path) -> bool {
        self.now.iter().any(|due| due.canonical == root)
    }

    /// Answers a request, or keeps it until the findings that it needs are known.
    fn call(&mut self, call: Call) {
        let needs = call.request.needs;
        if needs == Needs::All {
            self.waiting_for_all.push(call);
            return;
        }
        let uri = call.params.pointer("/textDocument/uri");
        let uri = uri.filter(|_| needs != Needs::Nothing);
        let place = uri.and_then(|uri| self.desk.place_of(uri.as_str()?));
        let Some(at) = place.map(|place| place.at) else {
            self.answer(call);
            return;
        };
        let is_current = !self.is_due(&at.canonical) && self.known.contains_key(&at.canonical);
        if needs == Needs::Findings && is_current {
            self.answer(call);
        } else {
            self.waiting.push((at.canonical.clone(), call));
            self.enqueue(at, Urgency::Now);
        }
    }

    fn answer(
        &mut self,
        Call {
            id,
            request,
            params,
        }: Call,
    ) {
        let stop = self.busy.begin_answer(id.clone());
        self.desk.stop = stop.clone();
        let answer = AssertUnwindSafe(|| (request.answer)(&mut self.desk, params));
        let panicked = |_| {
            let message = format!("'{}' failed", request.method);
            Err(Fault::new(ErrorCode::InternalError, message))
        };
        let result = catch_unwind(answer).unwrap_or_else(panicked);
        self.busy.end();
        let result = if stop.is_raised() {
            Err(Fault::cancelled())
        } else {
            result
        };
        self.in_flight.answer(&self.out, id, result);
    }

    fn cancel(&mut self, id: &RequestId) {
        let mut is_there = false;
        let mut is_other = |call: &Call| {
            is_there |= call.id == *id;
            call.id != *id
        };
        self.calls.retain(&mut is_other);
        self.waiting.retain(|(_, call)| is_other(call));
        self.waiting_for_all.retain(&mut is_other);
        if is_there {
            let fault = Err(Fault::cancelled());
            self.in_flight.answer(&self.out, id.clone(), fault);
        }
    }

    fn lint(&mut self, at: SkillRef, urgency: Urgency) {
        let root = at.canonical.clone();
        let stop = self.busy.begin(&root, urgency == Urgency::Later);
        let among = self.among.get(&root).cloned().unwrap_or_default();
        let lint = AssertUnwindSafe(|| self.desk.lint(&at, among, &stop));
        let linted = catch_unwind(lint);
        self.busy.end();
        if stop.is_raised() {
            match urgency {
                Urgency::Now => self.now.push_front(at),
                Urgency::Later => drop(self.later.insert(root, at)),
            }
            return;
        }
        let (found, compared) = match linted {
            Ok(Ok(linted)) => linted,
            Ok(Err(_)) | Err(_) => (BTreeMap::new(), None),
        };
        self.known.insert(root.clone(), at);
        let before = match compared {
            Some(compared) => self.compared.insert(root.clone(), compared),
            None => self.compared.remove(&root),
        };
        self.is_compare_due |= before.as_ref() != self.compared.get(&root);
        let changed = self.desk.board.set(&root, found);
        for file in self.to_publish(&root, changed) {
            self.publish(&file);
        }
        self.progress.report(&self.out, self.later.len());
        let waiting = std::mem::take(&mut self.waiting);
        let (ready, waiting): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(of, _)| *of == root);
        self.waiting = waiting;
        for (_, call) in ready {
            self.answer(call);
        }
    }

    /// Returns the files whose findings are published after a skill was linted: those whose findings may have changed,
    /// and all open files, because the version of a document may have changed.
    fn to_publish(&self, root: &Path, mut changed: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let open = self.desk.open().filter_map(|open| open.real.as_ref());
        changed.extend(open.filter(|file| file.starts_with(root)).cloned());
        if self.desk.client.can_pull {
            changed.retain(|file| !is_asked(file));
        }
        changed
    }

    fn publish(&mut self, file: &Path) {
        let Some(uri) = self.desk.uri(file) else {
            return;
        };
        let items = json!(shown(&self.desk, file));
        let is_news = self.desk.board.send(file, &items.to_string());
        let version = self.desk.open_at(file).map(|(_, open)| open.version);
        if !is_news && version.is_none() {
            return;
        }
        let mut params = json!({ "uri": uri, "diagnostics": items });
        if let Some(version) = version {
            params["version"] = json!(version);
        }
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    /// Runs the rules that compare skills, over the skills of each folder. Lints a skill again if the findings of these
    /// rules in the skill change.
    fn compare(&mut self) {
        let stop = self.busy.begin(Path::new(""), true);
        let mut now: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        for folder in &self.desk.folders {
            let roots = folder.skills.iter().map(|at| &at.canonical);
            let skills: Vec<RunSkill> = roots
                .filter_map(|root| self.compared.get(root).cloned())
                .collect();
            let toolkit = self.desk.toolkit(&canonical(&folder.dir), stop.clone());
            for (at, diagnostic) in compare(&toolkit, &skills) {
                let found = now.entry(skills[at].dir.clone()).or_default();
                if !found.contains(&diagnostic) {
                    found.push(diagnostic);
                }
            }
        }
        self.busy.end();
        self.is_compare_due = stop.is_raised();
        if self.is_compare_due {
            return;
        }
        let roots: BTreeSet<&PathBuf> = now.keys().chain(self.among.keys()).collect();
        let changed = roots
            .into_iter()
            .filter(|root| now.get(*root) != self.among.get(*root));
        let changed: Vec<SkillRef> = changed
            .filter_map(|root| self.known.get(root).cloned())
            .collect();
        self.among = now;
        for at in changed {
            self.enqueue(at, Urgency::Later);
        }
    }

    fn folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let folders = std::mem::take(&mut self.desk.folders);
        let (gone, kept): (Vec<_>, Vec<_>) = folders
            .into_iter()
            .partition(|folder| removed.contains(&folder.dir));
        self.desk.folders = kept;
        for at in gone.into_iter().flat_map(|folder| folder.skills) {
            self.forget(&at.canonical);
        }
        for dir in added {
            let is_known = self.desk.folders.iter().any(|folder| folder.dir == dir);
            if is_known || self.desk.folders.len() >= MAX_FOLDERS {
                continue;
            }
            match self.desk.add_folder(dir.clone()) {
                Ok(()) => self.search(dir),
                Err(error) => self.warn(&error.to_string()),
            }
        }
        // Lint everything again, because folders can be nested, and an open document need not be in any folder.
        self.relint();
    }

    /// Looks for skills in a folder, on another thread.
    fn search(&mut self, folder: PathBuf) {
        if !self.searched.insert(folder.clone()) {
            return;
        }
        let toolkit = self.desk.toolkit(&canonical(&folder), Stop::default());
        let events = self.events.clone();
        thread::spawn(move || {
            let skills = skills_in(&toolkit, &folder);
            // Ignored: this fails only if the connection has ended meanwhile.
            let _ = events.send(Event::Found { folder, skills });
        });
    }

    fn found(&mut self, folder: &Path, skills: skillc_core::Result<Vec<SkillRef>>) {
        self.searched.remove(folder);
        let skills = match skills {
            Ok(skills) => skills,
            Err(error) => {
                let why = error.message();
                self.warn(&format!("only skills with open files are checked: {why}"));
                Vec::new()
            }
        };
        let folders = &mut self.desk.folders;
        let Some(at) = folders.iter().position(|known| known.dir == folder) else {
            return;
        };
        let before = std::mem::replace(&mut folders[at].skills, skills.clone());
        let now: BTreeSet<&PathBuf> = skills.iter().map(|at| &at.canonical).collect();
        for gone in before.iter().filter(|at| !now.contains(&at.canonical)) {
            self.forget(&gone.canonical);
        }
        self.is_compare_due = true;
        for at in skills {
            if !self.known.contains_key(&at.canonical) {
                self.enqueue(at, Urgency::Later);
            }
        }
        self.progress.begin(&self.out, self.later.len());
    }

    /// Removes the findings of a skill that is no longer in the workspace, unless one of its files is open.
    fn forget(&mut self, root: &Path) {
        if self.desk.has_open(root) {
            return;
        }
        self.known.remove(root);
        self.compared.remove(root);
        self.later.remove(root);
        let changed = self.desk.board.set(root, BTreeMap::new());
        for file in self.to_publish(root, changed) {
            self.publish(&file);
        }
    }

    /// Handles the changes since the last step.
    fn apply_changes(&mut self) {
        let files = std::mem::take(&mut self.changed);
        if std::mem::take(&mut self.is_reload_due) || files.iter().any(|file| is_setting(file)) {
            self.settings();
        }
        for file in &files {
            let real = file.parent().map(canonical);
            let real = real.zip(file.file_name()).map(|(dir, name)| dir.join(name));
            let real = real.as_ref().unwrap_or(file);
            self.edited(file, real);
            if file
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
            {
                let inside = self.desk.folders.iter().map(|folder| folder.dir.clone());
                let inside: Vec<PathBuf> = inside.filter(|dir| file.starts_with(dir)).collect();
                for folder in inside {
                    self.search(folder);
                }
            }
        }
    }

    fn settings(&mut self) {
        self.relint();
        self.is_compare_due = true;
        if self.desk.client.can_refresh {
            self.refreshed += 1;
            let id = format!("skc-refresh-{}", self.refreshed);
            let method = "workspace/diagnostic/refresh";
            self.out.ask(&id, method, Value::Null);
        }
    }

    /// Lints every known skill again: first those with open documents.
    fn relint(&mut self) {
        for open in self.desk.open().cloned().collect::<Vec<_>>() {
            self.edited_open(&open);
        }
        let folders = self.desk.folders.iter();
        let found = folders.flat_map(|folder| &folder.skills);
        let all: Vec<SkillRef> = found.chain(self.known.values()).cloned().collect();
        for at in all {
            self.enqueue(at, Urgency::Later);
        }
    }

    fn warn(&self, message: &str) {
        let params = json!({ "type": 2, "message": format!("skc: {}", visible(message)) });
        self.out.notify("window/logMessage", params);
    }
}

/// Returns whether a file can change the findings of several skills: configuration, a baseline or a script.
fn is_setting(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension == "toml" || extension == "rhai")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use lsp_server::Message;
    use skillc_core::testkit::context;

    use super::*;
    #[cfg(unix)]
    use crate::documents::Documents;
    use crate::transport::Outgoing;

    const NOWHERE: &str = "/no/such/folder";

    /// Returns a worker without a thread, and the receiver of its messages. It never finds skills by itself.
    fn worker(capabilities: &Value) -> (Worker, Receiver<Outgoing>) {
        let nowhere = Path::new(NOWHERE);
        let (toolkit, _) = Toolkit::new(context(nowhere, nowhere)).expect("no plug-ins");
        let client = Client::from_params(&json!({"capabilities": capabilities}));
        let (out, outgoing) = sync_channel(1000);
        let (events, _) = sync_channel(100);
        let (busy, in_flight) = (Busy::default(), InFlight::default());
        let worker = Worker::new(toolkit, client, Out(out), busy, in_flight, events);
        (worker, outgoing)
    }

    /// The work after an edit is proportional to the edited skill, not to the workspace. It is counted in steps: each
    /// lints at most one skill.
    #[cfg(unix)]
    #[test]
    fn an_edit_causes_the_same_work_in_a_large_workspace() {
        let text = |n: usize, last: &str| {
            format!("---\nname: s{n}\ndescription: Shows {n}.\n---\n\n# s{n}\n\n{last}\n")
        };
        let work = [2, 40].map(|skills| {
            let (mut worker, outgoing) = worker(&json!({}));
            let mut documents = Documents::default();
            let mut edit = |worker: &mut Worker, n: usize, version: i32, last: &str| {
                // The skills need not be on disk.
                let uri = format!("file://{NOWHERE}/s{n}/SKILL.md");
                let open = documents.open(&uri, version, text(n, last));
                worker.take(Event::Document {
                    uri,
                    open: open.expect("few documents"),
                    is_closed: false,
                });
            };
            for n in 0..skills {
                edit(&mut worker, n, 1, "One.");
            }
            while worker.step() {}
            assert_eq!(worker.known.len(), skills);
            assert!(outgoing.try_iter().count() >= skills);
            edit(&mut worker, 0, 2, "Two.");
            let due = worker.now.len() + worker.later.len();
            let mut steps = 0;
            while worker.step() {
                steps += 1;
            }
            (due, steps, outgoing.try_iter().count())
        });
        assert_eq!(work[0], work[1]);
        let (due, steps, published) = work[0];
        // Besides the edited skill, at most the rules that compare skills run.
        assert!(due == 1 && steps <= 2 && published == 1, "{work:?}");
    }

    #[test]
    fn changes_that_wait_are_combined_into_one_reload() {
        let capabilities = json!({"workspace": {"diagnostics": {"refreshSupport": true}}});
        let (mut worker, outgoing) = worker(&capabilities);
        let config = Path::new(NOWHERE).join(".skilllint.toml");
        for _ in 0..10 {
            worker.take(Event::Settings);
            worker.take(Event::Files(vec![config.clone(), config.clone()]));
        }
        assert!(outgoing.try_recv().is_err());
        while worker.step() {}
        drop(worker);
        let is_refresh = |message: &Outgoing| match message {
            Outgoing::Message(Message::Request(of)) => of.method == "workspace/diagnostic/refresh",
            _ => false,
        };
        assert_eq!(outgoing.iter().filter(is_refresh).count(), 1);
    }
}
