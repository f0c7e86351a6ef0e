//! Collects the entries of an archive, within the limits on archives.
//!
//! Sizes that an archive declares are not trusted: bytes are counted while they are unpacked. An entry that is skipped
//! is reported with the reason, because content that was not read must not count as harmless.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::mem;
use std::sync::Arc;

use skillc_core::layout::SKILL_FILE;
use skillc_core::source::FlawKind::{self, Attack, Odd, Unread};
use skillc_core::source::{Flaw, MAX_PARSED_BYTES, copy_of, is_unusual};
use skillc_core::{RelPath, Stop};

use super::names::{self, MAX_NAME_BYTES, Name, shown, shown_path};
use super::{Archive, Link, range_below};

/// The limit on entries in all archives of a run.
const MAX_ENTRIES: usize = 100_000;

/// The limit on the total length of the names and link targets of these entries, in bytes.
const MAX_NAMES_BYTES: usize = 16 << 20;

/// The limit on symlinks in all archives of a run.
const MAX_LINKS: usize = 10_000;

/// The limit on the total size of the files that a run keeps in memory, in bytes. A file with several names, because of
/// hard links or symlinks, counts once for each name, because it is scanned under each name. Likewise, a file in nested
/// skills counts once for each of these skills.
const MAX_KEPT_BYTES: u64 = 256 << 20;

/// The part of [`MAX_KEPT_BYTES`] that is available to every run, and the number of bytes that each byte of an archive
/// adds to this part. The limit depends on the size of the archive because scanning a byte can take a microsecond, and
/// a small archive must not take long to scan. Text is usually compressed to between a third and an eighth of its size.
const FREE_KEPT_BYTES: u64 = 4 << 20;
const KEPT_PER_BYTE: u64 = 8;

/// The limit on bytes that a run unpacks, whether or not it keeps them.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;

/// The limit on the listed flaws of each kind, for an archive as a whole.
const MAX_WHOLE: usize = 20;

/// The limits on the symlinks that are followed, and on the path components that are read, to resolve one symlink.
const MAX_FOLLOWED: usize = 40;
const MAX_STEPS: usize = 128;

/// Reasons why a file is not read.
const TOO_LARGE: &str = "it is larger than 32 MiB";
const TOO_MUCH: &str = "the scanned archives contain too much data";
pub(super) const DAMAGED: &str = "its data is damaged";

/// The resources that the archives of a run may still use.
#[derive(Debug)]
pub(crate) struct Budget {
    entries: usize,
    names: usize,
    links: usize,
    kept: u64,
    /// The number of bytes that archives can still add to `kept`.
    addable: u64,
    unpacked: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            names: MAX_NAMES_BYTES,
            links: MAX_LINKS,
            kept: FREE_KEPT_BYTES,
            addable: MAX_KEPT_BYTES - FREE_KEPT_BYTES,
            unpacked: MAX_UNPACKED_BYTES,
        }
    }
}

impl Budget {
    /// Adds the allowance for an archive of this size.
    pub(super) fn allow(&mut self, archive_bytes: usize) {
        let more = (archive_bytes as u64).saturating_mul(KEPT_PER_BYTE);
        let more = more.min(self.addable);
        self.addable -= more;
        self.kept += more;
    }

    /// Charges the size of a file that is scanned. Returns false, and charges nothing, if too little is left.
    pub(super) fn charge_kept(&mut self, bytes: usize) -> bool {
        let left = self.kept.checked_sub(bytes as u64);
        self.kept = left.unwrap_or(self.kept);
        left.is_some()
    }
}

