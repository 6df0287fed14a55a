//! Notifies viewers of changes: one short line per change, upon which the page reloads its parts.

use super::Site;
use super::picture::Picture;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The most listeners at once; others are told to retry.
const LISTENERS: usize = 256;
static LISTENING: AtomicUsize = AtomicUsize::new(0);

/// A listener is disconnected after this long. Browsers reconnect by themselves.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// A listener's slot, freed on drop.
struct Place;

impl Place {
    fn take() -> Option<Place> {
        let taken = LISTENING.fetch_add(1, Ordering::Relaxed);
        let place = Place;
        (taken < LISTENERS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        LISTENING.fetch_sub(1, Ordering::Relaxed);
    }
}

pub async fn stream(State(site): State<Arc<Site>>) -> Response {
    let Some(place) = Place::take() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many listeners\n").into_response();
    };
    let changes = Changes {
        next: Box::pin(next(site.shown.clone(), Instant::now() + LONGEST, true)),
        until: Instant::now() + LONGEST,
        _place: place,
    };
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Sse::new(changes).keep_alive(alive).into_response()
}

type Next = Pin<Box<dyn Future<Output = Option<(Event, watch::Receiver<Arc<Picture>>)>> + Send>>;

/// An event per change, and one at the start, since something may have changed since the page was made.
struct Changes {
    next: Next,
    until: Instant,
    _place: Place,
}

async fn next(
    mut shown: watch::Receiver<Arc<Picture>>,
    until: Instant,
    first: bool,
) -> Option<(Event, watch::Receiver<Arc<Picture>>)> {
    if !first {
        timeout_at(until, shown.changed()).await.ok()?.ok()?;
    }
    let version = shown.borrow_and_update().version;
    let event = Event::default().event("change").data(version.to_string());
    Some((event, shown))
}

impl Stream for Changes {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.next.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some((event, shown))) => {
                self.next = Box::pin(next(shown, self.until, false));
                Poll::Ready(Some(Ok(event)))
            }
        }
    }
}
