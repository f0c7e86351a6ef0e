//! Compares the names in the header of a tar entry with the names in the extension headers before it.
//!
//! Some programs ignore extension headers, and some drop a record that they cannot read. They use the names in the
//! entry's own header instead. These names must therefore match what common programs write there: the full name,
//! truncated if it is too long, with non-ASCII characters replaced or removed; or a placeholder.

use skillc_core::layout::SKILL_FILE;

use super::names::MAX_NAME_BYTES;

/// The size of a name or a target in a header.
const FIELD: usize = 100;

/// The minimum size of a name that was cut off in the middle of a component: some programs leave a byte unused, or do
/// not split a character.
const CUT: usize = FIELD - 4;

/// The name, and the target of a symlink, that tar-stream writes if there is an extension header.
const PLACEHOLDER: &[u8] = b"PaxHeader";

/// The placeholders that bsdtar writes for long targets.
const LONG_SYMLINK: &[u8] = b"././@LongSymLink";
const LONG_HARD_LINK: &[u8] = b"././@LongHardLink";

/// Returns whether an entry with the name `long` in an extension header usually has the name `own` in its own header.
pub(super) fn is_usual_name(own: &[u8], long: &[u8]) -> bool {
    let is_main = |name: &[u8]| {
        let last = parts(name).pop().unwrap_or_default();
        last.eq_ignore_ascii_case(SKILL_FILE.as_bytes())
    };
    own == PLACEHOLDER
        || long.len() > FIELD && is_object(own, b"", b".data")
        || agree(own, long) && (!is_main(own) || is_main(long))
}

/// Returns whether a link with the target `long` in an extension header usually has the target `own` in its own header.
pub(super) fn is_usual_target(own: &[u8], long: &[u8], is_hard: bool) -> bool {
    let is_placeholder = if is_hard {
        own == LONG_HARD_LINK
    } else {
        own == LONG_SYMLINK || own == PLACEHOLDER || is_object(own, b"see ", b".paxheader")
    };
    is_placeholder || agree(own, long)
}

/// Returns whether an entry has the name of bsdtar's placeholder. In programs that ignore extension headers, hard links
/// with long targets lead to this entry.
pub(super) fn is_placeholder_target(name: &[u8]) -> bool {
    parts(name).last() == parts(LONG_HARD_LINK).last()
}

/// Returns whether a name is made from an object id: git writes such a name if the real name does not fit.
fn is_object(name: &[u8], before: &[u8], after: &[u8]) -> bool {
    let id = name.strip_prefix(before);
    let id = id.and_then(|rest| rest.strip_suffix(after));
    id.is_some_and(|id| matches!(id.len(), 40 | 64) && id.iter().all(u8::is_ascii_hexdigit))
}

/// Returns whether `own` is the form of `long` that programs write in a header. If so, every folder that contains `own`
/// also contains `long`, unless characters were replaced or removed.
fn agree(own: &[u8], long: &[u8]) -> bool {
    // Very long names are reported anyway.
    if own == long || long.len() > MAX_NAME_BYTES {
        return true;
    }
    if own.starts_with(b"/") && !long.starts_with(b"/") {
        return false;
    }
    let is_long = long.len() >= FIELD;
    let is_start = |start: &[u8], long: &[u8]| {
        let (start, long) = (parts(start), parts(long));
        let Some((last, above)) = start.split_last() else {
            return is_long || long.is_empty();
        };
        match long.strip_prefix(above) {
            Some([only]) if only == last => true,
            // bsdtar keeps the last component, and drops other components before it.
            Some([first, .., end]) if is_long && (first == last || end == last) => true,
            Some([first, .., end]) if is_long && own.len() >= CUT => {
                first.starts_with(last) || end.starts_with(last)
            }
            Some([only]) => is_long && own.len() >= CUT && only.starts_with(last),
            _ => false,
        }
    };
    is_start(&merged(own), &merged(long)) || ascii(long).is_some_and(|long| is_start(own, &long))
}

/// Returns the components of a name. Some programs leave out `.`.
fn parts(name: &[u8]) -> Vec<&[u8]> {
    let parts = name.split(|byte| *byte == b'/');
    parts
        .filter(|part| !part.is_empty() && *part != b".")
        .collect()
}

/// Replaces each run of non-ASCII bytes and question marks with one question mark: programs write non-ASCII characters
/// in another encoding, or as question marks.
fn merged(name: &[u8]) -> Vec<u8> {
    let mut merged = Vec::with_capacity(name.len());
    for byte in name {
        let byte = if byte.is_ascii() { *byte } else { b'?' };
        if byte != b'?' || merged.last() != Some(&b'?') {
            merged.push(byte);
        }
    }
    merged
}

