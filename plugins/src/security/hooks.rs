//! Finds the commands in the settings of clients: hooks, and programs that a client starts, such as those of MCP
//! servers. A client runs such a command by itself, so nothing around the command excuses it: neither another key on
//! its line, such as `description`, nor the name of an event, such as `Stop`.

use skillc_core::Span;
use skillc_core::reveal::{RevealedFile, written_values};
use skillc_core::source::lines::char_floor;

use super::view::LayerView;

/// Keys in the settings of clients.
const SETTINGS: [&str; 5] = [
    "hooks",
    "mcpServers",
    "mcp_servers",
    "statusLine",
    "apiKeyHelper",
];

impl<'a> LayerView<'a> {
    /// If a position in the file is in a command that a client runs by itself, returns the command, as written, and the
    /// position in the command.
    pub(crate) fn hook(&self, at: Span) -> Option<(&'a str, Span)> {
        if self.is_loaded
            || self.is_script
            || self.doc.is_some_and(|doc| at.start >= doc.body_start)
        {
            return None;
        }
        let file = self.file;
        let hooks = self.of_file.hooks.get_or_init(|| commands(file));
        // The position of a decoded value includes its quotes.
        let before = hooks.partition_point(|hook| hook.start <= at.start + 1);
        let hook = *hooks.get(before.checked_sub(1)?)?;
        let value = file.text.get(hook.start..hook.end)?;
        let offset = |at: usize| char_floor(value, at.clamp(hook.start, hook.end) - hook.start);
        (at.start < hook.end).then(|| (value, Span::new(offset(at.start), offset(at.end))))
    }
}

/// Returns the commands in a file with settings of clients, in order.
fn commands(file: &RevealedFile) -> Vec<Span> {
    if !SETTINGS.iter().any(|key| has_key(&file.text, key)) {
        return Vec::new();
    }
    let values = written_values(&file.path, &file.text).unwrap_or_default();
    let commands = values.into_iter().filter(|value| value.is_command);
    let mut spans: Vec<Span> = commands.map(|value| value.span).collect();
    spans.sort_unstable();
    spans
}

/// Returns whether a data file has a key: `"key": …`, `key: …`, or `[key]`.
fn has_key(text: &str, key: &str) -> bool {
    let mut places = memchr::memmem::find_iter(text.as_bytes(), key);
    places.any(|at| {
        let next = text.as_bytes().get(at + key.len());
        next.is_some_and(|next| b"\"':=].".contains(next))
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
