//! Tests the response to an agent that loads a skill.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use skillc_catalog::{
    Catalog, Loaded, Refusal, Resend, Resolved, Runs, Versions, Wanted, content_hash, load, resolve,
};
use skillc_core::hash::Sha;

use crate::support::{World, configure, skill, write};

pub(crate) const HEAD: &str = "---\nname: x\ndescription: Does things.\n---\n";

/// A project with a skill `x`.
pub(crate) struct One {
    pub(crate) world: World,
    pub(crate) dir: String,
    pub(crate) file: String,
}

impl One {
    pub(crate) fn new() -> Self {
        let world = World::new();
        let file = skill(world.repo.join(".agents/skills/x"));
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        Self {
            dir: text(file.parent().expect("a directory")),
            file: text(&file),
            world,
        }
    }

    pub(crate) fn with_text(self, text: &str) -> Self {
        fs::write(&self.file, text).expect("a file");
        self
    }

    pub(crate) fn with_file(self, below: &str) -> Self {
        write(&Path::new(&self.dir).join(below), "");
        self
    }

    #[track_caller]
    pub(crate) fn loaded(&self) -> Loaded {
        loaded(&self.world.catalog())
    }

    /// Changes the file's modification time.
    fn set_time(&self, ms: u64) {
        let file = File::options().write(true).open(&self.file);
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
        let set = file.and_then(|file| file.set_modified(time));
        set.expect("a time");
    }
}

pub(crate) fn try_load(
    catalog: &Catalog,
    resend: Resend,
    versions: &Versions,
) -> Result<Loaded, Refusal> {
    let permitted = resolve(catalog, &Wanted::argument("x"))?.permitted()?;
    load(catalog, permitted, resend, versions)
}

/// Loads `x` in a separate run.
#[track_caller]
fn loaded(catalog: &Catalog) -> Loaded {
    try_load(catalog, Resend::Changed, &Versions::new("r")).expect("a skill")
}

/// Loads `x` in a run that remembers it.
#[track_caller]
pub(crate) fn load_in(catalog: &Catalog, versions: &mut Versions) -> Loaded {
    let loaded = try_load(catalog, Resend::Changed, versions).expect("a skill");
    versions.remember(&loaded);
    loaded
}

/// CAT-LOAD.7, CAT-LOAD.8: the text, byte for byte.
#[test]
fn the_text_matches_the_specification_exactly() {
    let one = One::new()
        .with_text(&format!("{HEAD}# X & <b>\n\nBody.  \n\n \n"))
        .with_file("scripts/run.sh")
        .with_file("references/checklist.md");
    let One { dir, file, .. } = &one;
    let expected = format!(
        "<skill_context name=\"x\" path=\"{file}\">
---
name: x
description: Does things.
---
# X & <b>

Body.\u{20}\u{20}

Base directory: file://{dir}/
Relative paths in this skill are resolved from this directory.
<skill_files>
<file>{dir}/references/checklist.md</file>
<file>{dir}/scripts/run.sh</file>
</skill_files>
</skill_context>"
    );
    assert_eq!(one.loaded().content, expected);
}

/// CAT-LOAD.7.
#[test]
fn without_other_files_the_list_is_empty() {
    let content = One::new().loaded().content;
    let end = "resolved from this directory.\n<skill_files></skill_files>\n</skill_context>";
    assert!(content.ends_with(end), "{content}");
}

/// CAT-LOAD.8: no content of other files is included.
#[test]
fn the_text_includes_no_other_file() {
    let one = One::new();
    write(&Path::new(&one.dir).join("notes.md"), "needle");
    let loaded = one.loaded();
    assert_eq!(loaded.files, [format!("{}/notes.md", one.dir)]);
    assert!(!loaded.content.contains("needle"));
}