/// The entries of an archive that have been read so far.
pub(super) struct Entries<'b> {
    budget: &'b mut Budget,
    files: BTreeMap<RelPath, Arc<[u8]>>,
    links: BTreeMap<RelPath, String>,
    /// Hard links, each with the entry that it leads to.
    hard_links: Vec<(RelPath, RelPath)>,
    /// For entries and for hard links: the name or target that programs use if they ignore extension headers.
    also_called: Vec<(RelPath, RelPath)>,
    also_leads_to: Vec<(RelPath, RelPath)>,
    /// Entries that were not read.
    missing: BTreeSet<RelPath>,
    /// For each path with several different files, the number of copies that were made.
    copies: BTreeMap<RelPath, usize>,
    flaws: Vec<(RelPath, Flaw)>,
    /// Entries whose names are in an encoding that the archive does not state.
    unstated: Vec<RelPath>,
    whole: Vec<Flaw>,
    /// The number of flaws that are not in `whole`, because there are too many.
    unlisted: usize,
}

impl<'b> Entries<'b> {
    pub(super) fn new(budget: &'b mut Budget) -> Self {
        Self {
            budget,
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            hard_links: Vec::new(),
            also_called: Vec::new(),
            also_leads_to: Vec::new(),
            missing: BTreeSet::new(),
            copies: BTreeMap::new(),
            flaws: Vec::new(),
            unstated: Vec::new(),
            whole: Vec::new(),
            unlisted: 0,
        }
    }

    /// Counts an entry and reads its name. Records the faults of the name.
    ///
    /// # Errors
    /// `QuotaExceeded` if there are too many entries. In this case, the flaw has been recorded, and the rest of the
    /// archive is not read.
    pub(super) fn begin(&mut self, raw: &[u8]) -> io::Result<Name> {
        let entries = self.budget.entries.checked_sub(1);
        let (Some(entries), true) = (entries, self.charge_name(raw.len())) else {
            self.fault_of_all(
                Unread,
                "the archive was not scanned completely: it has too many entries",
            );
            return Err(io::ErrorKind::QuotaExceeded.into());
        };
        self.budget.entries = entries;
        let name = names::parse(raw);
        for (kind, fault) in &name.faults {
            // Programs may unpack the entry under another name, and therefore into any skill.
            self.fault_of_all(*kind, format!("'{}' {fault}", shown(raw)));
        }
        Ok(name)
    }

    fn charge_name(&mut self, length: usize) -> bool {
        let left = self.budget.names.checked_sub(length);
        self.budget.names = left.unwrap_or_default();
        left.is_some()
    }

    /// Returns how many bytes may still be unpacked.
    pub(super) fn unpackable(&self) -> u64 {
        self.budget.unpacked
    }

    /// Lowers the number of bytes that may still be unpacked: when a stream is read, skipped bytes count, too.
    pub(super) fn set_unpackable(&mut self, left: u64) {
        self.budget.unpacked = self.budget.unpacked.min(left);
    }

