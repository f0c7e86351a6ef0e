//! Collects the problems of a run: each fault is one problem, with one effect per client.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use skillc_core::clients::{
    Behaviour, Client, Clients, Consequence, Fault, Faults, Origin, Reaction, STANDARD,
};
use skillc_core::{Context, Frontmatter, Span};

use super::broken::Broken;
use super::cause::cause;
use super::find::Spot;
use super::head::{Content, Head};
use super::mend::mend;
use super::report::{Cause, Effect, Loss, Problem};
use crate::lookup::FolderNames;
use crate::shown_path::shown_path;
use crate::stub_compare::StubAndSource;

/// A problem without its effects.
struct Subject {
    kind: &'static str,
    message: String,
    cause: Option<Cause>,
    mend: String,
}

/// The problems so far.
pub(super) struct Gathered<'a> {
    context: &'a Context,
    in_folders: FolderNames,
    /// The problems, by path, offset, kind and message.
    problems: BTreeMap<(String, Option<usize>, &'static str, String), Problem>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            in_folders: FolderNames::default(),
            problems: BTreeMap::new(),
        }
    }

    /// Returns the problems: worst first, then by file and position.
    pub(super) fn problems(self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.problems.into_values().collect();
        for problem in &mut problems {
            problem.effects.sort_by_key(|effect| Reverse(effect.loss));
            let worst = problem.effects.first().map(|effect| effect.loss);
            problem.worst = worst.unwrap_or(Loss::Unknown);
        }
        problems.sort_by_key(|problem| Reverse(problem.worst));
        problems
    }

    /// Adds the problems that a client has with a skill. Returns the worst loss.
    pub(super) fn skill_loss(&mut self, client: &Client, spot: &Spot) -> Option<Loss> {
        let unusable = match &spot.content {
            Content::Read(head) => return self.head_loss(client, spot, head),
            Content::DeadLink => ("dead-link", "SKILL.md is a dangling symlink".to_owned()),
            Content::NoFile => ("no-file", "SKILL.md is not a file".to_owned()),
            Content::Unreadable(why) => ("unreadable", format!("the file cannot be read: {why}")),
            Content::Outside => (
                "outside",
                "SKILL.md is a symlink that leads out of the skill".to_owned(),
            ),
        };
        let (kind, message) = unusable;
        let (effect, mend) = if matches!(spot.content, Content::Outside) {
            let mend = "It was not read. Replace the link with the file itself.";
            (not_known(client), mend)
        } else {
            let mend = "Replace it with a readable file, or remove the directory.";
            (cannot(client, "cannot load the skill"), mend)
        };
        let subject = Subject {
            kind,
            message,
            cause: None,
            mend: mend.to_owned(),
        };
        let loss = effect.loss;
        self.add(&spot.name(), &spot.file(), subject, effect);
        Some(loss)
    }

    fn head_loss(&mut self, client: &Client, spot: &Spot, head: &Head) -> Option<Loss> {
        let mut found: Vec<(Subject, Effect)> = Vec::new();
        let faults = Faults::new(&head.main, &head.at);
        for fault in Fault::ALL {
            let reaction = client.faults.get(&fault);
            let reaction = reaction.filter(|reaction| reaction.does != Behaviour::Unknown);
            let does = reaction.map_or(Behaviour::Warn, |reaction| reaction.does);
            // Truncation and refusal by different clients share one message, because the fault is the same.
            let does = match does {
                Behaviour::Cut => Behaviour::Warn,
                other => other,
            };
            let Some(effect) = effect(client, fault, reaction) else {
                continue;
            };
            for place in faults.places(fault, client, does) {
                let subject = Subject {
                    kind: fault.key(),
                    message: place.subject,
                    cause: place.cause.map(|span| cause(head, span)),
                    mend: mend(fault, &head.main, &head.at.name),
                };
                found.push((subject, effect.clone()));
            }
        }
        found.extend(unclosed(client, head));
        found.extend(self.differences(client, spot, head));
        found.extend(file_name(client, spot));
        found.extend(orphan(client, spot));
        let worst = found.iter().map(|(_, effect)| effect.loss).max();
        for (subject, effect) in found {
            self.add(&spot.name(), &spot.file(), subject, effect);
        }
        worst
    }

    /// Compares a stub with its source. Returns a problem for each differing field that the client reads, and one for a
    /// damaged index.
    fn differences(&self, client: &Client, spot: &Spot, head: &Head) -> Vec<(Subject, Effect)> {
        let Some((source, of_source)) = &spot.source else {
            return Vec::new();
        };
        let both = StubAndSource {
            stub: &head.main,
            source: &of_source.main,
            at: &head.at,
        };
        let fields = both.fields(client).into_iter().map(|field| {
            let subject = Subject {
                kind: "stub-differs",
                message: field.message,
                cause: None,
                mend: format!("Rebuild it: {}", source.command(self.context)),
            };
            let effect = Effect {
                loss: Loss::Changed,
                does: Behaviour::Ok.key().to_owned(),
                ..cannot(client, &format!("reads '{}' from the stub", field.key))
            };
            (subject, effect)
        });
        let index = spot.has_damaged_index.then(|| {
            let subject = Subject {
                kind: "damaged-index",
                message: "the search index was changed after the build".to_owned(),
                cause: None,
                mend: format!("Rebuild it: {}", source.command(self.context)),
            };
            let effect = Effect {
                loss: Loss::Changed,
                does: Behaviour::Ok.key().to_owned(),
                ..cannot(
                    client,
                    "loads the stub, but searches may fail or return wrong text",
                )
            };
            (subject, effect)
        });
        fields.chain(index).collect()
    }

    /// Adds the problem that a skill is deeper than a client searches.
    pub(super) fn too_deep(&mut self, client: &Client, spot: &Spot, root: &Path) {
        let most = client.max_depth.unwrap_or_default();
        let shown = shown_path(root, self.context);
        let folders = if spot.depth == 1 { "folder" } else { "folders" };
        let subject = Subject {
            kind: "too-deep",
            message: format!("the skill is {} {folders} below '{shown}'", spot.depth),
            cause: None,
            mend: format!("Move it up: '{shown}/{}'.", spot.dir_name()),
        };
        let folders = if most == 1 { "folder" } else { "folders" };
        let effect = Effect {
            source: Some(client.origin.source.clone()),
            date: Some(client.origin.date.clone()),
            ..cannot(client, &format!("searches only {most} {folders} deep"))
        };
        self.add(&spot.name(), &spot.file(), subject, effect);
    }

    /// Adds a broken entry in a skills folder.
    pub(super) fn broken(&mut self, client: &Client, of: &Broken) {
        let (kind, message) = of.message();
        let subject = Subject {
            kind,
            message,
            cause: None,
            mend: of.mend(self.context, &self.in_folders),
        };
        let effect = cannot(client, "cannot load the skill");
        self.add(&name_of(&of.path), &of.path, subject, effect);
    }

    /// Adds a directory that cannot be read.
    pub(super) fn unread(&mut self, client: &Client, dir: &Path, why: &str) {
        let subject = Subject {
            kind: "unreadable",
            message: format!("the folder cannot be read: {why}"),
            cause: None,
            mend: "Make it readable, or remove it.".to_owned(),
        };
        let effect = cannot(client, "finds no skill in it");
        self.add(&name_of(dir), dir, subject, effect);
    }

    fn add(&mut self, skill: &str, path: &Path, subject: Subject, effect: Effect) {
        let offset = subject.cause.as_ref().map(|cause| cause.offset);
        let shown = shown_path(path, self.context);
        let key = (shown.clone(), offset, subject.kind, subject.message.clone());
        let problem = self.problems.entry(key).or_insert_with(|| Problem {
            kind: subject.kind.to_owned(),
            skill: skill.to_owned(),
            path: path.display().to_string(),
            shown,
            message: subject.message,
            cause: subject.cause,
            mend: subject.mend,
            worst: Loss::Unknown,
            effects: Vec::new(),
        });
        // If two roots of a client resolve to the same folder, the effect is added only once.
        if problem
            .effects
            .iter()
            .all(|other| other.client != effect.client)
        {
            problem.effects.push(effect);
        }
    }
}

