//! Reads and writes messages, each of which has a header with its length.
//!
//! A message that is invalid or too large is reported and skipped, and the connection stays open.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// The maximum size of a message, in bytes.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;

/// The maximum size of a header, in bytes.
const MAX_HEADER_BYTES: u64 = 8 << 10;

/// Input from the client.
pub(crate) enum Incoming {
    /// A message.
    Message(Message),
    /// Input that is not a valid message.
    Fault(Malformed),
}

/// The error for input that is not a valid message.
pub(crate) struct Malformed {
    code: ErrorCode,
    reason: String,
}

/// Output to the client.
pub(crate) enum Outgoing {
    /// A message.
    Message(Message),
    /// An error that answers no known request.
    Fault(Malformed),
}

impl Malformed {
    fn new(code: ErrorCode, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { code, reason }
    }
}

/// Reads the next message; `None` at the end of the input.
///
/// # Errors
/// I/O errors, and `InvalidData` if a header is too large: the input then does not follow the protocol.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    let length = match length {
        Ok(length) => length,
        Err(fault) => return Ok(Some(Incoming::Fault(fault))),
    };
    if length > MAX_MESSAGE_BYTES {
        io::copy(&mut input.take(length), &mut io::sink())?;
        let reason = format!("the message is larger than {MAX_MESSAGE_BYTES} bytes");
        let fault = Malformed::new(ErrorCode::InvalidRequest, reason);
        return Ok(Some(Incoming::Fault(fault)));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(parse(&body)))
}

/// Reads a header. Returns the length of the message, or an error if the header does not specify the length; `None` at
/// the end of the input.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, Malformed>>> {
    let mut header = input.take(MAX_HEADER_BYTES);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        header.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            if header.limit() > 0 {
                return Ok(None);
            }
            let reason = "the header is too large";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse().ok();
        }
    }
    let missing = || {
        Malformed::new(
            ErrorCode::InvalidRequest,
            "the header has no valid Content-Length",
        )
    };
    Ok(Some(length.ok_or_else(missing)))
}

fn parse(body: &[u8]) -> Incoming {
    let fault = match serde_json::from_slice(body) {
        Ok(message) => return Incoming::Message(message),
        Err(_) => match serde_json::from_slice::<Value>(body) {
            Ok(_) => Malformed::new(ErrorCode::InvalidRequest, "not a JSON-RPC message"),
            Err(error) => Malformed::new(ErrorCode::ParseError, error.to_string()),
        },
    };
    Incoming::Fault(fault)
}

/// Writes a message.
///
/// # Errors
/// I/O errors.
pub(crate) fn write(outgoing: Outgoing, output: &mut impl Write) -> io::Result<()> {
    match outgoing {
        Outgoing::Message(message) => message.write(output),
        Outgoing::Fault(Malformed { code, reason }) => {
            let error = json!({ "code": code as i32, "message": reason });
            let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
            write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
            output.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// Returns the method of each message, or the code of each fault.
    fn all(mut input: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap() {
            found.push(match incoming {
                Incoming::Message(Message::Notification(of)) => of.method,
                Incoming::Message(Message::Request(of)) => of.method,
                Incoming::Message(Message::Response(of)) => of.id.to_string(),
                Incoming::Fault(fault) => (fault.code as i32).to_string(),
            });
        }
        found
    }

    #[test]
    fn an_invalid_message_is_skipped() {
        let input = [
            framed(r#"{"method": "a"}"#),
            framed("{"),
            framed("[1]"),
            "Content-Type: x\r\n\r\n".to_owned(),
            "content-length: nothing\r\n\r\n".to_owned(),
            framed(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
            framed(r#"{"id": 1, "method": "b", "params": {}}"#),
        ];
        let expected = ["a", "-32700", "-32600", "-32600", "-32600", "-32700", "b"];
        assert_eq!(all(input.concat().as_bytes()), expected);
    }

    #[test]
    fn an_incomplete_message_is_the_end() {
        assert!(all(b"").is_empty());
        assert!(all(b"Content-Length: 9\r\n\r\n{}").is_empty());
        assert!(all(b"Content-Length: 99999999999999\r\n\r\n{}").len() <= 1);
    }

    #[test]
    fn a_large_header_is_an_error() {
        let header = "x".repeat(9 << 10);
        assert!(read(&mut header.as_bytes()).is_err());
    }
}
