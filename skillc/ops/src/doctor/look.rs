//! Determines which skills one client finds, and how the client handles each skill.

use std::collections::BTreeMap;

use skillc_core::Context;
use skillc_core::clients::{Behaviour, Client, Fault, SameName};
use skillc_core::layout::Scope;

use super::broken::Broken;
use super::find::{Asked, ClientSkills, Spot};
use super::head::Content;
use super::installed::sign_of;
use super::problems::Gathered;
use super::report::{ClientView, Loss, RootView, SkillState, SkillView};
use crate::shown_path::shown_path;

/// Examines the folders and skills that a client finds. Adds problems to `gathered`.
pub(super) fn view(
    client: &Client,
    found: &ClientSkills,
    asked: Option<&Asked>,
    context: &Context,
    gathered: &mut Gathered<'_>,
) -> ClientView {
    let is_asked = |spot: &Spot| asked.is_none_or(|asked| asked.has(spot));
    let mut skills = Vec::with_capacity(found.spots.len());
    for (root, spot) in &found.spots {
        let loss = if is_asked(spot) {
            gathered.skill_loss(client, spot)
        } else {
            None
        };
        skills.push(skill(client, *root, spot, loss));
    }
    tell_apart(&mut skills, client.same_name);
    let are_asked = found.spots.iter().map(|(_, spot)| is_asked(spot));
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for skill in &skills {
        *counts.entry(skill.root).or_default() += 1;
    }
    let mut shown: Vec<SkillView> = skills
        .into_iter()
        .zip(are_asked)
        .filter_map(|(skill, is_asked)| is_asked.then_some(skill))
        .collect();
    for (root, spot) in &found.too_deep {
        gathered.too_deep(client, spot, &found.roots[*root].0.dir);
        shown.push(skill(client, *root, spot, Some(Loss::Lost)));
    }
    for spot in &found.elsewhere {
        gathered.skill_loss(client, spot);
    }
    if asked.is_none() {
        beside_skills(client, found, gathered);
    }
    for (root, (_, folder)) in found.roots.iter().enumerate() {
        for of in &folder.broken {
            *counts.entry(root).or_default() += 1;
            if asked.is_none_or(|asked| asked.has_broken(of)) {
                gathered.broken(client, of);
                shown.push(broken(root, of));
            }
        }
    }
    let sign = sign_of(client, context);
    ClientView {
        client: client.id.clone(),
        installed: sign.is_some(),
        because: sign.map(|sign| shown_path(&sign, context)),
        source: client.origin.seen(),
        roots: roots(found, &counts, context),
        skills: shown,
        max_depth: client.max_depth,
        deeper: found.deeper,
        elsewhere: found
            .elsewhere
            .iter()
            .map(|spot| shown_path(&spot.dir, context))
            .collect(),
    }
}

/// Adds the problem of each directory that cannot be read.
fn beside_skills(client: &Client, found: &ClientSkills, gathered: &mut Gathered<'_>) {
    for (_, folder) in &found.roots {
        for (dir, why) in &folder.unread {
            gathered.unread(client, dir, why);
        }
    }
}

fn roots(
    found: &ClientSkills,
    counts: &BTreeMap<usize, usize>,
    context: &Context,
) -> Vec<RootView> {
    let mut views = Vec::with_capacity(found.roots.len());
    for (at, (root, folder)) in found.roots.iter().enumerate() {
        let scope = if root.is_user {
            Scope::Global
        } else {
            Scope::Project
        };
        views.push(RootView {
            root: shown_path(&root.dir, context),
            path: root.dir.display().to_string(),
            scope,
            state: folder.state,
            skills: counts.get(&at).copied().unwrap_or_default(),
        });
    }
    views
}

fn skill(client: &Client, root: usize, spot: &Spot, loss: Option<Loss>) -> SkillView {
    SkillView {
        name: name_in(client, spot),
        path: spot.dir.display().to_string(),
        root,
        state: match loss {
            Some(Loss::Lost) => SkillState::Lost,
            Some(Loss::MayBeLost) => SkillState::MayBeLost,
            Some(Loss::Unknown) => SkillState::Unknown,
            Some(Loss::Changed) | None => SkillState::Loaded,
        },
        same_name: Vec::new(),
    }
}

/// Returns the view of a broken entry, with the entry's file name as the skill's name.
fn broken(root: usize, of: &Broken) -> SkillView {
    let name = of.path.file_name().unwrap_or_default();
    SkillView {
        name: name.to_string_lossy().into_owned(),
        path: of.path.display().to_string(),
        root,
        state: SkillState::Lost,
        same_name: Vec::new(),
    }
}

