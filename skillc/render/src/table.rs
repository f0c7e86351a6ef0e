//! Every operation with the text of its answer: command line, help, completions and tools are made from it.

use skillc_ops::{Operation, each_operation};

use crate::Render;

/// Does something for every operation.
pub trait Visitor {
    /// Called once for each.
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render;
}

/// Visits every operation that is a command, in the order in which a skill is made and read.
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

/// Visits every operation that is a tool, in the same order.
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
