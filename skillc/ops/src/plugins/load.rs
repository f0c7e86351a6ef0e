//! Loads the scripts that were found.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::source::{open_within, read_start};
use skillc_core::{Context, Error, Result};
use skillc_lint::PluginRegistry;
use skillc_script::limits::MAX_SCRIPT_BYTES;
use skillc_script::{Host, Script};

use super::fault::PluginFault;
use super::find::{FoundScript, FoundScripts};
use super::pack::{self, MAX_PACK_BYTES, Pack};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The plug-ins of a call.
pub(crate) struct Loaded {
    /// All plug-ins, including the linked ones.
    pub(crate) plugins: PluginRegistry,
    /// The scripts that define plug-ins, in the order of loading.
    pub(crate) scripts: Vec<LoadedScript>,
    /// The faults of scripts that failed to load.
    pub(crate) faults: Vec<PluginFault>,
    /// Notices about files that were left out for reasons other than a fault.
    pub(crate) notices: Vec<String>,
    /// Files that look like scripts but are not loaded.
    pub(crate) left_out: Vec<PluginFault>,
    /// Errors about named paths that do not exist, are not scripts, or contain no scripts or too many files.
    pub(crate) missing: Vec<String>,
    /// The faults of named scripts that failed to load.
    refused: Vec<String>,
}

pub(crate) struct LoadedScript {
    pub(crate) script: Script,
    /// The path of the script; `None` for a built-in script.
    pub(crate) path: Option<PathBuf>,
    pub(crate) pack: Option<Arc<Pack>>,
}

