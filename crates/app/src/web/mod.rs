//! The web page of a campaign, one page per file. It reads the store and the findings' folders. All text from outside
//! is hostile: templates escape everything, nothing is marked as safe, no address becomes a path, and `guard`
//! controls access.

mod actions;
mod charts;
mod events;
mod finding;
mod findings;
mod format;
mod guard;
mod highlight;
mod limits;
mod overview;
mod picture;
mod seeds;
mod solvers;
mod tree;
mod workers;

pub use guard::SHORTEST_TOKEN;
pub use picture::Source;

use crate::exit::Failure;
use askama::Template;
use auspex_campaign::clock::now;
use auspex_solvers::{Catalog, Solver};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use guard::Guard;
use picture::{Picture, Reader};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, mpsc};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Settings of the server.
pub struct Settings {
    pub source: Source,
    pub listen: SocketAddr,
    pub token: Option<String>,
    /// Whether viewers may take actions.
    pub actions: bool,
}

/// State that all pages share.
pub struct Site {
    shown: watch::Receiver<Arc<Picture>>,
    wake: mpsc::Sender<()>,
    source: Source,
    catalog: Catalog,
    actions: bool,
    /// Installed releases that can be run; found on first use.
    solvers: OnceLock<Vec<Solver>>,
    jobs: actions::Jobs,
}

impl Site {
    /// The newest picture.
    fn picture(&self) -> Arc<Picture> {
        Arc::clone(&self.shown.borrow())
    }
}

/// Serves until the process ends. `ready` gets the address, since the port may have been chosen by the system.
pub fn serve(
    settings: Settings,
    catalog: Catalog,
    ready: impl FnOnce(SocketAddr),
    asked: impl Fn() -> bool,
) -> Result<(), Failure> {
    let reader = Reader::new(settings.source.clone())?;
    let (shown, watched) = watch::channel(reader.picture());
    let (wake, woken) = mpsc::channel();
    let site = Arc::new(Site {
        shown: watched,
        wake,
        source: settings.source,
        solvers: OnceLock::new(),
        catalog,
        actions: settings.actions,
        jobs: actions::Jobs::default(),
    });
    // The thread only reads, so it may end with the process.
    std::thread::spawn(move || reader.run(&shown, &woken));
    let guard = Guard::new(settings.token.as_deref(), settings.listen.ip());
    let router = router(site, guard);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Environment(error.to_string()))?;
    let refused = |error: std::io::Error| {
        Failure::Environment(format!("cannot listen on {}: {error}", settings.listen))
    };
    runtime.block_on(async {
        let listener = TcpListener::bind(settings.listen).await.map_err(refused)?;
        ready(listener.local_addr().map_err(refused)?);
        tokio::select! {
            () = limits::serve(listener, router) => Ok(()),
            () = until(asked) => Ok(()),
        }
    })
}

/// Completes when the user ends the program.
async fn until(asked: impl Fn() -> bool) {
    while !asked() {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

fn router(site: Arc<Site>, guard: Guard) -> Router {
    Router::new()
        .route("/", get(overview::show))
        .route("/findings", get(findings::show))
        .route("/findings/{id}", get(finding::show).post(actions::act))
        .route("/findings/{id}/{file}", get(finding::file))
        .route("/seeds", get(seeds::show))
        .route("/solvers", get(solvers::show))
        .route("/workers", get(workers::show))
        .route("/events", get(events::stream))
        .route(
            "/style.css",
            get(|| asset("text/css", include_str!("../../assets/style.css"))),
        )
        .route(
            "/script.js",
            get(|| asset("text/javascript", include_str!("../../assets/script.js"))),
        )
        .route(
            "/icon.svg",
            get(|| asset("image/svg+xml", include_str!("../../assets/icon.svg"))),
        )
        .fallback(|| async { missing() })
        .with_state(site)
        .layer(middleware::from_fn(limits::form_in_time))
        .layer(middleware::from_fn_with_state(
            Arc::new(guard),
            guard::guard,
        ))
}

async fn asset(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
        (header::CACHE_CONTROL, "no-cache".to_string()),
    ];
    (headers, text).into_response()
}

/// The frame around every page.
struct Frame {
    /// The name of the page in the menu.
    here: &'static str,
    title: String,
    doing: &'static str,
    /// When the campaign last wrote its counters.
    heard: String,
    bugs: usize,
    trouble: Option<String>,
}

impl Frame {
    fn new(here: &'static str, title: &str, picture: &Picture) -> Frame {
        let status = &picture.status;
        let troubles = [&picture.trouble, &status.trouble];
        Frame {
            here,
            title: title.to_string(),
            doing: picture.doing().word(),
            heard: match status.at {
                0 => "no data yet".to_string(),
                at => format!("last update {}", format::moment(at)),
            },
            bugs: picture.bugs.len(),
            trouble: troubles.into_iter().flatten().next().cloned(),
        }
    }

    /// The pages of the menu.
    const PAGES: [(&'static str, &'static str); 5] = [
        ("Overview", "/"),
        ("Findings", "/findings"),
        ("Seeds", "/seeds"),
        ("Solvers", "/solvers"),
        ("Workers", "/workers"),
    ];
}

/// A time as a page shows it: relative, and exact.
struct Time {
    ago: String,
    exact: String,
}

impl Time {
    fn of(at: u64) -> Time {
        Time {
            ago: format::ago(at, now()),
            exact: format::moment(at),
        }
    }
}

/// Makes a page outside of the network thread, because models are evaluated and texts formatted.
async fn blocking<T: Template>(make: impl FnOnce() -> Option<T> + Send + 'static) -> Response {
    let made = tokio::task::spawn_blocking(move || make().map(|page| page.render()));
    match made.await {
        Ok(Some(Ok(text))) => Html(text).into_response(),
        Ok(None) => missing(),
        Ok(Some(Err(_))) | Err(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "the page could not be rendered\n",
        )
            .into_response(),
    }
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "page not found\n").into_response()
}
