use super::problem::Problem;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::hash::{DefaultHasher, Hash, Hasher};

const MODULES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A module of the page half. A page asks again each time, and gets it again only when it changed.
pub(crate) async fn file(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Some((_, text)) = MODULES.iter().find(|(known, _)| *known == name) else {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "the page half has no such file",
        ));
    };
    let etag = etag(text);
    let about = [
        (header::ETAG, etag.as_str()),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    // A proxy that compresses makes a tag a weak one; the comparison for GET does not mind.
    let is_ours = |tag: &str| tag == "*" || tag.trim_start_matches("W/") == etag;
    if known.is_some_and(|tags| tags.split(',').any(|tag| is_ours(tag.trim()))) {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    Ok((about, *text).into_response())
}

fn etag(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}
