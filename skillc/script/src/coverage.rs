//! Which lines of a script ran: for those who test it.
//!
//! Only scripts of a host that was made for it are followed, and those take longer. A line counts as run once every
//! statement that begins on it did: `if a { b }` on one line is not, unless `a` was true.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use rhai::debugger::DebuggerCommand;
use rhai::{AST, ASTNode, Engine, Position, Stmt};

/// 1-based line and column; column 0 if it is not known.
type Place = (usize, usize);

/// What has run of the scripts of one host.
#[derive(Debug, Clone, Default)]
pub struct Coverage(Arc<Mutex<BTreeSet<Place>>>);

/// How much of a script has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// How many lines have statements.
    pub lines: usize,
    /// Those that did not run, or not all of them: 1-based, sorted.
    pub missed: Vec<usize>,
}

impl Covered {
    /// Returns how many of a hundred lines ran, rounded down: 100 only if all did.
    pub fn percent(&self) -> usize {
        let run = self.lines - self.missed.len();
        (run * 100).checked_div(self.lines).unwrap_or(100)
    }
}

impl Coverage {
    /// Returns how much of a script has run by now.
    pub(crate) fn of(&self, script: &AST) -> Covered {
        let seen = self.0.lock();
        let mut lines = BTreeMap::new();
        for place in statements(script) {
            let has_run = lines.entry(place.0).or_insert(true);
            *has_run &= seen.contains(&place);
        }
        let missed = lines.iter().filter(|(_, has_run)| !**has_run);
        Covered {
            missed: missed.map(|(line, _)| *line).collect(),
            lines: lines.len(),
        }
    }

    /// Follows what an engine does.
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

/// Returns where the statements of a script begin, those of its functions included.
fn statements(ast: &AST) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        if let Some(ASTNode::Stmt(statement)) = path.last() {
            // What is written around statements, or not written at all, does nothing itself.
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

fn place(at: Position) -> Option<Place> {
    Some((at.line()?, at.position().unwrap_or_default()))
}
