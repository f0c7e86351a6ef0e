//! Tests references to a skill's files, and how long they remain valid.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use skillc_catalog::reference::Reference;
use skillc_catalog::{
    Catalog, Refusal, Resend, Versions, Wanted, load, read_reference, reference, reference_to,
    resolve,
};
use skillc_core::RelPath;

use crate::support::{World, configure, skill, write};

/// A project with a skill `x`, which has another file, and with a file outside the skill.
struct One {
    world: World,
    dir: PathBuf,
}

impl One {
    fn new() -> Self {
        let world = World::new();
        let dir = world.repo.join(".agents/skills/x");
        skill(&dir);
        write(&dir.join("a b/c#?.md"), "more");
        write(&world.repo.join(".agents/skills/outside.md"), "needle");
        Self { world, dir }
    }

    fn catalog(&self) -> Catalog {
        self.world.catalog()
    }

    /// Returns the common prefix of the skill's references.
    fn base(&self) -> String {
        let catalog = self.catalog();
        let x = catalog.named("x");
        let reference = reference(x[0]);
        reference
            .strip_suffix("SKILL.md")
            .expect("its end")
            .to_owned()
    }
}

/// Returns the text of the file to which a reference points.
#[track_caller]
fn text(catalog: &Catalog, uri: &str) -> String {
    let read = read_reference(catalog, uri);
    let read = read.unwrap_or_else(|refusal| panic!("{uri}: {refusal:?}"));
    String::from_utf8(read.bytes).expect("UTF-8")
}

#[track_caller]
fn refused(catalog: &Catalog, uri: &str) -> Refusal {
    let refusal = read_reference(catalog, uri).expect_err(uri);
    let told = format!("{refusal:?}{}{:?}", refusal.error(), refusal.details());
    assert!(!told.contains("needle"), "{told}");
    refusal
}

/// CAT-LOAD.14: a reference stays valid after any number of reminders, and in another catalog.
#[test]
fn the_reference_from_a_load_stays_valid() {
    let one = One::new();
    let catalog = one.catalog();
    let mut versions = Versions::new("r");
    let mut references = Vec::new();
    for already in [false, true, true] {
        let permitted = resolve(&catalog, &Wanted::argument("x"))
            .unwrap()
            .permitted();
        let loaded = load(&catalog, permitted.unwrap(), Resend::Changed, &versions).unwrap();
        versions.remember(&loaded);
        assert_eq!(loaded.already_loaded, already);
        references.push(loaded.reference);
    }
    let before = versions.clone();
    let expected = fs::read_to_string(one.dir.join("SKILL.md")).unwrap();
    for uri in &references {
        assert_eq!(text(&catalog, uri), expected);
        assert_eq!(text(&one.catalog(), uri), expected);
    }
    // Reading does not change the state of a run.
    assert_eq!(versions, before);
    fs::write(one.dir.join("SKILL.md"), expected.replace("Body", "Edited")).unwrap();
    assert!(text(&catalog, &references[0]).contains("# Edited"));
}

/// CAT-LOAD.14: reading by reference returns the exact bytes of the file, without the changes that loading makes.
#[test]
fn a_reference_gives_the_exact_bytes() {
    let one = One::new();
    let uri = format!("{}SKILL.md", one.base());
    let bytes = "\u{feff}---\r\nname: x\r\ndescription: d\r\n---\r\n</skill_context>\r\n\r\n \r\n";
    fs::write(one.dir.join("SKILL.md"), bytes).unwrap();
    assert_eq!(text(&one.catalog(), &uri), bytes);
    fs::write(one.dir.join("logo.png"), b"\x89PNG\xff").unwrap();
    let catalog = one.catalog();
    let uri = format!("{}logo.png", one.base());
    let read = read_reference(&catalog, &uri).unwrap();
    assert_eq!(read.bytes, b"\x89PNG\xff");
    assert_eq!(
        (read.entry.name.as_str(), read.path.as_str()),
        ("x", "logo.png")
    );
}

/// CAT-LOAD.14: any file of the skill has a reference.
#[test]
fn every_file_has_a_reference() {
    let one = One::new();
    let catalog = one.catalog();
    let entry = &catalog.skills()[0];
    let path = RelPath::parse("a b/c#?.md").unwrap();
    let uri = reference_to(entry, &path);
    assert_eq!(uri, format!("{}a%20b/c%23%3F.md", one.base()));
    assert_eq!(text(&catalog, &uri), "more");
    // Other common spellings are accepted too.
    assert_eq!(text(&catalog, &format!("{}a b/c#?.md", one.base())), "more");
    assert_eq!(
        text(&catalog, &format!("{}a%20b%2Fc%23%3f.md", one.base())),
        "more"
    );
    let main = RelPath::parse("SKILL.md").unwrap();
    assert_eq!(reference_to(entry, &main), reference(entry));
}

