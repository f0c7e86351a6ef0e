//! Results of a check: findings with labels, help and fixes. They are drafts until the check has succeeded.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rhai::{Array, Dynamic, ImmutableString, Map, NativeCallContext};
use skillc_core::clients::Client;
use skillc_core::{Document, RelPath, Skill, Span};
use skillc_lint::{Edit, Findings, Fix, RunFindings, RunSkill, Safety};

use super::api::Api;
use super::doc::Doc;
use super::piece::{Piece, Placed};
use super::run::RunSkillView;
use crate::limits::{MAX_DRAFT_BYTES, MAX_FINDINGS, MAX_MESSAGE_BYTES, MAX_PARTS};
use crate::meter::{HostResult, Meter, too_much};
use crate::one_line::one_line;

/// The costs of a finding, of a part of a finding (a label or an edit), and of a byte of their text. They are charged
/// to the budget of a project's scripts. A finding uses about 2.5 KB of memory, a part 600 bytes, and a byte of text 6
/// bytes, so 50,000,000 operations correspond to 30 MB.
const OPERATIONS_PER_FINDING: u64 = 4_000;
const OPERATIONS_PER_PART: u64 = 1_000;
const OPERATIONS_PER_BYTE_KEPT: u64 = 10;

/// The cost of passing one string of an option's value to a call.
const OPERATIONS_PER_TEXT: u64 = 20;

/// The cost of adding an edit to a fix.
const OPERATIONS_PER_EDIT: u64 = 8;

/// The sink for the findings of one call.
#[derive(Clone)]
pub(crate) struct Out {
    drafts: Arc<Mutex<Drafts>>,
    options: Map,
    clients: Array,
}

#[derive(Default)]
struct Drafts {
    findings: Vec<Draft>,
    /// The total size of the text in the findings, in bytes.
    bytes: usize,
    /// The number of labels and edits, including those that were replaced.
    parts: usize,
}

struct Draft {
    /// The index of the skill in a run.
    skill: Option<usize>,
    file: Option<RelPath>,
    span: Option<Span>,
    message: String,
    labels: Vec<(Span, String)>,
    help: Option<String>,
    fix: Option<Fix>,
}

/// A finding that a script is still building.
#[derive(Clone)]
struct Finding {
    drafts: Arc<Mutex<Drafts>>,
    at: usize,
}

/// An edit that replaces the text of a piece.
#[derive(Clone)]
struct PieceEdit {
    piece: Piece,
    text: ImmutableString,
}

impl Out {
    pub(crate) fn new(options: Map, clients: &[Client]) -> Self {
        let clients = clients.iter().map(|client| client.id.clone().into());
        Self {
            drafts: Arc::default(),
            options,
            clients: clients.collect(),
        }
    }

    /// Clears the sink and returns it, for the start of a call.
    pub(crate) fn emptied(&self) -> Self {
        *lock(&self.drafts) = Drafts::default();
        self.clone()
    }

    fn add(&self, file: Option<RelPath>, span: Option<Span>, message: &str) -> HostResult<Finding> {
        self.add_in(None, file, span, message)
    }

    fn add_in(
        &self,
        skill: Option<usize>,
        file: Option<RelPath>,
        span: Option<Span>,
        message: &str,
    ) -> HostResult<Finding> {
        let mut drafts = lock(&self.drafts);
        if drafts.findings.len() == MAX_FINDINGS {
            return Err(too_much(&format!("more than {MAX_FINDINGS} findings")).into());
        }
        let message = drafts.text(message)?;
        drafts.findings.push(Draft {
            skill,
            file,
            span,
            message,
            labels: Vec::new(),
            help: None,
            fix: None,
        });
        Ok(Finding {
            drafts: Arc::clone(&self.drafts),
            at: drafts.findings.len() - 1,
        })
    }

