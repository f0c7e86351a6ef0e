//! Finds content that a skill brings along, but that is not in its folder when it is scanned: submodules that are not
//! checked out, and text that Git inserts into an archive of a commit.

use std::path::{Component, Path};

use memchr::memmem;
use skillc_core::reveal::{Revealed, RevealedFile};
use skillc_core::source::read_start;
use skillc_core::{Skill, Span};

use super::Threat;
use super::structure::{shown, skill_threat};

/// The maximum number of bytes of a `.gitmodules` file that are read.
const MAX_MODULES: u64 = 256 << 10;

/// The maximum number of folders, from the skill upwards, in which a `.gitmodules` file is looked for.
const MAX_ABOVE: usize = 16;

/// The start of a part of a file that Git replaces in archives.
const FORMAT: &str = "$Format:";

/// Adds the threats of SEC118 in content that is not in the skill's folder.
pub(super) fn check(skill: &Skill, revealed: &Revealed, out: &mut Vec<Threat>) {
    for file in &revealed.files {
        add_archived(file, out);
    }
    // There is nothing around a skill in memory.
    if skill.tree.is_in_memory() {
        return;
    }
    add_submodules(&skill.tree.root, out);
}

/// Reports a file into which Git inserts text from a commit, such as its message, when it writes an archive of the
/// commit. The attribute `export-subst` that causes this may be in any folder above the file.
fn add_archived(file: &RevealedFile, out: &mut Vec<Threat>) {
    let mut starts = memmem::find_iter(file.text.as_bytes(), FORMAT);
    // Only placeholders such as `%b` are replaced.
    let is_replaced = |at: &usize| {
        let rest = file.text[at + FORMAT.len()..].split_once('$');
        let is_placeholder = |two: &[u8]| {
            two[0] == b'%' && (two[1].is_ascii_alphabetic() || b"+-<>(".contains(&two[1]))
        };
        rest.is_some_and(|(format, _)| format.as_bytes().windows(2).any(is_placeholder))
    };
    if let Some(at) = starts.find(is_replaced) {
        out.push(Threat {
            rule: "SEC118",
            file: Some(file.path.clone()),
            span: Span::new(at, at + FORMAT.len()),
            line: file.lines.line(at),
            is_error: false,
            message: format!(
                "Git may replace '{FORMAT}…$' in archives with text that was not scanned"
            ),
            help: None,
        });
    }
}

/// Reports submodules in a skill's folder that are not checked out: the agent may get their files.
fn add_submodules(root: &Path, out: &mut Vec<Threat>) {
    for above in root.ancestors().take(MAX_ABOVE) {
        let Ok(bytes) = read_start(&above.join(".gitmodules"), MAX_MODULES) else {
            continue;
        };
        if bytes.len() as u64 == MAX_MODULES {
            let message = "some submodules may not have been scanned: '.gitmodules' is too large";
            out.push(skill_threat(false, message.to_owned()));
        }
        for path in module_paths(&String::from_utf8_lossy(&bytes)) {
            let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if !Path::new(&*path).components().all(is_below) {
                continue;
            }
            let path = above.join(path);
            // Git keeps no empty folders, except for such submodules.
            let is_empty = |path: &Path| {
                let entries = path.read_dir();
                entries.is_ok_and(|mut entries| entries.next().is_none())
            };
            if let Ok(below) = path.strip_prefix(root)
                && is_empty(&path)
            {
                let below = below.to_string_lossy();
                let message = format!(
                    "'{}' was not scanned: it is a submodule that is not checked out",
                    shown(&below)
                );
                out.push(skill_threat(false, message));
            }
        }
    }
}

/// Returns the paths of the submodules in a `.gitmodules` file.
fn module_paths(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", "").replace("\\\r\n", "");
    let path = |line: &str| {
        // A key may follow the header of its section: `[submodule "a"] path = b`.
        let line = line.split_once("\"]").map_or(line, |(_, rest)| rest);
        let (key, value) = line.split_once('=')?;
        let is_path = key.trim().eq_ignore_ascii_case("path");
        is_path.then(|| config_value(value))
    };
    text.lines().filter_map(path).collect()
}

/// Returns a value in a configuration file of Git without its quotes, escapes and comment.
fn config_value(text: &str) -> String {
    let mut value = String::new();
    let mut is_quoted = false;
    for c in text.trim().chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => {}
            _ => value.push(c),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_submodules_are_read_like_git_does() {
        for (text, expected) in [
            ("[submodule \"a\"]\n\tpath = x/a\n\turl = b\n", &["x/a"][..]),
            ("[submodule \"a=b\"] Path=x ; c\n", &["x"]),
            ("path = \"x;y\" # c\r\npath = a\\\nb\n", &["x;y", "ab"]),
            ("[submodule \"a\"]\nurl = x\nmypath = b\n", &[]),
        ] {
            assert_eq!(module_paths(text), expected, "{text}");
        }
    }
}
