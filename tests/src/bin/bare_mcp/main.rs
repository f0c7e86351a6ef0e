//! The floor of the server benchmark: a minimal MCP server. Its only tool does the minimum work of a search, and always
//! returns the same answer.
//!
//! Usage: `skc-bare-mcp <answer> <hits> <source> <index> <home> <query>`. The arguments are a file with the `result` of
//! a call as JSON, the expected number of hits, the skill's directory, its search index, the directory for logs, and a
//! query of two words.

mod least;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use crate::least::Least;

struct Bare {
    answer: CallToolResult,
    hits: usize,
    least: Arc<Mutex<Least>>,
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let least = Arc::clone(&self.least);
        // Do not block the thread that reads requests.
        let work = spawn_blocking(move || least.lock().map(|mut least| least.once()).ok());
        assert_eq!(work.await.ok().flatten(), Some(self.hits));
        Ok(self.answer.clone().into())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [answer, hits, source, index, home, query] = &arguments[..] else {
        return Err("six arguments are needed".into());
    };
    let paths = [source, index, home].map(Path::new);
    let bare = Bare {
        answer: serde_json::from_slice(&fs::read(answer)?)?,
        hits: hits.parse()?,
        least: Arc::new(Mutex::new(Least::new(paths, query))),
    };
    // The same runtime as the product's server.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = bare.serve(stdio_pipes()).await?;
        service.waiting().await?;
        Ok(())
    })
}