    fn at(&self, piece: &Piece, message: &str) -> HostResult<Finding> {
        let Some(path) = piece.page.path() else {
            return Err("generated text has no position: report a place in a file".into());
        };
        self.add(Some(path.clone()), Some(piece.span), message)
    }

    /// Returns the cost of the findings and the options in the budget of a project's scripts, in operations. Unlike the
    /// values of a call, findings are kept until the run ends.
    pub(crate) fn cost(&self) -> u64 {
        let drafts = lock(&self.drafts);
        let paths = drafts.findings.iter().flat_map(|draft| {
            let edits = draft.fix.iter().flat_map(|fix| &fix.edits);
            draft.file.iter().chain(edits.map(|edit| &edit.file))
        });
        let bytes = drafts.bytes + paths.map(|path| path.as_str().len()).sum::<usize>();
        let given: usize = self.options.values().map(texts).sum();
        OPERATIONS_PER_TEXT * given as u64
            + OPERATIONS_PER_FINDING * drafts.findings.len() as u64
            + OPERATIONS_PER_PART * drafts.parts as u64
            + OPERATIONS_PER_BYTE_KEPT * bytes as u64
    }

    /// Reports the findings.
    ///
    /// # Errors
    /// If the file of a finding does not exist in the skill, or an edit is not within one of the skill's documents.
    pub(crate) fn report(&self, skill: &Skill, out: &mut Findings<'_>) -> Result<(), String> {
        let drafts = std::mem::take(&mut *lock(&self.drafts));
        for draft in &drafts.findings {
            draft.check(skill)?;
        }
        for draft in drafts.findings {
            let finding = match (&draft.file, draft.span) {
                (Some(file), Some(span)) => out.within(file, span, draft.message),
                (Some(file), None) => out.file(file, draft.message),
                (None, _) => out.skill(draft.message),
            };
            for (span, text) in draft.labels {
                finding.label(span, text);
            }
            finding.help = draft.help;
            finding.fix = draft.fix;
        }
        Ok(())
    }

    /// Reports the findings about the skills of a run.
    ///
    /// # Errors
    /// If a finding is not about one of the skills, or has a fix.
    pub(crate) fn report_run(
        &self,
        skills: &[RunSkill],
        out: &mut RunFindings<'_>,
    ) -> Result<(), String> {
        let drafts = std::mem::take(&mut *lock(&self.drafts));
        if drafts.findings.iter().any(|draft| draft.skill.is_none()) {
            return Err("check_run must report on a skill: out.at_name(skill, \"…\")".to_owned());
        }
        for draft in drafts.findings {
            let (Some(at), Some(span)) = (draft.skill, draft.span) else {
                continue;
            };
            if draft.fix.is_some() {
                return Err("findings of check_run cannot have a fix".to_owned());
            }
            out.at(skills, at, span, draft.message).help = draft.help;
        }
        Ok(())
    }
}

impl Draft {
    /// Checks that the file of the finding, and the text that its fix edits, exist in the skill.
    fn check(&self, skill: &Skill) -> Result<(), String> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        if skill.document(file).is_none() && skill.tree.get(file).is_none() {
            return Err(format!("reports on a file that does not exist: '{file}'"));
        }
        let edits = self.fix.iter().flat_map(|fix| &fix.edits);
        for edit in edits {
            let document: Option<&Document> = skill.document(&edit.file);
            let text = document.and_then(|of| of.text.get(edit.span.start..edit.span.end));
            if text.is_none() {
                return Err(format!(
                    "edits a file that is not a document: '{}'",
                    edit.file
                ));
            }
        }
        Ok(())
    }
}

impl Drafts {
    /// Checks a message, label, help text or title, adds its size to the total, and puts the text on one line.
    fn text(&mut self, text: &str) -> HostResult<String> {
        if text.len() > MAX_MESSAGE_BYTES {
            let what = format!("a message of more than {MAX_MESSAGE_BYTES} bytes");
            return Err(too_much(&what).into());
        }
        if text.trim().is_empty() {
            return Err("an empty message".into());
        }
        self.take(text.len())?;
        Ok(one_line(text).collect())
    }

