//! Checks the structure of a skill: files that cannot be reviewed, symlinks that lead out of the skill, and the tools
//! that the skill requests.

use skillc_core::reveal::{Revealed, RevealedFile};
use skillc_core::source::FlawKind;
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Skill, Span, Value};

use super::Threat;
use super::view::View;

/// The first bytes of compiled programs, each with a description.
const PROGRAMS: [(&[u8], &str); 9] = [
    (b"\x7fELF", "an executable for Linux"),
    (b"MZ", "an executable for Windows"),
    (b"\xcf\xfa\xed\xfe", "an executable for macOS"),
    (b"\xce\xfa\xed\xfe", "an executable for macOS"),
    (
        b"\xca\xfe\xba\xbe",
        "an executable for macOS, or Java classes",
    ),
    (b"\xfe\xed\xfa\xcf", "an executable for macOS"),
    (b"\xfe\xed\xfa\xce", "an executable for macOS"),
    (b"\0asm", "a WebAssembly program"),
    (b"dex\n", "an Android program"),
];

/// The addresses of the formats of pointers that Git LFS replaces with other content, after the word `version`.
const POINTERS: [&str; 3] = [
    "https://git-lfs.github.com/spec/",
    "https://hawser.github.com/spec/",
    "http://git-media.io/v/",
];

/// Phrases, in lower case, that indicate that a skill runs any command that it is given.
const TAKES_ANY: [&str; 4] = [
    "any command",
    "arbitrary",
    "commands you provide",
    "any shell",
];

/// The maximum length of a path in a message, in bytes.
const MAX_PATH: usize = 200;

/// Adds the threats of SEC117 and SEC118 in the structure of a skill.
pub(super) fn check(view: &View<'_>, revealed: &Revealed, out: &mut Vec<Threat>) {
    let skill = view.skill;
    for file in &revealed.opaque {
        let program = PROGRAMS
            .iter()
            .find(|(start, _)| file.start.starts_with(start));
        if let Some((_, kind)) = program {
            out.push(file_threat(
                "SEC118",
                file.path.clone(),
                format!("'{}' is {kind}: its code cannot be reviewed", file.path),
            ));
        } else if file.start.is_empty() && file.size > 0 {
            let path = shown(file.path.as_str());
            out.push(file_threat(
                "SEC118",
                file.path.clone(),
                format!("'{path}' could not be read, so it was not scanned"),
            ));
        }
    }
    for file in &revealed.files {
        if let Some(size) = file.cut {
            let message = format!(
                "only the first {} bytes of {size} were scanned",
                file.text.len()
            );
            out.push(file_threat("SEC118", file.path.clone(), message));
        } else if file.is_unknown {
            let message = format!(
                "'{}' is neither text nor of a known format: it cannot be reviewed",
                file.path
            );
            out.push(file_threat("SEC118", file.path.clone(), message));
        } else if is_pointer(&file.text) {
            let path = shown(file.path.as_str());
            let message = format!("'{path}' is a pointer of Git LFS: its content was not scanned");
            out.push(file_threat("SEC118", file.path.clone(), message));
        }
    }
    for file in revealed.files.iter().filter(|file| file.is_undecoded) {
        let message = "the file has more encoded text than the scan decodes";
        out.push(file_threat("SEC118", file.path.clone(), message.to_owned()));
    }
    if revealed.has_more {
        let message = "some hidden files were not scanned, because there are too many";
        out.push(skill_threat(false, message.to_owned()));
    }
    for path in skill.tree.unread.iter().chain(&revealed.unread) {
        let message = format!("'{}' was not scanned", shown(path));
        out.push(skill_threat(false, message));
    }
    let odd = &skill.tree.left_out;
    if odd.count > 0 {
        let message = format!(
            "'{}' was not scanned: its name is not UTF-8 ({} in all)",
            odd.example, odd.count
        );
        out.push(skill_threat(false, message));
    }
    for link in skill.tree.escaping.iter().chain(&revealed.escaping) {
        let end = skill.tree.written_target(link);
        let is_error = [
            ".ssh",
            ".aws",
            "/etc/",
            ".env",
            "credentials",
            ".gnupg",
            "keychain",
        ]
        .iter()
        .any(|sign| end.to_lowercase().contains(sign));
        let message = format!("the symlink '{link}' leads out of the skill");
        out.push(skill_threat(is_error, message));
    }
    for (link, scanned) in &revealed.unusual {
        let [link, scanned] = [link, scanned].map(|path| shown(path.as_str()));
        let message = format!(
            "'{link}' is a symlink with an unusual target, which was scanned as the content of '{scanned}'"
        );
        out.push(skill_threat(false, message));
    }
    for flaw in &skill.tree.flaws {
        out.push(skill_threat(
            flaw.kind == FlawKind::Attack,
            flaw.message.clone(),
        ));
    }
    if let Some(main) = skill.main() {
        check_tools(skill, main, out);
    }
}

