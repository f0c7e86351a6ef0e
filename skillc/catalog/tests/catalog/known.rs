//! Tests scans that use cached frontmatter instead of reading the files.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_catalog::roots::named_roots;
use skillc_catalog::{Catalog, KnownHead, KnownHeads, Origin, Scope, Settings};
use skillc_core::source::Stamp;

use crate::support::{World, configure, errors, is_tool, names, skill, write};

/// Returns a cached head for a file. Its description differs from the description in the file.
fn known(path: &Path) -> KnownHead {
    let stamp = Stamp::from_metadata(&path.metadata().expect("a file"));
    let name = path.parent().expect("a directory").file_name();
    KnownHead {
        path: path.to_str().expect("a text").into(),
        bytes: stamp.size,
        changed_ns: stamp.ctime_ns,
        inode: stamp.inode,
        name: name.and_then(|name| name.to_str()).expect("a name").into(),
        description: "From memory.".into(),
    }
}

/// Returns the names of the skills taken from the cache.
fn not_read(world: &World, heads: Vec<KnownHead>) -> String {
    let settings = Settings::read(&world.context, is_tool).0;
    let catalog = Catalog::scan_knowing(&world.context, settings, &KnownHeads::new(heads));
    let read_all = world.read().0;
    assert_eq!(names(&catalog), names(&read_all));
    let skills = catalog.skills().iter();
    let known = skills.filter(|entry| entry.description == "From memory.");
    let known: Vec<&str> = known.map(|entry| &*entry.name).collect();
    known.join(",")
}

#[test]
fn an_unchanged_cached_file_is_not_read() {
    let world = World::new();
    let skills = world.repo.join(".agents/skills");
    let [b, a] = ["b", "a"].map(|name| skill(skills.join(name)));
    skill(skills.join("c"));
    assert_eq!(not_read(&world, vec![known(&b), known(&a)]), "a,b");
}

#[test]
fn a_file_that_differs_from_the_cached_one_is_read() {
    let edits: [fn(&mut KnownHead); 4] = [
        |head| head.bytes += 1,
        |head| head.changed_ns += 1,
        |head| head.changed_ns = 0,
        |head| head.inode += 1,
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let world = World::new();
        let path = skill(world.repo.join(".agents/skills/a"));
        let mut head = known(&path);
        assert_eq!(not_read(&world, vec![head.clone()]), "a");
        edit(&mut head);
        assert_eq!(not_read(&world, vec![head]), "", "edit {number}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_replaced_with_a_symlink_is_read() {
    let world = World::new();
    let path = skill(world.repo.join(".agents/skills/a"));
    let head = known(&path);
    let other = path.with_file_name("other.md");
    fs::rename(&path, &other).expect("moved");
    std::os::unix::fs::symlink(&other, &path).expect("a link");
    assert_eq!(not_read(&world, vec![head]), "");
}

#[test]
fn a_cached_name_must_still_match_the_directory() {
    let world = World::new();
    let path = world.repo.join(".agents/skills/a/SKILL.md");
    let path = write(&path, "---\nname: b\ndescription: d\n---\n");
    let head = KnownHead {
        name: "b".into(),
        ..known(&path)
    };
    let heads = KnownHeads::new(vec![head]);
    let scan = || {
        let settings = Settings::read(&world.context, is_tool).0;
        Catalog::scan_knowing(&world.context, settings, &heads)
    };
    let catalog = scan();
    let message = "'name' is 'b', but the directory is 'a'".to_owned();
    let expected = [(".agents/skills/a/SKILL.md".to_owned(), message)];
    assert_eq!(errors(&catalog, &world.repo), expected);
    configure(&world.home, "[catalog]\nname_mismatch = \"warn\"\n");
    assert_eq!(names(&scan()), ["b"]);
}

#[test]
fn explicit_roots_have_project_scope_in_the_given_order() {
    let dirs = ["/b", "/a", "/b"].map(PathBuf::from);
    let roots = named_roots(&dirs);
    let of = |root: &skillc_catalog::Root| (root.path.clone(), root.scope, root.distance);
    let expected = [
        (PathBuf::from("/b"), Scope::Repo, 0),
        (PathBuf::from("/a"), Scope::Repo, 1),
    ];
    assert_eq!(roots.iter().map(of).collect::<Vec<_>>(), expected);
    let origins: Vec<&str> = roots
        .iter()
        .map(|root| Origin::as_str(root.origin))
        .collect();
    assert_eq!(origins, ["extra", "extra"]);
}
