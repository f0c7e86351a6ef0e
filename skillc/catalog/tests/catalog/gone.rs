//! Tests skills that change between discovery and loading.

use std::fs::{self, File};

use skillc_catalog::{Resend, Versions, Wanted, content_hash, load, resolve};

use crate::loading::{HEAD, One, load_in, try_load};

/// CAT-LOAD.16.
#[cfg(unix)]
#[test]
fn a_skill_replaced_with_an_outside_symlink_is_not_read() {
    use std::os::unix::fs::symlink;
    let one = One::new();
    let outside = one.world.base.join("outside/x");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("SKILL.md"), format!("{HEAD}secret")).unwrap();
    let catalog = one.world.catalog();
    let is_refused = || {
        let refusal = try_load(&catalog, Resend::Changed, &Versions::new("r")).unwrap_err();
        assert_eq!(refusal.code(), "PATH_ESCAPE");
        assert_eq!(refusal.error().code(), "E012");
        let details = serde_json::to_value(refusal.details()).unwrap();
        assert_eq!(details, serde_json::json!({"path": one.file}));
        assert_eq!(content_hash(&catalog.skills()[0]), Err(refusal));
    };
    // A symlink to a file outside replaces the file.
    fs::remove_file(&one.file).unwrap();
    symlink(outside.join("SKILL.md"), &one.file).unwrap();
    is_refused();
    // A dangling symlink replaces the file.
    fs::remove_file(&one.file).unwrap();
    symlink("../../../outside-too", &one.file).unwrap();
    is_refused();
    // A symlink replaces the skill's directory.
    fs::remove_dir_all(&one.dir).unwrap();
    symlink(&outside, &one.dir).unwrap();
    is_refused();
    // A symlink replaces a parent directory.
    let root = one.world.repo.join(".agents/skills");
    fs::remove_dir_all(&root).unwrap();
    symlink(one.world.base.join("outside"), &root).unwrap();
    is_refused();
}

/// CAT-LOAD.16: a symlink within the directory is allowed.
#[cfg(unix)]
#[test]
fn a_skill_md_symlink_within_its_directory_is_read() {
    let one = One::new().with_file("a.md");
    fs::rename(&one.file, format!("{}/real.md", one.dir)).unwrap();
    std::os::unix::fs::symlink("real.md", &one.file).unwrap();
    let loaded = one.loaded();
    assert_eq!(loaded.path, format!("{}/real.md", one.dir));
    assert!(loaded.content.contains("# Body"));
    assert_eq!(loaded.files, [format!("{}/a.md", one.dir)]);
}

/// CAT-LOAD.18.
#[test]
fn a_missing_skill_is_an_error() {
    let one = One::new();
    let catalog = one.world.catalog();
    let mut versions = Versions::new("r");
    load_in(&catalog, &mut versions);
    let is_gone = || {
        for wanted in ["x", &one.file, &one.dir] {
            let resolved = resolve(&catalog, &Wanted::argument(wanted)).unwrap();
            let permitted = resolved.permitted().unwrap();
            let refusal = load(&catalog, permitted, Resend::Changed, &versions).unwrap_err();
            assert_eq!(refusal.code(), "SKILL_GONE");
            let message = format!("not a valid skill: '{}' (missing SKILL.md)", one.dir);
            assert_eq!(refusal.message(), message);
            let details = serde_json::to_value(refusal.details()).unwrap();
            assert_eq!(details, serde_json::json!({"path": one.file}));
        }
    };
    fs::remove_file(&one.file).unwrap();
    is_gone();
    fs::create_dir(&one.file).unwrap();
    is_gone();
    fs::remove_dir_all(&one.dir).unwrap();
    is_gone();
    fs::write(&one.dir, "").unwrap();
    is_gone();
}

/// CAT-LOAD.18: a permission is valid only for a skill with the permitted name.
#[test]
fn a_skill_replaced_with_another_is_an_error() {
    for (text, reason) in [
        ("---\nname: y\ndescription: d\n---\n", "its name is now 'y'"),
        ("# X\n", "no frontmatter"),
        ("---\nname: x\n---\n", "'description' is missing"),
        ("", "no frontmatter"),
    ] {
        let one = One::new();
        let catalog = one.world.catalog();
        fs::write(&one.file, text).unwrap();
        let refusal = try_load(&catalog, Resend::Changed, &Versions::default()).unwrap_err();
        assert_eq!(refusal.code(), "SKILL_GONE");
        let message = format!("'{}' is not a valid skill any more: {reason}", one.file);
        assert_eq!(refusal.message(), message);
    }
}

#[test]
fn invalid_utf8_and_oversized_files_are_not_sent() {
    let one = One::new();
    let catalog = one.world.catalog();
    let refusal = || try_load(&catalog, Resend::Changed, &Versions::default()).unwrap_err();
    fs::write(&one.file, [HEAD.as_bytes(), b"caf\xe9\n"].concat()).unwrap();
    assert_eq!(refusal().code(), "HANDLER_ERROR");
    assert_eq!(refusal().message(), format!("'{}' is not UTF-8", one.file));
    let file = File::options().write(true).open(&one.file).unwrap();
    file.set_len((4 << 20) + 1).unwrap();
    assert_eq!(
        refusal().message(),
        format!("'{}' is larger than 4 MiB", one.file)
    );
}

/// A pipe must not be opened, because that would block.
#[cfg(unix)]
#[test]
fn a_skill_replaced_with_a_pipe_counts_as_missing() {
    let one = One::new();
    let catalog = one.world.catalog();
    fs::remove_file(&one.file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&one.file).status();
    assert!(made.unwrap().success());
    let refusal = try_load(&catalog, Resend::Changed, &Versions::default()).unwrap_err();
    assert_eq!(refusal.code(), "SKILL_GONE");
}
