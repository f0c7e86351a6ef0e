//! Output formats.

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Text,
    /// One finding per line, for editors and `grep`.
    Concise,
    /// JSON for programs.
    Json,
    /// One line of JSON per skill, each written when the skill is done.
    Jsonl,
    /// SARIF 2.1.0 for code scanning services.
    Sarif,
    /// Workflow commands for GitHub Actions.
    Github,
    /// A Code Quality report for GitLab.
    Gitlab,
    /// JUnit XML for CI servers.
    Junit,
    /// A page for people: a single HTML file without scripts, to be opened in a browser.
    Html,
}

impl Format {
    /// All formats, in the order of the help.
    const ALL: [Self; 9] = [
        Self::Text,
        Self::Concise,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Html,
    ];

    /// Returns the format's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }

    /// Returns the format with this name; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
