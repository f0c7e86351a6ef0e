//! The list of all operations, from which the command line, the help, the completions and the tools are generated.

use skillc_ops::{Operation, each_operation};

use crate::Render;

/// Visits each operation.
pub trait Visitor {
    /// Called once per operation.
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render;
}

/// Visits all operations that are commands, in workflow order: from creating a skill to reading it.
pub fn visit_all(visitor: &mut impl Visitor) {
    macro_rules! visit {
        ($operation:ty) => {
            visitor.visit::<$operation>();
        };
    }
    macro_rules! pass {
        ($operation:ty) => {};
    }
    each_operation!(commands: visit, tools: pass);
}

/// Visits all operations that are tools, in the same order.
pub fn visit_tools(visitor: &mut impl Visitor) {
    macro_rules! visit {
        ($operation:ty) => {
            if <$operation>::TOOL.is_some() {
                visitor.visit::<$operation>();
            }
        };
    }
    each_operation!(commands: visit, tools: visit);
}
