//! Routes each protocol request to its implementation.

use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetSkillRequestParams, GetSkillResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use skillc_ops::catalog::Look;

use crate::reading::Reading;
use crate::server::Server;
use crate::{chain, instructions, prompts, resources};

/// Rejects a cursor for lists that have a single page.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match cursor(request) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(resources::UNKNOWN_CURSOR, None)),
    }
}

/// Returns how fresh the catalog must be for a page of a list. For the first page, the skills are always read again.
/// Later pages use the cached catalog as long as it is current, so they usually continue the list of the first page.
fn first_page(cursor: Option<&str>) -> Look {
    match cursor {
        None => Look::Anew,
        Some(_) => Look::IfDue,
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
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_skills_with_directory_read()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.instructions = Some(instructions::base(self.toolset).to_owned());
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
        chain::call(self.clone(), request, context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        let peer = context.peer.clone();
        result.instructions = self.instructions(context).await?;
        // Register the client only now: the first lists that it requests will include earlier changes, and the client
        // reads no notifications before this response.
        self.changes.listen(peer);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        info.instructions = self.instructions(context).await?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(
            SubscriptionFilter::builder()
                .resources_list_changed()
                .build(),
        )
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            tokio::select! {
                Ok(()) = changes.changed() => {}
                () = context.cancelled() => return Ok(()),
            }
            // An error means that the subscription has ended: the next iteration then returns.
            let _ = context.sink().notify_resource_list_changed().await;
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = cursor(request);
        let look = first_page(cursor.as_deref());
        let list = move |reading: &Reading<'_>| resources::list(reading.catalog, cursor.as_deref());
        self.read(context, look, list).await
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
        let read = move |reading: &Reading<'_>| resources::read(reading.catalog, &request.uri);
        self.read(context, Look::IfDue, read).await.map(Into::into)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let list = move |reading: &Reading<'_>| {
            resources::directory(reading.catalog, &request.uri, request.cursor.as_deref())
        };
        self.read(context, Look::IfDue, list).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = cursor(request);
        let look = first_page(cursor.as_deref());
        let list = move |reading: &Reading<'_>| {
            let Reading {
                toolkit,
                catalog,
                digests,
                ..
            } = reading;
            resources::list_skills(toolkit, catalog, digests, cursor.as_deref())
        };
        self.read(context, look, list).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let get = move |reading: &Reading<'_>| {
            let Reading {
                toolkit,
                catalog,
                digests,
                ..
            } = reading;
            resources::get_skill(toolkit, catalog, digests, &request.uri)
        };
        self.read(context, Look::IfDue, get).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request)?;
        let list = |reading: &Reading<'_>| Ok(prompts::list(reading.toolset, reading.catalog));
        let prompts = self.read(context, Look::IfDue, list).await?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let get = move |reading: &Reading<'_>| {
            prompts::get(reading.toolset, reading.toolkit, reading.catalog, &request)
        };
        self.read(context, Look::IfDue, get).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompts::check(&request.r#ref)?;
        let ArgumentInfo { name, value, .. } = request.argument;
        let complete =
            move |reading: &Reading<'_>| Ok(prompts::complete(reading.catalog, &name, &value));
        let found = self.read(context, Look::IfDue, complete).await;
        found.map(CompleteResult::new)
    }

    /// Answers requests with an unknown method or malformed parameters: always with an error.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // Only protocol versions without a handshake put the version into each request.
        let has_handshake = context.meta.protocol_version().is_none();
        if is_known(&method) && (has_handshake || method != "initialize") {
            let message = format!("invalid parameters for '{method}'");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}

/// Returns whether the server implements a method.
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
            | "subscriptions/listen"
            | "tools/call"
            | "tools/list"
    )
}
