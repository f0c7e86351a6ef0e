//! Loads a script: reads it, compiles it, and runs it once to collect its declarations.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rhai::{AST, ASTNode, Expr};
use skillc_core::hash::Sha;
use skillc_core::{Error, Indexer, LineIndex, Stop, inventory};
use skillc_lint::{PluginRegistry, Rule};

use crate::compiled::{self, What};
use crate::coverage::{Coverage, Covered, LineColumn, statements};
use crate::declared::{self, Loading};
use crate::engine::Setup;
use crate::fault::ScriptFault;
use crate::indexer::ScriptedIndexer;
use crate::limits::{
    BYTES_OF_COMPILED_BYTE, MAX_LOADING_OPERATIONS, MAX_PROJECT_COMPILED_BYTES,
    MAX_QUICK_LITERAL_BYTES, MAX_SCRIPT_BYTES, OPERATIONS_TO_COMPILE_BYTE,
};
use crate::meter::Meter;
use crate::printed::Printed;
use crate::rule::ScriptedRule;
use crate::source::{Project, Source};

/// A script embedded in the program, registered by [`embed_script!`](crate::embed_script).
pub struct EmbeddedScript {
    /// The name of the script in errors.
    pub name: &'static str,
    /// The source text of the script.
    pub text: &'static str,
}

inventory::collect!(EmbeddedScript);

/// Embeds a script in the program: its name and its text.
#[macro_export]
macro_rules! embed_script {
    ($name:expr, $text:expr) => {
        $crate::inventory::submit! {
            $crate::EmbeddedScript { name: $name, text: $text }
        }
    };
}

/// Loads scripts.
#[derive(Clone, Default)]
pub struct Host {
    setup: Setup,
    /// The project whose scripts the host loads; `None` for the user's scripts.
    of_project: Option<Arc<Project>>,
    /// Cancels loading.
    stop: Stop,
}

/// A loaded script. It can be called on any thread: each thread compiles the script when the thread first calls it.
pub struct Script {
    source: Arc<Source>,
    /// The start positions of the statements, if coverage is recorded.
    statements: BTreeSet<LineColumn>,
    rules: Vec<Arc<ScriptedRule>>,
    indexers: Vec<Arc<ScriptedIndexer>>,
}

impl Host {
    /// Returns a host for the scripts of a project. These scripts share three limits: the operations for loading, the
    /// memory of the compiled scripts, and the operations per skill.
    ///
    /// `root`: the project's root, canonical. The scripts are called only for skills below it.
    #[must_use]
    pub fn in_project(&self, root: &Path) -> Self {
        let project = Project {
            root: root.to_path_buf(),
            used: AtomicU64::default(),
            compiled_bytes: AtomicUsize::default(),
        };
        Self {
            of_project: Some(Arc::new(project)),
            ..self.clone()
        }
    }

