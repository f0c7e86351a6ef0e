//! Line coverage of scripts, for script tests.
//!
//! Only a host from [`Host::covering`](crate::Host::covering) records coverage, because recording makes scripts slower.
//! A line is covered if every statement that begins on it has run: `if a { b }` on one line is covered only if `a` was
//! true.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use rhai::debugger::DebuggerCommand;
use rhai::{AST, ASTNode, Engine, Position, Stmt};

/// A 1-based line and column; the column is 0 if unknown.
pub(crate) type LineColumn = (usize, usize);

/// The statements that have run in the scripts of one host.
#[derive(Debug, Clone, Default)]
pub struct Coverage(Arc<Mutex<BTreeSet<LineColumn>>>);

/// The coverage of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// The number of lines with statements.
    pub lines: usize,
    /// The 1-based numbers of the lines that did not run, or ran only in part; sorted.
    pub missed: Vec<usize>,
}

impl Covered {
    /// Returns the percentage of lines that ran. It is rounded down, so it is 100 only if all lines ran.
    pub fn percent(&self) -> usize {
        let run = self.lines - self.missed.len();
        (run * 100).checked_div(self.lines).unwrap_or(100)
    }
}

impl Coverage {
    /// Returns the coverage of a script so far. `statements`: the result of the function [`statements`] for this
    /// script.
    pub(crate) fn covered(&self, statements: &BTreeSet<LineColumn>) -> Covered {
        let seen = self.0.lock();
        let mut lines = BTreeMap::new();
        for place in statements {
            let has_run = lines.entry(place.0).or_insert(true);
            *has_run &= seen.contains(place);
        }
        let missed = lines.iter().filter(|(_, has_run)| !**has_run);
        Covered {
            missed: missed.map(|(line, _)| *line).collect(),
            lines: lines.len(),
        }
    }

    /// Starts to record the statements that an engine runs.
    #[expect(
        deprecated,
        reason = "marks what may change between versions of the engine"
    )]
    pub(crate) fn follow(&self, engine: &mut Engine) {
        let seen = Arc::clone(&self.0);
        engine.register_debugger(
            |_, debugger| debugger,
            move |_, _, _, _, at| {
                if let Some(place) = place(at) {
                    let mut seen = seen.lock();
                    seen.insert(place);
                }
                Ok(DebuggerCommand::StepInto)
            },
        );
    }
}

/// Returns the start positions of a script's statements, including those in functions.
pub(crate) fn statements(ast: &AST) -> BTreeSet<LineColumn> {
    let mut found = BTreeSet::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        if let Some(ASTNode::Stmt(statement)) = path.last() {
            // Skip blocks, which do nothing themselves, and statements that the parser has inserted.
            let is_written = !matches!(
                statement,
                Stmt::Noop(..) | Stmt::Block(..) | Stmt::Share(..)
            );
            let at = match statement {
                Stmt::Expr(expression) => expression.position(),
                other => other.position(),
            };
            found.extend(place(at).filter(|_| is_written));
        }
        true
    });
    found
}

fn place(at: Position) -> Option<LineColumn> {
    Some((at.line()?, at.position().unwrap_or_default()))
}
