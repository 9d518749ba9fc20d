use super::problem::Problem;
use axum::body::Body;
use axum::http::StatusCode;
use bytes::BytesMut;
use futures_util::StreamExt;
use portal_link::repair_surrogates;
use serde::de::DeserializeOwned;

/// Bodies of every route but an event's, in bytes.
pub(crate) const SMALL: usize = 16_384;
/// How much of a body over its limit is read to its end, in bytes.
const DRAINED: usize = 1_048_576;

/// Reads a JSON object within a bound. An empty body is an empty object. Unpaired surrogate escapes
/// are repaired, so that what a person typed is not lost over one.
pub(crate) async fn json<T: DeserializeOwned>(body: Body, limit: usize) -> Result<T, Problem> {
    let bytes = read(body, limit).await?;
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

/// Reads up to the limit. A body somewhat over it is still drained, and thrown away: a proxy that is
/// cut off while it writes may never read the answer.
async fn read(body: Body, limit: usize) -> Result<BytesMut, Problem> {
    let (mut bytes, mut dropped) = (BytesMut::new(), 0);
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            Problem::new(
                StatusCode::BAD_REQUEST,
                "bad_request",
                format!("the body broke off: {error}"),
            )
        })?;
        if dropped > 0 || bytes.len() + chunk.len() > limit {
            dropped += chunk.len();
        } else {
            bytes.extend_from_slice(&chunk);
        }
        if dropped > DRAINED {
            break;
        }
    }
    if dropped == 0 {
        return Ok(bytes);
    }
    let detail = format!("the body has more than {limit} bytes");
    Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail))
}
