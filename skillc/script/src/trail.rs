//! Finds the position at which a script exceeded a limit. The engine does not report positions within functions, and
//! tracing every call would be slow, so the failed call is run again with tracing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhai::Engine;
use rhai::debugger::{DebuggerCommand, DebuggerEvent};

/// The last position that an engine reached.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    line: Arc<AtomicUsize>,
    column: Arc<AtomicUsize>,
}

impl Trail {
    /// Returns the 1-based line and column; `None` if no step was recorded.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        let line = self.line.load(Ordering::Relaxed);
        (line > 0).then(|| (line, self.column.load(Ordering::Relaxed)))
    }

    /// Records the position of each step of an engine.
    #[expect(
        deprecated,
        reason = "marks what may change between versions of the engine"
    )]
    pub(crate) fn follow(&self, engine: &mut Engine) {
        let trail = self.clone();
        engine.register_debugger(
            |_, debugger| debugger,
            move |_, event, _, _, at| {
                // Ignore the event at the end of a function: its position is the end of the function instead of the
                // statement that returned.
                let is_step = matches!(event, DebuggerEvent::Step | DebuggerEvent::Start);
                if let (true, Some(line), Some(column)) = (is_step, at.line(), at.position()) {
                    trail.line.store(line, Ordering::Relaxed);
                    trail.column.store(column, Ordering::Relaxed);
                }
                Ok(DebuggerCommand::StepInto)
            },
        );
    }
}
