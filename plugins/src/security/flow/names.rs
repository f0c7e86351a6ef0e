//! The data that the names in a layer carry.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{
    FUNCTION, Flow, Labels, MAX_ADDRESSES, MAX_NAMES, MAX_RUNS, PARAMETERS, RUN, Statement,
    UNPACKED, Value, assigned, assigned_inside, base, compiled, file_name, files, is_unpacked,
    label, saved, text_of, trimmed, used,
};
use crate::security::hosts::addresses;
use crate::security::roles::{Role, role};
use crate::security::shell_flow::{Body, INPUT, descriptors, opened, pieces, prints, runs_input};
use crate::security::signals::Signal;

/// The beginning of a function or class whose variables are local: all variables in Python, declared ones in
/// JavaScript. In a shell, all variables are global.
static LOCAL: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x)^\s*(?:export\s+(?:default\s+)?)?(?:async\s+)?
            (?:(?P<python>def\s+(?P<a>\w+)\s*\(|class\s+\w+\s*[(:])
            | function\b\s*\*?\s*(?P<b>\w*)\s*\([^()\n]*\w
            | (?:(?:const|let|var)\s+)?(?:\w+\.)*(?P<c>\w+)\s*[=:]\s*(?:async\s+)?(?:function\b|\([^()\n]*\)\s*=>|\w+\s*=>))",
    )
});

/// The declaration of a variable that is local in JavaScript.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| compiled(r"^\s*(?:const|let|var)\s"));

/// A function whose body may not have ended.
#[derive(Debug)]
struct Scope {
    /// The width of the white space before the definition.
    indent: usize,
    is_python: bool,
    /// Whether a statement with no more indentation has followed, as after the end of the body.
    has_ended: bool,
    /// The variables that were first set in the body.
    locals: Vec<String>,
    /// The variables that are declared as global in the body.
    globals: HashSet<String>,
}

/// The data that each name in a layer carries.
#[derive(Default)]
pub(super) struct Names {
    pub(super) held: HashMap<String, Value>,
    /// The function whose definition began last.
    function: Option<String>,
    /// The shell function that contains the current statement.
    body: Option<Body>,
    /// Whether descriptors are held.
    has_descriptors: bool,
    /// Whether a name was not kept because of [`MAX_NAMES`].
    pub(super) is_full: bool,
    /// The functions around the current statement, from the outside in.
    scopes: Vec<Scope>,
    /// The words of the statements that use data, such as the functions to which they pass it.
    passed: HashSet<String>,
}

impl Names {
    pub(super) fn enter(&mut self, part: &str) {
        self.body = Body::at(part, self.body.take());
        let is_function = part.contains("def ") || part.contains("function ");
        let found = is_function.then(|| FUNCTION.captures(part.as_bytes()));
        if let Some(name) = found.flatten().and_then(|found| found.get(1)) {
            self.function = Some(text_of(part, name).to_owned());
        }
        self.enter_scope(part);
    }

    /// Forgets the local variables of the functions that have ended where another one begins, unless they may be passed
    /// to this one. Less indentation alone does not end a function, because a string of several lines may have less,
    /// too.
    fn enter_scope(&mut self, part: &str) {
        let may_begin = ["def ", "class ", "function", "=>"]
            .iter()
            .any(|sign| part.contains(sign));
        let found = may_begin.then(|| LOCAL.captures(part.as_bytes())).flatten();
        let indent = indent(part);
        let Some(found) = found else {
            let is_rest = part.trim_start().starts_with([')', ']', '}']);
            let ended = self.scopes.iter_mut().rev();
            let ended = ended.take_while(|scope| scope.indent >= indent && !is_rest);
            ended.for_each(|scope| scope.has_ended = true);
            let mut words = part.split_whitespace();
            if let Some(scope) = self.scopes.last_mut()
                && scope.globals.len() < MAX_NAMES
                && matches!(words.next(), Some("global" | "nonlocal"))
            {
                let names = words.map(|name| trimmed(name).to_owned());
                scope.globals.extend(names.take(MAX_RUNS));
            }
            return;
        };
        let name = ["a", "b", "c"].iter().find_map(|group| found.name(group));
        let is_passed = self.passed.len() >= MAX_NAMES
            || name.is_some_and(|name| self.passed.contains(text_of(part, name)));
        while let Some(scope) = self.scopes.pop_if(|scope| scope.indent >= indent) {
            for name in scope.locals.iter().filter(|_| !is_passed) {
                self.held.remove(name);
            }
        }
        self.scopes.push(Scope {
            indent,
            is_python: found.name("python").is_some(),
            has_ended: false,
            locals: Vec::new(),
            globals: HashSet::new(),
        });
    }