    /// Counts a label or an edit. Fails if there are too many.
    fn part(&mut self) -> HostResult<()> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(too_much(&format!("more than {MAX_PARTS} labels and edits")).into());
        }
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> HostResult<()> {
        self.bytes += bytes;
        if self.bytes > MAX_DRAFT_BYTES {
            let max = MAX_DRAFT_BYTES >> 10;
            let what = format!("findings of more than {max} KiB of text");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}

impl Finding {
    fn label(&self, piece: &Piece, text: &str) -> HostResult<Self> {
        let mut drafts = lock(&self.drafts);
        drafts.part()?;
        let text = drafts.text(text)?;
        let draft = &mut drafts.findings[self.at];
        if draft.file.is_none() || draft.file.as_ref() != piece.page.path() {
            return Err("a label must be in the file of its finding".into());
        }
        if draft.labels.len() == MAX_FINDINGS {
            return Err(too_much(&format!("more than {MAX_FINDINGS} labels")).into());
        }
        draft.labels.push((piece.span, text));
        Ok(self.clone())
    }

    fn help(&self, text: &str) -> HostResult<Self> {
        let mut drafts = lock(&self.drafts);
        let text = drafts.text(text)?;
        drafts.findings[self.at].help = Some(text);
        drop(drafts);
        Ok(self.clone())
    }

    fn fix(
        &self,
        title: &str,
        edits: Vec<PieceEdit>,
        safety: Safety,
        meter: &Meter,
    ) -> HostResult<Self> {
        meter.charge(OPERATIONS_PER_EDIT * edits.len() as u64)?;
        let mut drafts = lock(&self.drafts);
        let title = drafts.text(title)?;
        let mut of_fix = Vec::new();
        for edit in edits {
            drafts.part()?;
            drafts.take(edit.text.len())?;
            let Some(file) = edit.piece.page.path() else {
                return Err("generated text has no position: edit a place in a file".into());
            };
            meter.take(size_of::<Edit>() + file.as_str().len())?;
            of_fix.push(Edit {
                file: file.clone(),
                span: edit.piece.span,
                text: edit.text.into(),
            });
        }
        of_fix.sort_by(|a, b| (&a.file, a.span.start).cmp(&(&b.file, b.span.start)));
        let meet =
            |pair: &[Edit]| pair[0].file == pair[1].file && pair[0].span.end > pair[1].span.start;
        if of_fix.windows(2).any(meet) {
            return Err("two edits of a fix overlap".into());
        }
        drafts.findings[self.at].fix = Some(Fix {
            title,
            safety,
            edits: of_fix,
        });
        drop(drafts);
        Ok(self.clone())
    }
}

impl PieceEdit {
    fn new(piece: Piece, text: ImmutableString, meter: &Meter) -> HostResult<Self> {
        meter.take(size_of::<Self>() + text.len())?;
        Ok(Self { piece, text })
    }
}

fn lock(drafts: &Arc<Mutex<Drafts>>) -> MutexGuard<'_, Drafts> {
    drafts.lock()
}

/// Accepts one edit or an array of edits.
fn edits(given: Dynamic) -> HostResult<Vec<PieceEdit>> {
    let wrong = || "a fix must be an edit or an array of edits: edit(place, \"text\")";
    if given.is_array() {
        let array = given.cast::<Array>().into_iter();
        let edits: Option<Vec<PieceEdit>> = array.map(Dynamic::try_cast).collect();
        return edits
            .filter(|all| !all.is_empty())
            .ok_or_else(|| wrong().into());
    }
    let edit: Option<PieceEdit> = given.try_cast();
    Ok(vec![edit.ok_or_else(wrong)?])
}

