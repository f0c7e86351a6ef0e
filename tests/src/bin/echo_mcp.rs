//! The floor of the benchmark of the server: the least that a server of the protocol can be, with one tool that gives the
//! same answer whatever it is asked.
//!
//! Usage: `skc-echo-mcp <file>`: the file holds the answer, the `result` of a call as JSON.

use std::error::Error;
use std::fs;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::runtime::Builder;

struct Echo(CallToolResult);

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.0.clone().into())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("no file is named")?;
    let echo = Echo(serde_json::from_slice(&fs::read(path)?)?);
    // As the product's server runs.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = echo.serve(stdio_pipes()).await?;
        service.waiting().await?;
        Ok(())
    })
}