    /// Stores the data of a statement under the name of a variable, which may be local.
    fn set_variable(&mut self, part: &str, name: &str, value: &Value) {
        let is_new = !self.held.contains_key(name);
        self.set(name, value);
        if let Some(scope) = self.scopes.last_mut()
            && is_new
            && !scope.has_ended
            && !name.contains('.')
            && !scope.globals.contains(name)
            && indent(part) > scope.indent
            && (scope.is_python || DECLARED.is_match(part.as_bytes()))
        {
            scope.locals.push(name.to_owned());
        }
    }

    /// Returns the data that a statement uses: the data that it reads itself, and the data of the names that occur in
    /// it.
    pub(super) fn value_of(&self, statement: &Statement<'_>) -> Value {
        let part = statement.part;
        let mut value = Value::default();
        for hit in &statement.hits {
            let from = hit.span.start - statement.start;
            let is_secret = matches!(hit.signal, Signal::SecretFile | Signal::SecretCommand);
            let own = Span::new(from, hit.span.end - statement.start);
            if hit.signal == Signal::SecretFile && role(part, own) != Role::Read {
                continue;
            }
            value.labels.add(label(hit.signal));
            if is_secret && value.secret.is_none() {
                let end = char_floor(part, own.end);
                value.secret = Some(trimmed(&part[char_floor(part, from)..end]).to_owned());
            }
        }
        for address in addresses(part, MAX_ADDRESSES) {
            value.add_address(Some(&address));
        }
        for (at, name) in used(part) {
            if let Some(held) = self.held.get(name) {
                let own = Span::new(at, at + name.len());
                let is_key = held.labels == Labels::SECRET && role(part, own) == Role::SignIn;
                if !is_key {
                    value.add(held);
                }
            }
        }
        let unpacked = self.held.get(UNPACKED);
        if let Some(held) = unpacked.filter(|_| part.contains(UNPACKED)) {
            value.add(held);
        }
        if self.has_descriptors {
            let read = descriptors(part).chain([INPUT.to_owned()]);
            for held in read.filter_map(|name| self.held.get(&name)) {
                value.add(held);
            }
        }
        value
    }

    /// Reads the commands in a statement that a shell runs one after the other, and returns the flow of the first one
    /// that runs data. `depth`: how deeply these commands may be nested.
    pub(super) fn run_in(&mut self, statement: &Statement<'_>, depth: usize) -> Option<Flow> {
        let Some(depth) = depth.checked_sub(1) else {
            return self.run_deeper(statement);
        };
        for piece in pieces(statement.part) {
            let span = Span::new(statement.start + piece.start, statement.start + piece.end);
            let hits = statement.hits.iter().copied();
            let own = hits.filter(|hit| span.start <= hit.span.start && hit.span.start < span.end);
            let command = Statement {
                part: &statement.part[piece.start..piece.end],
                start: span.start,
                hits: own.collect(),
            };
            let value = self.value_of(&command);
            if value.labels == Labels::default() {
                continue;
            }
            if self.run_by(command.part) {
                return Some(Flow::of_run(span, value));
            }
            let nested = self.run_in(&command, depth);
            if nested.is_some() {
                return nested;
            }
            self.keep(command.part, &value);
        }
        None
    }

