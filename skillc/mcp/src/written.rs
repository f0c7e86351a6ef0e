//! A time limit for clients that do not read what the server writes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail once the other side has accepted no bytes for a time. Otherwise, a client that reads
/// nothing would hold its connection forever.
pub(crate) struct Written<S> {
    stream: S,
    within: Duration,
    /// The deadline of the write that waits for the other side.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S: Unpin> Written<S> {
    pub(crate) fn new(stream: S, within: Duration) -> Self {
        Self {
            stream,
            within,
            waiting: None,
        }
    }

    fn write<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let result = write(Pin::new(&mut self.stream), context);
        if result.is_ready() {
            self.waiting = None;
            return result;
        }
        let within = self.within;
        let deadline = self.waiting.get_or_insert_with(|| Box::pin(sleep(within)));
        let is_over = deadline.as_mut().poll(context);
        is_over.map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Written<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Written<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| {
            stream.poll_write_vectored(context, parts)
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(context, |stream, context| stream.poll_shutdown(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stdio::run;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    /// Returns the result of writing 4 KiB through a buffer of 1 KiB.
    fn written(is_read: bool) -> io::Result<()> {
        let (near, mut far) = duplex(1 << 10);
        let mut stream = Written::new(near, Duration::from_millis(200));
        let mut ended = Ok(());
        let conversation = async {
            let mut read = vec![0; 4 << 10];
            let write = stream.write_all(&[b'x'; 4 << 10]);
            if is_read {
                let both = tokio::join!(write, far.read_exact(&mut read));
                ended = both.0;
            } else {
                ended = write.await;
            }
            Ok(())
        };
        run(conversation).expect("a runtime");
        ended
    }

    #[test]
    fn a_write_fails_only_if_the_other_side_reads_nothing() {
        assert!(written(true).is_ok());
        let fault = written(false).expect_err("is not read");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
    }
}
