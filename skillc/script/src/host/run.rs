//! The skills of a run as scripts see them.

use std::path::Path;
use std::sync::Arc;

use rhai::NativeCallContext;
use skillc_lint::RunSkill;

use super::api::Api;
use super::list::{self, List};
use super::piece::string;
use crate::meter::Meter;

/// One of the skills of a run.
#[derive(Clone)]
pub(crate) struct RunSkillView {
    skills: Arc<[RunSkill]>,
    at: usize,
}

impl RunSkillView {
    /// Returns those skills of a run that a script may see. `seen`: the indexes of these skills.
    pub(crate) fn all(skills: &[RunSkill], seen: Vec<usize>) -> List<Self> {
        let skills: Arc<[RunSkill]> = skills.into();
        List::new(seen.len(), move |at| Self {
            skills: Arc::clone(&skills),
            at: seen[at],
        })
    }

    pub(super) fn get(&self) -> &RunSkill {
        &self.skills[self.at]
    }

    /// Returns the index of the skill in the run.
    pub(super) const fn number(&self) -> usize {
        self.at
    }

    /// Returns the path of the skill's directory, relative to the directory in which a client finds skills.
    fn path(&self) -> &Path {
        let skill = self.get();
        skill.dir.strip_prefix(skill.root()).unwrap_or(&skill.dir)
    }
}

pub(crate) fn register(module: &mut Api) {
    module.set_custom_type::<RunSkillView>("RunSkill");
    list::register::<RunSkillView>(module, "RunSkills");
    module.set_getter_fn("name", |of: &mut RunSkillView| string(&of.get().name));
    module.set_getter_fn("description", |of: &mut RunSkillView| {
        string(&of.get().description)
    });
    module.set_getter_fn("is_listed", |of: &mut RunSkillView| Ok(of.get().is_listed));
    module.set_getter_fn("path", |of: &mut RunSkillView| {
        string(&of.path().to_string_lossy())
    });
    module.set_native_fn(
        "is_beside",
        |context: NativeCallContext<'_>, of: &mut RunSkillView, other: RunSkillView| {
            let bytes = of.get().dir.as_os_str().len() + other.get().dir.as_os_str().len();
            Meter::from_context(&context).charge_bytes(bytes)?;
            Ok(of.get().root() == other.get().root())
        },
    );
}