    /// Returns a host whose loading can be cancelled. After the cancellation, every attempt to load a script fails, so
    /// the caller must discard the result.
    #[must_use]
    pub fn stopping(&self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self.clone()
        }
    }

    /// Returns whether a project's scripts have used up the limit for loading them.
    pub fn is_spent(&self) -> bool {
        let used = self.of_project.as_ref();
        used.is_some_and(|of| of.used.load(Ordering::Relaxed) > MAX_LOADING_OPERATIONS)
    }

    /// Returns a host for a single script, and the recorder of the script's coverage.
    pub fn covering(&self) -> (Self, Coverage) {
        let (mut host, coverage) = (self.clone(), Coverage::default());
        host.setup.coverage = Some(coverage.clone());
        (host, coverage)
    }

    /// Returns a host that counts the operations of all calls into its scripts.
    #[must_use]
    pub fn counting(&self, used: &Arc<AtomicU64>) -> Self {
        let mut host = self.clone();
        host.setup.used = Some(Arc::clone(used));
        host
    }

    /// Returns a host, and a collector of the output of its scripts.
    pub fn printing(&self) -> (Self, Printed) {
        let (mut host, printed) = (self.clone(), Printed::default());
        host.setup.printed = Some(printed.clone());
        (host, printed)
    }

    /// Loads the embedded scripts, in the order of their names, and registers them with a plug-in registry. The faults
    /// of scripts that fail to load are recorded in the registry.
    ///
    /// Returns the loaded scripts.
    pub fn load_embedded(&self, plugins: &mut PluginRegistry) -> Vec<Script> {
        let mut embedded: Vec<&EmbeddedScript> = inventory::iter::<EmbeddedScript>().collect();
        embedded.sort_by_key(|script| script.name);
        let mut scripts = Vec::new();
        for EmbeddedScript { name, text } in embedded {
            let loaded = self.load(name, text.as_bytes());
            let registered = loaded.and_then(|script| {
                script.register(plugins)?;
                Ok(script)
            });
            match registered {
                Ok(script) => scripts.push(script),
                Err(fault) => plugins.add_fault(fault.to_string()),
            }
        }
        scripts
    }

    /// Loads a script: compiles it and runs it once to collect its declarations.
    ///
    /// `name`: shown in errors, usually a path.
    ///
    /// # Errors
    /// If the script is too large, is not UTF-8, does not compile, fails, or has an invalid declaration, or if earlier
    /// scripts of the project used up a limit for loading. Returns the first fault.
    pub fn load(&self, name: &str, bytes: &[u8]) -> Result<Script, ScriptFault> {
        let name: Arc<str> = name.into();
        if self.is_spent() {
            let message = format!(
                "loading this project's scripts took more than {MAX_LOADING_OPERATIONS} operations; this script and all later ones are skipped"
            );
            return Err(ScriptFault::limit(&name, message));
        }
        let text = read(&name, bytes)?;
        if self.stop.is_raised() {
            return Err(ScriptFault::new(&name, "loading was cancelled"));
        }
        self.check_compiled(&name, compiled::estimated_bytes(text.len(), 0))?;
        let meter = Meter::start(self.stop.clone());
        let loaded = self.load_with(&meter, &name, text);
        if let Some(project) = &self.of_project {
            let compiling = (bytes.len() * OPERATIONS_TO_COMPILE_BYTE) as u64;
            let used = meter.operations() + compiling;
            project.used.fetch_add(used, Ordering::Relaxed);
        }
        loaded
    }

    /// Returns an error if the compiled form of a script does not fit into the memory limit for all compiled scripts of
    /// the project. `bytes`: the estimated size of the compiled form.
    fn check_compiled(&self, name: &Arc<str>, bytes: usize) -> Result<(), ScriptFault> {
        let Some(project) = &self.of_project else {
            return Ok(());
        };
        let used = project.compiled_bytes.load(Ordering::Relaxed);
        if used.saturating_add(bytes) > MAX_PROJECT_COMPILED_BYTES {
            let max = MAX_PROJECT_COMPILED_BYTES >> 20;
            let message = format!(
                "this project's scripts need more than {max} MiB when compiled ({BYTES_OF_COMPILED_BYTE} times the size of their text, plus the values that they hold); this script is skipped"
            );
            return Err(ScriptFault::limit(name, message));
        }
        Ok(())
    }

    fn load_with(
        &self,
        meter: &Meter,
        name: &Arc<str>,
        text: Arc<str>,
    ) -> Result<Script, ScriptFault> {
        let ast = compiled::compile(name, &text, meter)?;
        let source = Arc::new(Source {
            project: self.of_project.clone(),
            name: Arc::clone(name),
            sha: Sha::digest(text.as_bytes()),
            text,
            setup: Setup {
                charges_operators: has_long_text(&ast),
                ..self.setup.clone()
            },
        });
        let declarations = compiled::declarations(name, &ast, &source.setup, meter)?;
        let bytes = compiled::estimated_bytes(source.text.len(), declarations.bytes);
        self.check_compiled(name, bytes)?;
        let statements = if source.setup.coverage.is_some() {
            statements(&ast)
        } else {
            BTreeSet::new()
        };
        let mut script = Script {
            rules: Vec::new(),
            indexers: Vec::new(),
            statements,
            source: Arc::clone(&source),
        };
        let loading = Loading {
            source: &source,
            ast: &ast,
        };
        for (at, declaration) in declarations.list.iter().enumerate() {
            let page = doc_above(&source.text, declaration.line);
            match declaration.what {
                What::Rule => {
                    let rule = declared::rule(&loading, (at, declaration), page)?;
                    script.rules.push(Arc::new(rule));
                }
                What::Indexer => {
                    let indexer = declared::indexer(&loading, (at, declaration), page)?;
                    script.indexers.push(Arc::new(indexer));
                }
            }
        }
        if script.rules.is_empty() && script.indexers.is_empty() {
            let message = "defines nothing: call rule(#{…}) or indexer(#{…})";
            return Err(ScriptFault::new(name, message));
        }
        if let Some(project) = &self.of_project {
            project.compiled_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        source.keep(ast, &declarations);
        Ok(script)
    }
}