/// Removes non-ASCII characters, as Go does. Returns `None` if the resulting path could lead out of a folder that the
/// original path does not leave.
fn ascii(name: &[u8]) -> Option<Vec<u8>> {
    let (mut leads_up, mut has_new, mut lost_one) = (false, false, false);
    let mut rest: Vec<Vec<u8>> = Vec::new();
    for part in name.split(|byte| *byte == b'/') {
        let kept: Vec<u8> = part.iter().filter(|c| c.is_ascii()).copied().collect();
        let is_up = kept == b"..";
        leads_up |= is_up;
        has_new |= is_up && part.len() != kept.len();
        lost_one |= kept.is_empty() && !part.is_empty();
        rest.push(kept);
    }
    let is_doubtful = has_new || leads_up && lost_one;
    (!is_doubtful).then(|| rest.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_header_is_what_the_usual_programs_write() {
        let folders = "folder/".repeat(20);
        let long = format!("a/{folders}name.md");
        let wide = format!("a/{}name.md", "\u{6587}\u{6863}/".repeat(20));
        let id = format!("{}.data", "0a".repeat(20));
        let both = format!("a/{}name.md", &folders[..133]);
        for (own, long) in [
            ("a/b.md", "a/b.md"),
            ("a/b.md", "./a//b.md"),
            ("a/b", "a/b/"),
            ("./", "."),
            // GNU tar, Python and others.
            (&long[..100], &*long),
            (&long[..96], &*long),
            // The `tar` crate stops before a component of a target that does not fit.
            ("", &*"x".repeat(120)),
            // bsdtar.
            (&*both, &*long),
            ("a/name.md", &*wide),
            // Python.
            ("a/??.md", "a/\u{6587}\u{6863}.md"),
            // Go.
            ("a/.md", "a/\u{6587}\u{6863}.md"),
            ("a//x.md", "a/\u{6587}/x.md"),
            // tar-stream, git.
            ("PaxHeader", "a/\u{e9}.md"),
            (&*id, &*long),
        ] {
            assert!(is_usual_name(own.as_bytes(), long.as_bytes()), "{own}");
        }
        // GNU tar with another encoding, or cut off within a character.
        assert!(is_usual_name(b"a/\xe9.md", "a/\u{e9}.md".as_bytes()));
        assert!(is_usual_name(&wide.as_bytes()[..98], wide.as_bytes()));
    }

    #[test]
    fn another_name_in_a_header_is_not_usual() {
        let long = format!("a/{}name.md", "folder/".repeat(20));
        let script = format!("{}/SKILL.md-more/x", "x".repeat(91));
        let id = format!("{}.data", "0a".repeat(20));
        for (own, long) in [
            ("a/run.sh", "a/b.bin"),
            ("a/b", "a/b.bin"),
            ("a/b.bin", "b.bin"),
            ("b.bin", "a/b.bin"),
            ("", "b.bin"),
            ("a/fol", &*long),
            ("b/name.md", &*long),
            ("/etc/x", "\u{e9}/etc/x"),
            ("a/../../x", "a/\u{e9}../.\u{e9}./x"),
            ("a/SKILL.md", "a/SK\u{e9}ILL.md"),
            (&script[..100], &*script),
            (&*id, "a/b.bin"),
        ] {
            assert!(!is_usual_name(own.as_bytes(), long.as_bytes()), "{own}");
        }
    }

    #[test]
    fn a_target_in_a_header_is_the_long_one_or_a_placeholder() {
        let long = "../folder".repeat(20);
        let id = format!("see {}.paxheader", "0a".repeat(20));
        for (own, long, is_hard, is_usual) in [
            ("b.md", "b.md", true, true),
            (&long[..100], &*long, false, true),
            ("././@LongSymLink", &*long, false, true),
            ("././@LongHardLink", &*long, true, true),
            ("././@LongHardLink", &*long, false, false),
            ("PaxHeader", "\u{e9}.md", false, true),
            ("PaxHeader", "\u{e9}.md", true, false),
            (&*id, &*long, false, true),
            ("../../../root/.ssh/id_rsa", "SKILL.md", false, false),
            ("a//../../x", "a/\u{e9}/../../x", false, false),
        ] {
            let found = is_usual_target(own.as_bytes(), long.as_bytes(), is_hard);
            assert_eq!(found, is_usual, "{own} {long}");
        }
        assert!(is_placeholder_target(b"@LongHardLink"));
    }
}
