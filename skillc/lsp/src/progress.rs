//! Shows the progress of linting a workspace, if the client supports it.

use serde_json::json;

use crate::client::Out;

/// The minimum number of skills for which progress is shown.
const MIN_SKILLS: usize = 50;

/// The number of skills that are linted between two messages.
const STEP: usize = 25;

/// The progress of linting the waiting skills.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    is_wanted: bool,
    /// The number of skills at the start; `None` if no progress is shown.
    total: Option<usize>,
    /// How many times progress was begun; makes each token unique.
    count: usize,
    /// The number of skills that were left to lint at the last message.
    last: usize,
}

impl Progress {
    /// Creates a reporter. `is_wanted`: whether the client supports progress.
    pub(crate) fn new(is_wanted: bool) -> Self {
        Self {
            is_wanted,
            ..Self::default()
        }
    }

    /// Starts to show progress, if there are many skills.
    pub(crate) fn begin(&mut self, out: &Out, skills: usize) {
        if !self.is_wanted || self.total.is_some() || skills < MIN_SKILLS {
            return;
        }
        self.count += 1;
        (self.total, self.last) = (Some(skills), skills);
        let token = self.token();
        let method = "window/workDoneProgress/create";
        out.ask(&token, method, json!({ "token": token }));
        let value = json!({ "kind": "begin", "title": "Linting skills", "percentage": 0 });
        out.notify("$/progress", json!({ "token": token, "value": value }));
    }

    /// Reports how many skills are left.
    pub(crate) fn report(&mut self, out: &Out, left: usize) {
        let Some(total) = self.total.filter(|_| left + STEP <= self.last) else {
            return;
        };
        self.last = left;
        let done = total.saturating_sub(left);
        let value = json!({
            "kind": "report",
            "message": format!("{done} of {total}"),
            "percentage": done * 100 / total.max(1),
        });
        out.notify(
            "$/progress",
            json!({ "token": self.token(), "value": value }),
        );
    }

    /// Ends the progress, if it is shown.
    pub(crate) fn end(&mut self, out: &Out) {
        if self.total.take().is_some() {
            let value = json!({ "kind": "end" });
            out.notify(
                "$/progress",
                json!({ "token": self.token(), "value": value }),
            );
        }
    }

    fn token(&self) -> String {
        format!("skc-lint-{}", self.count)
    }
}
