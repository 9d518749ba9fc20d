use super::App;
use super::problem::Problem;
use crate::site::{Door, Site};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;

/// What every request passes first: it came to one of the portal's own names, from the portal's own
/// page if it changes anything, and from somebody who has signed in.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_portals = !request.uri().path().starts_with("/ext/");
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match admit(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    };
    let headers = response.headers_mut();
    if is_portals {
        harden(headers, &app.site);
    } else {
        harden_strange(headers);
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn admit(app: &App, request: &Request) -> Result<(), Box<Response>> {
    let refuse = |problem: Problem| Err(Box::new(problem.into_response()));
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_frame = reads && is_frame(path);
    match door(&app.site, request) {
        Some(Door::Portal) => {}
        Some(Door::Frames) if is_frame => return Ok(()),
        Some(Door::Frames) if reads => {
            let rest = request.uri().path_and_query().map_or("/", |it| it.as_str());
            let there = format!("{}{rest}", app.site.url());
            return Err(Box::new(Redirect::temporary(&there).into_response()));
        }
        Some(Door::Frames) | None => return refuse(misdirected()),
    }
    if !reads && !is_from_own_page(&app.site, request.headers()) {
        return refuse(Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden_origin",
            "The portal takes this only from its own pages.",
        ));
    }
    let is_open = is_frame || matches!(path, "/api/me" | "/api/sign-in" | "/api/sign-out");
    let is_closed = path.starts_with("/api") || path.starts_with("/ext");
    if is_closed && !is_open && !app.sign_in.knows(request.headers()) {
        return refuse(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "Sign in first."));
    }
    Ok(())
}

/// A frame of an extension, by its one-time key: the key is all it is asked for.
pub(super) fn is_frame(path: &str) -> bool {
    let mut parts = path.split('/');
    let head = [parts.next(), parts.next(), parts.next(), parts.next()];
    let [Some(""), Some("ext"), Some(_), Some("frames")] = head else { return false };
    let (Some(key), None) = (parts.next(), parts.next()) else { return false };
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn door(site: &Site, request: &Request) -> Option<Door> {
    let host = request.headers().get(header::HOST)?.to_str().ok()?;
    let asked = request.uri().authority().map_or(host, |it| it.as_str());
    if !asked.eq_ignore_ascii_case(host) {
        return None;
    }
    site.door(host)
}

/// `Sec-Fetch-Site` is absent on plain-http addresses other than loopback, so `Origin` decides where
/// it is there; a request with neither is not from a page.
fn is_from_own_page(site: &Site, headers: &HeaderMap) -> bool {
    match headers.get(header::ORIGIN) {
        Some(origin) => origin.to_str().is_ok_and(|origin| site.is_own(origin)),
        None => headers.get("sec-fetch-site").is_some_and(|it| it == "same-origin"),
    }
}

fn misdirected() -> Problem {
    Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        "misdirected",
        "This portal does not answer under that name.",
    )
}

fn harden(headers: &mut HeaderMap, site: &Site) {
    if let Ok(policy) = HeaderValue::from_str(&site.page_policy()) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let fixed = [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// An extension's routes stand on the portal's own origin. Where it says nothing itself, nothing of it is
/// a page that runs.
fn harden_strange(headers: &mut HeaderMap) {
    let fixed = [
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ];
    for (name, value) in fixed {
        let entry = headers.entry(name);
        entry.or_insert(HeaderValue::from_static(value));
    }
}
