//! Reports data flows between statements: downloads that are run, secrets that are sent, and remote instructions that
//! are followed.

use skillc_core::Span;
use skillc_core::reveal::written_values;

use super::Of;
use super::loading::is_minified;
use crate::security::context::Place;
use crate::security::flow::{Flow, Labels, Sink, flows, is_weak};
use crate::security::hosts::HostKind;
use crate::security::signals::{Match, Signal};

/// The extensions of data files whose lines are, or contain, commands.
const CONFIGS: [&str; 10] = [
    "ini",
    "cfg",
    "conf",
    "service",
    "desktop",
    "plist",
    "properties",
    "env",
    "mk",
    "just",
];

impl Of<'_, '_> {
    /// Reports the harmful data flows in the layer's code.
    pub(super) fn flowing(&mut self) {
        let has = |signals: &[Signal]| signals.iter().any(|signal| self.layer.has(*signal));
        let is_source = [
            Signal::SecretFile,
            Signal::SecretCommand,
            Signal::EnvironmentDump,
            Signal::ReadAll,
            Signal::Input,
        ];
        // Skip the slow analysis if the text lacks a source or a sink: there is no flow to report.
        let sends = has(&[Signal::Send, Signal::DnsLookup, Signal::Net]);
        let runs = has(&[Signal::Decode]) || has(&[Signal::Fetch]) && self.has_foreign_address();
        if !(runs || sends && has(&is_source)) {
            return;
        }
        let (text, code) = (self.layer.text(), [self.values(), self.code()].concat());
        let layer = self.layer;
        for flow in flows(text, &layer.matches, &code, &layer.left_out, self.stop) {
            match flow.sink {
                Sink::Run => self.run_flow(&flow),
                Sink::Send => self.send_flow(&flow),
            }
        }
    }

    /// Returns the values of a data file or of the frontmatter, in order. A client may run each of them as a script.
    fn values(&self) -> Vec<Span> {
        let (layer, file) = (self.layer.layer, self.layer.file);
        if !layer.is_file() || self.layer.is_script {
            return Vec::new();
        }
        let place = |span: Span| Span::new(layer.offset_of(span.start), layer.offset_of(span.end));
        let Some(values) = written_values(&file.path, &file.text) else {
            let extension = file.path.extension();
            let is_lines = extension.is_none_or(|extension| CONFIGS.contains(&&*extension));
            let all = Span::new(0, layer.text.len());
            return if is_lines { vec![all] } else { Vec::new() };
        };
        let values = values.into_iter().map(|value| place(value.span));
        values.filter(|span| span.start < span.end).collect()
    }

    fn has_foreign_address(&self) -> bool {
        let all = Span::new(0, self.layer.text().len());
        let mut addresses = self.layer.addresses(all).iter();
        addresses.any(|address| self.is_foreign(address))
    }

    /// Returns the spans of the layer's code, in order: the code blocks and code spans of Markdown, or the whole text
    /// of a script or of a decoded layer.
    pub(super) fn code(&self) -> Vec<Span> {
        let all = Span::new(0, self.layer.text().len());
        let layer = self.layer.layer;
        match self.layer.doc {
            Some(doc) if layer.is_file() => {
                let blocks = doc.code_blocks.iter().map(|block| block.span);
                let mut spans: Vec<Span> = blocks.chain(doc.code_spans.iter().copied()).collect();
                spans.sort_by_key(|span| span.start);
                let place =
                    |span: Span| Span::new(layer.offset_of(span.start), layer.offset_of(span.end));
                spans
                    .into_iter()
                    .map(place)
                    .filter(|span| span.start < span.end)
                    .collect()
            }
            _ if self.layer.place(all) == Place::Data && layer.is_file() => Vec::new(),
            _ => vec![all],
        }
    }

