//! Finds commands that a client runs automatically while it loads a skill or a command file, before the agent reads the
//! text: `` !`command` `` and code blocks that begin with ```` ```! ````.
//!
//! The client searches the raw text for these two forms. It does not parse Markdown, so it also runs commands in code
//! blocks, code spans and comments, and it ignores the surrounding sentences. Therefore no sentence, title, table or
//! quotation excuses such a command: the commands of a file are examined like a shell script.

use memchr::memmem;
use skillc_core::reveal::{Revealed, RevealedFile};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, RelPath, Skill, Span, Stop};

use super::samples::Targets;

/// The folders whose Markdown files a client loads as commands, agents or skills.
const FOLDERS: [&str; 5] = ["command", "commands", "agent", "agents", "skills"];

/// A path with the extension of a shell script.
const SCRIPT: &str = "loaded.sh";

/// The beginning of a command within a line.
const INLINE: &str = "!`";

/// The beginning of a block of commands.
const BLOCK: &str = "```!";

/// Returns the commands that a client runs while it loads the files of a skill, as shell scripts: up to two per file.
/// Each script has the path of its file, and each command keeps its offset in the file.
///
/// `revealed`: the files of the skill.
pub(super) fn scripts(skill: &Skill, revealed: &Revealed, stop: &Stop) -> Revealed {
    // The files may have the paths of commands because of a symlink such as `commands`.
    let is_command = |link: &RelPath, _: &RelPath| {
        let mut parts = link.as_str().split('/');
        parts.any(|part| !part.eq_ignore_ascii_case("skills") && is_folder(part))
    };
    let linked = Targets::of(&skill.revealed().linked, is_command, |_| true);
    let is_linked =
        |path: &RelPath| path.has_extension("md") && linked.reach(path.as_str(), |_| true);
    let files = revealed
        .files
        .iter()
        .filter(|file| is_loaded(&file.path) || is_linked(&file.path));
    let scripts: Vec<(&RevealedFile, String)> = files
        .flat_map(|file| {
            // Each form is a separate script, so that a `#` in a block does not comment out a command within a line.
            let found = commands(&file.text, skill.document(&file.path));
            let found = found.into_iter().filter(|found| !found.is_empty());
            found.map(move |found| (file, script(&file.text, &found)))
        })
        .collect();
    let path = RelPath::parse(SCRIPT).unwrap_or_default();
    let texts = scripts.iter().map(|(_, text)| (&path, &**text));
    let mut revealed = Revealed::from_texts(texts.take_while(|_| !stop.is_raised()));
    for (script, (file, _)) in revealed.files.iter_mut().zip(&scripts) {
        script.path = file.path.clone();
        script.lines = file.lines.clone();
    }
    revealed
}

/// Returns whether a client itself loads a file as a skill, a command or an agent.
fn is_loaded(path: &RelPath) -> bool {
    let mut parts = path.as_str().rsplit('/');
    let name = parts.next().unwrap_or_default();
    name.eq_ignore_ascii_case("SKILL.md") || path.has_extension("md") && parts.any(is_folder)
}

fn is_folder(part: &str) -> bool {
    let mut folders = FOLDERS.iter();
    folders.any(|folder| part.eq_ignore_ascii_case(folder))
}

/// Returns two lists of the commands in a file, each in order: the commands in blocks, and the commands within lines.
fn commands(text: &str, doc: Option<&Document>) -> [Vec<Span>; 2] {
    let bytes = text.as_bytes();
    let body = body_start(text, doc);
    // The start and the end of a command have the same mark, so commands do not overlap, and all searches for ends
    // together take linear time.
    let block = |at: usize| {
        let start = body + at + BLOCK.len();
        let length = memmem::find(&bytes[start..], b"```");
        Span::new(start, length.map_or(text.len(), |length| start + length))
    };
    let inline = |at: usize| {
        let (at, start) = (body + at, body + at + INLINE.len());
        let before = bytes[..at].last().copied().unwrap_or(b'\n');
        let length = memchr::memchr(b'`', &bytes[start..])?;
        // In `` `Stop!` ``, the backtick after the `!` ends a code span.
        let is_end = || {
            let span = doc.and_then(|doc| doc.code_span_at(at + 1));
            !before.is_ascii_whitespace() && span.is_some_and(|span| span.end == start)
        };
        (length > 0 && before != b'\\' && !is_end()).then(|| Span::new(start, start + length))
    };
    let blocks = memmem::find_iter(&bytes[body..], BLOCK).map(block);
    let inlines = memmem::find_iter(&bytes[body..], INLINE).filter_map(inline);
    [blocks.collect(), inlines.collect()]
}