/// Skills with the same name have different references.
#[test]
fn skills_with_one_name_are_distinguished() {
    let one = One::new();
    let other = skill(one.world.home.join(".agents/skills/x"));
    fs::write(&other, "---\nname: x\ndescription: d\n---\nthe user's\n").unwrap();
    let catalog = one.catalog();
    let [first, second] = catalog.skills() else {
        panic!()
    };
    assert!(!text(&catalog, &reference(first)).contains("the user's"));
    assert!(text(&catalog, &reference(second)).contains("the user's"));
}

#[test]
fn invalid_references_are_refused() {
    let one = One::new();
    let catalog = one.catalog();
    let id = catalog.skills()[0].id.clone();
    for uri in [
        "",
        "skill://",
        "skill://x/SKILL.md",
        &format!("skill://{id}"),
        &format!("skill://{id}/x"),
        &format!("skill://{id}/y/SKILL.md"),
        &format!("skill://{id}/X/SKILL.md"),
        "skill://0123456789abcdef/x/SKILL.md",
        &format!("SKILL://{id}/x/SKILL.md"),
        &format!("file://{}/SKILL.md", one.dir.display()),
        &format!("{}%ff", one.base()),
    ] {
        let refusal = refused(&catalog, uri);
        assert_eq!(refusal.code(), "PATH_NOT_IN_CATALOG", "{uri}");
    }
    let long = format!("{}{}", one.base(), "a".repeat(16 << 10));
    assert_eq!(refused(&catalog, &long).code(), "INVALID_PARAMS");
}

#[test]
fn missing_files_are_reported_as_missing() {
    let one = One::new();
    let catalog = one.catalog();
    for path in [
        "gone.md",
        "",
        "a%20b",
        "a b/",
        "SKILL.md/x",
        ".",
        "gone/../SKILL.md/",
    ] {
        let uri = format!("{}{path}", one.base());
        let refusal = refused(&catalog, &uri);
        let code = if path.contains("..") {
            "PATH_ESCAPE"
        } else {
            "FILE_NOT_FOUND"
        };
        assert_eq!(refusal.code(), code, "{path}");
    }
    let refusal = refused(&catalog, &format!("{}gone.md", one.base()));
    assert_eq!(refusal.error().code(), "E021");
    let uri = format!("{}SKILL.md", one.base());
    fs::remove_file(one.dir.join("SKILL.md")).unwrap();
    assert_eq!(refused(&catalog, &uri).code(), "SKILL_GONE");
}

/// catalog-paths: no path escapes the skill.
#[test]
fn references_cannot_escape_the_skill() {
    let one = One::new();
    let catalog = one.catalog();
    for path in [
        "../outside.md",
        "..",
        "%2e%2e/outside.md",
        "%2E%2E%2Foutside.md",
        "a%20b/../../outside.md",
        "a b/../SKILL.md",
        "..\\outside.md",
        "/etc/passwd",
        "%2Fetc/passwd",
        "%2Fetc%2Fpasswd",
        "\\etc",
        "SKILL.md%00",
        "\0",
    ] {
        let uri = format!("{}{path}", one.base());
        let refusal = refused(&catalog, &uri);
        assert_eq!(refusal.code(), "PATH_ESCAPE", "{path}");
        assert_eq!(refusal.error().code(), "E012");
    }
}

/// catalog-paths: no symlink escapes the skill.
#[cfg(unix)]
#[test]
fn symlinks_cannot_escape_the_skill() {
    use std::os::unix::fs::symlink;
    let one = One::new();
    symlink("../outside.md", one.dir.join("file")).unwrap();
    symlink("..", one.dir.join("dir")).unwrap();
    symlink("file", one.dir.join("again")).unwrap();
    symlink("../gone", one.dir.join("dangling")).unwrap();
    symlink("a b", one.dir.join("inside")).unwrap();
    let catalog = one.catalog();
    for path in ["file", "dir/outside.md", "again", "dangling", "dir/gone"] {
        let refusal = refused(&catalog, &format!("{}{path}", one.base()));
        assert_eq!(refusal.code(), "PATH_ESCAPE", "{path}");
    }
    assert_eq!(
        text(&catalog, &format!("{}inside/c%23%3F.md", one.base())),
        "more"
    );
    // A symlink that is created later does not escape either.
    let base = one.base();
    fs::remove_dir_all(&one.dir).unwrap();
    symlink(".", &one.dir).unwrap();
    assert_eq!(
        refused(&catalog, &format!("{base}outside.md")).code(),
        "PATH_ESCAPE"
    );
}

/// CAT-CONF.1: resources of the skill are refused as well.
#[test]
fn files_of_denied_skills_cannot_be_read() {
    let one = One::new();
    let base = one.base();
    for (settings, code) in [
        ("[skills]\nenabled = false\n", "SKILLS_DISABLED"),
        (
            "[[skills.override]]\nname = \"x\"\nenabled = false\n",
            "SKILL_DISABLED",
        ),
        (
            "[permissions]\ndeny = [{ tool = \"skill_load\" }]\n",
            "PERMISSION_DENIED",
        ),
        ("[permissions]\ndefault = \"confirm\"\n", "CONFIRM_REQUIRED"),
    ] {
        configure(&one.world.home, settings);
        let catalog = one.catalog();
        for path in ["SKILL.md", "a%20b/c%23%3F.md", "gone.md"] {
            let refusal = refused(&catalog, &format!("{base}{path}"));
            assert_eq!(refusal.code(), code, "{path}");
        }
    }
}

