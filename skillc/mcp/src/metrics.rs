//! Counts tool calls, and writes the counts in the `OpenMetrics` text format.
//!
//! The labels are the names of registered tools and fixed outcomes, so a client cannot add labels.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;

/// The media type of the metrics.
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The counts of all tools that were called.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<String, ToolCounts>>);

#[derive(Default)]
struct ToolCounts {
    outcomes: BTreeMap<&'static str, u64>,
    /// The number of calls in each bucket, followed by the number of longer calls.
    buckets: [u64; BUCKETS.len() + 1],
    seconds: f64,
}

impl Metrics {
    /// Counts a call. `tool`: the name of a registered tool.
    pub(crate) fn add(&self, tool: &str, outcome: &'static str, time: Duration) {
        let seconds = time.as_secs_f64();
        let at = BUCKETS.iter().position(|most| seconds <= *most);
        let mut tools = self.0.lock();
        let counts = tools.entry(tool.to_owned()).or_default();
        *counts.outcomes.entry(outcome).or_default() += 1;
        counts.buckets[at.unwrap_or(BUCKETS.len())] += 1;
        counts.seconds += seconds;
    }

    /// Returns the counts in the text format. `sessions`: the number of open sessions.
    pub(crate) fn text(&self, sessions: usize) -> String {
        let tools = self.0.lock();
        let mut text = "# TYPE skc_calls counter\n# HELP skc_calls Tool calls.\n".to_owned();
        for (tool, counts) in &*tools {
            for (outcome, count) in &counts.outcomes {
                let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
                text += &format!("skc_calls_total{{{labels}}} {count}\n");
            }
        }
        text += "# TYPE skc_call_seconds histogram\n# UNIT skc_call_seconds seconds\n";
        text += "# HELP skc_call_seconds Time from a request to its answer.\n";
        for (tool, counts) in &*tools {
            let mut below = 0;
            let bounds = BUCKETS.map(|most| format!("{most:?}"));
            let bounds = bounds.into_iter().chain(["+Inf".to_owned()]);
            for (bound, count) in bounds.zip(counts.buckets) {
                below += count;
                let labels = format!("tool=\"{tool}\",le=\"{bound}\"");
                text += &format!("skc_call_seconds_bucket{{{labels}}} {below}\n");
            }
            let seconds = counts.seconds;
            text += &format!("skc_call_seconds_count{{tool=\"{tool}\"}} {below}\n");
            text += &format!("skc_call_seconds_sum{{tool=\"{tool}\"}} {seconds}\n");
        }
        text += "# TYPE skc_sessions gauge\n# HELP skc_sessions Open sessions.\n";
        text += &format!("skc_sessions {sessions}\n# EOF\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_the_text_ends_with_eof() {
        let metrics = Metrics::default();
        for (outcome, milliseconds) in [("ok", 5), ("ok", 30), ("error", 20_000)] {
            metrics.add("skc_list", outcome, Duration::from_millis(milliseconds));
        }
        let text = metrics.text(2);
        let expected = [
            "skc_calls_total{tool=\"skc_list\",outcome=\"error\"} 1",
            "skc_calls_total{tool=\"skc_list\",outcome=\"ok\"} 2",
            "skc_call_seconds_bucket{tool=\"skc_list\",le=\"0.005\"} 1",
            "skc_call_seconds_bucket{tool=\"skc_list\",le=\"0.025\"} 1",
            "skc_call_seconds_bucket{tool=\"skc_list\",le=\"0.05\"} 2",
            "skc_call_seconds_bucket{tool=\"skc_list\",le=\"1.0\"} 2",
            "skc_call_seconds_bucket{tool=\"skc_list\",le=\"+Inf\"} 3",
            "skc_call_seconds_count{tool=\"skc_list\"} 3",
            "skc_sessions 2",
        ];
        for line in expected {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
        assert!(text.ends_with("\n# EOF\n"), "{text}");
    }
}