/// Returns the name of a skill as a client sees it.
fn name_in(client: &Client, spot: &Spot) -> String {
    let does = client.faults.get(&Fault::DirMismatch).map(|of| of.does);
    match &spot.content {
        Content::Read(head) if does == Some(Behaviour::Dirname) => head.at.name.clone(),
        _ => spot.name(),
    }
}

/// The maximum number of other skills of the same name to list for a skill. There can be thousands.
const MAX_SAME_NAME: usize = 20;

/// Decides which of several skills of the same name a client loads. A skill that is lost, or may be, does not shadow
/// others.
fn tell_apart(skills: &mut [SkillView], rule: Option<SameName>) {
    if rule == Some(SameName::All) {
        return;
    }
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, skill) in skills.iter().enumerate() {
        if !matches!(skill.state, SkillState::Lost | SkillState::MayBeLost) {
            named.entry(skill.name.clone()).or_default().push(at);
        }
    }
    for group in named.into_values().filter(|group| group.len() > 1) {
        let first = group[0];
        // The precedence within one folder is not known for any client.
        let tied: Vec<usize> = match rule {
            Some(SameName::First | SameName::UserFirst) => {
                let root = skills[first].root;
                group
                    .iter()
                    .copied()
                    .filter(|at| skills[*at].root == root)
                    .collect()
            }
            _ => group.clone(),
        };
        let state = match rule {
            None => SkillState::Namesake,
            Some(_) => SkillState::OneOf,
        };
        let paths: Vec<String> = tied.iter().map(|at| skills[*at].path.clone()).collect();
        for at in group {
            let is_tied = tied.binary_search(&at).is_ok();
            if is_tied && tied.len() == 1 {
                continue;
            }
            let own = skills[at].path.clone();
            let others = paths.iter().filter(|path| **path != own);
            skills[at].same_name = others.take(MAX_SAME_NAME).cloned().collect();
            if is_tied {
                mark(&mut skills[at], state);
            } else {
                skills[at].state = SkillState::Shadowed;
            }
        }
    }
}

/// Sets the state of a skill if it is still `Loaded`.
fn mark(skill: &mut SkillView, state: SkillState) {
    if skill.state == SkillState::Loaded {
        skill.state = state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the states of skills. Each skill is given as its root and name.
    fn states(rule: Option<SameName>, skills: &[(usize, &str)]) -> Vec<SkillState> {
        let view = |(at, (root, name)): (usize, &(usize, &str))| SkillView {
            name: (*name).to_owned(),
            path: format!("/{root}/{at}"),
            root: *root,
            state: if *name == "lost" {
                SkillState::Lost
            } else {
                SkillState::Loaded
            },
            same_name: Vec::new(),
        };
        let mut skills: Vec<SkillView> = skills.iter().enumerate().map(view).collect();
        tell_apart(&mut skills, rule);
        skills.into_iter().map(|skill| skill.state).collect()
    }

    #[test]
    fn the_first_root_takes_precedence_where_that_is_known() {
        use SkillState::{Loaded, Namesake, OneOf, Shadowed};
        let skills = [(0, "a"), (0, "b"), (1, "a"), (2, "a")];
        for rule in [SameName::First, SameName::UserFirst] {
            assert_eq!(
                states(Some(rule), &skills),
                [Loaded, Loaded, Shadowed, Shadowed]
            );
        }
        assert_eq!(
            states(Some(SameName::One), &skills),
            [OneOf, Loaded, OneOf, OneOf]
        );
        assert_eq!(states(Some(SameName::All), &skills), [Loaded; 4]);
        assert_eq!(
            states(None, &skills),
            [Namesake, Loaded, Namesake, Namesake]
        );
    }

    #[test]
    fn precedence_within_one_root_is_unknown() {
        use SkillState::{OneOf, Shadowed};
        let skills = [(0, "a"), (0, "a"), (1, "a")];
        assert_eq!(
            states(Some(SameName::First), &skills),
            [OneOf, OneOf, Shadowed]
        );
    }

    #[test]
    fn a_skill_that_is_lost_shadows_nothing() {
        use SkillState::Lost;
        assert_eq!(
            states(Some(SameName::First), &[(0, "lost"), (1, "lost")]),
            [Lost; 2]
        );
    }
}