impl Loaded {
    fn new(plugins: PluginRegistry, scripts: Vec<LoadedScript>) -> Self {
        Self {
            plugins,
            scripts,
            faults: Vec::new(),
            notices: Vec::new(),
            left_out: Vec::new(),
            missing: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Makes sure that all named scripts exist and are loaded.
    ///
    /// # Errors
    /// Returns E100, with a list of the scripts that do not exist or are not loaded.
    pub(crate) fn check_named(&self) -> Result<()> {
        refused(self.missing.iter().chain(&self.refused))
    }

    /// Loads the scripts that were found, in addition to those already loaded.
    fn add_found(&mut self, host: &Host, context: &Context, found: FoundScripts) {
        self.notices.extend(found.notices);
        self.missing.extend(found.missing);
        for (path, reason) in found.left_out {
            let fault = PluginFault::whole(shown(context, &path), reason);
            self.left_out.push(fault);
        }
        for (folder, reason) in found.faults {
            let fault = PluginFault::whole(shown(context, &folder), reason);
            self.refuse(fault, false);
        }
        // A repository's scripts run although the user did not request them, so they also share one limit on
        // operations.
        let root = found
            .scripts
            .iter()
            .find_map(|script| script.project.as_deref());
        let of_project = host.in_project(root.unwrap_or(Path::new("")));
        let mut was_spent = false;
        let mut packs: BTreeMap<PathBuf, Option<Arc<Pack>>> = BTreeMap::new();
        for script in found.scripts {
            let is_limited = script.project.is_some() && !script.is_named;
            let host = if is_limited { &of_project } else { host };
            // The limit is reported once, with the first script that is refused because of it.
            if is_limited && was_spent {
                continue;
            }
            was_spent |= host.is_spent();
            let mut pack = None;
            if let Some(path) = &script.pack {
                let known = packs.entry(path.clone()).or_insert_with(|| {
                    let file = shown(context, path);
                    let read = read_pack(path, &file, &script.tops());
                    let read = read.map_err(|fault| self.refuse(*fault, script.is_named));
                    read.ok().map(Arc::new)
                });
                let Some(known) = known else { continue };
                pack = Some(Arc::clone(known));
            }
            let name = shown(context, &script.path);
            self.add(host, &name, script, pack);
        }
    }

    fn add(&mut self, host: &Host, name: &str, found: FoundScript, pack: Option<Arc<Pack>>) {
        let bytes = match read(&found.path, MAX_SCRIPT_BYTES, &found.tops()) {
            Ok(bytes) => bytes,
            Err(reason) => {
                return self.refuse(PluginFault::whole(name, reason), found.is_named);
            }
        };
        let loaded = host.load(name, &bytes);
        let registered = loaded.and_then(|script| {
            script.register(&mut self.plugins)?;
            Ok(script)
        });
        match registered {
            Ok(script) => self.scripts.push(LoadedScript {
                script,
                path: Some(found.path),
                pack,
            }),
            Err(fault) => self.refuse(PluginFault::from_script(fault, &bytes), found.is_named),
        }
    }

    fn refuse(&mut self, fault: PluginFault, is_named: bool) {
        if is_named {
            self.refused.push(fault.to_string());
        }
        self.plugins.add_fault(fault.to_string());
        self.faults.push(fault);
    }
}

/// Loads the built-in scripts and those that were found, on top of the linked plug-ins.
pub(crate) fn load(
    host: &Host,
    linked: &PluginRegistry,
    context: &Context,
    found: FoundScripts,
) -> Loaded {
    let mut plugins = linked.clone();
    let embedded = host.load_embedded(&mut plugins);
    let of_program = |script| LoadedScript {
        script,
        path: None,
        pack: None,
    };
    let scripts = embedded.into_iter().map(of_program).collect();
    let mut loaded = Loaded::new(plugins, scripts);
    loaded.add_found(host, context, found);
    loaded
}

/// Loads scripts on top of those already loaded.
///
/// Returns only the new scripts.
pub(crate) fn load_beside(
    there: &Loaded,
    host: &Host,
    context: &Context,
    found: FoundScripts,
) -> Loaded {
    let mut loaded = Loaded::new(there.plugins.clone(), Vec::new());
    loaded.add_found(host, context, found);
    loaded
}

/// Fails if named plug-ins have any faults.
///
/// # Errors
/// Returns E100, with a list of all faults.
pub(crate) fn refused<'f>(faults: impl Iterator<Item = &'f String>) -> Result<()> {
    let faults: Vec<&str> = faults.map(String::as_str).collect();
    let (message, hint) = match faults[..] {
        [] => return Ok(()),
        [only] => (format!("plugin: {only}"), None),
        _ => {
            let message = format!("{} plug-in faults", faults.len());
            (message, Some(faults.join("\n").into()))
        }
    };
    Err(Error::InvalidOption { message, hint })
}

/// Returns a path for display: relative to the working directory if it is below that directory, otherwise absolute.
pub(crate) fn shown(context: &Context, path: &Path) -> String {
    let below = path.strip_prefix(&context.cwd).ok();
    let below = below.filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or(path).display().to_string()
}

/// Reads a `pack.toml`. `file`: its path as displayed. `within`: the canonical directories that must contain it.
///
/// # Errors
/// Returns the fault of the file.
pub(crate) fn read_pack(
    path: &Path,
    file: &str,
    within: &[&Path],
) -> std::result::Result<Pack, Box<PluginFault>> {
    let bytes = read(path, MAX_PACK_BYTES, within)
        .map_err(|reason| Box::new(PluginFault::whole(file, reason)))?;
    pack::read(&bytes, VERSION)
        .map_err(|fault| Box::new(PluginFault::from_pack(fault, file, &bytes)))
}

/// Reads a file, up to one byte beyond the limit so that the caller can detect a larger one.
///
/// `within`: the canonical directories that must contain the file, even if another process replaces it with a symlink
/// at the same time (a race).
fn read(path: &Path, max_bytes: usize, within: &[&Path]) -> std::result::Result<Vec<u8>, String> {
    let most = max_bytes as u64 + 1;
    let read = if within.is_empty() {
        read_start(path, most)
    } else {
        read_within(path, most, within)
    };
    read.map_err(|error| format!("cannot be read: {error}"))
}

fn read_within(path: &Path, most: u64, within: &[&Path]) -> io::Result<Vec<u8>> {
    let opened = open_within(path, within)?;
    let (file, _) = opened.ok_or_else(|| io::Error::other("not a file"))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
