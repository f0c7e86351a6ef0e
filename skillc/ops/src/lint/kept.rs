//! The configuration files that earlier runs of an editor have read.
//!
//! An editor lints one skill at a time, and the same files can apply to thousands of skills. A file is read again if it
//! or a file that it extends has changed, or if the rules or the settings of skc have changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::Result;
use skillc_core::config::Config;
use skillc_core::source::Stamp;
use skillc_lint::baseline::Baseline;
use skillc_lint::config::{PlannedLayer, Section};

use super::config::files;
use crate::cache::{Settled, stamp_of};
use crate::plugins::Loaded;
use crate::toolkit::Toolkit;

/// The maximum number of files that are kept.
const MAX_KEPT: usize = 1000;

/// The maximum total size of the baselines that are kept, in bytes.
const MAX_BASELINE_BYTES: usize = 16 << 20;

/// The layers of a configuration file and of the files that it extends, or why they are not valid.
pub(super) type Layers = Result<Vec<Arc<PlannedLayer>>>;

/// The files that have been read.
#[derive(Default)]
pub(super) struct KeptFiles {
    /// The settings and the rules that the layers were read with.
    by: Option<(Arc<Config>, Arc<Loaded>)>,
    layers: BTreeMap<PathBuf, KeptLayers>,
    /// The text of each baseline, and what it contains.
    baselines: BTreeMap<PathBuf, (String, Arc<Baseline>)>,
}

struct KeptLayers {
    /// The file, the files that it extends and its baseline.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    layers: Layers,
}

impl KeptFiles {
    /// Returns the layers of a configuration file.
    ///
    /// `read`: reads them.
    ///
    /// # Errors
    /// The error of `read`.
    pub(super) fn layers(
        &mut self,
        toolkit: &Toolkit,
        path: &Path,
        section: Section<'_>,
        read: impl FnOnce() -> Layers,
    ) -> Layers {
        let by = (Arc::clone(&toolkit.config), Arc::clone(toolkit.shared()));
        let is_same = |known: &(Arc<Config>, Arc<Loaded>)| {
            Arc::ptr_eq(&known.0, &by.0) && Arc::ptr_eq(&known.1, &by.1)
        };
        if self.layers.len() >= MAX_KEPT || !self.by.as_ref().is_some_and(is_same) {
            self.layers.clear();
            self.by = Some(by);
        }
        if let Some(kept) = self.layers.get(path) {
            let is_unchanged = |(path, stamp): &(PathBuf, _)| stamp_of(path) == *stamp;
            if kept.stamps.iter().all(is_unchanged) {
                return kept.layers.clone();
            }
        }
        self.layers.remove(path);
        // Read the stamps first: a change while the files are read must not go unnoticed.
        let settled = Settled::before(&toolkit.context);
        let own = (path.to_path_buf(), stamp_of(path));
        let extended = files(toolkit).extended_by(path, section).into_iter();
        let extended = extended.map(|path| {
            let stamp = stamp_of(&path);
            (path, stamp)
        });
        let stamps: Vec<_> = [own].into_iter().chain(extended).collect();
        let layers = read();
        let is_settled =
            |(_, stamp): &(PathBuf, Option<Stamp>)| stamp.is_none_or(|stamp| settled.holds(stamp));
        if stamps.iter().all(is_settled) && !toolkit.stop.is_raised() {
            let layers = layers.clone();
            let kept = KeptLayers { stamps, layers };
            self.layers.insert(path.to_path_buf(), kept);
        }
        layers
    }

    /// Returns the files that a configuration file extends, and its baseline, as they were when it was read; `None` if
    /// its layers are not kept.
    pub(super) fn extended(&self, path: &Path) -> Option<impl Iterator<Item = &PathBuf>> {
        let kept = self.layers.get(path)?;
        Some(kept.stamps.iter().skip(1).map(|(path, _)| path))
    }

    /// Returns what a baseline contains.
    ///
    /// `text`: its current text. `parse`: parses the text.
    ///
    /// # Errors
    /// The error of `parse`.
    pub(super) fn baseline(
        &mut self,
        path: &Path,
        text: &str,
        parse: impl FnOnce() -> Result<Baseline>,
    ) -> Result<Arc<Baseline>> {
        if let Some((known, baseline)) = self.baselines.get(path)
            && known == text
        {
            return Ok(Arc::clone(baseline));
        }
        let baseline = Arc::new(parse()?);
        self.baselines.remove(path);
        let bytes: usize = self.baselines.values().map(|(text, _)| text.len()).sum();
        if bytes + text.len() > MAX_BASELINE_BYTES {
            self.baselines.clear();
        }
        let kept = (text.to_owned(), Arc::clone(&baseline));
        self.baselines.insert(path.to_path_buf(), kept);
        Ok(baseline)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use skillc_core::Context;
    use skillc_core::testkit::{FixedClock, write_files};
    use skillc_core::time::Timestamp;

    use super::*;

    #[test]
    fn a_file_is_read_again_only_after_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let extends = "extends = \"b.toml\"\n";
        write_files(
            &root,
            &[("a.toml", extends), ("b.toml", "preset = \"spec\"\n")],
        );
        let later = Arc::new(FixedClock(Timestamp(4_000_000_000)));
        let home = Some(root.clone());
        let context = Context::new(root.clone(), home, BTreeMap::new(), later).unwrap();
        let (toolkit, _) = Toolkit::new(context).unwrap();
        let mut kept = KeptFiles::default();
        let (path, count) = (root.join("a.toml"), Cell::new(0));
        let mut read = || {
            let read = || {
                count.set(count.get() + 1);
                Ok(Vec::new())
            };
            let layers = kept.layers(&toolkit, &path, Section::File, read);
            assert!(layers.is_ok());
            count.get()
        };
        assert_eq!([read(), read()], [1, 1]);
        write_files(&root, &[("b.toml", "preset = \"strict\"\n")]);
        assert_eq!([read(), read()], [2, 2]);
    }

    #[test]
    fn a_baseline_is_parsed_again_only_after_a_change() {
        let mut kept = KeptFiles::default();
        let mut is_parsed = |text: &str| {
            let mut is_parsed = false;
            let parse = || {
                is_parsed = true;
                Ok(Baseline::default())
            };
            kept.baseline(Path::new("b.toml"), text, parse).unwrap();
            is_parsed
        };
        let parsed = ["a", "a", "b", "b"].map(&mut is_parsed);
        assert_eq!(parsed, [true, false, true, false]);
    }
}
