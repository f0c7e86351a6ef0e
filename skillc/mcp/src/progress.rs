//! Reports the progress of a call, with notifications to the client that requested them.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use skillc_ops::Progress;
use tokio::sync::mpsc::UnboundedSender;

/// The minimum interval between two notifications, except that the last step of a phase is always reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// Reports the progress of one call. Notifications are rate-limited, so the unbounded channel stays short.
pub(crate) struct Told {
    notices: UnboundedSender<ProgressNotificationParam>,
    token: ProgressToken,
    work: Mutex<Option<Work>>,
}

struct Work {
    what: &'static str,
    total: usize,
    done: usize,
    /// The number of steps of earlier phases. They are included in the reported progress, which must never decrease.
    before: usize,
    told: Instant,
}

impl Told {
    /// `notices`: the queue of notifications. They are sent until the call is answered.
    pub(crate) fn new(
        notices: UnboundedSender<ProgressNotificationParam>,
        token: ProgressToken,
    ) -> Self {
        Self {
            notices,
            token,
            work: Mutex::new(None),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "step counts are small enough to be exact"
    )]
    fn tell(&self, work: &Work) {
        let done = (work.before + work.done) as f64;
        let notice = ProgressNotificationParam::new(self.token.clone(), done)
            .with_total((work.before + work.total) as f64)
            .with_message(work.what);
        // This fails only if the task of the call no longer exists, for example at shutdown.
        let _ = self.notices.send(notice);
    }

    fn with(&self, change: impl FnOnce(&mut Option<Work>)) {
        change(&mut self.work.lock());
    }
}

impl Progress for Told {
    fn begin(&self, what: &'static str, total: usize) {
        self.with(|work| {
            let before = work.take().map_or(0, |work| work.before + work.total);
            let begun = Work {
                what,
                total,
                done: 0,
                before,
                told: Instant::now(),
            };
            *work = Some(begun);
        });
    }

    fn advance(&self) {
        self.with(|work| {
            let Some(work) = work else {
                return;
            };
            work.done += 1;
            if work.told.elapsed() >= INTERVAL || work.done == work.total {
                work.told = Instant::now();
                self.tell(work);
            }
        });
    }

    fn end(&self) {}
}
