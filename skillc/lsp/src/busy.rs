//! The worker's current work. The thread that receives messages can interrupt it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lsp_server::RequestId;
use parking_lot::Mutex;
use skillc_core::Stop;

/// The current work, shared by the threads of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Busy(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    work: Option<Work>,
    is_ended: bool,
    /// The time at which the connection will end, if it is known.
    deadline: Option<Instant>,
}

impl State {
    fn is_ended(&self) -> bool {
        self.is_ended || self.deadline.is_some_and(|at| at <= Instant::now())
    }
}

#[derive(Debug)]
struct Work {
    what: What,
    stop: Stop,
}

#[derive(Debug)]
enum What {
    /// The linting of a skill.
    Lint {
        /// The canonical root of the skill.
        root: PathBuf,
        is_background: bool,
    },
    /// The answer to a request.
    Answer(RequestId),
}

impl Busy {
    /// Records that the worker begins to lint a skill. Returns the flag that interrupts this work.
    pub(crate) fn begin(&self, root: &Path, is_background: bool) -> Stop {
        self.begin_work(What::Lint {
            root: root.to_path_buf(),
            is_background,
        })
    }

    /// Records that the worker begins to answer a request. Returns the flag that interrupts this work.
    pub(crate) fn begin_answer(&self, id: RequestId) -> Stop {
        self.begin_work(What::Answer(id))
    }

    fn begin_work(&self, what: What) -> Stop {
        let stop = Stop::default();
        let mut state = self.0.lock();
        if state.is_ended() {
            stop.raise();
        }
        state.work = Some(Work {
            what,
            stop: stop.clone(),
        });
        stop
    }

    /// Records that the work has ended.
    pub(crate) fn end(&self) {
        self.0.lock().work = None;
    }

    /// Interrupts background work.
    pub(crate) fn give_way(&self) {
        self.interrupt(is_background);
    }

    /// Interrupts background work, and the linting of a skill that contains the edited file.
    pub(crate) fn edited(&self, file: Option<&Path>) {
        let is_of = |what: &What| match what {
            What::Lint { root, .. } => file.is_some_and(|file| file.starts_with(root)),
            What::Answer(_) => false,
        };
        self.interrupt(|what| is_background(what) || is_of(what));
    }

    /// Interrupts the answer to a request that the client has cancelled.
    pub(crate) fn cancel(&self, cancelled: &RequestId) {
        self.interrupt(|what| matches!(what, What::Answer(id) if id == cancelled));
    }

    /// Interrupts all work, including work that begins later, because the connection is ending.
    pub(crate) fn end_all(&self) {
        self.0.lock().is_ended = true;
        self.interrupt(|_| true);
    }

    /// Sets the time at which the connection ends, unless it is set already. No work begins after this time, but only
    /// [`end_all`](Self::end_all) interrupts work that has begun.
    pub(crate) fn end_within(&self, grace: Duration) {
        let mut state = self.0.lock();
        state.deadline.get_or_insert_with(|| Instant::now() + grace);
    }

    /// Returns whether the connection is ending.
    pub(crate) fn is_ended(&self) -> bool {
        self.0.lock().is_ended()
    }

    fn interrupt(&self, is_it: impl Fn(&What) -> bool) {
        let state = self.0.lock();
        if let Some(work) = state.work.as_ref().filter(|work| is_it(&work.what)) {
            work.stop.raise();
        }
    }
}

fn is_background(what: &What) -> bool {
    matches!(
        what,
        What::Lint {
            is_background: true,
            ..
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_interrupts_its_own_skill_and_background_work() {
        let busy = Busy::default();
        busy.edited(None);
        let stop = busy.begin(Path::new("/a"), false);
        busy.give_way();
        busy.edited(None);
        busy.edited(Some(Path::new("/b/x.md")));
        assert!(!stop.is_raised());
        busy.edited(Some(Path::new("/a/x.md")));
        assert!(stop.is_raised());
        let stop = busy.begin(Path::new("/a"), true);
        busy.edited(Some(Path::new("/b/x.md")));
        assert!(stop.is_raised());
        let stop = busy.begin(Path::new("/a"), true);
        busy.end();
        busy.end_all();
        assert!(!stop.is_raised());
    }

    #[test]
    fn an_answer_is_interrupted_when_it_is_cancelled() {
        let busy = Busy::default();
        let stop = busy.begin_answer(RequestId::from(1));
        busy.give_way();
        busy.edited(Some(Path::new("/a/x.md")));
        busy.cancel(&RequestId::from(2));
        assert!(!stop.is_raised());
        busy.cancel(&RequestId::from(1));
        assert!(stop.is_raised());
    }

    #[test]
    fn no_work_begins_after_the_end() {
        let busy = Busy::default();
        let stop = busy.begin(Path::new("/a"), false);
        assert!(!busy.is_ended());
        busy.end_all();
        assert!(busy.is_ended() && stop.is_raised());
        assert!(busy.begin(Path::new("/b"), true).is_raised());
        assert!(busy.begin_answer(RequestId::from(1)).is_raised());
    }

    #[test]
    fn no_work_begins_after_the_deadline() {
        let busy = Busy::default();
        busy.end_within(Duration::from_secs(60));
        // The first deadline applies.
        busy.end_within(Duration::ZERO);
        assert!(!busy.is_ended() && !busy.begin_answer(RequestId::from(1)).is_raised());
        let busy = Busy::default();
        busy.end_within(Duration::ZERO);
        assert!(busy.is_ended() && busy.begin_answer(RequestId::from(1)).is_raised());
    }
}
