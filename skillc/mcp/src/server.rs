//! The server: state shared by all clients, and limits on parallel work.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonObject};
use rmcp::service::RequestContext;
use serde_json::Value;
use skillc_core::config::Toolset;
use skillc_core::error::Notice;
use skillc_ops::Connection;
use skillc_ops::audit::CallAudit;
use skillc_ops::catalog::model::Audience;
use skillc_ops::{Notes, Toolkit, registry};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

use crate::asking::Questions;
use crate::changes::Changes;
#[cfg(feature = "http")]
use crate::metrics::Metrics;
use crate::resource_index::Digests;
use crate::tools::{MAX_ANSWER_BYTES, Tools};

/// Warnings about the machine, not about a call. Each message is shown only once per server process.
const ONCE: [&str; 3] = ["W002", "W003", "W020"];

/// The maximum number of calls and read-only requests that have left the queue: each is either running or waiting for a
/// thread.
const MAX_CALLS: usize = 64;

/// The number of places in the call queue. A call that finds too few free places is rejected.
const MAX_WAITING: usize = 256;

/// A queued call occupies one place, plus one place per `PLACE_BYTES` bytes of its arguments.
const PLACE_BYTES: usize = 64 << 10;

/// How long the server waits for a user's answer.
const ASKED_FOR: Duration = Duration::from_secs(120);

/// How often shutdown checks whether calls are still running.
#[cfg(feature = "http")]
const INTERVAL: Duration = Duration::from_millis(20);

/// The server of one process, shared by all its clients.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) toolkit: Arc<Toolkit>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) toolset: Toolset,
    pub(crate) audit: Arc<CallAudit>,
    /// Notifies clients that the list of skills has changed.
    pub(crate) changes: Arc<Changes>,
    pub(crate) questions: Arc<Questions>,
    /// The connection of the client that this clone serves.
    pub(crate) connection: Arc<Connection>,
    /// How long to wait for a user's answer.
    pub(crate) patience: Duration,
    pub(crate) digests: Arc<Digests>,
    /// Permits for calls and read-only requests that have left the queue.
    work: Arc<Semaphore>,
    /// Permits for queued calls.
    waiting: Arc<Semaphore>,
    said: Arc<Mutex<BTreeSet<String>>>,
    #[cfg(feature = "http")]
    pub(crate) metrics: Arc<Metrics>,
}

impl Server {
    /// Creates a server with the tools of a toolset.
    ///
    /// # Errors
    /// E999 if two tools have the same name; E066 if the configuration requires the skill registry, and the registry is
    /// unusable. The toolset `skc` does not need the registry.
    pub(crate) fn new(mut toolkit: Toolkit, toolset: Toolset) -> skillc_core::Result<Self> {
        if toolset != Toolset::Skc {
            registry::check_start(&toolkit)?;
        }
        toolkit.max_answer_bytes = MAX_ANSWER_BYTES as u64;
        toolkit.audience = Audience::Model;
        Ok(Self {
            toolkit: Arc::new(toolkit),
            tools: Arc::new(Tools::new(toolset)?),
            toolset,
            audit: Arc::default(),
            changes: Arc::default(),
            questions: Arc::default(),
            connection: Arc::default(),
            patience: ASKED_FOR,
            digests: Arc::default(),
            work: Arc::new(Semaphore::new(MAX_CALLS)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            said: Arc::default(),
            #[cfg(feature = "http")]
            metrics: Arc::default(),
        })
    }

    /// Leaves out the tools that change skills or settings.
    ///
    /// # Errors
    /// E999 if two tools have the same name.
    #[cfg(feature = "http")]
    pub(crate) fn read_only(self) -> skillc_core::Result<Self> {
        Ok(Self {
            tools: Arc::new(Tools::new(self.toolset)?.read_only()),
            ..self
        })
    }

    /// Waits until no call is running or waiting, and the last responses have had time to be sent.
    #[cfg(feature = "http")]
    pub(crate) async fn idle(&self) {
        let is_busy = || {
            let is_waiting = self.waiting.available_permits() < MAX_WAITING;
            is_waiting || self.work.available_permits() < MAX_CALLS
        };
        if !is_busy() {
            return;
        }
        while is_busy() {
            tokio::time::sleep(INTERVAL).await;
        }
        tokio::time::sleep(5 * INTERVAL).await;
    }

    /// Counts a call for the metrics.
    ///
    /// `tool`: the name of a registered tool. `outcome`: one of a fixed set of words.
    #[cfg_attr(
        not(feature = "http"),
        expect(clippy::unused_self, reason = "nothing is counted")
    )]
    pub(crate) fn count(&self, tool: &str, outcome: &'static str, time: Duration) {
        #[cfg(feature = "http")]
        self.metrics.add(tool, outcome, time);
        #[cfg(not(feature = "http"))]
        let _ = (tool, outcome, time);
    }

    /// Prepares the skill registry on a separate thread, so that the first requests are fast. Does nothing for the
    /// toolset `skc`, which does not use the registry.
    pub(crate) fn start(&self) {
        if self.toolset == Toolset::Skc {
            return;
        }
        let toolkit = Arc::clone(&self.toolkit);
        spawn_blocking(move || {
            let lines = registry::start(&toolkit).into_iter();
            let lines: String = lines.map(|line| line + "\n").collect();
            // Standard error may be closed.
            let _ = std::io::stderr().write_all(lines.as_bytes());
        });
    }

    /// Returns the same server for another connection.
    pub(crate) fn connected(&self) -> Self {
        Self {
            connection: Arc::default(),
            ..self.clone()
        }
    }

    /// Removes all errors and warnings from `notes`, and returns their messages, except for warnings about the machine
    /// that were shown before.
    pub(crate) fn news(&self, notes: &mut Notes) -> Vec<String> {
        let mut said = self.said.lock();
        let mut is_news = |notice: &Notice| {
            let is_once = match notice {
                Notice::Warning(warning) => ONCE.contains(&warning.code()),
                Notice::Error(_) => false,
            };
            !is_once || said.insert(notice.to_string())
        };
        let notices = std::mem::take(&mut notes.notices).into_iter();
        let news = notices.filter(|notice| is_news(notice));
        let text = |notice: Notice| match notice.details() {
            Some(details) => format!("{notice}\n{details}"),
            None => notice.to_string(),
        };
        news.map(text).collect()
    }

    /// Waits for a permit to execute a call or a read-only request.
    ///
    /// # Errors
    /// A retryable internal error if the client cancels the request.
    pub(crate) async fn room(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<OwnedSemaphorePermit, ErrorData> {
        tokio::select! {
            permit = Arc::clone(&self.work).acquire_owned() => permit.map_err(|_| busy()),
            () = context.ct.cancelled() => Err(busy()),
        }
    }

    /// Reserves places in the queue: one for the call, and more if its arguments are large.
    ///
    /// # Errors
    /// A retryable internal error if the queue is full.
    pub(crate) fn place(
        &self,
        arguments: Option<&JsonObject>,
    ) -> Result<SemaphorePermit<'_>, ErrorData> {
        let bytes = arguments.map_or(0, |of| of.values().map(bytes_of).sum::<usize>());
        let places = u32::try_from(1 + bytes / PLACE_BYTES).unwrap_or(u32::MAX);
        self.waiting.try_acquire_many(places).map_err(|_| busy())
    }
}

fn busy() -> ErrorData {
    ErrorData::internal_error("too many calls are waiting; try again", None)
}

/// Returns the total length of the strings and keys in a value, in bytes.
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(bytes_of).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, of)| key.len() + bytes_of(of))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
