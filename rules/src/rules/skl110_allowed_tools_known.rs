//! SKL110 allowed-tools-known.
//!
//! Design: C-EXTENSIONS.

use std::collections::BTreeSet;

use skillc_core::did_you_mean::nearest;
use skillc_core::{Document, Field, Skill, Span, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::field;
use crate::support::text::shown;

/// The names of tools that clients publish, as of 2026. The list for Claude Code
/// (code.claude.com/docs/en/tools-reference, 2026-08-22) includes former names, the list for Copilot CLI includes its
/// kinds of permissions, and the list for VS Code has only groups of tools.
const TOOLS: [&str; 4] = [
    // Claude Code
    "Agent Artifact AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EndConversation EnterPlanMode \
     EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell LS LSP ListAgents ListMcpResourcesTool MCPSearch Monitor \
     MultiEdit NotebookEdit NotebookRead PowerShell PushNotification Read ReadMcpResourceTool RemoteTrigger ReportFindings \
     ScheduleWakeup SendMessage SendUserFile ShareOnboardingGuide Skill SlashCommand Task TaskCreate TaskGet TaskList \
     TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WaitForMcpServers WebFetch WebSearch Workflow Write",
    // Copilot CLI
    "apply_patch ask_user bash create edit glob grep list_agents list_bash list_powershell memory powershell read \
     read_agent read_bash read_powershell rg shell skill stop_bash stop_powershell task url view web_fetch write \
     write_agent write_bash write_powershell",
    // VS Code
    "agent execute search web",
    // Gemini CLI
    "activate_skill complete_task enter_plan_mode exit_plan_mode get_internal_docs google_web_search grep_search \
     list_directory list_mcp_resources read_file read_many_files read_mcp_resource replace run_shell_command \
     update_topic write_file write_todos",
];

/// The maximum number of entries for which similar tools are searched. Comparing an entry with all tools takes a
/// thousand times as long as reading the entry.
const MAX_SUGGESTIONS: usize = 200;

declare_rule! {
    /// Reports an entry of `allowed-tools` that is not a tool of any known client.
    ///
    /// ## Why
    /// If the name of a tool has a typo, the tool is not allowed, and no client reports the typo: the agent asks for
    /// permission each time instead.
    ///
    /// Entries are separated by spaces or commas, or are elements of a list. In `Bash(git *)`, only `Bash` is checked.
    /// Tools of MCP servers, written `mcp__server__tool` or `server/tool`, are not checked, because they depend on your
    /// machine.
    ///
    /// The rule is disabled by default: clients add tools faster than a list of tools can be updated.
    ///
    /// ## Example
    /// ```yaml
    /// allowed-tools: Reed Bash(git *)
    /// ```
    /// Write instead:
    /// ```yaml
    /// allowed-tools: Read Bash(git *)
    /// ```
    ///
    /// ## Source
    /// The documented tools of each client.
    pub(crate) struct AllowedToolsKnown {
        code: "SKL110",
        name: "allowed-tools-known",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for AllowedToolsKnown {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(field) = field(doc, "allowed-tools") else {
            return;
        };
        let known: BTreeSet<&str> = tools().collect();
        let entries = entries(field, &doc.text);
        let tools_named = entries.into_iter().map(|(entry, at)| {
            let tool = entry.split('(').next().unwrap_or_default();
            (tool.trim(), at)
        });
        let unknown = tools_named.filter(|(tool, _)| !known.contains(tool) && is_checked(tool));
        for (position, (tool, at)) in unknown.enumerate() {
            let found = out.at(at, format!("no known client has a tool '{}'", shown(tool)));
            let meant = (position < MAX_SUGGESTIONS).then(|| nearest(tool, tools()));
            if let Some(meant) = meant.flatten() {
                found.help(format!("did you mean '{meant}'?"));
            }
        }
    }
}

fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().flat_map(|tools| tools.split_whitespace())
}

/// Returns whether an entry is checked. Empty entries, wildcards and tools of MCP servers are not checked.
fn is_checked(tool: &str) -> bool {
    let is_of_server = |prefix: &str| {
        tool.strip_prefix(prefix)
            .is_some_and(|name| !name.is_empty())
    };
    !tool.is_empty() && tool != "*" && !tool.contains('/') && !is_of_server("mcp__")
}

/// Returns the entries of a list or string, with their positions.
fn entries<'a>(field: &'a Field, source: &str) -> Vec<(&'a str, Span)> {
    match &field.value {
        Value::Text(text) => entries_of_text(text, field.value_span, source),
        Value::List(items) => {
            let texts = items.iter().map(|item| (item.value.text(), item.span));
            texts.filter_map(|(text, at)| Some((text?, at))).collect()
        }
        _ => Vec::new(),
    }
}

/// Splits a string at whitespace and commas outside parentheses. An entry that is written differently in the file,
/// because of an escape or a line break, gets the position of the whole string. All later entries also get that
/// position, because searching the rest of the string for each of thousands of entries would take quadratic time.
fn entries_of_text<'a>(text: &'a str, whole: Span, source: &str) -> Vec<(&'a str, Span)> {
    let mut depth = 0_usize;
    let split = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    let mut from = Some(whole.start);
    let place = |entry: &'a str| {
        let found = from.and_then(|from| Some(from + source[from..whole.end].find(entry)?));
        let at = found.map(|start| Span::new(start, start + entry.len()));
        from = at.map(|at| at.end);
        (entry, at.unwrap_or(whole))
    };
    split.filter(|entry| !entry.is_empty()).map(place).collect()
}