/// Returns the offset from which a client may search for commands. For some clients, the first `---` after the first
/// line ends the frontmatter, even within a line, as in `# ---`.
fn body_start(text: &str, doc: Option<&Document>) -> usize {
    let body = char_floor(text, doc.map_or(0, |doc| doc.body_start));
    let head = &text.as_bytes()[..body];
    let first = memchr::memchr(b'\n', head).unwrap_or(body);
    let end = memmem::find(&head[first..], b"---");
    end.map_or(body, |end| first + end + "---".len())
}

/// Returns a script that contains only the commands at these spans; the text between them is replaced with blanks. Each
/// command begins on its own line, so that no command continues or comments out another.
fn script(text: &str, commands: &[Span]) -> String {
    let mut script = String::with_capacity(text.len());
    for span in commands {
        let blank = (span.start - 1).saturating_sub(script.len());
        script.push_str(&" ".repeat(blank));
        script.push('\n');
        script.push_str(&text[span.start..span.end]);
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the trimmed lines of the scripts for a document.
    fn lines(text: &str) -> Vec<String> {
        let path = RelPath::parse("SKILL.md").unwrap();
        let doc = Document::parse(path, text.as_bytes().to_vec());
        let found = commands(&doc.text, Some(&doc));
        let mut lines = Vec::new();
        for found in found {
            let script = script(&doc.text, &found);
            for span in &found {
                assert_eq!(
                    script.get(span.start..span.end),
                    doc.text.get(span.start..span.end)
                );
            }
            let all = script.lines().map(str::trim);
            lines.extend(all.filter(|line| !line.is_empty()).map(str::to_owned));
        }
        lines
    }

    #[test]
    fn a_client_runs_commands_whatever_is_around_them() {
        for (text, expected) in [
            ("!`a b`", &["a b"][..]),
            ("Never run this: !`a` or !`b`.\n", &["a", "b"]),
            ("| x (!`a`) | high |", &["a"]),
            ("> - **!`a`**", &["a"]),
            ("<!-- !`a` -->", &["a"]),
            ("`` !`a` ``", &["a"]),
            ("```sh\n# !`a`\n```\n", &["a"]),
            ("!`a |\n b`", &["a |", "b"]),
            ("!`a # !`b`", &["a # !", "b"]),
            ("Never:\n\n```!\na\nb\n```\n\nc", &["a", "b"]),
            ("  ````!\n  a\n  ````\n", &["a"]),
            ("```!\na", &["a"]),
            ("```!\n# !`a`\n```", &["# !`a`", "a"]),
            ("```!\na\n```\n```!\nb\n```", &["a", "b"]),
            ("---\nname: !`a`\n---\n!`b`", &["b"]),
            ("---\nname: a\n# ---\n# é !`b`\n---\n!`c`", &["b", "c"]),
            ("é !`é`", &["é"]),
            ("Write `a` or `b!`, and `c`.", &[]),
            ("Write \\!`a`.", &[]),
            ("Run it! `a`", &[]),
            ("Wow!```a```", &[]),
            ("!`a", &[]),
            ("", &[]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }

    #[test]
    fn a_client_loads_skills_commands_and_agents() {
        for (path, expected) in [
            ("SKILL.md", true),
            ("packs/a/skill.md", true),
            ("commands/a.md", true),
            (".claude/Commands/git/a.md", true),
            ("agents/a.md", true),
            ("references/a.md", false),
            ("commands.md", false),
            ("commands/a.sh", false),
        ] {
            let path = RelPath::parse(path).unwrap();
            assert_eq!(is_loaded(&path), expected, "{path}");
        }
    }
}
