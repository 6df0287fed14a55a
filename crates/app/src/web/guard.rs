//! Access control of the page: host name, token, and the origin of forms. Every reply carries headers that forbid
//! foreign scripts, framing and type sniffing.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;

/// The shortest token that cannot be guessed from outside.
pub const SHORTEST_TOKEN: usize = 16;

/// What a request must satisfy.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// The hash of the token, if one is required.
    token: Option<[u8; 32]>,
    /// Whether the host name must be one of this machine.
    local: bool,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The host name is of another machine (DNS rebinding).
    Host,
    Token,
    /// The form comes from another site.
    Origin,
}

/// How to proceed with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    Go,
    /// The address contains the token: set a cookie, and redirect to the address without it.
    Keep {
        cookie: String,
        to: String,
    },
}

impl Guard {
    /// A token is required if one was given; host names are checked when listening on loopback.
    pub fn new(token: Option<&str>, address: IpAddr) -> Guard {
        Guard {
            token: token.map(hash),
            local: address.is_loopback(),
        }
    }

    /// Checks a request.
    pub fn check(
        &self,
        method: &Method,
        target: &str,
        headers: &HeaderMap,
    ) -> Result<Pass, Refusal> {
        let host = text(headers, header::HOST);
        if self.local && !is_local(host) {
            return Err(Refusal::Host);
        }
        let pass = self.check_token(target, headers)?;
        let reads = *method == Method::GET || *method == Method::HEAD;
        match reads || is_own_form(headers, host) {
            true => Ok(pass),
            false => Err(Refusal::Origin),
        }
    }

    fn check_token(&self, target: &str, headers: &HeaderMap) -> Result<Pass, Refusal> {
        let Some(wanted) = &self.token else {
            return Ok(Pass::Go);
        };
        let bearer = text(headers, header::AUTHORIZATION).strip_prefix("Bearer ");
        let cookies = headers.get_all(header::COOKIE).iter();
        let mut cookies = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|v| v.split("; "));
        let name = cookie_name(wanted);
        let kept = cookies.find_map(|pair| pair.strip_prefix(&name)?.strip_prefix('='));
        if bearer.is_some_and(|token| equal(&hash(token), wanted))
            || kept.is_some_and(|value| equal(&hash(value), &hash(&hex(wanted))))
        {
            return Ok(Pass::Go);
        }
        let (token, to) = without_token(target);
        match token.is_some_and(|token| equal(&hash(&token), wanted)) {
            true => Ok(Pass::Keep {
                cookie: format!("{name}={}; Path=/; HttpOnly; SameSite=Lax", hex(wanted)),
                to,
            }),
            false => Err(Refusal::Token),
        }
    }
}

/// Cookies are shared between ports, so the name contains the port.
fn cookie_name(token: &[u8; 32]) -> String {
    format!("auspex-{}", hex(&token[..4]))
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("")
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in constant time. Both are hashes, so their lengths reveal nothing.
fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let different = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(different) == 0
}

/// Whether a host name can only mean this machine. The port may differ because of forwarding.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether the browser says that the form is from our page. Requests without this information are refused.
fn is_own_form(headers: &HeaderMap, host: &str) -> bool {
    let origin = text(headers, header::ORIGIN);
    let name = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    name.is_some_and(|name| !name.is_empty() && name == host)
}

/// The token in an address, and the address without it.
fn without_token(target: &str) -> (Option<String>, String) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let token = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="));
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("token="))
        .collect();
    // An address that starts with two slashes would name another host.
    let path = format!("/{}", path.trim_start_matches(['/', '\\']));
    let to = match rest.is_empty() {
        true => path,
        false => format!("{path}?{}", rest.join("&")),
    };
    (token.map(decoded), to)
}

/// Decodes percent escapes.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or("").as_bytes().to_vec();
    for part in parts {
        let byte = part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(b'%'));
        let rest = if byte.is_some() { &part[2..] } else { part };
        out.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8_lossy(&out).into_owned()
}

