use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

/// A body is cut off here while it is read: the longest text, with every byte of it escaped.
const LONGEST_BODY: usize = 2 * 1024 * 1024;

/// A JSON body of a known form. Unpaired surrogates are repaired.
#[derive(Debug)]
pub(super) struct Json<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let bytes = read(request.into_body()).await?;
        let text = std::str::from_utf8(&bytes).map_err(|_| bad_json("the body is not UTF-8"))?;
        let text = portal_link::repair_surrogates(text);
        serde_json::from_str(&text).map(Self).map_err(|e| bad_json(&e.to_string()))
    }
}

/// The name in an address. One that is not text names nothing.
#[derive(Debug)]
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let named = Path::<String>::from_request_parts(parts, state).await;
        named.map(|Path(name)| Self(name)).map_err(|_| Problem::not_found())
    }
}

async fn read(body: Body) -> Result<Bytes, Problem> {
    match Limited::new(body, LONGEST_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("A request may have {LONGEST_BODY} bytes."),
        )),
        Err(error) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "bad_request",
            format!("The request could not be read: {error}."),
        )),
    }
}

fn bad_json(why: &str) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        "bad_json",
        format!("The request is not understood: {why}."),
    )
}