/// Returns the effect of a fault; `None` if the fault has no effect on the skill. Unknown reactions are reported only
/// for grave faults and for missing frontmatter.
fn effect(client: &Client, fault: Fault, reaction: Option<&Reaction>) -> Option<Effect> {
    let Some(reaction) = reaction else {
        let is_grave = fault.is_grave() || fault == Fault::NoFrontmatter;
        return is_grave.then(|| not_known(client));
    };
    let loss = match reaction.effect(fault)? {
        Consequence::Refused => Loss::Lost,
        Consequence::MayBeRefused => Loss::MayBeLost,
        Consequence::Altered => Loss::Changed,
        Consequence::Warned | Consequence::FieldIgnored => return None,
    };
    let origin = client.origin_of(reaction);
    let until = reaction.until.as_ref();
    Some(Effect {
        client: client.id.clone(),
        loss,
        does: reaction.does.key().to_owned(),
        words: client.does(fault, reaction).0,
        confirmed: reaction.confirmed,
        source: Some(origin.source.clone()),
        date: Some(origin.date.clone()),
        since: reaction.since.clone(),
        before: until.map(|until| format!("until {} it {}", until.when, until.does.past())),
    })
}

/// Reports frontmatter that is not closed: the clients table records no reactions to it.
fn unclosed(client: &Client, head: &Head) -> Option<(Subject, Effect)> {
    let Frontmatter::Unclosed = head.main.frontmatter else {
        return None;
    };
    let start = head.main.text.find("---").unwrap_or_default();
    let subject = Subject {
        kind: "unclosed",
        message: "the frontmatter has no closing '---'".to_owned(),
        cause: Some(cause(head, Span::new(start, start + 3))),
        mend: "Add a line '---' after the fields.".to_owned(),
    };
    Some((subject, not_known(client)))
}

