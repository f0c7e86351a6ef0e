//! Properties that hold for any input, one function per kind of input. Tests call the functions with mutated fixtures;
//! the fuzzers in `tests/fuzz` call them with generated input.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use skillc_core::clients::Clients;
use skillc_core::config::{Config, Toolset};
use skillc_core::source::frontmatter::{read_yaml, scalar, to_json};
use skillc_core::stop::Stop;
use skillc_core::testkit::{NOW, read_skill, write_files};
use skillc_core::{Document, Fields, Frontmatter, RelPath, Skill, SourceFile, Span, Value};
use skillc_lint::baseline::{Baseline, Day, Identity};
use skillc_lint::config::{LintFiles, Section};
use skillc_lint::repair::{CheckBudget, repair};
use skillc_lint::{Choice, Diagnostic, Linter, PluginRegistry, Safety, Settings};
use skillc_script::Host;
use skillc_storage::{SearchIndex, SectionQuery};

use crate::{World, plugins};

/// A second file, next to the file under test.
const BESIDE: &str = "# Beside\n\n## Part\n\n[back](SKILL.md)\n";

/// The kinds of input. Each is the name of a function below.
pub const TARGETS: [&str; 9] = [
    "frontmatter",
    "document",
    "directives",
    "configuration",
    "baseline",
    "query",
    "script",
    "mcp",
    "index",
];

/// The setup that all property checks share.
pub struct Properties {
    world: World,
    skill: Skill,
    plugins: PluginRegistry,
    linter: Linter,
    host: Host,
    index: SearchIndex,
    index_bytes: Vec<u8>,
    /// A scratch file for databases and configuration.
    scratch: PathBuf,
}

impl Default for Properties {
    fn default() -> Self {
        Self::new()
    }
}

impl Properties {
    /// Creates a project with a built skill.
    pub fn new() -> Self {
        let text = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\nHello world, caf\u{e9} \
                    \u{65e5}\u{672c}\u{8a9e}.\n\n## Part\n\nMore words here.\n";
        let world = World::built(&[
            ("SKILL.md", text),
            ("beside.md", BESIDE),
            ("a.csv", "a,b\n1,2\n"),
        ]);
        let plugins = plugins();
        let choice = Choice {
            select: vec!["ALL".to_owned()],
            ..Choice::default()
        };
        let linter = Linter::new(&plugins, &choice, Settings::default()).expect("a selector");
        let index = world.demo_index();
        Self {
            skill: read_skill(&world.demo_source()),
            index_bytes: fs::read(&index).expect("an index"),
            index: SearchIndex::open(&index, &Stop::default()).expect("an index"),
            scratch: world.cwd.join("scratch"),
            host: Host::default(),
            world,
            plugins,
            linter,
        }
    }

    /// Runs the check for a kind of input, given by its name.
    ///
    /// # Panics
    /// If a property does not hold, or if there is no kind of input with this name.
    pub fn check(&self, target: &str, bytes: &[u8]) {
        match target {
            "frontmatter" => Self::frontmatter(bytes),
            "document" => self.document(bytes),
            "directives" => self.directives(bytes),
            "configuration" => self.configuration(bytes),
            "baseline" => Self::baseline(bytes),
            "query" => self.query(bytes),
            "script" => self.script(bytes),
            "mcp" => self.mcp(bytes),
            "index" => self.index(bytes),
            _ => panic!("unknown target '{target}'"),
        }
    }

    /// Checks frontmatter and YAML.
    pub fn frontmatter(bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let (frontmatter, body_start) = Frontmatter::split(&text);
        assert!(text.is_char_boundary(body_start), "{body_start}");
        assert_eq!(Frontmatter::split(&text), (frontmatter.clone(), body_start));
        if let Frontmatter::Invalid { message, at, .. } = &frontmatter {
            is_one_line(message);
            is_within(&text, *at);
        }
        for field in frontmatter.fields().into_iter().flat_map(Fields::iter) {
            is_within(&text, field.key_span);
            is_within(&text, field.value_span);
            values_are_within(&text, &field.value);
        }
        let _ = (to_json(&text), read_yaml(&text, 1_000).is_ok());
        // A scalar keeps its value when it is written and read again.
        let value: String = text.chars().take(200).collect();
        let written = format!("---\nkey: {}\n---\n", scalar(&value));
        let (read, _) = Frontmatter::split(&written);
        let read = match &read {
            Frontmatter::Valid(fields) => fields.text("key"),
            _ => None,
        };
        assert_eq!(read, Some(&*value), "{written:?}");
    }