    /// Unpacks the content of a file. `declared`: the size that the archive states.
    ///
    /// # Errors
    /// The reason why the content is not read.
    pub(super) fn unpack(
        &mut self,
        from: &mut dyn Read,
        declared: u64,
    ) -> Result<Vec<u8>, &'static str> {
        if declared > MAX_PARSED_BYTES {
            return Err(TOO_LARGE);
        }
        let most = MAX_PARSED_BYTES
            .min(self.budget.kept)
            .min(self.budget.unpacked);
        let mut bytes = Vec::new();
        let read = from.take(most + 1).read_to_end(&mut bytes);
        let count = bytes.len() as u64;
        self.budget.unpacked = self.budget.unpacked.saturating_sub(count);
        if count > MAX_PARSED_BYTES {
            return Err(TOO_LARGE);
        }
        if count > most {
            return Err(TOO_MUCH);
        }
        read.map_err(|_| DAMAGED)?;
        self.budget.charge_kept(bytes.len());
        Ok(bytes)
    }

    /// Adds a file under each of its names, and charges for each name but the first. `content`: the content, or why it
    /// was not read.
    pub(super) fn add_all(&mut self, paths: &[RelPath], content: Result<Vec<u8>, &str>) {
        let content: Result<Arc<[u8]>, &str> = content.map(Into::into);
        for (index, path) in paths.iter().enumerate() {
            match &content {
                Ok(bytes) if index == 0 || self.budget.charge_kept(bytes.len()) => {
                    self.add(path, Arc::clone(bytes));
                }
                Ok(_) => self.leave(path, TOO_MUCH),
                Err(why) => self.leave(path, why),
            }
        }
    }

    /// Adds an unpacked file. If several entries have this path but different contents, all of them are scanned.
    fn add(&mut self, path: &RelPath, bytes: Arc<[u8]>) {
        if self.links.contains_key(path) {
            self.fault_both(path);
        }
        let is_same = self.files.get(path).is_some_and(|old| *old == bytes);
        // In most programs the last entry wins, so the last entry keeps the name.
        let old = self.files.insert(path.clone(), bytes);
        let Some(old) = old.filter(|_| !is_same) else {
            return;
        };
        let copies = self.copies.entry(path.clone()).or_default();
        let is_first = *copies == 0;
        let copy = loop {
            *copies += 1;
            let copy = copy_of(path, *copies);
            if !self.files.contains_key(&copy) {
                break copy;
            }
        };
        if is_first {
            let [name, copy] = [path, &copy].map(shown_path);
            let message = format!(
                "the archive has different entries called '{name}'; an earlier one was scanned as '{copy}'"
            );
            self.fault(path, Odd, message);
        }
        self.files.insert(copy, old);
    }

    /// Adds a symlink.
    pub(super) fn link(&mut self, path: &RelPath, target: &str) {
        if target.len() > MAX_NAME_BYTES || !self.charge_name(target.len()) {
            self.leave_link(path, "it is a symlink with a long target");
            return;
        }
        let Some(links) = self.budget.links.checked_sub(1) else {
            self.leave_link(path, "it is one of too many symlinks");
            return;
        };
        self.budget.links = links;
        if self.files.contains_key(path) {
            self.fault_both(path);
        }
        let is_unusual = target.contains(is_unusual);
        if is_unusual && !self.budget.charge_kept(target.len()) {
            self.leave_link(path, TOO_MUCH);
        } else if is_unusual {
            // Programs that do not support symlinks write the target to a file.
            let copy = copy_of(path, 1);
            let [name, scanned] = [path, &copy].map(shown_path);
            let message = format!(
                "'{name}' is a symlink with an unusual target, which was scanned as '{scanned}'"
            );
            self.fault(path, Odd, message);
            self.add(&copy, target.as_bytes().into());
        }
        let old = self.links.insert(path.clone(), target.to_owned());
        if old.is_some_and(|old| old != target) {
            let name = shown_path(path);
            let message = format!("the archive has different symlinks called '{name}'");
            self.fault_of_all(Attack, message);
        }
    }

    fn fault_both(&mut self, path: &RelPath) {
        let message = format!(
            "the archive has a symlink and a file called '{}': the file may be unpacked to the target of the symlink",
            shown_path(path)
        );
        self.fault_of_all(Attack, message);
    }

    /// Adds a hard link. `target`: the name of the entry that it leads to.
    pub(super) fn hard_link(&mut self, path: &RelPath, target: &[u8]) {
        if target.len() > MAX_NAME_BYTES || !self.charge_name(target.len()) {
            self.leave_link(path, "it is a hard link with a long target");
            return;
        }
        let name = names::parse(target);
        let is_outside = name.faults.iter().any(|(kind, _)| *kind == Attack);
        if let Some(target) = name.path.filter(|_| !is_outside) {
            self.hard_links.push((path.clone(), target));
            return;
        }
        let (path, target) = (shown_path(path), shown(target));
        let message = format!("'{path}' is a hard link to '{target}', outside the archive");
        self.fault_of_all(Attack, message);
    }

    /// Records the name that programs use for an entry if they ignore extension headers. `own`: a name of the usual
    /// length.
    pub(super) fn also_called(&mut self, path: &RelPath, own: &[u8]) {
        let name = names::parse(own);
        if name.faults.iter().any(|(kind, _)| *kind == Attack) {
            let what = "has a header with a name outside the archive";
            self.fault_of_all(Odd, format!("'{}' {what}", shown_path(path)));
        }
        if let Some(own) = name.path.filter(|own| own != path) {
            self.also_called.push((path.clone(), own));
        }
    }

    /// Records the target that programs use for a hard link if they ignore extension headers.
    pub(super) fn also_leads_to(&mut self, path: &RelPath, target: &[u8]) {
        let target = names::parse(target).path;
        self.also_leads_to
            .extend(target.map(|target| (path.clone(), target)));
    }

    /// Records that an entry is neither a file nor a symlink nor a folder.
    pub(super) fn special(&mut self, path: &RelPath, what: &str) {
        self.fault(path, Odd, format!("'{}' is {what}", shown_path(path)));
    }

    /// Records that an entry was not read.
    fn leave(&mut self, path: &RelPath, why: &str) {
        let message = format!("'{}' was not scanned: {why}", shown_path(path));
        self.fault(path, Unread, message);
        self.missing.insert(path.clone());
    }

    /// Records that the target of a link was not read. This is a flaw of the whole archive: programs may unpack other
    /// entries through the link, or write the target to a file.
    pub(super) fn leave_link(&mut self, path: &RelPath, why: &str) {
        let message = format!("'{}' was not scanned: {why}", shown_path(path));
        self.fault_of_all(Unread, message);
        self.missing.insert(path.clone());
    }

    /// Records that the encoding of an entry's name is not stated.
    pub(super) fn unstated(&mut self, path: &RelPath) {
        self.unstated.push(path.clone());
    }

    /// Records a flaw of an entry.
    pub(super) fn fault(&mut self, path: &RelPath, kind: FlawKind, message: String) {
        self.flaws.push((path.clone(), Flaw { kind, message }));
    }

    /// Records a flaw of the archive as a whole, which affects each of its skills.
    pub(super) fn fault_of_all(&mut self, kind: FlawKind, message: impl Into<String>) {
        let message = message.into();
        let flaw = Flaw { kind, message };
        if self.whole.contains(&flaw) {
            return;
        }
        let of_kind = self.whole.iter().filter(|known| known.kind == kind);
        if of_kind.count() < MAX_WHOLE {
            self.whole.push(flaw);
        } else {
            self.unlisted += 1;
        }
    }

    /// Resolves links, compares names, and returns the archive, which is incomplete if the run was cancelled.
    pub(super) fn finish(mut self, stop: &Stop) -> Archive {
        let hard_links = mem::take(&mut self.hard_links);
        for (path, target) in &hard_links {
            self.resolve(path, target);
        }
        for (path, target) in mem::take(&mut self.also_leads_to) {
            // Usually, no file has the truncated name.
            if self.files.contains_key(&target) {
                self.resolve(&path, &target);
            }
        }
        // If two entries have the same name, a hard link leads to the earlier or to the later entry, depending on the
        // program, or the later entry is written through the link.
        if !hard_links.is_empty() && !self.copies.is_empty() {
            self.fault_of_all(
                Odd,
                "the archive has hard links and different entries with one name: programs may unpack it differently",
            );
        }
        let links = self.resolved();
        let names = self.files.keys().chain(links.iter().map(|(path, _)| path));
        let names: BTreeSet<RelPath> = names.chain(&self.missing).cloned().collect();
        self.compare_names(&names, stop);
        for path in names
            .iter()
            .filter(|path| names::is_disguised_main(path.file_name()))
        {
            let message = format!("'{}' is a {SKILL_FILE} on some systems", shown_path(path));
            self.fault_of_all(Odd, message);
        }
        let names: Vec<(RelPath, ())> = names.into_iter().map(|path| (path, ())).collect();
        for (outer, ()) in &names {
            let Some((inner, ())) = names[range_below(&names, outer)].first() else {
                continue;
            };
            let is_link = links.binary_search_by(|(link, _)| link.cmp(outer)).is_ok();
            let [outer, inner] = [outer, inner].map(shown_path);
            if is_link {
                let message =
                    format!("'{inner}' may be unpacked to the target of the symlink '{outer}'");
                self.fault_of_all(Attack, message);
            } else {
                // Programs unpack only one of the two, or treat the outer entry as a symlink.
                let message = format!("'{outer}' is a file, but also the folder of '{inner}'");
                self.fault_of_all(Odd, message);
            }
        }
        self.fault_outside(&names);
        if self.unlisted > 0 {
            let message = format!("{} more faults of the archive are not shown", self.unlisted);
            self.whole.push(Flaw { kind: Odd, message });
        }
        self.flaws.sort_by(|(one, _), (other, _)| one.cmp(other));
        Archive {
            files: self.files.into_iter().collect(),
            links,
            names,
            flaws: self.flaws,
            whole: self.whole,
        }
    }

    /// Converts the flaws of entries outside all skills, except unread content, to flaws of the archive: programs that
    /// read another name for such an entry may unpack the entry into a skill.
    fn fault_outside(&mut self, names: &[(RelPath, ())]) {
        let mains = names.iter().map(|(path, ())| path);
        let mains = mains.filter(|path| path.file_name().eq_ignore_ascii_case(SKILL_FILE));
        let skills: BTreeSet<RelPath> = mains.map(RelPath::parent).collect();
        let above = |dir: &RelPath| (!dir.as_str().is_empty()).then(|| dir.parent());
        let around = |path: &RelPath| std::iter::successors(Some(path.parent()), above);
        let is_outside = |path: &RelPath| !around(path).any(|dir| skills.contains(&dir));
        let flaws = mem::take(&mut self.flaws).into_iter();
        let is_odd = |(path, flaw): &(RelPath, Flaw)| flaw.kind != Unread && is_outside(path);
        let (odd, others): (Vec<_>, Vec<_>) = flaws.partition(is_odd);
        self.flaws = others;
        for (_, flaw) in odd {
            self.fault_of_all(flaw.kind, flaw.message);
        }
        for (path, own) in mem::take(&mut self.also_called) {
            let is_elsewhere =
                |dir: &RelPath| skills.contains(dir) && path.rest_below(dir).is_none();
            if around(&own).any(|dir| is_elsewhere(&dir)) {
                let [path, own] = [&path, &own].map(shown_path);
                let message =
                    format!("some programs unpack '{path}' as '{own}', and so into another skill");
                self.fault_of_all(Odd, message);
            }
        }
        for path in mem::take(&mut self.unstated) {
            if is_outside(&path) {
                let message = format!(
                    "the encoding of the name '{}' is not stated: programs may unpack it under another name",
                    shown_path(&path)
                );
                self.fault_of_all(Odd, message);
            }
        }
    }

    /// Adds the target of a hard link under the path of the link.
    fn resolve(&mut self, path: &RelPath, target: &RelPath) {
        if let Some(bytes) = self.files.get(target).map(Arc::clone) {
            if self.budget.charge_kept(bytes.len()) {
                self.add(path, bytes);
            } else {
                self.leave(path, TOO_MUCH);
            }
        } else if let Some(link) = self.links.get(target).cloned() {
            self.link(path, &link);
        } else {
            let why = if self.missing.contains(target) {
                "which was not scanned"
            } else {
                "which is not in the archive"
            };
            let why = format!("it is a hard link to '{}', {why}", shown_path(target));
            self.leave(path, &why);
        }
    }

    /// Resolves the symlinks.
    fn resolved(&mut self) -> Vec<(RelPath, Link)> {
        let links = mem::take(&mut self.links);
        let mut resolved = Vec::with_capacity(links.len());
        for (path, target) in &links {
            let end = end_of(&links, path);
            let mut content = end.as_ref().and_then(|end| self.files.get(end).cloned());
            let size = content.as_ref().map_or(0, |bytes| bytes.len());
            if !self.budget.charge_kept(size) {
                self.leave(path, TOO_MUCH);
                content = None;
            }
            let target = target.clone();
            let link = Link {
                target,
                end,
                content,
            };
            resolved.push((path.clone(), link));
        }
        resolved
    }

    /// Records names that some systems do not distinguish.
    fn compare_names(&mut self, names: &BTreeSet<RelPath>, stop: &Stop) {
        let (pairs, is_complete) = names::alike(names.iter().map(RelPath::as_str), stop);
        for pair in pairs {
            let [one, other] = pair.paths.map(|path| shown(path.as_bytes()));
            let message = format!(
                "'{one}' and '{other}' have the same name on some systems, which ignore case, forms of Unicode, or dots at the end"
            );
            match pair.paths.map(|path| RelPath::parse(path).ok()) {
                [Some(one), Some(other)] if pair.are_files => {
                    if one.parent() != other.parent() {
                        self.fault(&other, Odd, message.clone());
                    }
                    self.fault(&one, Odd, message);
                }
                _ => self.fault_of_all(Odd, message),
            }
        }
        if !is_complete {
            self.fault_of_all(
                Odd,
                "the archive has too many files, or too many with similar names, to compare all names",
            );
        }
    }
}

