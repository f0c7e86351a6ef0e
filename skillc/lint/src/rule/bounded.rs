//! Bounds the number of findings kept per rule.
//!
//! A finding, with everything needed to show it, uses about 500 bytes of memory, and six bytes of text can cause a
//! finding. Without a bound, a file of a few megabytes could exhaust memory, and no user looks at a million findings.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;

use crate::rule::diagnostic::{Diagnostic, Severity};

/// The maximum number of errors, and of warnings, per rule and skill.
pub(crate) const MAX_FINDINGS: usize = 10_000;

/// The maximum number of findings in a run that are kept in full. After that, only 10 errors and 10 warnings per rule
/// and skill are kept.
pub const MAX_RUN_FINDINGS: usize = 100_000;

/// The maximum number of errors, and of warnings, per rule and skill once a run has [`MAX_RUN_FINDINGS`].
const FEW_FINDINGS: usize = 10;

/// The maximum total size of a batch of several documents. The findings of a batch are bounded only after the whole
/// batch has been checked.
const BATCH_BYTES: usize = 4 << 20;

/// Keeps the first few findings of each rule.
pub fn few(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut few = BoundedFindings {
        max: FEW_FINDINGS,
        ..BoundedFindings::default()
    };
    few.add(found);
    few.diagnostics
}

/// The findings of a skill, bounded per rule.
pub(crate) struct BoundedFindings {
    pub(crate) diagnostics: Vec<Diagnostic>,
    max: usize,
    /// The number of findings of each rule, by severity. Severities are counted separately, so that warnings cannot
    /// displace an error.
    counts: BTreeMap<Cow<'static, str>, [usize; 2]>,
}

impl Default for BoundedFindings {
    fn default() -> Self {
        Self {
            diagnostics: Vec::new(),
            max: MAX_FINDINGS,
            counts: BTreeMap::new(),
        }
    }
}

impl BoundedFindings {
    /// Adds findings. If a rule exceeds the bound, its first error or warning beyond the bound is replaced with a
    /// finding in the same file, which says that the rest are omitted.
    pub(crate) fn add(&mut self, found: Vec<Diagnostic>) {
        for mut diagnostic in found {
            let counts = match self.counts.get_mut(&diagnostic.rule) {
                Some(counts) => counts,
                None => self.counts.entry(diagnostic.rule.clone()).or_default(),
            };
            let count = &mut counts[usize::from(diagnostic.severity == Severity::Error)];
            *count += 1;
            if *count > self.max + 1 {
                continue;
            }
            if *count > self.max {
                diagnostic = Diagnostic {
                    message: format!("more than {} findings; the rest are omitted", self.max),
                    span: Span::default(),
                    labels: Vec::new(),
                    help: None,
                    fix: None,
                    ..diagnostic
                };
            }
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Splits documents into batches that are checked one after the other.
pub(crate) fn batches<'a>(
    documents: &'a [&'a Document],
) -> impl Iterator<Item = &'a [&'a Document]> {
    let mut rest = documents;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |document: &&&Document| {
            bytes += document.text.len();
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (batch, after) = mem::take(&mut rest).split_at(count);
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_do_not_displace_an_error() {
        let finding = |severity| {
            let (rule, name) = ("SEC101".into(), "remote-code".into());
            Diagnostic::from_parts(rule, name, severity, "a".to_owned())
        };
        let mut found = vec![finding(Severity::Warning); MAX_FINDINGS + 2];
        found.push(finding(Severity::Error));
        let count = |found: &[Diagnostic]| {
            let errors = found.iter().filter(|of| of.severity == Severity::Error);
            (errors.count(), found.len())
        };
        assert_eq!(count(&few(found.clone())), (1, FEW_FINDINGS + 2));
        let mut bounded = BoundedFindings::default();
        bounded.add(found);
        assert_eq!(count(&bounded.diagnostics), (1, MAX_FINDINGS + 2));
    }
}
