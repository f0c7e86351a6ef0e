//! The server itself: what it says of itself, and where each request goes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use skillc_core::error::Notice;
use skillc_ops::{NoProgress, Notes, Stop, Toolkit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::audit::Audit;
use crate::chain;
use crate::shelf::Digests;
use crate::tools::{MAX_ANSWER_BYTES, Tools};
use crate::{prompts, resources};

/// What a client is told to tell its model.
const INSTRUCTIONS: &str = "Agent Skills on this machine. Find one with skc_list, see what is in it with skc_outline or \
    skc_search, and read only the part you need with skc_show (a section) or skc_open (a file).";

/// Warnings that are about the machine and not about a call: said once.
const ONCE: [&str; 3] = ["W002", "W003", "W020"];

/// The most calls that are worked on at once.
const MAX_CALLS: usize = 64;

/// The most calls that wait for others; more are refused.
const MAX_WAITING: usize = 256;

/// The server of one process, shared by all its clients.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) toolkit: Arc<Toolkit>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) audit: Arc<Audit>,
    digests: Arc<Digests>,
    /// The calls that are worked on.
    work: Arc<Semaphore>,
    /// The calls that wait for that.
    waiting: Arc<Semaphore>,
    said: Arc<Mutex<BTreeSet<String>>>,
}

impl Server {
    pub(crate) fn new(mut toolkit: Toolkit) -> Self {
        toolkit.max_answer_bytes = MAX_ANSWER_BYTES as u64;
        Self {
            toolkit: Arc::new(toolkit),
            tools: Arc::new(Tools::new()),
            audit: Arc::default(),
            digests: Arc::default(),
            work: Arc::new(Semaphore::new(MAX_CALLS)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            said: Arc::default(),
        }
    }

    /// Takes the warnings that are to be shown; one about the machine only the first time.
    pub(crate) fn news(&self, notes: &mut Notes) -> Vec<String> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_news = |notice: &Notice| {
            let is_once = match notice {
                Notice::Warning(warning) => ONCE.contains(&warning.code()),
                Notice::Error(_) => false,
            };
            !is_once || said.insert(notice.to_string())
        };
        let notices = std::mem::take(&mut notes.notices).into_iter();
        let news = notices.filter(|notice| is_news(notice));
        news.map(|notice| notice.to_string()).collect()
    }

    /// Waits until there is room for another call.
    ///
    /// # Errors
    /// An internal error, to be tried again, if too many are waiting.
    pub(crate) async fn room(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<OwnedSemaphorePermit, ErrorData> {
        let busy = || ErrorData::internal_error("too many calls are waiting; try again", None);
        let _place = self.waiting.try_acquire().map_err(|_| busy())?;
        tokio::select! {
            permit = Arc::clone(&self.work).acquire_owned() => permit.map_err(|_| busy()),
            () = context.ct.cancelled() => Err(busy()),
        }
    }

    /// Reads something on a blocking thread, until it is done or the client has turned away.
    async fn read<T: Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        read: impl FnOnce(&Toolkit, &Digests) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let stop = Stop::default();
        let room = self.room(&context).await?;
        let (server, stopped) = (self.clone(), stop.clone());
        let mut work = spawn_blocking(move || {
            let _room = room;
            let toolkit = server.toolkit.for_call(Box::new(NoProgress), stopped);
            read(&toolkit, &server.digests)
        });
        let result = tokio::select! {
            result = &mut work => result,
            () = context.ct.cancelled() => {
                stop.raise();
                work.await
            }
        };
        result.unwrap_or_else(|e| Err(ErrorData::internal_error(e.to_string(), None)))
    }
}

/// Refuses a cursor where none is given out.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match cursor(request) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(resources::UNKNOWN_CURSOR, None)),
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_skills_with_directory_read()
            .build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("skillc", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request)?;
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

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = cursor(request);
        let list =
            move |toolkit: &Toolkit, _: &Digests| resources::list(toolkit, cursor.as_deref());
        self.read(context, list).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = move |toolkit: &Toolkit, _: &Digests| resources::read(toolkit, &request.uri);
        self.read(context, read).await.map(Into::into)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let list = move |toolkit: &Toolkit, _: &Digests| {
            resources::directory(toolkit, &request.uri, request.cursor.as_deref())
        };
        self.read(context, list).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = cursor(request);
        let list = move |toolkit: &Toolkit, digests: &Digests| {
            resources::list_skills(toolkit, digests, cursor.as_deref())
        };
        self.read(context, list).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let get = move |toolkit: &Toolkit, digests: &Digests| {
            resources::get_skill(toolkit, digests, &request.uri)
        };
        self.read(context, get).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request)?;
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let get = move |toolkit: &Toolkit, _: &Digests| prompts::get(toolkit, &request);
        self.read(context, get).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompts::check(&request.r#ref)?;
        let ArgumentInfo { name, value, .. } = request.argument;
        let complete =
            move |toolkit: &Toolkit, _: &Digests| Ok(prompts::complete(toolkit, &name, &value));
        self.read(context, complete).await.map(CompleteResult::new)
    }

    /// Answers what is no request of the protocol, or one with parameters of another shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // Who names the revision in each request speaks one without a handshake.
        let has_handshake = context.meta.protocol_version().is_none();
        if is_known(&method) && (has_handshake || method != "initialize") {
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
        "completion/complete"
            | "initialize"
            | "prompts/get"
            | "prompts/list"
            | "resources/directory/read"
            | "resources/list"
            | "resources/read"
            | "resources/templates/list"
            | "server/discover"
            | "skills/get"
            | "skills/list"
            | "tools/call"
            | "tools/list"
    )
}