    /// Parses a Markdown file and indexes it.
    pub fn document(&self, bytes: &[u8]) {
        let path = RelPath::parse("a.md").expect("a path");
        let doc = Document::parse(path.clone(), bytes.to_vec());
        let text = &doc.text;
        is_within(text, Span::new(doc.body_start, text.len()));
        let past_end = doc.lines.count() + 1;
        for heading in doc.headings.iter().chain(&doc.inner_headings) {
            is_within(text, heading.span);
            assert!((1..=6).contains(&heading.level), "{heading:?}");
        }
        for heading in &doc.headings {
            let lines = heading.line..heading.end_line;
            assert!(
                lines.start >= 1 && lines.start < lines.end && lines.end <= past_end,
                "{heading:?}"
            );
            assert!(!doc.section_text(heading).is_empty());
        }
        assert!(doc.headings.is_sorted_by_key(|heading| heading.span.start));
        doc.preamble();
        for link in &doc.links {
            is_within(text, link.span);
            is_within(text, link.dest_span);
        }
        let blocks = doc.code_blocks.iter().map(|block| block.span);
        let content = doc
            .code_blocks
            .iter()
            .flat_map(|block| &block.content)
            .copied();
        let spans = [
            &doc.code_spans,
            &doc.tables,
            &doc.html_blocks,
            &doc.html_targets,
            &doc.hidden,
        ];
        let spans = spans.into_iter().flatten().copied();
        for span in blocks.chain(content).chain(spans) {
            is_within(text, span);
        }
        for name in [
            "a.md", "a.csv", "a.json", "a.ipynb", "a.yaml", "a.toml", "a.txt",
        ] {
            let path = RelPath::parse(name).expect("a path");
            let file = SourceFile::new(path, bytes.to_vec());
            let Some(indexer) = self.plugins.indexer_for(&file.path) else {
                continue;
            };
            // An error is fine: a build reports input that is not in the indexer's format.
            let _ = indexer.sections(&file, &mut |section| {
                assert!(
                    section.lines.start >= 1 && section.lines.start <= section.lines.end,
                    "{section:?}"
                );
            });
        }
    }

    /// Lints a skill with all rules, and fixes it.
    pub fn directives(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let main = RelPath::parse("SKILL.md").expect("a path");
        let skill = self.skill.with_file(&main, text);
        let found = self.linter.run(&skill);
        findings_are_within(&skill, &found);
        assert_eq!(self.linter.run(&skill), found, "linting twice");
        let lint = |skill: &Skill| self.linter.run(skill);
        let names = std::collections::BTreeMap::new();
        let fixed = repair(
            &skill,
            &lint,
            Safety::Unsafe,
            &names,
            &mut CheckBudget::default(),
        );
        assert!(fixed.left.len() <= found.len(), "fixes add findings");
        let after = skill.with_texts(&fixed.texts);
        let again = repair(
            &after,
            &lint,
            Safety::Unsafe,
            &names,
            &mut CheckBudget::default(),
        );
        let is_spent = fixed
            .refused
            .iter()
            .any(|fix| fix.reason.contains("too many fixes"));
        assert!(
            is_spent || again.texts.is_empty(),
            "fixes are not idempotent"
        );
    }

    /// Reads the input as `config.toml` and as `.skilllint.toml`.
    pub fn configuration(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let files = LintFiles {
            plugins: &self.plugins,
            clients: Clients::shared(),
            homes: [Path::new("/home"), Path::new("/home")],
            trusted: &[],
        };
        let path = Path::new("/nowhere/.skilllint.toml");
        for section in [Section::File, Section::Lint(Path::new("/nowhere"))] {
            match files.parse(path, &text, section) {
                Ok(layers) => assert!(layers.len() <= 100),
                Err(error) => is_one_line(&error.message()),
            }
        }
        write_files(&self.world.cwd, &[(".skillc/config.toml", &text)]);
        let (_, notices) = Config::read(&self.world.context_at(&self.world.cwd));
        for notice in notices {
            is_one_line(&notice.to_string());
        }
        fs::remove_file(self.world.cwd.join(".skillc/config.toml")).expect("should exist");
    }

    /// Reads a baseline file.
    pub fn baseline(bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        match Baseline::parse(Path::new("b.toml"), &text) {
            Ok(list) => {
                let own = list.entries.iter().map(|entry| entry.identity.clone());
                let mut findings: Vec<Identity> = own.collect();
                findings.push(Identity::new("a", "SKILL.md", "SKL205", "f"));
                let matched = list.matched(&findings, &Day::from_timestamp(NOW));
                assert_eq!(matched.fates.len(), findings.len());
                assert_eq!(matched.unused.len(), list.entries.len());
                for (unused, entry) in matched.unused.iter().zip(&list.entries) {
                    assert!(*unused <= entry.count, "{entry:?}");
                }
            }
            Err(error) => is_one_line(&error.message()),
        }
    }

    /// Searches the index for a query and for a section name.
    pub fn query(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.index.restart(&Stop::default());
        let hits = self
            .index
            .search(&SectionQuery::words(&text, 5))
            .expect("the index is whole");
        for hit in hits.into_iter().flatten() {
            assert!(!hit.file.is_empty(), "{hit:?}");
        }
        self.index
            .headings(&text, None)
            .expect("the index is whole");
        let told = self.index.suggestions(&text, None, 3);
        assert!(told.expect("the index is whole").len() <= 3);
    }