/// Follows a symlink to its end, which need not exist. Returns `None` if it leads out of the archive, or if there are
/// too many symlinks or path components to follow.
fn end_of(links: &BTreeMap<RelPath, String>, link: &RelPath) -> Option<RelPath> {
    let mut end: Vec<&str> = Vec::new();
    let mut rest: Vec<&str> = link.as_str().split('/').rev().collect();
    let (mut followed, mut steps) = (0, 0);
    while let Some(part) = rest.pop() {
        steps += 1;
        if steps > MAX_STEPS {
            return None;
        }
        match part {
            "" | "." => continue,
            ".." => {
                end.pop()?;
                continue;
            }
            part => end.push(part),
        }
        let here = RelPath::parse(&end.join("/")).ok()?;
        if let Some(target) = links.get(&here) {
            followed += 1;
            let is_absolute = target.starts_with(['/', '\\']) || target.get(1..2) == Some(":");
            if followed > MAX_FOLLOWED || is_absolute {
                return None;
            }
            end.pop();
            rest.extend(target.split(['/', '\\']).rev());
        }
    }
    RelPath::parse(&end.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    #[test]
    fn symlinks_are_followed_within_the_archive_only() {
        let links = [
            ("a/near", "b/file"),
            ("a/up", "../c/file"),
            ("a/out", "../../c"),
            ("a/root", "/etc/passwd"),
            ("a/drive", "C:\\x"),
            ("a/chain", "near"),
            ("a/loop", "loop"),
            ("dir", "a/b"),
            ("through", "dir/file"),
        ];
        let links: BTreeMap<RelPath, String> = links
            .map(|(link, target)| (path(link), target.to_owned()))
            .into();
        let end = |link: &str| end_of(&links, &path(link)).map(|end| end.to_string());
        for (link, expected) in [
            ("a/near", "a/b/file"),
            ("a/up", "c/file"),
            ("a/chain", "a/b/file"),
            ("dir", "a/b"),
            ("through", "a/b/file"),
        ] {
            assert_eq!(end(link).as_deref(), Some(expected));
        }
        for link in ["a/out", "a/root", "a/drive", "a/loop"] {
            assert_eq!(end(link), None, "{link}");
        }
        // Empty components count too.
        let long = BTreeMap::from([(path("long"), format!("{}b", "/".repeat(4000)))]);
        assert_eq!(end_of(&long, &path("long")), None);
        let long = BTreeMap::from([(path("long"), format!("{}b", "./".repeat(2000)))]);
        assert_eq!(end_of(&long, &path("long")), None);
    }

    #[test]
    fn an_earlier_entry_gets_another_name() {
        for (of, copy) in [
            ("a/run.sh", "a/run (copy 2).sh"),
            ("SKILL.md", "SKILL (copy 2).md"),
            ("a/.env", "a/.env (copy 2)"),
            ("a/b", "a/b (copy 2)"),
        ] {
            assert_eq!(copy_of(&path(of), 2).as_str(), copy);
        }
    }

    #[test]
    fn each_name_of_a_file_is_charged() {
        let mut budget = Budget {
            kept: 5,
            names: 5,
            ..Budget::default()
        };
        let mut entries = Entries::new(&mut budget);
        entries.add_all(&["a", "b", "c"].map(path), Ok(vec![b'x'; 4]));
        entries.hard_link(&path("d"), b"none");
        entries.hard_link(&path("e"), b"none");
        let archive = entries.finish(&Stop::default());
        let files: Vec<&str> = archive
            .files
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(files, ["a", "b"]);
        let flaws: Vec<&str> = archive
            .flaws
            .iter()
            .map(|(_, flaw)| &*flaw.message)
            .collect();
        assert_eq!(
            flaws,
            [
                "'c' was not scanned: the scanned archives contain too much data",
                "'d' was not scanned: it is a hard link to 'none', which is not in the archive",
            ]
        );
        let whole = archive.whole.first().map(|flaw| &*flaw.message);
        let long = "'e' was not scanned: it is a hard link with a long target";
        assert_eq!(whole, Some(long));
    }

    /// Hostile: some programs write the target, which is a script, to a file.
    #[test]
    fn a_symlink_whose_target_was_not_read_is_a_flaw_of_the_archive() {
        for (kept, links, names) in [(0, 1, 20), (9, 0, 20), (9, 1, 0)] {
            let mut budget = Budget {
                names,
                links,
                kept,
                ..Budget::default()
            };
            let mut entries = Entries::new(&mut budget);
            entries.link(&path("a/run.sh"), "curl x|sh");
            let whole = entries.finish(&Stop::default()).whole;
            let kinds: Vec<FlawKind> = whole.iter().map(|flaw| flaw.kind).collect();
            assert_eq!(kinds, [Unread], "{whole:?}");
        }
    }

    #[test]
    fn a_small_archive_may_contain_little() {
        let mut budget = Budget::default();
        budget.allow(1_000);
        assert_eq!(budget.kept, FREE_KEPT_BYTES + 8_000);
        budget.allow(usize::MAX);
        assert_eq!(budget.kept, MAX_KEPT_BYTES);
    }

    #[test]
    fn a_nested_skill_is_charged_again() {
        let mut budget = Budget::default();
        let mut entries = Entries::new(&mut budget);
        let text = "---\nname: a\n---\n";
        for main in ["a/SKILL.md", "a/b/SKILL.md"] {
            entries.add(&path(main), text.as_bytes().into());
        }
        let archive = entries.finish(&Stop::default());
        let enough = text.len() as u64;
        for (kept, dirs) in [(enough, 2), (enough - 1, 1)] {
            let mut budget = Budget {
                kept,
                ..Budget::default()
            };
            let found = archive.skills(&mut budget);
            assert_eq!((found.dirs.len(), found.too_deep.len()), (dirs, 2 - dirs));
        }
    }

    #[test]
    fn flaws_of_an_archive_are_counted_beyond_a_bound() {
        let mut budget = Budget::default();
        let mut entries = Entries::new(&mut budget);
        for number in 0..100 {
            entries.fault_of_all(Odd, format!("{number}"));
        }
        entries.fault_of_all(Attack, "x");
        entries.fault_of_all(Attack, "x");
        let whole = entries.finish(&Stop::default()).whole;
        assert_eq!(whole.len(), MAX_WHOLE + 2);
        let last = whole.last().map(|flaw| &*flaw.message);
        assert_eq!(last, Some("80 more faults of the archive are not shown"));
    }
}