    fn run_flow(&mut self, flow: &Flow) {
        let hit = Match {
            signal: Signal::Fetch,
            span: flow.span,
        };
        let address = flow.address.as_ref();
        if !self.is_order_to(&hit, address) {
            return;
        }
        let foreign =
            address.filter(|address| self.is_foreign(address) && !self.view.is_of_tool(address));
        if let Some(address) = foreign.filter(|_| flow.labels.has(Labels::DOWNLOAD)) {
            let what = format!(
                "runs what it downloads from '{}' ({})",
                address.host,
                address.kind.words()
            );
            let is_error = !self.is_lesson(&hit, Some(address.kind));
            self.push("SEC101", flow.span, is_error, &what);
        } else if flow.labels.has(Labels::DECODED)
            && !is_minified(self.layer.text(), flow.span.start)
        {
            let is_error = !self.is_lesson(&hit, None);
            self.push(
                "SEC110",
                flow.span,
                is_error,
                "decodes code before running it, which hides the code from review",
            );
        }
    }

    fn send_flow(&mut self, flow: &Flow) {
        let hit = Match {
            signal: Signal::Send,
            span: flow.span,
        };
        let kind = flow.address.as_ref().map(|address| address.kind);
        let is_home = matches!(
            kind,
            Some(HostKind::Local | HostKind::Known | HostKind::Placeholder)
        );
        if flow.labels.has(Labels::SECRET) && kind == Some(HostKind::Known) && self.is_order(&hit) {
            self.sent_to_vendor(&hit, flow.secret.as_deref(), flow.address.as_ref());
        }
        if is_home || !self.is_order_to(&hit, flow.address.as_ref()) {
            return;
        }
        let is_foreign = flow
            .address
            .as_ref()
            .map_or(flow.is_lookup, |address| self.is_foreign(address));
        let to = match &flow.address {
            Some(address) => format!("'{}' ({})", address.host, address.kind.words()),
            None => "another machine".to_owned(),
        };
        let part = self.layer.part(flow.span);
        let signs_in = ["headers", "Authorization", "Bearer", "auth="]
            .iter()
            .any(|sign| part.contains(sign));
        let is_weak = flow.secret.as_deref().is_some_and(is_weak);
        let is_error = !self.is_lesson_to(&hit, flow.address.as_ref());
        if flow.labels.has(Labels::OBEYED) && is_foreign {
            let what = format!("runs commands from {to}, and sends back the output");
            self.push("SEC102", flow.span, is_error, &what);
        } else if flow.labels.has(Labels::SECRET) && !(is_weak && (signs_in || !is_foreign)) {
            let name = flow.secret.as_deref().unwrap_or("credentials");
            if is_metadata_request(flow, part) {
                return;
            }
            // The list of users is public, and its path is a common value in tests.
            let is_name = name.ends_with("/etc/passwd") && !flow.is_read;
            let what = format!("reads '{name}' and sends it to {to}");
            // A client is allowed to sign in to a server that the user has configured, and a backup tool is allowed to
            // copy files.
            let is_own = flow.address.is_none() && signs_in
                || self.is_backup(&hit, kind)
                || self.is_deployment(&hit, name);
            self.push("SEC103", flow.span, is_error && !is_own && !is_name, &what);
        } else if flow.labels.has(Labels::ENVIRONMENT) {
            let what = format!("sends the environment variables, which contain keys, to {to}");
            self.push("SEC103", flow.span, is_error, &what);
        } else if flow.labels.has(Labels::INPUT) && is_foreign {
            let what = format!("sends keystrokes, copied text or screenshots to {to}");
            self.push("SEC103", flow.span, is_error, &what);
        } else if flow.labels.has(Labels::FOLDERS) && is_foreign {
            let what = format!("reads whole folders and sends their contents to {to}");
            let is_own = self.is_own_chat(&hit, self.layer.statement(flow.span));
            self.push(
                "SEC104",
                flow.span,
                is_error && !self.view.is_security && !is_own,
                &what,
            );
        }
    }
}

/// Returns whether a flow is only a request to the metadata service of a cloud: the statement uses the address of that
/// service, names no other address and sends no data.
fn is_metadata_request(flow: &Flow, part: &str) -> bool {
    const HOSTS: [&str; 3] = [
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
    ];
    const BODIES: [&str; 8] = [
        "data", "body", "json", "post", "files", "send", "upload", "|",
    ];
    let is_metadata = |name: &str| HOSTS.iter().any(|host| name.starts_with(host));
    // `metadata` contains `data`.
    let part = part.to_ascii_lowercase().replace("metadata", "");
    flow.address.is_none()
        && !flow.is_lookup
        && flow.secret.as_deref().is_some_and(is_metadata)
        && !BODIES.iter().any(|word| part.contains(word))
}
