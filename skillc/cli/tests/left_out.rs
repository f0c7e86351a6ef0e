//! Tests a program that was built without the servers and the picker: their commands report the missing feature, and
//! all other commands work.
#![cfg(not(any(feature = "lsp", feature = "mcp", feature = "picker")))]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use skillc::Io;
use skillc_core::Context;
use skillc_core::context::SystemClock;

/// Runs a command line in an empty home directory; returns its exit status and both output streams.
fn skc(args: &[&str]) -> (ExitCode, String, String) {
    let home = tempfile::tempdir().expect("a directory");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: false,
        err_is_styled: false,
    };
    let at = home.path().to_path_buf();
    let context = Context::new(at.clone(), Some(at), BTreeMap::new(), Arc::new(SystemClock));
    let args: Vec<OsString> = ["skc"].iter().chain(args).map(OsString::from).collect();
    let status = skillc::run(&args, &mut io, context.expect("a context"));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status, text(out), text(err))
}

#[test]
fn disabled_features_are_reported_with_how_to_get_them() {
    for (args, feature) in [
        (&["mcp"][..], "mcp"),
        (&["mcp", "--http", "127.0.0.1:0"], "http"),
        (&["catalog", "pick"], "picker"),
        (&["lsp"], "lsp"),
    ] {
        let (status, out, err) = skc(args);
        assert_ne!(status, ExitCode::SUCCESS, "{args:?}");
        assert_eq!(out, "", "{args:?}");
        let expected = format!("without the feature \"{feature}\"");
        assert!(err.contains("E100") && err.contains(&expected), "{err}");
        assert!(err.contains(&format!("--features {feature}")), "{err}");
    }
}

#[test]
fn all_other_commands_work() {
    let (status, out, err) = skc(&["init", "demo"]);
    assert_eq!(status, ExitCode::SUCCESS, "{out}{err}");
    let (_, out, _) = skc(&["--help"]);
    assert!(out.contains("mcp") && out.contains("lint"), "{out}");
}
