//! Output formats.

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One finding per line, for editors and `grep`.
    Concise,
    /// For programs.
    Json,
    /// For code scanning services: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: workflow commands.
    Github,
    /// For GitLab: a Code Quality report.
    Gitlab,
    /// For CI servers: JUnit XML.
    Junit,
    /// For people: a single file without scripts, to be opened in a browser.
    Html,
}

impl Format {
    /// All formats, in the order of the help.
    const ALL: [Self; 8] = [
        Self::Text,
        Self::Concise,
        Self::Json,
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
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
