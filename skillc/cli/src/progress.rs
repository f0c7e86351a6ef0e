//! A progress bar on the terminal, for long-running work.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use skillc_ops::Progress;

/// Delay before the bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// The bar, without colours; erased when the work is done.
pub(crate) struct Bar {
    work: Mutex<Option<Work>>,
    patience: Duration,
    target: fn() -> ProgressDrawTarget,
}

struct Work {
    what: &'static str,
    total: u64,
    done: u64,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Creates a bar on standard error, which must be a terminal.
    pub(crate) fn on_terminal() -> Self {
        Self {
            work: Mutex::new(None),
            patience: PATIENCE,
            target: ProgressDrawTarget::stderr,
        }
    }

    fn with(&self, change: impl FnOnce(&mut Option<Work>)) {
        change(&mut self.work.lock());
    }
}

impl Progress for Bar {
    fn begin(&self, what: &'static str, total: usize) {
        self.with(|work| {
            *work = Some(Work {
                what,
                total: total as u64,
                done: 0,
                begun: Instant::now(),
                bar: None,
            });
        });
    }

    fn advance(&self) {
        self.with(|work| {
            let Some(work) = work else {
                return;
            };
            work.done += 1;
            if work.bar.is_none() && work.begun.elapsed() >= self.patience {
                work.bar = Some(bar(work.what, work.total, (self.target)()));
            }
            if let Some(bar) = &work.bar {
                bar.set_position(work.done);
            }
        });
    }

    fn end(&self) {
        self.with(|work| {
            if let Some(bar) = work.take().and_then(|work| work.bar) {
                bar.finish_and_clear();
            }
        });
    }
}

fn bar(what: &'static str, total: u64, target: ProgressDrawTarget) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(total), target);
    bar.set_style(style.progress_chars("=> "));
    bar.set_message(what);
    bar
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use indicatif::InMemoryTerm;

    use super::*;

    static TERMINAL: LazyLock<InMemoryTerm> = LazyLock::new(|| InMemoryTerm::new(5, 80));

    fn bar(patience: Duration) -> Bar {
        Bar {
            work: Mutex::new(None),
            patience,
            target: || ProgressDrawTarget::term_like(Box::new(TERMINAL.clone())),
        }
    }

    #[test]
    fn a_bar_is_shown_after_a_delay_and_removed_at_the_end() {
        let quick = bar(Duration::from_secs(60));
        quick.begin("Linting skills", 2);
        quick.advance();
        assert_eq!(TERMINAL.contents(), "");
        quick.end();

        let slow = bar(Duration::ZERO);
        slow.advance();
        slow.begin("Linting skills", 4);
        slow.advance();
        let line = "Linting skills [=======>                      ] 1/4";
        assert_eq!(TERMINAL.contents(), line);
        slow.end();
        assert_eq!(TERMINAL.contents(), "");
    }
}
