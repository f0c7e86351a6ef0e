//! The forms in which a response can be asked for.

/// A form of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One line a finding, for editors and `grep`.
    Concise,
    /// For programs.
    Json,
    /// For services that collect findings: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: commands of a workflow.
    Github,
    /// For GitLab: a Code Quality report.
    Gitlab,
    /// For CI servers: JUnit XML.
    Junit,
    /// For people, to be opened in a browser: one file, without scripts.
    Html,
}

impl Format {
    /// Every format, in the order in which help lists them.
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

    /// Returns the name to ask for it.
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

    /// Returns the format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
