//! Finds the commands in the settings of clients: hooks, and programs that a client starts, such as those of MCP
//! servers. A client runs such a command by itself, so nothing around the command excuses it: neither another key on
//! its line, such as `description`, nor the name of an event, such as `Stop`.

use skillc_core::Span;
use skillc_core::reveal::{RevealedFile, unescaped, written_values};
use skillc_core::source::lines::char_floor;

use super::standing::{HereDocuments, Language, Standing, in_program};
use super::view::LayerView;

/// The maximum size of a command that is examined for strings that it only prints or compares, in bytes.
const MAX_COMMAND: usize = 4000;

/// The maximum number of places in a command that may contain the text of a decoded layer.
const MAX_PLACES: usize = 20;

/// Keys in the settings of clients.
const SETTINGS: [&str; 9] = [
    "hooks",
    "mcpServers",
    "mcp_servers",
    "statusLine",
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "headersHelper",
    "otelHeadersHelper",
];

impl LayerView<'_> {
    /// If a position in the file is in a command that a client runs by itself, returns the span of the command.
    pub(crate) fn hook(&self, at: Span) -> Option<Span> {
        if self.is_loaded || self.is_script {
            return None;
        }
        let file = self.file;
        // A loader may also read frontmatter in text that is a part of the body for `skc`.
        let hooks = self.of_file.hooks.get_or_init(|| commands(file));
        // The position of a decoded value includes its quotes.
        let before = hooks.partition_point(|hook| hook.start <= at.start + 1);
        let hook = *hooks.get(before.checked_sub(1)?)?;
        (at.start < hook.end).then_some(hook)
    }

    /// Returns whether the command of a hook contains the text of a span only as data, such as a string that it prints.
    /// `hook`: see [`Self::hook`].
    pub(crate) fn is_data_of_hook(&self, hook: Span, span: Span) -> bool {
        if hook.end - hook.start > MAX_COMMAND {
            return false;
        }
        let text = &self.file.text;
        let has_escapes = text[..char_floor(text, hook.start)].ends_with('"');
        let read = |start: usize, end: usize| {
            let part = text.get(start..end).unwrap_or_default();
            if has_escapes {
                unescaped(part, false)
            } else {
                part.to_owned()
            }
        };
        let command = read(hook.start, hook.end);
        let (starts, length) = if self.layer.is_file() {
            let at = self.place_of(span);
            let start = char_floor(text, at.start.clamp(hook.start, hook.end));
            let end = char_floor(text, at.end.clamp(start, hook.end));
            (vec![read(hook.start, start).len()], read(start, end).len())
        } else {
            // Only the whole command is known as the origin of a decoded span.
            let part = self.part(span);
            let places = command.match_indices(part).map(|(at, _)| at);
            (places.take(MAX_PLACES + 1).collect(), part.len())
        };
        let documents = HereDocuments::new(&command);
        let is_data = |start: &usize| {
            let at = Span::new(*start, start + length);
            in_program(&command, at, true, Language::Shell(&documents)) == Standing::Mention
        };
        !starts.is_empty() && starts.len() <= MAX_PLACES && starts.iter().all(is_data)
    }
}

/// Returns the commands in a file with settings of clients, in order.
fn commands(file: &RevealedFile) -> Vec<Span> {
    let has_settings = |text: &str| SETTINGS.iter().any(|key| has_key(text, key));
    // A key in quotes may have escapes.
    let has_escaped = || file.text.contains('\\') && has_settings(&unescaped(&file.text, false));
    if !has_settings(&file.text) && !has_escaped() {
        return Vec::new();
    }
    let values = written_values(&file.path, &file.text).unwrap_or_default();
    let commands = values.into_iter().filter(|value| value.is_command);
    let mut spans: Vec<Span> = commands.map(|value| value.span).collect();
    spans.sort_unstable();
    spans
}

/// Returns whether a data file has a key: `"key": …`, `key: …`, `key = …`, or `[key]`.
fn has_key(text: &str, key: &str) -> bool {
    let mut places = memchr::memmem::find_iter(text.as_bytes(), key);
    places.any(|at| {
        let rest = &text.as_bytes()[at + key.len()..];
        let starts = |rest: &[u8], signs: &[u8]| rest.first().is_some_and(|c| signs.contains(c));
        starts(rest, b"\"'].") || starts(rest.trim_ascii_start(), b":=")
    })
}

#[cfg(test)]
mod tests {
    use skillc_core::RelPath;
    use skillc_core::reveal::Revealed;

    use super::*;

    #[test]
    fn the_commands_of_settings_are_run_by_clients() {
        for (path, text, expected) in [
            (
                "hooks.json",
                r#"{"description": "a", "hooks": {"Stop": [{"type": "command", "command": "curl a"}]}}"#,
                vec!["curl a"],
            ),
            (
                ".mcp.json",
                r#"{"mcpServers": {"a": {"command": "npx a", "args": ["-c", "curl b"]}}}"#,
                vec!["npx a", "curl b"],
            ),
            (
                "SKILL.md",
                "---\nname: a\nhooks:\n  Stop:\n    - command: curl a\n---\n",
                vec!["curl a"],
            ),
            (
                "SKILL.md",
                "--- \n# Dates\nname: a\nhooks:\n  Stop:\n    - command: curl a\n---\n",
                vec!["curl a"],
            ),
            (
                "SKILL.md",
                "---\nname: a\nhooks:\n  Stop:\n    - command: curl a\n# ---\n",
                vec!["curl a"],
            ),
            (
                "settings.json",
                r#"{"apiKeyHelper": "curl a"}"#,
                vec!["curl a"],
            ),
            (
                "settings.json",
                r#"{"otelHeadersHelper": "curl a", "awsAuthRefresh": "curl b"}"#,
                vec!["curl a", "curl b"],
            ),
            (
                "hooks.json",
                r#"{"h\u006foks": {"Stop": [{"command": "curl a"}]}}"#,
                vec!["curl a"],
            ),
            (
                "a.toml",
                "hooks = [{command = \"curl a\"}]\n",
                vec!["curl a"],
            ),
            (
                "a.yml",
                "hooks :\n  Stop:\n    - command: curl a\n",
                vec!["curl a"],
            ),
            (
                "rules.json",
                r#"[{"pattern": "a", "command": "curl a", "note": "Hooks do this."}]"#,
                vec![],
            ),
        ] {
            let path = RelPath::parse(path).unwrap();
            let revealed = Revealed::from_text(&path, text);
            let spans = commands(&revealed.files[0]);
            let found: Vec<&str> = spans.iter().map(|of| &text[of.start..of.end]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
