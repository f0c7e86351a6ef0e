//! The requests of a client that are under way: from when they are handed on until their answer is on its way out.
//!
//! A request that the client gives up is never answered. It is under way until nobody works on it any more: only then can
//! its id be that of another.

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

/// The most requests under way.
const MAX_UNDER_WAY: usize = 32;

/// What has become of a request.
#[derive(Debug, Clone, Copy, Default)]
struct Fate {
    is_cancelled: bool,
    is_done: bool,
}

/// The requests under way.
#[derive(Default)]
pub(crate) struct UnderWay {
    requests: Mutex<HashMap<RequestId, Fate>>,
    freed: Notify,
}

impl UnderWay {
    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, Fate>> {
        self.requests.lock()
    }

    /// Takes a request, if there is room. Its id is none of those under way.
    pub(crate) fn begin(&self, id: &RequestId) -> bool {
        let mut requests = self.requests();
        let has_room = requests.len() < MAX_UNDER_WAY;
        if has_room {
            requests.insert(id.clone(), Fate::default());
        }
        has_room
    }

    /// Says whether a request of that id is under way.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests().contains_key(id)
    }

    /// Waits until one is not under way any more.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Its answer is on its way.
    pub(crate) fn answered(&self, id: &RequestId) {
        self.requests().remove(id);
        self.freed.notify_one();
    }

    /// The client has given it up: it will not be answered.
    pub(crate) fn cancelled(&self, id: &RequestId) {
        self.change(id, |fate| fate.is_cancelled = true);
    }

    /// Nobody works on it any more.
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

/// A server that says when it has done with a request.
pub(crate) struct Tracked {
    pub(crate) server: Server,
    pub(crate) under_way: Arc<UnderWay>,
}

impl Service<RoleServer> for Tracked {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let id = context.id.clone();
        let result = self.server.handle_request(request, context).await;
        self.under_way.done(&id);
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
