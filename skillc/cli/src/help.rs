//! The layout of help: examples come before arguments and options, and `skc --help` groups the commands by purpose and
//! fits on one screen.

use std::fmt::Write;

use clap::builder::{StyledStr, Styles};
use skillc_ops::Example;

/// The commands, grouped by purpose: each row contains the names of commands and their common description. A test
/// checks that every command is listed.
const GROUPS: &[(&str, &[(&str, &str)])] = &[
    (
        "Author",
        &[
            (
                "init lint scan build",
                "Create, check, compile and deploy skills",
            ),
            ("lsp", "Show findings in your editor"),
            (
                "explain rules schema",
                "Look up lint rules and configuration keys",
            ),
            ("remove clean", "Undeploy skills and remove leftovers"),
        ],
    ),
    (
        "Read",
        &[
            (
                "list outline sources",
                "List skills, their headings and their files",
            ),
            (
                "search show open path",
                "Search sections, print text, find paths",
            ),
        ],
    ),
    (
        "Agents",
        &[
            ("catalog", "Control which skills agents find and load"),
            (
                "doctor budget self",
                "Check what clients load, and skc itself",
            ),
            ("mcp", "Run the MCP server, or add it to clients"),
            ("registry", "Keep a database of the skills in a directory"),
        ],
    ),
    (
        "Measure",
        &[(
            "stats sync audit",
            "Collect and report usage of skills and tools",
        )],
    ),
    (
        "Extend",
        &[("plugin", "Write rules and indexers as scripts")],
    ),
    (
        "Other",
        &[(
            "tour man completions help",
            "See 'skc help COMMAND' for details",
        )],
    ),
];

/// Column widths of the groups' titles and commands.
const TITLE: usize = 9;
const COMMANDS: usize = 27;

/// The options of `skc` itself.
const OPTIONS: &str = "-v, --verbose   --color <WHEN>   -h, --help   -V, --version";

/// The template of a command's help: its description, examples, then arguments and options.
pub(crate) const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}";

/// Returns the template of `skc --help`: groups of commands, then examples.
pub(crate) fn grouped(styles: &Styles) -> StyledStr {
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = StyledStr::new();
    let mut line = |parts: std::fmt::Arguments<'_>| {
        writeln!(text, "{parts}").expect("writing to a string cannot fail");
    };
    line(format_args!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n"
    ));
    for (title, rows) in GROUPS {
        for (at, (commands, about)) in rows.iter().enumerate() {
            let title = if at == 0 { title } else { "" };
            line(format_args!(
                "{header}{title}{header:#}{:indent$}{literal}{commands}{literal:#}{:gap$}{about}",
                "",
                "",
                indent = TITLE - title.len(),
                gap = COMMANDS - commands.len(),
            ));
        }
    }
    line(format_args!(
        "{header}Options{header:#}  {literal}{OPTIONS}{literal:#}\n"
    ));
    line(format_args!("{{before-help}}"));
    text
}

/// Formats examples in two columns.
pub(crate) fn examples(examples: &[Example]) -> String {
    let width = examples
        .iter()
        .map(|example| example.command.len())
        .max()
        .unwrap_or_default();
    let line = |example: &Example| format!("\n  {:width$}   {}", example.command, example.does);
    format!("Examples:{}", examples.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::GROUPS;

    #[test]
    fn every_command_is_in_one_group() {
        let groups = GROUPS.iter().flat_map(|(_, rows)| *rows);
        let mut grouped: Vec<&str> = groups.flat_map(|row| row.0.split(' ')).collect();
        let mut root = crate::command();
        root.build();
        let mut commands: Vec<&str> = root
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_help_fits_on_one_screen() {
        let help = crate::command().render_help().to_string();
        assert!(help.lines().count() <= 24, "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
    }
}
