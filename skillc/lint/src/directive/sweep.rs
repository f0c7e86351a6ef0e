//! One pass over the findings of a file, line by line, with the suppressions that apply to each line.
//!
//! Only the nearest directive suppresses a finding: a directive for its line, otherwise the last open directive,
//! otherwise a directive for the file. Therefore all unused directives can be removed together without bringing a
//! finding back. Only the nearest directive per rule is tracked, however many directives a file has.
//!
//! A directive for the line of a field's key also applies to findings in the field's value, because a multi-line string
//! cannot contain a comment.

use skillc_core::source::document::Document;
use skillc_core::source::frontmatter::Fields;

use super::Standing;
use super::names::Names;
use super::{Directives, OWN_RULES, Outcome, Word};

/// A part of a directive: the index of the directive, and the index of the part in it.
type Id = (usize, usize);

/// The pass over a file. `'a` is the lifetime of the skill; `'n` is the lifetime of the names of a run.
pub(super) struct Sweep<'a, 'n> {
    directives: Directives<'a>,
    names: &'n Names<'n>,
    /// The number of directives that have been passed.
    passed: usize,
    /// Suppressions of a single line, sorted by line.
    single: Vec<(usize, Id)>,
    passed_single: usize,
    state: &'n mut State,
    fields: Vec<FieldPlace>,
}

/// The suppressions of each rule during a pass. Passes over several files reuse the memory.
pub(super) struct State {
    /// By rule: the suppression of the whole file.
    in_file: Vec<Option<Id>>,
    /// By rule: the suppression that was opened last.
    open: Vec<Option<Open>>,
    /// By rule: the suppression of a single line.
    on_line: Vec<Option<(usize, Id)>>,
    /// By rule: the suppression of the line of a key.
    on_key: Vec<Option<(usize, Id)>>,
}

impl State {
    pub(super) fn new(names: &Names<'_>) -> Self {
        let count = names.list().len();
        Self {
            in_file: vec![None; count],
            open: vec![None; count],
            on_line: vec![None; count],
            on_key: vec![None; count],
        }
    }

    fn clear(&mut self) {
        self.in_file.fill(None);
        self.open.fill(None);
        self.on_line.fill(None);
        self.on_key.fill(None);
    }
}

struct FieldPlace {
    /// The 1-based line of the field's key.
    line: usize,
    /// The offset of the key's start in the file.
    start: usize,
    /// The offset of the value's end.
    end: usize,
}

#[derive(Clone, Copy)]
struct Open {
    id: Id,
    /// The number of open suppressions of the rule, including this one.
    depth: usize,
    /// The last suppressed line, once it is known.
    until: Option<usize>,
}

impl<'a, 'n> Sweep<'a, 'n> {
    pub(super) fn new(
        directives: Directives<'a>,
        names: &'n Names<'n>,
        state: &'n mut State,
    ) -> Self {
        state.clear();
        let mut single = Vec::new();
        for (at, directive) in directives.list.iter().enumerate() {
            for (part_at, part) in directive.parts.iter().enumerate() {
                let id = (at, part_at);
                match directive.word {
                    Some(Word::DisableLine) => single.push((directive.lines.0, id)),
                    Some(Word::DisableNextLine) => single.push((directive.lines.1 + 1, id)),
                    Some(Word::DisableFile) => {
                        for rule in names.rules(part.rules) {
                            state.in_file[*rule].get_or_insert(id);
                        }
                    }
                    Some(Word::Disable | Word::Enable) | None => {}
                }
            }
        }
        single.sort_by_key(|(line, _)| *line);
        let fields = field_places(directives.document);
        Self {
            directives,
            names,
            passed: 0,
            single,
            passed_single: 0,
            state,
            fields,
        }
    }

    /// Reports whether a finding is suppressed.
    ///
    /// `place`: the line and the offset of the finding. The line must not be before the line of the previous call.
    /// `None` if the finding is about the skill as a whole.
    pub(super) fn suppresses(&mut self, rule: &str, place: Option<(usize, usize)>) -> bool {
        let Some(rule) = self.names.number(rule) else {
            return false;
        };
        let nearest = place.and_then(|(line, offset)| self.nearest(rule, line, offset));
        let Some((directive, part)) = nearest.or(self.state.in_file[rule]) else {
            return false;
        };
        self.directives.list[directive].parts[part].outcome = Outcome::Used;
        true
    }