/// CAT-LOAD.9.
#[test]
fn the_text_comes_with_metadata_of_the_skill() {
    let one = One::new().with_file("a.md");
    one.set_time(1_700_000_000_123);
    let loaded = one.loaded();
    let id = &Sha::digest(one.file.as_bytes()).to_string()[..16];
    let json = serde_json::to_value(&loaded).unwrap();
    let expected = serde_json::json!({
        "skill_id": id,
        "name": "x",
        "path": one.file,
        "dir": one.dir,
        "root": one.dir,
        "mtime_ms": 1_700_000_000_123_u64,
        "already_loaded": false,
        "ref": format!("skill://{id}/x/SKILL.md"),
        "run": "r",
        "content": loaded.content,
        "files": [format!("{}/a.md", one.dir)],
        "files_truncated": false,
        "body_truncated": false,
    });
    assert_eq!(json, expected);
    let schema = schemars::schema_for!(Loaded).to_value();
    let required = schema["required"].as_array().unwrap();
    let keys = json.as_object().unwrap().keys();
    for key in keys {
        assert!(required.contains(&key.as_str().into()), "{key}");
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    assert_eq!(required.len(), 13);
}

/// CAT-LOAD.10: the reminder, byte for byte.
#[test]
fn a_text_is_sent_once_per_run() {
    let one = One::new().with_file("a.md");
    let catalog = one.world.catalog();
    let mut versions = Versions::new("r");
    let first = load_in(&catalog, &mut versions);
    assert!(!first.already_loaded);
    for _ in 0..2 {
        let again = load_in(&catalog, &mut versions);
        assert!(again.already_loaded);
        let expected = format!(
            "<skill_context_reminder name=\"x\" path=\"{}\" ref=\"{}\">Already loaded in this run and unchanged. \
             Use the copy you have; if it is gone, call skill_load with force=true or read the ref.\
             </skill_context_reminder>",
            one.file, first.reference
        );
        assert_eq!(again.content, expected);
        assert_eq!(again.files, [""; 0]);
        assert!(!again.files_truncated && !again.body_truncated);
        assert_eq!(
            (again.mtime_ms, again.sha256),
            (first.mtime_ms, first.sha256)
        );
    }
    let forced = try_load(&catalog, Resend::Always, &versions).unwrap();
    assert_eq!(forced, first);
}

/// CAT-LOAD.11.
#[test]
fn a_changed_skill_is_sent_again_and_then_remembered() {
    let one = One::new();
    one.set_time(1_000);
    let catalog = one.world.catalog();
    let mut versions = Versions::new("r");
    load_in(&catalog, &mut versions);
    // A new mtime is enough to send the skill again.
    one.set_time(2_000);
    let touched = load_in(&catalog, &mut versions);
    assert_eq!((touched.already_loaded, touched.mtime_ms), (false, 2_000));
    assert!(load_in(&catalog, &mut versions).already_loaded);
    // An edit that keeps the mtime is also enough.
    fs::write(&one.file, format!("{HEAD}# Edited\n")).unwrap();
    one.set_time(2_000);
    let edited = load_in(&catalog, &mut versions);
    assert!(!edited.already_loaded && edited.content.contains("# Edited"));
    assert!(load_in(&catalog, &mut versions).already_loaded);
}

/// CAT-LOAD.12.
#[test]
fn runs_do_not_share_loaded_skills() {
    let one = One::new();
    let catalog = one.world.catalog();
    let (mut first, mut second) = (Versions::new("1"), Versions::new("2"));
    assert_eq!(load_in(&catalog, &mut first).run, "1");
    let other = load_in(&catalog, &mut second);
    assert!(!other.already_loaded);
    assert_eq!(other.run, "2");
    assert!(load_in(&catalog, &mut first).already_loaded);
}

/// CAT-LOAD.12: without a handle the full text is sent; with the handle of an earlier response, the text is not sent
/// again.
#[test]
fn a_handle_continues_its_run() {
    let one = One::new();
    let catalog = one.world.catalog();
    let mut runs = Runs::default();
    let mut number = 0;
    let mut call = |handle: Option<&str>| {
        number += 1;
        let versions = runs.versions(handle, || format!("h{number}"));
        let loaded = try_load(&catalog, Resend::Changed, &versions).unwrap();
        runs.remember(&loaded);
        (loaded.run, loaded.already_loaded)
    };
    assert_eq!(call(None), ("h1".into(), false));
    assert_eq!(call(None), ("h2".into(), false));
    assert_eq!(call(Some("h1")), ("h1".into(), true));
    assert_eq!(call(Some("made-up")), ("h4".into(), false));
    // An unknown handle does not start a run.
    assert_eq!(call(Some("made-up")), ("h5".into(), false));
    for _ in 0..4_093 {
        call(None);
    }
    assert!(!call(Some("h1")).1);
    assert!(call(Some("h4")).1);
}

/// CAT-LOAD.12: a run continues even if its state is stored elsewhere.
#[test]
fn the_state_of_a_run_may_be_stored_elsewhere() {
    let one = One::new();
    let catalog = one.world.catalog();
    let mut before = Versions::new("r");
    load_in(&catalog, &mut before);
    let mut after = Versions::new("r");
    for (path, version) in before.iter() {
        let sha256 = Sha::parse(&version.sha256.to_string()).unwrap();
        after.insert(path, skillc_catalog::Version { sha256, ..*version });
    }
    assert!(load_in(&catalog, &mut after).already_loaded);
    assert_eq!(after.get(&one.file).unwrap().loads, 2);
}

/// CAT-LOAD.13.
#[test]
fn a_failed_load_is_not_remembered() {
    let one = One::new();
    let deny = "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"x\" }]\n";
    configure(&one.world.home, deny);
    let mut versions = Versions::new("r");
    let refusal = try_load(&one.world.catalog(), Resend::Changed, &versions).unwrap_err();
    assert_eq!(refusal.code(), "PERMISSION_DENIED");
    configure(&one.world.home, "");
    let catalog = one.world.catalog();
    fs::remove_file(&one.file).unwrap();
    try_load(&catalog, Resend::Changed, &versions).unwrap_err();
    skill(&one.dir);
    assert_eq!(versions.iter().count(), 0);
    // A load whose response was not delivered is not remembered.
    try_load(&catalog, Resend::Changed, &versions).unwrap();
    assert!(!load_in(&catalog, &mut versions).already_loaded);
}

/// CAT-PROTO.5.
#[test]
fn loaded_skills_of_a_run_can_be_listed_by_path() {
    let one = One::new();
    let y = skill(one.world.repo.join(".agents/skills/a"));
    let catalog = one.world.catalog();
    let mut versions = Versions::new("r");
    let loaded = load_in(&catalog, &mut versions);
    load_in(&catalog, &mut versions);
    let permitted = resolve(&catalog, &Wanted::argument("a"))
        .unwrap()
        .permitted();
    let other = load(&catalog, permitted.unwrap(), Resend::Changed, &versions).unwrap();
    versions.remember(&other);
    let listed = serde_json::to_value(versions.passed_on(&catalog)).unwrap();
    let expected = serde_json::json!([
        {"path": y, "mtime_ms": other.mtime_ms, "ref": other.reference, "loads": 1},
        {"path": one.file, "mtime_ms": loaded.mtime_ms, "ref": loaded.reference, "loads": 2},
    ]);
    assert_eq!(listed, expected);
    fs::remove_file(&one.file).unwrap();
    let listed = serde_json::to_value(versions.passed_on(&one.world.catalog())).unwrap();
    assert_eq!(listed[1].get("ref"), None);
}

/// CAT-LOAD.17: a long body is truncated after a line.
#[test]
fn a_long_body_is_truncated_with_a_note() {
    let one = One::new().with_text(&format!("{HEAD}line one\nline two\nline three\n\n"));
    let limit = HEAD.len() + "line one\nline two\nli".len();
    let settings = format!("[skills.load]\nmax_body_bytes = {limit}\n");
    configure(&one.world.home, &settings);
    let loaded = one.loaded();
    assert!(loaded.body_truncated);
    let expected = "---\nline one\nline two\n\
                    ... (12 more bytes; read the file at the path above)\n\nBase directory: ";
    assert!(loaded.content.contains(expected), "{}", loaded.content);
    // A change in the omitted part still results in a new version.
    let mut versions = Versions::new("r");
    versions.remember(&loaded);
    let text = fs::read_to_string(&one.file).unwrap();
    fs::write(&one.file, text.replace("three", "3")).unwrap();
    one.set_time(loaded.mtime_ms);
    assert!(!load_in(&one.world.catalog(), &mut versions).already_loaded);
}

/// CAT-PERM.7, CAT-PERM.9: a refusal reveals nothing about the skill's content.
#[test]
fn a_refusal_reveals_nothing_of_the_skill() {
    let one = One::new()
        .with_text(&format!("{HEAD}needle\n"))
        .with_file("needle.md");
    for rules in [
        "[permissions]\ndeny = [{ tool = \"skill_load\" }]\n",
        "[permissions]\ndefault = \"deny\"\n",
        "[permissions]\ndefault = \"confirm\"\n",
        "[[skills.override]]\nname = \"x\"\nenabled = false\n",
        "[skills]\nenabled = false\n",
    ] {
        configure(&one.world.home, rules);
        let catalog = one.world.catalog();
        for wanted in ["x", ".agents/skills/x/SKILL.md"] {
            let resolved = resolve(&catalog, &Wanted::argument(wanted));
            let refusal = resolved.and_then(Resolved::permitted).unwrap_err();
            let details = serde_json::to_string(&refusal.details()).unwrap();
            let error = refusal.error();
            let told = format!("{}{details}{error}{:?}", refusal.message(), error.details());
            assert!(
                !told.contains("needle") && !told.contains(&one.dir),
                "{told}"
            );
        }
    }
}

/// CAT-PERM.7: one confirmation is enough.
#[test]
fn a_confirmed_skill_is_loaded() {
    let one = One::new();
    configure(&one.world.home, "[permissions]\ndefault = \"confirm\"\n");
    let catalog = one.world.catalog();
    let resolved = resolve(&catalog, &Wanted::argument("x")).unwrap();
    let hash = content_hash(resolved.entry()).unwrap();
    let permitted = resolved.permitted_by_word();
    let loaded = load(&catalog, permitted, Resend::Changed, &Versions::default()).unwrap();
    assert_eq!(loaded.sha256, hash);
}
