//! Scans a skill that is being imported, before its copy becomes part of the store. The setting is
//! `[security] on_import`.
//!
//! Design: R41.

use std::io;
use std::path::Path;

use skillc_core::config::OnImport;
use skillc_core::{Error, Result, SkillRef, Warning};

use crate::notes::Notes;
use crate::operation::Operation;
use crate::scan::{Scan, ScanRequest, ScanVerdict};
use crate::toolkit::Toolkit;

/// Scans the copy of the skill at `from`. `name`: the skill's name in the store.
///
/// The copy is scanned because another process may change the original between a scan and the copying (a race).
///
/// # Errors
/// E062 if both the verdict and the setting are 'block'; E999 if the setting is 'block' and the path of the copy is not
/// UTF-8; the errors of [`Scan`] if the skill cannot be read.
pub(super) fn check(
    toolkit: &Toolkit,
    (from, copy): (&SkillRef, &Path),
    name: &str,
    notes: &mut Notes,
) -> Result<()> {
    let on_import = toolkit.config.on_import;
    if on_import == OnImport::Off {
        return Ok(());
    }
    // A request can contain only UTF-8. If the path is not UTF-8, use the path that the user gave.
    let path = from.canonical.to_str().unwrap_or(&from.asked);
    let below = copy.strip_prefix(&toolkit.context.cwd).ok();
    let copied = copy.to_str().or_else(|| below?.to_str());
    let scanned = match copied {
        Some(copied) => copied,
        None if on_import == OnImport::Block => {
            let why = io::Error::other("its path is not UTF-8");
            return Err(Error::io("scanning", copy, &why));
        }
        None => path,
    };
    let request = ScanRequest {
        skill: vec![scanned.to_owned()],
        strict: false,
        since: None,
        baseline: None,
        has_hashes: false,
    };
    let scan = Scan::run(toolkit, request, &mut Notes::default())?;
    let mut skills = scan.lint.skills.iter();
    let worst = skills.clone().map(ScanVerdict::from_report).max();
    let verdict = worst.unwrap_or(ScanVerdict::Pass);
    let shown = skills.find(|report| ScanVerdict::from_report(report) == verdict);
    let Some(shown) = shown.filter(|_| verdict != ScanVerdict::Pass) else {
        return Ok(());
    };
    // Report only the most severe finding.
    let finding = shown.diagnostics.iter().min_by_key(|of| of.severity);
    let finding = finding.map_or_else(
        || "it cannot be read".to_owned(),
        |of| {
            format!(
                "{}:{}: {} {}",
                of.file.as_str(),
                of.line,
                of.rule,
                of.message
            )
        },
    );
    if on_import == OnImport::Block && verdict == ScanVerdict::Block {
        let shown = skillc_core::shell::shell_word(path);
        let hint = format!(
            "A security scan found: {finding}\n\
             To see all findings: skc scan {shown}\n\
             To import it anyway, set on_import = \"warn\" under [security] in the configuration."
        );
        return Err(Error::PermissionDenied {
            skill: name.to_owned(),
            hint: Some(hint.into()),
        });
    }
    notes.warn(Warning::ImportedUnsafe {
        skill: name.to_owned(),
        verdict: verdict.as_str().to_owned(),
        finding,
    });
    Ok(())
}
