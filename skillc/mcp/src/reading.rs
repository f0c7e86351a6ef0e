//! Read-only requests: resources, prompts, instructions.

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;
use serde::Serialize;
use skillc_core::Stop;
use skillc_core::config::Toolset;
use skillc_ops::catalog::Look;
use skillc_ops::catalog::model::Catalog;
use skillc_ops::{NoProgress, Notes, Toolkit};
use tokio::task::spawn_blocking;

use crate::answer_size::checked;
use crate::instructions;
use crate::resource_index::Digests;
use crate::server::Server;

/// The data that a read-only request uses.
pub(crate) struct Reading<'a> {
    pub(crate) toolkit: &'a Toolkit,
    pub(crate) catalog: &'a Catalog,
    pub(crate) digests: &'a Digests,
    pub(crate) toolset: Toolset,
}

impl Server {
    /// Runs `read` on a blocking thread, and checks the size of its result. If the client cancels the request, this
    /// method signals `read` to stop, and waits until `read` returns.
    pub(crate) async fn read<T: Serialize + Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        look: Look,
        read: impl FnOnce(&Reading<'_>) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let stop = Stop::default();
        let room = self.room(&context).await?;
        let (server, stopped) = (self.clone(), stop.clone());
        let mut work = spawn_blocking(move || {
            let _room = room;
            let toolkit = server.toolkit.for_call(Box::new(NoProgress), stopped);
            // The response cannot carry warnings: the next tool call delivers them.
            let mut notes = Notes::default();
            let catalog = toolkit.catalog(look, &mut notes);
            toolkit.say_later(notes);
            let result = read(&Reading {
                toolkit: &toolkit,
                catalog: &catalog,
                digests: &server.digests,
                toolset: server.toolset,
            });
            result.and_then(checked)
        });
        let result = tokio::select! {
            result = &mut work => result,
            () = context.ct.cancelled() => {
                stop.raise();
                work.await
            }
        };
        self.tell_changes();
        result.unwrap_or_else(|e| Err(ErrorData::internal_error(e.to_string(), None)))
    }

    /// Returns the instructions for the client's model, including the list of skills.
    pub(crate) async fn instructions(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<Option<String>, ErrorData> {
        let told = |reading: &Reading<'_>| {
            let told = instructions::with_skills(reading.toolset, reading.catalog);
            Ok(Some(told))
        };
        self.read(context, Look::IfDue, told).await
    }
}
