//! The current work of the worker, which the thread that takes messages can interrupt.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use skillc_core::Stop;

/// The current work, shared by both threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Busy(Arc<Mutex<Option<Work>>>);

#[derive(Debug)]
struct Work {
    /// The canonical root of the skill.
    root: PathBuf,
    is_background: bool,
    stop: Stop,
}

impl Busy {
    /// Records that the linting of a skill begins. Returns the flag that interrupts it.
    pub(crate) fn begin(&self, root: &Path, is_background: bool) -> Stop {
        let stop = Stop::default();
        *self.0.lock() = Some(Work {
            root: root.to_path_buf(),
            is_background,
            stop: stop.clone(),
        });
        stop
    }

    /// Records that the work has ended.
    pub(crate) fn end(&self) {
        *self.0.lock() = None;
    }

    /// Interrupts work for which no user waits.
    pub(crate) fn give_way(&self) {
        self.interrupt(|work| work.is_background);
    }

    /// Interrupts work whose result an edit of a file makes obsolete, and work for which no user waits.
    pub(crate) fn edited(&self, file: Option<&Path>) {
        let is_of = |work: &Work| file.is_some_and(|file| file.starts_with(&work.root));
        self.interrupt(|work| work.is_background || is_of(work));
    }

    /// Interrupts any work.
    pub(crate) fn end_all(&self) {
        self.interrupt(|_| true);
    }

    fn interrupt(&self, is_it: impl Fn(&Work) -> bool) {
        if let Some(work) = self.0.lock().as_ref().filter(|work| is_it(work)) {
            work.stop.raise();
        }
    }
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
}
