//! The server itself: what it says of itself, and where each request goes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use skillc_core::error::Notice;
use skillc_ops::Toolkit;

use crate::chain;
use crate::tools::Tools;

/// What a client is told to tell its model.
const INSTRUCTIONS: &str = "Agent Skills on this machine. Find one with skc_list, see what is in it with skc_outline or \
    skc_search, and read only the part you need with skc_show (a section) or skc_open (a file).";

/// Warnings that are about the machine and not about a call: said once.
const ONCE: [&str; 3] = ["W002", "W003", "W020"];

/// The server of one process, shared by all its clients.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) toolkit: Arc<Toolkit>,
    pub(crate) tools: Arc<Tools>,
    said: Arc<Mutex<BTreeSet<String>>>,
}

impl Server {
    pub(crate) fn new(toolkit: Toolkit) -> Self {
        Self {
            toolkit: Arc::new(toolkit),
            tools: Arc::new(Tools::new()),
            said: Arc::default(),
        }
    }

    /// Says whether a warning is to be shown: one about the machine only the first time.
    pub(crate) fn is_news(&self, notice: &Notice) -> bool {
        let is_once = match notice {
            Notice::Warning(warning) => ONCE.contains(&warning.code()),
            Notice::Error(_) => false,
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        !is_once || said.insert(notice.to_string())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("skillc", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.find(name).ok().map(|entry| entry.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        chain::call(self.clone(), request, context)
            .await
            .map(Into::into)
    }

    /// Answers what is no request of the protocol, or one with parameters of another shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if is_known(&method) {
            let message = format!("the parameters of '{method}' do not have its shape");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}

/// Says whether a method is one of ours.
fn is_known(method: &str) -> bool {
    matches!(
        method,
        "initialize" | "server/discover" | "tools/call" | "tools/list"
    )
}
