use super::problem::Problem;
use crate::server::Server;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use inline_ui_store::Store;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Lets through what bears the link's token and either changes nothing or was sent by a page of the
/// portal.
pub(crate) async fn portal_only<S: Store>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let given = request.headers().get(header::AUTHORIZATION).map(axum::http::HeaderValue::as_bytes);
    let token = given.and_then(|value| {
        value.get(..7).filter(|s| s.eq_ignore_ascii_case(b"bearer ")).and(value.get(7..))
    });
    if !token.is_some_and(|token| same_secret(token, server.token.as_bytes())) {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "the request does not bear the link's token",
        ));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD)
        || is_from(request.headers(), &server.site().origins)
    {
        return Ok(next.run(request).await);
    }
    let detail =
        "only the portal's own pages may post: neither Origin nor Sec-Fetch-Site names one";
    Err(Problem::new(StatusCode::FORBIDDEN, "forbidden_origin", detail))
}

/// `Origin` decides where there is one: `Sec-Fetch-Site` is absent on plain http but for localhost.
fn is_from(headers: &HeaderMap, origins: &[String]) -> bool {
    let mut named = headers.get_all(header::ORIGIN).iter();
    match (named.next(), named.next()) {
        (Some(origin), None) => origins.iter().any(|known| known.as_bytes() == origin.as_bytes()),
        (Some(_), Some(_)) => false,
        (None, _) => headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin"),
    }
}

/// Compares keyed hashes, so that the time tells nothing about where two texts part.
fn same_secret(a: &[u8], b: &[u8]) -> bool {
    let key = RandomState::new();
    key.hash_one(a) == key.hash_one(b) && a == b
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn from(pairs: &[(&'static str, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        is_from(&headers, &["https://chat.example".to_owned()])
    }

    #[test]
    fn a_post_comes_from_the_portals_page_or_not_at_all() {
        assert!(from(&[("origin", "https://chat.example")]));
        assert!(from(&[("sec-fetch-site", "same-origin")]));
        assert!(!from(&[]));
        assert!(!from(&[("origin", "null")]));
        assert!(!from(&[
            ("origin", "https://chat.example.evil.example"),
            ("sec-fetch-site", "same-origin")
        ]));
        assert!(!from(&[("origin", "https://chat.example"), ("origin", "https://evil.example")]));
        assert!(!from(&[("sec-fetch-site", "same-site")]));
        assert!(!from(&[("sec-fetch-site", "none")]));
    }
}
