use super::input::Named;
use super::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::hash::{DefaultHasher, Hasher};

const PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The one page, at each of its addresses.
pub(super) async fn page(headers: HeaderMap) -> Response {
    serve("index.html", &headers)
}

pub(super) async fn asset(Named(file): Named, headers: HeaderMap) -> Response {
    serve(&file, &headers)
}

fn serve(file: &str, headers: &HeaderMap) -> Response {
    let Some((name, content)) = PAGE.iter().find(|(name, _)| *name == file) else {
        return Problem::not_found().into_response();
    };
    let Ok(etag) = HeaderValue::from_str(&etag(content)) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let fixed = [
        (header::ETAG, etag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if is_known(headers, &etag) {
        return (StatusCode::NOT_MODIFIED, fixed).into_response();
    }
    (fixed, [(header::CONTENT_TYPE, kind_of(name))], *content).into_response()
}

fn is_known(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    known.is_some_and(|known| known.split(',').any(|it| it.trim().as_bytes() == etag.as_bytes()))
}

fn etag(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    format!("\"{:016x}\"", hasher.finish())
}

fn kind_of(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("ico") => "image/x-icon",
        Some("js") => "text/javascript; charset=utf-8",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    })
}
