//! The functions that the page's worker calls. Requests and responses pass through one buffer in the module's memory.
//!
//! The only unsafe aspect of these functions is that their names are not mangled, and so could clash with other names.
#![expect(
    unsafe_code,
    reason = "exported functions need names that are not mangled"
)]

use std::cell::RefCell;

thread_local! {
    /// The request, and then the response.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room in the buffer for a request of this many bytes. Returns the address of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(bytes, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer. The response to an empty request describes the engine. Returns the size of the
/// response in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = BUFFER.take();
    let response = if request.is_empty() {
        crate::about()
    } else {
        crate::run(&String::from_utf8_lossy(&request))
    };
    let bytes = response.len();
    BUFFER.set(response.into_bytes());
    bytes
}

/// Returns the address of the response.
#[unsafe(no_mangle)]
pub extern "C" fn response() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}
