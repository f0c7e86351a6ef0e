//! Tracks a client's requests in flight: from dispatch until the response is queued for sending.
//!
//! A cancelled request is never answered. It stays in flight until its work has stopped; until then, its id cannot be
//! reused.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, ProtocolVersion, RequestId, ServerConfig,
    ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use tokio::sync::Notify;

use crate::server::Server;

/// The maximum number of requests in flight.
const MAX_UNDER_WAY: usize = 32;

/// The state of a request.
#[derive(Debug, Clone, Copy, Default)]
struct Fate {
    is_cancelled: bool,
    is_done: bool,
}

/// The requests in flight.
#[derive(Default)]
pub(crate) struct InFlight {
    requests: Mutex<HashMap<RequestId, Fate>>,
    freed: Notify,
}

impl InFlight {
    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, Fate>> {
        self.requests.lock()
    }

    /// Registers a request; returns false if the limit is reached. The caller must ensure that no request with this id
    /// is in flight.
    pub(crate) fn begin(&self, id: &RequestId) -> bool {
        let mut requests = self.requests();
        let has_room = requests.len() < MAX_UNDER_WAY;
        if has_room {
            requests.insert(id.clone(), Fate::default());
        }
        has_room
    }

    /// Returns whether a request with this id is in flight.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests().contains_key(id)
    }

    /// Waits until some request is no longer in flight.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Marks a request as answered: its response is queued.
    pub(crate) fn answered(&self, id: &RequestId) {
        self.requests().remove(id);
        self.freed.notify_one();
    }

    /// Marks a request as cancelled by the client: it will not be answered.
    pub(crate) fn cancelled(&self, id: &RequestId) {
        self.change(id, |fate| fate.is_cancelled = true);
    }

    /// Marks a request's work as finished.
    fn done(&self, id: &RequestId) {
        self.change(id, |fate| fate.is_done = true);
    }

    fn change(&self, id: &RequestId, change: impl FnOnce(&mut Fate)) {
        let mut requests = self.requests();
        let Some(fate) = requests.get_mut(id) else {
            return;
        };
        change(fate);
        if fate.is_cancelled && fate.is_done {
            requests.remove(id);
            self.freed.notify_one();
        }
    }
}

/// Wraps a server to track when the work on a request is finished.
pub(crate) struct Tracked {
    pub(crate) server: Server,
    pub(crate) in_flight: Arc<InFlight>,
}

impl Service<RoleServer> for Tracked {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let id = context.id.clone();
        let result = self.server.handle_request(request, context).await;
        self.in_flight.done(&id);
        result
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.server)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.server)
    }
}
