//! `skc build --client`: how clients handle the stub that was just built.

use skillc_core::clients::{Client, Clients};
use skillc_core::layout::{RuntimeDir, SKILL_FILE};
use skillc_core::{Document, RelPath, Result, SkillRef, SourceFile, Warning};

use crate::notes::Notes;
use crate::stub_compare::StubAndSource;

/// Returns the clients with these ids, without duplicates.
///
/// # Errors
/// E100 for an unknown id.
pub(crate) fn clients(ids: &[String]) -> Result<Vec<&'static Client>> {
    let mut clients: Vec<&Client> = Vec::new();
    for id in ids {
        let client = Clients::shared().client(id.trim())?;
        if clients.iter().all(|known| known.id != client.id) {
            clients.push(client);
        }
    }
    Ok(clients)
}

/// Warns about differences in how clients handle a stub and its source.
///
/// # Errors
/// E999 if the stub or the source cannot be read.
pub(crate) fn compare(
    at: &SkillRef,
    runtime: &RuntimeDir,
    clients: &[&Client],
    notes: &mut Notes,
) -> Result<()> {
    if clients.is_empty() {
        return Ok(());
    }
    let path = RelPath::parse(SKILL_FILE)?;
    let read = |root| -> Result<Option<Document>> {
        let file = SourceFile::read(root, &path)?;
        Ok(file.map(SourceFile::into_document))
    };
    let (Some(stub), Some(source)) = (read(&runtime.0)?, read(&at.canonical)?) else {
        return Ok(());
    };
    let both = StubAndSource {
        stub: &stub,
        source: &source,
        at,
    };
    for client in clients {
        for difference in both.remarks(client) {
            notes.warn(Warning::ClientDiffers {
                skill: at.name.clone(),
                client: client.id.clone(),
                difference,
            });
        }
    }
    Ok(())
}
