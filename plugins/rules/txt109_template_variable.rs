//! TXT109 template-variable.

use memchr::memmem;
use skillc_core::{Document, Heading, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::prose::is_text;

declare_rule! {
    /// Reports a template variable, such as `{{project_name}}`, left in the text of `SKILL.md`.
    ///
    /// ## Why
    /// No client replaces `{{project_name}}` when it passes `SKILL.md` to an agent. The text was copied from a
    /// template, or is meant for a tool that fills in the value, and the agent reads the name of the variable instead.
    ///
    /// There is one finding, at the first variable outside code. It lists up to five more positions, including variables
    /// in code spans.
    ///
    /// ## What is not reported
    /// - Variables in code, where they are usually examples, unless the file also has variables outside code.
    /// - Variables in the frontmatter, and in files other than `SKILL.md`.
    /// - Lines and sections that mention variables, placeholders, templates, patterns, syntax, interpolation,
    ///   substitution or replacing, or a template engine such as Jinja, Handlebars, Mustache, Helm or Liquid.
    /// - Variables in skills whose name or description mentions one of these words, and in skills in a folder `template`,
    ///   `templates` or `assets`.
    /// - Other notations for variables: `{name}`, `${name}`, `<name>`, `[NAME]`, and names with a dot, a space or a
    ///   capital letter.
    ///
    /// ## Example
    /// ```markdown
    /// You write the release notes of {{project_name}}.
    /// ```
    /// Write instead:
    /// ```markdown
    /// You write the release notes of the project that the user names.
    /// ```
    pub(crate) struct TemplateVariable {
        code: "TXT109",
        name: "template-variable",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of positions that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// The length limit of a name, in bytes.
const MAX_NAME_BYTES: usize = 60;

/// Words that mark a line, a heading, a name or a description as being about templates. Variables in such text are
/// intended.
const ABOUT: [&str; 22] = [
    "variable",
    "placeholder",
    "template",
    "templating",
    "pattern",
    "syntax",
    "jinja",
    "handlebars",
    "mustache",
    "helm",
    "liquid",
    "interpolat",
    "substitut",
    "replace",
    "模板",
    "变量",
    "占位",
    "テンプレート",
    "変数",
    "プレースホルダ",
    "템플릿",
    "변수",
];

impl Rule for TemplateVariable {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let text = &doc.text[..doc.markup_end];
        let mut openings = memmem::find_iter(text.as_bytes(), "{{").peekable();
        if openings.peek().is_none() || is_about_templates(doc, skill) {
            return;
        }
        let mut headings = Headings::new(&doc.headings);
        let mut first = None;
        let mut in_code = Vec::new();
        let mut places = Vec::new();
        // The line that was checked last, and whether it is about templates.
        let mut known_line = (0, false);
        for at in openings {
            let Some(length) = (at >= doc.body_start && !text[..at].ends_with('$'))
                .then(|| variable(&text[at..]))
                .flatten()
            else {
                continue;
            };
            let span = Span::new(at, at + length);
            let line = doc.lines.line(at);
            if known_line.0 != line {
                known_line = (line, is_about(&doc.text[doc.lines.range(line, line + 1)]));
            }
            if known_line.1 || headings.are_about_templates(at) {
                continue;
            }
            if doc.code_span_at(at).is_some() {
                if in_code.len() < MAX_SHOWN {
                    in_code.push(span);
                }
            } else if is_text(doc, at) {
                if first.is_none() {
                    first = Some(span);
                } else if places.len() < MAX_SHOWN {
                    places.push(span);
                }
            }
        }
        let Some(first) = first else { return };
        let name = &text[first.start..first.end];
        let found = out.at(
            first,
            format!("template variable '{name}' was never filled in"),
        );
        found.help("write the value, or say what the agent should use there");
        for span in places.into_iter().chain(in_code).take(MAX_SHOWN) {
            found.label(span, "here too");
        }
    }
}

/// Determines whether the sections around a position are about templates. Positions must be passed in ascending order.
struct Headings<'a> {
    rest: &'a [Heading],
    /// The sections around the last position: for each, its level, and whether the section or an outer section is about
    /// templates.
    open: Vec<(u8, bool)>,
}

impl<'a> Headings<'a> {
    const fn new(headings: &'a [Heading]) -> Self {
        Self {
            rest: headings,
            open: Vec::new(),
        }
    }

    fn are_about_templates(&mut self, at: usize) -> bool {
        while let [next, rest @ ..] = self.rest {
            if next.span.start > at {
                break;
            }
            self.rest = rest;
            while self
                .open
                .last()
                .is_some_and(|(level, _)| *level >= next.level)
            {
                self.open.pop();
            }
            let above = self.open.last().is_some_and(|(_, is_about)| *is_about);
            self.open.push((next.level, above || is_about(&next.text)));
        }
        self.open.last().is_some_and(|(_, is_about)| *is_about)
    }
}

fn is_about_templates(doc: &Document, skill: &Skill) -> bool {
    let fields = doc.frontmatter.fields();
    let fields = ["name", "description"].map(|key| fields.and_then(|fields| fields.text(key)));
    let folder = skill.at.canonical.components().rev().take(3);
    let mut folder = folder.filter_map(|part| part.as_os_str().to_str());
    folder.any(|part| matches!(part, "templates" | "template" | "assets"))
        || fields
            .into_iter()
            .flatten()
            .chain([&*skill.at.name])
            .any(is_about)
}

fn is_about(text: &str) -> bool {
    let text = text.to_lowercase().replace("anti-pattern", "");
    ABOUT.iter().any(|word| text.contains(word))
}

/// Returns the length of the variable at the start of `text`, including the variable's braces.
fn variable(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("{{")?;
    let far = inner
        .bytes()
        .take(MAX_NAME_BYTES + 4)
        .position(|byte| byte == b'}')?;
    let name = inner[..far].trim_matches(' ');
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let is_closed = inner[far..].starts_with("}}") && !inner[far..].starts_with("}}}");
    (is_name && is_closed).then_some("{{".len() + far + "}}".len())
}
