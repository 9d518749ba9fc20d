use super::problem::Problem;
use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use portal_link::repair_surrogates;
use serde::de::DeserializeOwned;

/// Bodies of every route but an event's, in bytes.
pub(crate) const SMALL: usize = 16_384;

/// Reads a JSON object within a bound. An empty body is an empty object. Unpaired surrogate escapes
/// are repaired, so that what a person typed is not lost over one.
pub(crate) async fn json<T: DeserializeOwned>(body: Body, limit: usize) -> Result<T, Problem> {
    let Ok(bytes) = to_bytes(body, limit).await else {
        let detail = format!("the body has more than {limit} bytes, or broke off");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail));
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body is not UTF-8: {error}"))
    })?;
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(&repair_surrogates(text)).map_err(|error| {
        let detail = error.to_string();
        let code = match error.classify() {
            serde_json::error::Category::Data if detail.starts_with("unknown field") => {
                "unknown_field"
            }
            serde_json::error::Category::Data => "bad_request",
            _ => "bad_json",
        };
        Problem::new(StatusCode::BAD_REQUEST, code, detail)
    })
}
