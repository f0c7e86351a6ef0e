//! Output options of a run: quiet mode, and the limit on warnings.

use super::report::LintResponse;

/// What is printed besides findings, and what fails the run. Not available in JSON requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct OutputRequest {
    /// Print only findings, no summary or hints
    #[cfg_attr(feature = "clap", arg(long, short, conflicts_with = "matrix"))]
    pub quiet: bool,
    /// Fail if there are more warnings than this
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", conflicts_with = "matrix")
    )]
    pub max_warnings: Option<usize>,
}

impl LintResponse {
    /// Returns the limit on warnings if the run exceeds it.
    pub fn exceeded_warnings(&self) -> Option<usize> {
        let max = self.output.max_warnings?;
        (self.warning_count() > max).then_some(max)
    }
}