impl Script {
    /// Returns the name that the script was loaded with.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Returns the text of the script.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the coverage of the script so far. The script must be the only one of the host that created `coverage`.
    pub fn covered(&self, coverage: &Coverage) -> Covered {
        coverage.covered(&self.statements)
    }

    /// Returns the script's rules in declaration order.
    pub fn rules(&self) -> &[Arc<ScriptedRule>] {
        &self.rules
    }

    /// Returns the script's indexers in declaration order.
    pub fn indexers(&self) -> &[Arc<ScriptedIndexer>] {
        &self.indexers
    }

    /// Adds all rules and indexers of the script to the plug-in registry, or none of them.
    ///
    /// # Errors
    /// If a rule or indexer is rejected: its code is reserved, or another plug-in has the same code, name, id or
    /// extension. Returns the fault of the first rejected rule or indexer.
    pub fn register(&self, plugins: &mut PluginRegistry) -> Result<(), ScriptFault> {
        let mut with = plugins.clone();
        let fault = |error: Error, line| {
            let message = match error {
                Error::InvalidOption { message, .. } => message,
                other => other.message(),
            };
            ScriptFault::on_line(&self.source.name, line, message)
        };
        for rule in &self.rules {
            let origin = format!("{}:{}", self.name(), rule.line());
            let shared: Arc<dyn Rule> = Arc::<ScriptedRule>::clone(rule);
            with.load_rule(shared, &origin)
                .map_err(|error| fault(error, rule.line()))?;
        }
        for indexer in &self.indexers {
            let origin = format!("{}:{}", self.name(), indexer.line());
            let shared: Arc<dyn Indexer> = Arc::<ScriptedIndexer>::clone(indexer);
            with.load_indexer(shared, &origin)
                .map_err(|error| fault(error, indexer.line()))?;
        }
        *plugins = with;
        Ok(())
    }
}

/// Returns whether a script contains a long string literal. An operator on a literal does not use a variable, so in
/// such a script, the operators themselves must be charged.
fn has_long_text(ast: &AST) -> bool {
    // The walk stops at the first long literal.
    !ast.walk(&mut |path: &[ASTNode<'_>]| {
        let text = path.last().and_then(|node| match node {
            ASTNode::Expr(Expr::StringConstant(text, _)) => Some(text),
            _ => None,
        });
        text.is_none_or(|text| text.len() <= MAX_QUICK_LITERAL_BYTES)
    })
}

fn read(name: &Arc<str>, bytes: &[u8]) -> Result<Arc<str>, ScriptFault> {
    if bytes.len() > MAX_SCRIPT_BYTES {
        let message = format!("larger than {} KiB", MAX_SCRIPT_BYTES >> 10);
        return Err(ScriptFault::limit(name, message));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = line_of(bytes, error.valid_up_to());
        ScriptFault::on_line(name, line, "is not UTF-8 from here on")
    })?;
    if let Some(at) = text.find('\0') {
        let line = line_of(bytes, at);
        return Err(ScriptFault::on_line(name, line, "contains a NUL byte"));
    }
    Ok(text.trim_start_matches('\u{feff}').into())
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    LineIndex::new(bytes).line(at)
}

/// Returns the `///` comment directly above a line, without the slashes.
fn doc_above(text: &str, line: usize) -> String {
    let above: Vec<&str> = text.lines().take(line.saturating_sub(1)).collect();
    let doc = above
        .iter()
        .rev()
        .map_while(|line| line.trim_start().strip_prefix("///"));
    let mut doc: Vec<&str> = doc.collect();
    doc.reverse();
    doc.iter().flat_map(|line| [line, "\n"]).collect()
}
