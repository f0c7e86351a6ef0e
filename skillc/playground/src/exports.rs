//! The functions that the page's worker calls. Requests and responses pass through one buffer in the module's memory.
//!
//! Apart from their unmangled names, which could clash with others, these functions are safe.
#![expect(
    unsafe_code,
    reason = "exported functions need names that are not mangled"
)]

use std::cell::RefCell;

thread_local! {
    /// The request, and then the response.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a request of this many bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(bytes, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer; an empty request asks about the engine. Returns the size of the response in
/// bytes.
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