/// Returns whether Git LFS replaces a file with content that is kept elsewhere.
fn is_pointer(text: &str) -> bool {
    let address = text.trim_start().strip_prefix("version ");
    address.is_some_and(|address| POINTERS.iter().any(|known| address.starts_with(known)))
}

/// Reports a file in which the detectors did not examine all matches.
pub(super) fn more_than_examined(file: &RevealedFile, out: &mut Vec<Threat>) {
    let message = "the file has more matches of one pattern than the scan examines";
    out.push(file_threat("SEC118", file.path.clone(), message.to_owned()));
}

/// Truncates a very long path for a message.
pub(super) fn shown(path: &str) -> String {
    let end = char_floor(path, MAX_PATH);
    let more = if end < path.len() { "…" } else { "" };
    format!("{}{more}", &path[..end])
}

/// Returns a SEC118 threat for the skill as a whole.
pub(super) fn skill_threat(is_error: bool, message: String) -> Threat {
    Threat {
        rule: "SEC118",
        file: None,
        span: Span::default(),
        line: 1,
        is_error,
        message,
        help: None,
    }
}

fn file_threat(rule: &'static str, path: skillc_core::RelPath, message: String) -> Threat {
    Threat {
        rule,
        file: Some(path),
        span: Span::default(),
        line: 1,
        is_error: false,
        message,
        help: None,
    }
}

/// Returns the tools in `allowed-tools`, in lower case, and the span of the value.
fn tools(doc: &Document) -> Option<(Vec<String>, Span)> {
    let field = doc.frontmatter.fields()?.get("allowed-tools")?;
    let texts = match &field.value {
        Value::List(items) => items.iter().filter_map(|item| item.value.text()).collect(),
        value => vec![value.text()?],
    };
    let split = texts.iter().flat_map(|text| text.split([',', ' ']));
    let names = split.map(|name| name.trim().to_ascii_lowercase());
    Some((
        names.filter(|name| !name.is_empty()).collect(),
        field.value_span,
    ))
}

fn check_tools(skill: &Skill, main: &Document, out: &mut Vec<Threat>) {
    let is_shell =
        |name: &String| name.starts_with("bash") || name.starts_with("shell") || name == "*";
    let Some((own, place)) = tools(main) else {
        return;
    };
    let line = main.lines.line(place.start);
    let mut push = |is_error: bool, message: String| {
        out.push(Threat {
            rule: "SEC117",
            file: Some(main.path.clone()),
            span: place,
            line,
            is_error,
            message,
            help: None,
        });
    };
    if own.iter().any(|name| name == "*" || name == "all") {
        push(false, "'allowed-tools' allows every tool".to_owned());
    }
    if own.iter().any(is_shell) {
        return;
    }
    let has_sign = |text: &str| {
        let text = text.to_lowercase();
        TAKES_ANY.iter().any(|sign| text.contains(sign))
    };
    let takes_any = has_sign(&main.text);
    for doc in skill.documents().filter(|doc| {
        doc.path != main.path && doc.path.file_name().eq_ignore_ascii_case("SKILL.md")
    }) {
        let has_shell = tools(doc).is_some_and(|(tools, _)| tools.iter().any(is_shell));
        if has_shell && (takes_any || has_sign(&doc.text)) {
            push(
                true,
                format!(
                    "the skill does not ask for a shell, but hands commands to '{}', which has one",
                    doc.path
                ),
            );
        }
    }
}