const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // With `no-referrer` a browser would not send the origin of a form.
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Runs before every page.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let target = request
        .uri()
        .path_and_query()
        .map_or("/", |target| target.as_str());
    let mut response = match guard.check(request.method(), target, request.headers()) {
        Ok(Pass::Go) => next.run(request).await,
        Ok(Pass::Keep { cookie, to }) => {
            let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, to)];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Err(Refusal::Host) => (
            StatusCode::MISDIRECTED_REQUEST,
            "this page can be reached from this machine only\n",
        )
            .into_response(),
        Err(Refusal::Token) => {
            let told = "a token is required: open the address once with ?token=…, or send Authorization: Bearer …\n";
            (StatusCode::UNAUTHORIZED, told).into_response()
        }
        Err(Refusal::Origin) => (
            StatusCode::FORBIDDEN,
            "this form did not come from this page\n",
        )
            .into_response(),
    };
    let refused = response.status().is_client_error();
    let headers = response.headers_mut();
    if refused {
        // Close the connection after an error.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const TOKEN: &str = "correct horse battery";

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| (name.clone(), value.parse().unwrap());
        pairs.iter().map(pair).collect()
    }

    fn local() -> Guard {
        Guard::new(None, Ipv4Addr::LOCALHOST.into())
    }

    fn open() -> Guard {
        Guard::new(Some(TOKEN), Ipv4Addr::UNSPECIFIED.into())
    }

    #[test]
    fn on_loopback_only_names_of_this_machine_are_served() {
        let asked = |host| local().check(&Method::GET, "/", &headers(&[(header::HOST, host)]));
        for host in [
            "localhost:8080",
            "127.0.0.1",
            "127.0.0.1:9",
            "[::1]:80",
            "LOCALHOST",
        ] {
            assert_eq!(asked(host), Ok(Pass::Go), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "",
            "10.0.0.1",
            "[::2]",
        ] {
            assert_eq!(asked(host), Err(Refusal::Host), "{host}");
        }
        let none = local().check(&Method::GET, "/", &HeaderMap::new());
        assert_eq!(none, Err(Refusal::Host));
    }

    #[test]
    fn a_token_opens_by_header_cookie_and_once_by_address() {
        let get = |target: &str, pairs: &[(HeaderName, &str)]| {
            open().check(&Method::GET, target, &headers(pairs))
        };
        assert_eq!(get("/", &[]), Err(Refusal::Token));
        assert_eq!(get("/?token=wrong", &[]), Err(Refusal::Token));
        let bearer = format!("Bearer {TOKEN}");
        assert_eq!(get("/", &[(header::AUTHORIZATION, &bearer)]), Ok(Pass::Go));
        let Ok(Pass::Keep { cookie, to }) =
            get("/findings?q=a&token=correct%20horse%20battery&all=1", &[])
        else {
            panic!("the token is right");
        };
        assert_eq!(to, "/findings?q=a&all=1");
        assert!(
            cookie.contains("HttpOnly") && !cookie.contains("horse"),
            "{cookie}"
        );
        let kept = cookie.split(';').next().unwrap();
        let cookies = format!("other=1; {kept}");
        assert_eq!(get("/", &[(header::COOKIE, &cookies)]), Ok(Pass::Go));
        assert_eq!(
            get(
                "/",
                &[(header::COOKIE, &format!("{}=00", cookie_name(&hash(TOKEN))))]
            ),
            Err(Refusal::Token)
        );
        let Ok(Pass::Keep { to, .. }) = get("//evil.example/?token=correct%20horse%20battery", &[])
        else {
            panic!("the token is right");
        };
        assert_eq!(to, "/evil.example/");
    }

    #[test]
    fn only_forms_of_our_own_pages_change_anything() {
        let post = |origin: Option<&str>| {
            let mut pairs = vec![(header::HOST, "localhost:8080")];
            pairs.extend(origin.map(|origin| (header::ORIGIN, origin)));
            local().check(&Method::POST, "/", &headers(&pairs))
        };
        assert_eq!(post(Some("http://localhost:8080")), Ok(Pass::Go));
        for origin in [
            None,
            Some("null"),
            Some("http://localhost:8081"),
            Some("http://evil.example"),
            Some(""),
        ] {
            assert_eq!(post(origin), Err(Refusal::Origin), "{origin:?}");
        }
    }
}