    /// Loads a script and runs it on a skill.
    pub fn script(&self, bytes: &[u8]) {
        let script = match self.host.load("a.rhai", bytes) {
            Ok(script) => script,
            Err(fault) => return is_one_line(&fault.to_string()),
        };
        let mut plugins = self.plugins.clone();
        if let Err(fault) = script.register(&mut plugins) {
            return is_one_line(&fault.to_string());
        }
        let select = script.rules().iter().map(|rule| {
            let meta = skillc_lint::Rule::meta(&**rule);
            meta.code.to_string()
        });
        let choice = Choice {
            select: select.collect(),
            ..Choice::default()
        };
        if !choice.select.is_empty() {
            let linter = Linter::new(&plugins, &choice, Settings::default()).expect("its rules");
            findings_are_within(&self.skill, &linter.run(&self.skill));
        }
        for indexer in script.indexers() {
            let path = RelPath::parse("a.txt").expect("a path");
            let file = SourceFile::new(path, BESIDE.as_bytes().to_vec());
            let made = skillc_core::Indexer::sections(&**indexer, &file, &mut |section| {
                assert!(
                    section.lines.start >= 1 && section.lines.start <= section.lines.end,
                    "{section:?}"
                );
            });
            if let Err(error) = made {
                is_one_line(&error.message);
            }
        }
    }

    /// Sends client input to the MCP server. Every output line must be a message. The server offers only the catalog
    /// tools, so no input can make it write files.
    pub fn mcp(&self, bytes: &[u8]) {
        let context = self.world.context_at(&self.world.cwd);
        let answers = skillc::serve_input(context, Toolset::Catalog, bytes.to_vec());
        let answers = answers.expect("a server");
        for line in answers
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let message: Json = serde_json::from_slice(line).expect("a line is JSON");
            let of_batch = message
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![message.clone()]);
            for message in of_batch {
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
            }
        }
    }

    /// Opens a database: either the input itself, or a search index that is patched with the input. (Most random bytes
    /// are not a database, and are rejected at once.) Each patch consists of three bytes of offset and one byte of
    /// content.
    pub fn index(&self, bytes: &[u8]) {
        let mut database = bytes.to_vec();
        if !bytes.starts_with(b"SQLite format 3") {
            database.clone_from(&self.index_bytes);
            for change in bytes.chunks_exact(4) {
                let place = [0, change[0], change[1], change[2]];
                let at = u32::from_be_bytes(place) as usize % database.len();
                database[at] = change[3];
            }
        }
        let is_whole = database == self.index_bytes;
        fs::write(&self.scratch, database).expect("a file");
        let Ok(index) = SearchIndex::open(&self.scratch, &Stop::default()) else {
            assert!(!is_whole);
            return;
        };
        // With a modified index, each of these calls may report that the index is unusable. With the unmodified index,
        // all of them must succeed.
        let results = [
            index.search(&SectionQuery::words("hello", 5)).is_ok(),
            index.all_headings(None).is_ok(),
            index.section_at("SKILL.md", 7).is_ok(),
            index.suggestions("pa", None, 3).is_ok(),
            index.char_counts().is_ok(),
        ];
        assert!(
            !is_whole || index.has_our_tables() && results == [true; 5],
            "{results:?}"
        );
    }
}

fn is_within(text: &str, span: Span) {
    assert!(
        text.get(span.start..span.end).is_some(),
        "{span:?} of {}",
        text.len()
    );
}

fn is_one_line(message: &str) {
    assert!(
        !message.is_empty() && !message.contains('\n'),
        "{message:?}"
    );
}

fn values_are_within(text: &str, value: &Value) {
    match value {
        Value::List(items) => {
            for item in items.iter() {
                is_within(text, item.span);
                values_are_within(text, &item.value);
            }
        }
        Value::Map(fields) => {
            for field in fields.iter() {
                is_within(text, field.key_span);
                is_within(text, field.value_span);
                values_are_within(text, &field.value);
            }
        }
        Value::Null | Value::Text(_) => {}
    }
}

fn findings_are_within(skill: &Skill, found: &[Diagnostic]) {
    let within = |file: Option<&RelPath>, span: Span, about: &dyn Debug| {
        let doc = file.and_then(|file| skill.document(file));
        let is_within = doc.is_none_or(|doc| doc.text.get(span.start..span.end).is_some());
        assert!(is_within, "{about:?}");
    };
    for finding in found {
        is_one_line(&finding.message);
        assert!(finding.line >= 1 && finding.column >= 1, "{finding:?}");
        within(finding.file.as_ref(), finding.span, finding);
        for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
            within(Some(&edit.file), edit.span, finding);
        }
    }
}