    /// Returns the flow of a statement whose commands are nested too deeply to be read one by one: if any of them runs
    /// something, this may be the data.
    fn run_deeper(&self, statement: &Statement<'_>) -> Option<Flow> {
        let part = statement.part;
        if pieces(part).is_empty() || !RUN.is_match(part.as_bytes()) {
            return None;
        }
        let value = self.value_of(statement);
        let is_code = value.labels.has(Labels::DOWNLOAD) || value.labels.has(Labels::DECODED);
        let span = Span::new(statement.start, statement.start + part.len());
        is_code.then(|| Flow::of_run(span, value))
    }

    /// Returns whether a statement runs a variable or file whose content was downloaded or decoded.
    pub(super) fn run_by(&self, part: &str) -> bool {
        let carried = |name: &str| {
            // The closing quote may be escaped.
            let name = trimmed(name).trim_end_matches('\\');
            let field = base(name);
            let stem = name.split(['.', '(', '[']).next().unwrap_or(name);
            let base = if field.contains('.') { field } else { stem };
            let unpacked = name.starts_with(UNPACKED).then_some(UNPACKED);
            let all = [name, base, file_name(name), unpacked.unwrap_or(name)];
            all.iter().any(|name| {
                self.held.get(*name).is_some_and(|held| {
                    held.labels.has(Labels::DOWNLOAD) || held.labels.has(Labels::DECODED)
                })
            })
        };
        let own = OnceCell::new();
        let mut runs = RUN.captures_iter(part.as_bytes());
        let is_named = runs.by_ref().take(MAX_RUNS).any(|found| {
            let name = ["a", "b", "c", "d", "e", "f"]
                .iter()
                .find_map(|group| found.name(group));
            name.is_some_and(|name| {
                let name = text_of(part, name);
                // Do not count the name of a file that the statement itself saves.
                let own = || own.get_or_init(|| saved(part));
                carried(name) && own().is_none_or(|own| own != trimmed(name))
            })
        });
        is_named || runs.next().is_some() || runs_input(part, &carried)
    }

    /// Stores the data of a statement under the names that the statement sets.
    pub(super) fn keep(&mut self, part: &str, value: &Value) {
        let takes_input = value.labels.has(Labels::INPUT);
        let parameter = takes_input.then(|| PARAMETERS.captures(part.as_bytes()));
        let parameter = parameter.flatten().and_then(|found| found.get(1));
        let names = [
            parameter.map(|name| text_of(part, name)),
            assigned(part),
            assigned_inside(part),
        ];
        for name in names.into_iter().flatten() {
            self.set_variable(part, name, value);
        }
        if value.labels != Labels::default() {
            let words = used(part).filter_map(|(_, word)| word.rsplit('.').next());
            let words = words.map(str::to_owned);
            let left = MAX_NAMES.saturating_sub(self.passed.len());
            self.passed.extend(words.take(left));
            for file in files(part).chain(saved(part)) {
                self.set(file, value);
            }
        }
        if is_unpacked(part) {
            self.set(UNPACKED, value);
        }
        if value.labels != Labels::default() {
            self.keep_in_shell(part, value);
        }
        if part.trim_start().starts_with("return")
            && let Some(name) = self.function.clone()
        {
            self.set(&name, value);
        }
    }

    /// Stores the data of a statement for what only a shell has: an open descriptor, or the output of a function.
    fn keep_in_shell(&mut self, part: &str, value: &Value) {
        if let Some(name) = opened(part) {
            self.has_descriptors |= name.starts_with('&');
            self.set(&name, value);
        }
        let is_held = |name: &str| self.held.contains_key(name);
        let function = self.body.as_ref().filter(|_| prints(part, is_held));
        if let Some(name) = function.map(|body| body.name.clone()) {
            self.set(&name, value);
        }
    }

    fn set(&mut self, name: &str, value: &Value) {
        if self.held.len() < MAX_NAMES || self.held.contains_key(name) {
            self.held.entry(name.to_owned()).or_default().add(value);
        } else {
            self.is_full = true;
        }
    }
}

/// Returns the width of the white space before a statement.
fn indent(part: &str) -> usize {
    let part = part.trim_start_matches(['\r', '\n']);
    part.len() - part.trim_start_matches([' ', '\t']).len()
}
