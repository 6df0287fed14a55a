//! Limits on what viewers may cost: the number of connections, and the time for requests and replies.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep, timeout};

/// Most connections at once: twice the number of listeners, so that pages can always be loaded.
const CONNECTIONS: usize = 512;
/// Timeout for a request's head, and for idle connections.
const HEAD: Duration = Duration::from_secs(10);
/// Timeout for a request's form.
const FORM: Duration = Duration::from_secs(10);
/// Timeout for a viewer that reads nothing.
const TAKE: Duration = Duration::from_secs(20);
/// The longest request head.
const LONGEST_HEAD: usize = 32 << 10;
/// The longest form.
const LONGEST_FORM: usize = 16 << 10;
/// Pause after a failed accept, for instance without free file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\n\
    Content-Length: 23\r\n\r\ntoo many are connected\n";

/// Serves connections within the limits.
pub async fn serve(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => drop(tokio::spawn(connection(stream, router.clone(), place))),
            // Write what fits into the socket; never wait for a rejected viewer.
            Err(_) => drop(stream.try_write(FULL)),
        }
    }
}

async fn connection(stream: TcpStream, router: Router, _place: OwnedSemaphorePermit) {
    let _ = stream.set_nodelay(true);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(
            TokioIo::new(Patient::new(stream)),
            TowerToHyperService::new(router),
        );
    // Ignore how a connection ends.
    let _ = served.await;
}

/// Reads a complete form within the time limit before it is handled.
pub async fn form_in_time(request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    match timeout(FORM, to_bytes(body, LONGEST_FORM)).await {
        Ok(Ok(bytes)) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Ok(Err(_)) => (StatusCode::PAYLOAD_TOO_LARGE, "the form is too large\n").into_response(),
        Err(_) => (
            StatusCode::REQUEST_TIMEOUT,
            "the form was sent too slowly\n",
        )
            .into_response(),
    }
}

/// A stream with a timeout for writes. Reads may wait forever, because listeners send nothing.
struct Patient {
    stream: TcpStream,
    /// Runs while written data waits for the reader.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Patient {
        Patient {
            stream,
            deadline: None,
        }
    }

    fn in_time<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.deadline = None;
            return polled;
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(TAKE)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.in_time(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
