//! Where a script was when it went beyond a limit. The engine does not say it of what happens in functions, and looking
//! all the time would make every call slower: so the call is made again, and looked at.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhai::Engine;
use rhai::debugger::{DebuggerCommand, DebuggerEvent};

/// The place that an engine came to last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    line: Arc<AtomicUsize>,
    column: Arc<AtomicUsize>,
}

impl Trail {
    /// Returns the 1-based line and column; `None` if the engine came to none.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        let line = self.line.load(Ordering::Relaxed);
        (line > 0).then(|| (line, self.column.load(Ordering::Relaxed)))
    }

    /// Follows what an engine does.
    #[expect(
        deprecated,
        reason = "marks what may change between versions of the engine"
    )]
    pub(crate) fn follow(&self, engine: &mut Engine) {
        let trail = self.clone();
        engine.register_debugger(
            |_, debugger| debugger,
            move |_, event, _, _, at| {
                // At the end of a function the engine is where that ends, however it came there.
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