/// CAT-PERM.5: a rule cannot be bypassed through the outer skill.
#[test]
fn a_nested_skill_has_its_own_rules() {
    let one = One::new();
    for inner in ["in", "in2"] {
        skill(one.dir.join(inner));
        write(&one.dir.join(inner).join("more.md"), "needle");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("in/more.md", one.dir.join("link.md")).unwrap();
    let base = one.base();
    assert_eq!(text(&one.catalog(), &format!("{base}in/more.md")), "needle");
    for (settings, code) in [
        (
            "[[skills.override]]\nname = \"in\"\nenabled = false\n",
            "SKILL_DISABLED",
        ),
        (
            "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"in\" }]\n",
            "PERMISSION_DENIED",
        ),
        (
            "[permissions]\nallow = [{ tool = \"skill_load\", skill_name = \"x\" }, { tool = \"skill_load\", skill_name = \"in2\" }]\n",
            "CONFIRM_REQUIRED",
        ),
    ] {
        configure(&one.world.home, settings);
        let catalog = one.catalog();
        for path in ["in/SKILL.md", "in/more.md", "link.md"] {
            if path == "link.md" && !cfg!(unix) {
                continue;
            }
            let refusal = refused(&catalog, &format!("{base}{path}"));
            assert_eq!(refusal.code(), code, "{path}");
        }
        assert_eq!(text(&catalog, &format!("{base}in2/more.md")), "needle");
        assert_eq!(text(&catalog, &format!("{base}a b/c#?.md")), "more");
    }
}

/// R20.
#[test]
fn a_file_that_is_too_large_is_not_sent() {
    let one = One::new();
    let file = File::create(one.dir.join("large")).unwrap();
    let uri = format!("{}large", one.base());
    file.set_len(16 << 20).unwrap();
    assert_eq!(text(&one.catalog(), &uri).len(), 16 << 20);
    file.set_len((16 << 20) + 1).unwrap();
    let refusal = refused(&one.catalog(), &uri);
    assert_eq!(refusal.code(), "FILE_TOO_LARGE");
    assert_eq!(refusal.error().code(), "E100");
}

#[cfg(unix)]
#[test]
fn special_files_do_not_block() {
    let one = One::new();
    let made = std::process::Command::new("mkfifo")
        .arg(one.dir.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let refusal = refused(&one.catalog(), &format!("{}pipe", one.base()));
    assert_eq!(refusal.code(), "FILE_NOT_FOUND");
}

/// Stops the swapping thread when dropped.
#[cfg(unix)]
struct End<'a>(&'a std::sync::atomic::AtomicBool);

#[cfg(unix)]
impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// A thread repeatedly swaps a directory of the skill with a symlink while a file in it is read.
#[cfg(unix)]
#[test]
fn nothing_outside_is_read_while_directories_are_swapped() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    let one = One::new();
    let dir = one.dir.join("d");
    write(&dir.join("f"), "inside");
    write(&one.world.repo.join("out/f"), "needle");
    let catalog = one.catalog();
    let uri = format!("{}d/f", one.base());
    let is_over = AtomicBool::new(false);
    let (aside, link) = (one.dir.join("aside"), one.dir.join("link"));
    symlink(one.world.repo.join("out"), &link).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = fs::rename(&dir, &aside).and_then(|()| fs::rename(&link, &dir));
                let _ = fs::rename(&dir, &link).and_then(|()| fs::rename(&aside, &dir));
            }
        });
        let _end = End(&is_over);
        for _ in 0..2_000 {
            if let Ok(read) = read_reference(&catalog, &uri) {
                assert_eq!(read.bytes, b"inside");
            }
        }
    });
}

proptest! {
    #[test]
    fn references_round_trip(path in "[a-c.%# é\n]{1,4}(/[a-c.%# é]{1,4}){0,3}") {
        let one = skillc_catalog::CatalogEntry {
            id: "0123456789abcdef".into(),
            ..crate::support::entry("x", "d", skillc_catalog::Scope::Repo)
        };
        let Ok(path) = RelPath::parse(&path) else { return Ok(()) };
        let uri = reference_to(&one, &path);
        prop_assert!(uri.is_ascii() && !uri.contains([' ', '#', '\n']));
        let read = Reference::parse(&uri).unwrap();
        prop_assert_eq!((read.id, read.name, read.path), (one.id, one.name, path));
    }

    #[test]
    fn arbitrary_text_never_panics_as_a_reference(text in "(skill://)?([0-9a-f]{0,16}/)?(x/)?(%[0-9a-f]{0,2}|\\.|/|\\PC){0,12}") {
        if let Ok(read) = Reference::parse(&text) {
            prop_assert!(!Path::new(read.path.as_str()).is_absolute());
            prop_assert!(!read.path.as_str().split('/').any(|part| part == ".."));
        }
    }
}