    fn nearest(&mut self, rule: usize, line: usize, offset: usize) -> Option<Id> {
        self.pass(line);
        while let Some((at, id)) = self.single.get(self.passed_single).copied() {
            if at > line {
                break;
            }
            let part = &self.directives.list[id.0].parts[id.1];
            let fields = &self.fields;
            let is_key = fields.binary_search_by_key(&at, |field| field.line).is_ok();
            for rule in self.names.rules(part.rules) {
                self.state.on_line[*rule] = Some((at, id));
                if is_key {
                    self.state.on_key[*rule] = Some((at, id));
                }
            }
            self.passed_single += 1;
        }
        let on_line = self.state.on_line[rule].filter(|(at, _)| *at == line);
        let open =
            self.state.open[rule].filter(|open| open.until.is_none_or(|until| line <= until));
        let key = self.key_line(offset);
        let on_key = self.state.on_key[rule].filter(|(at, _)| Some(*at) == key);
        let on_line = on_line.or(on_key).map(|(_, id)| id);
        on_line.or(open.map(|open| open.id))
    }

    /// Returns the line of the key whose value contains an offset.
    fn key_line(&self, offset: usize) -> Option<usize> {
        let after = self.fields.partition_point(|field| field.start <= offset);
        let field = self.fields.get(after.checked_sub(1)?)?;
        (offset <= field.end).then_some(field.line)
    }

    /// Applies the directives up to a line: opens and ends suppressions.
    fn pass(&mut self, line: usize) {
        while let Some(directive) = self.directives.list.get(self.passed) {
            if directive.lines.0 > line {
                break;
            }
            let at = self.passed;
            self.passed += 1;
            for part in 0..directive.parts.len() {
                match self.directives.list[at].word {
                    Some(Word::Disable) => self.begin((at, part)),
                    Some(Word::Enable) => self.end((at, part)),
                    _ => break,
                }
            }
        }
    }

    fn begin(&mut self, id: Id) {
        let part = &self.directives.list[id.0].parts[id.1];
        for rule in self.names.rules(part.rules) {
            let before = self.state.open[*rule].filter(|open| open.until.is_none());
            self.state.open[*rule] = Some(Open {
                id,
                depth: before.map_or(1, |open| open.depth + 1),
                until: None,
            });
        }
    }

    fn end(&mut self, id: Id) {
        let line = self.directives.list[id.0].lines.1;
        let part = &self.directives.list[id.0].parts[id.1];
        let mut ended: Option<Id> = None;
        let mut is_only_one = true;
        for rule in self.names.rules(part.rules) {
            let Some(open) = self.state.open[*rule]
                .as_mut()
                .filter(|open| open.until.is_none())
            else {
                continue;
            };
            open.until = Some(line);
            is_only_one &= open.depth == 1 && ended.is_none_or(|ended| ended == open.id);
            ended = Some(open.id);
        }
        let Some((directive, part)) = ended else {
            return;
        };
        self.directives.list[id.0].parts[id.1].outcome = Outcome::Used;
        if is_only_one {
            self.directives.list[directive].parts[part]
                .ended_by
                .push(id);
        }
    }

    /// Determines the outcomes of the directives. `are_own`: see [`are_own`]. `are_told`: see [`are_told`].
    pub(super) fn finish(mut self, are_own: &[bool], are_told: &[bool]) -> Directives<'a> {
        self.pass(usize::MAX);
        for directive in &mut self.directives.list {
            let is_end = directive.word == Some(Word::Enable);
            for part in &mut directive.parts {
                let can_end = is_end && !self.names.rules(part.rules).is_empty();
                if part.outcome == Outcome::Unused
                    && directive.word.is_some_and(|word| word != Word::Enable)
                    && part.rules.agreed(are_own) == Some(true)
                {
                    part.outcome = Outcome::Unsuppressible;
                } else if part.outcome == Outcome::Unused
                    && !can_end
                    && part.rules.agreed(are_told) != Some(true)
                {
                    part.outcome = Outcome::Untold;
                }
            }
        }
        self.directives
    }
}

/// Returns, for each set of rules, whether it contains only rules about directives.
pub(super) fn are_own(names: &Names<'_>) -> Vec<bool> {
    let is_own = |rule: &usize| names.list()[*rule].meta().code.starts_with(OWN_RULES);
    let are_own = |rules: &[usize]| !rules.is_empty() && rules.iter().all(is_own);
    names.sets().map(are_own).collect()
}

/// Returns, for each set of rules, whether this run can tell that a directive for it is unused. `standings`: by rule.
pub(super) fn are_told(names: &Names<'_>, standings: &[Standing]) -> Vec<bool> {
    let are_told = |rules: &[usize]| {
        let mut of = rules.iter().map(|rule| standings[*rule]);
        let has_run = of.clone().any(|standing| standing == Standing::Ran);
        has_run && of.all(|standing| standing != Standing::Elsewhere)
    };
    names.sets().map(are_told).collect()
}

fn field_places(document: &Document) -> Vec<FieldPlace> {
    let fields = document.frontmatter.fields();
    let fields = fields.into_iter().flat_map(Fields::iter);
    let place = fields.map(|field| FieldPlace {
        line: document.lines.line(field.key_span.start),
        start: field.key_span.start,
        end: field.value_span.end,
    });
    place.collect()
}