/// Registers the functions that accept a value with a position.
pub(crate) fn register_placed<T: Placed>(module: &mut Api) {
    module.set_native_fn("at", |out: &mut Out, place: T, message: ImmutableString| {
        out.at(&place.piece().source(), &message)
    });
    module.set_native_fn(
        "label",
        |of: &mut Finding, place: T, text: ImmutableString| {
            of.label(&place.piece().source(), &text)
        },
    );
    module.set_native_fn(
        "edit",
        |context: NativeCallContext<'_>, place: T, text: ImmutableString| {
            PieceEdit::new(place.piece().source(), text, &Meter::from_context(&context))
        },
    );
    module.set_native_fn("delete", |context: NativeCallContext<'_>, place: T| {
        let nothing = ImmutableString::new();
        PieceEdit::new(
            place.piece().source(),
            nothing,
            &Meter::from_context(&context),
        )
    });
    module.set_native_fn(
        "insert_before",
        |context: NativeCallContext<'_>, place: T, text: ImmutableString| {
            let mut piece = place.piece().source();
            piece.span.end = piece.span.start;
            PieceEdit::new(piece, text, &Meter::from_context(&context))
        },
    );
    module.set_native_fn(
        "insert_after",
        |context: NativeCallContext<'_>, place: T, text: ImmutableString| {
            let mut piece = place.piece().source();
            piece.span.start = piece.span.end;
            PieceEdit::new(piece, text, &Meter::from_context(&context))
        },
    );
}

/// Returns the number of strings in the value of an option.
fn texts(value: &Dynamic) -> usize {
    value.read_lock::<Array>().map_or(1, |array| array.len())
}

pub(crate) fn register(module: &mut Api) {
    module.set_custom_type::<Out>("Findings");
    module.set_custom_type::<Finding>("Finding");
    module.set_custom_type::<PieceEdit>("Edit");
    module.set_getter_fn(
        "options",
        |context: NativeCallContext<'_>, out: &mut Out| {
            let values: usize = out.options.values().map(texts).sum();
            Meter::from_context(&context).charge(values as u64)?;
            Ok(out.options.clone())
        },
    );
    module.set_getter_fn(
        "clients",
        |context: NativeCallContext<'_>, out: &mut Out| {
            Meter::from_context(&context).charge(out.clients.len() as u64)?;
            Ok(out.clients.clone())
        },
    );
    module.set_native_fn("skill", |out: &mut Out, message: ImmutableString| {
        out.add(None, None, &message)
    });
    module.set_native_fn(
        "file",
        |out: &mut Out, path: ImmutableString, message: ImmutableString| {
            let path = RelPath::parse(&path).map_err(|error| error.message())?;
            out.add(Some(path), None, &message)
        },
    );
    module.set_native_fn(
        "file",
        |out: &mut Out, doc: Doc, message: ImmutableString| {
            out.add(Some(doc.document.path.clone()), None, &message)
        },
    );
    module.set_native_fn(
        "at_name",
        |out: &mut Out, skill: RunSkillView, message: ImmutableString| {
            let span = skill.get().name_span;
            out.add_in(Some(skill.number()), None, Some(span), &message)
        },
    );
    module.set_native_fn(
        "at_description",
        |out: &mut Out, skill: RunSkillView, message: ImmutableString| {
            let span = skill.get().description_span;
            out.add_in(Some(skill.number()), None, Some(span), &message)
        },
    );
    module.set_native_fn("help", |of: &mut Finding, text: ImmutableString| {
        of.help(&text)
    });
    for (name, safety) in [("fix", Safety::Safe), ("unsafe_fix", Safety::Unsafe)] {
        module.set_native_fn(
            name,
            move |context: NativeCallContext<'_>,
                  of: &mut Finding,
                  title: ImmutableString,
                  given: Dynamic| {
                of.fix(
                    &title,
                    edits(given)?,
                    safety,
                    &Meter::from_context(&context),
                )
            },
        );
    }
}