/// Reports a main file named `SKILL.md` in another letter case, such as `skill.md`: under the standard, its directory
/// is not a skill.
fn file_name(client: &Client, spot: &Spot) -> Option<(Subject, Effect)> {
    let name = spot.main.as_deref()?;
    let wanted = skillc_core::layout::SKILL_FILE;
    if name == wanted {
        return None;
    }
    let subject = Subject {
        kind: "file-name",
        message: format!("the file is named '{name}'; the standard requires '{wanted}'"),
        cause: None,
        mend: format!("Rename it: git mv {name} {wanted}"),
    };
    let standard = Clients::shared().client(STANDARD).ok()?;
    let Origin { source, date } = standard.origin.clone();
    let effect = Effect {
        client: client.id.clone(),
        loss: Loss::MayBeLost,
        does: Behaviour::Unknown.key().to_owned(),
        words: "may not find it on case-sensitive file systems".to_owned(),
        confirmed: false,
        source: Some(source),
        date: Some(date),
        since: None,
        before: None,
    };
    Some((subject, effect))
}

/// Reports a stub without its source: such a stub sends agents to sections that cannot be shown.
fn orphan(client: &Client, spot: &Spot) -> Option<(Subject, Effect)> {
    let subject = Subject {
        kind: "orphan-stub",
        message: "the source of this stub is missing or was replaced by another skill".to_owned(),
        cause: None,
        mend: "Rebuild the original skill, or remove the stub.".to_owned(),
    };
    let effect = cannot(
        client,
        "lists the skill, but agents cannot read its content",
    );
    spot.is_orphan.then_some((subject, effect))
}

/// Returns the effect of a problem that makes every client lose the skill.
fn cannot(client: &Client, words: &str) -> Effect {
    Effect {
        client: client.id.clone(),
        loss: Loss::Lost,
        does: Behaviour::Drop.key().to_owned(),
        words: words.to_owned(),
        confirmed: true,
        source: None,
        date: None,
        since: None,
        before: None,
    }
}

fn not_known(client: &Client) -> Effect {
    Effect {
        loss: Loss::Unknown,
        does: Behaviour::Unknown.key().to_owned(),
        confirmed: false,
        ..cannot(client, "its behaviour in this case is unknown")
    }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
