use crate::chat::ChatError;
use crate::store::StoreError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A refusal, as `application/problem+json` with a stable code.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    field: Option<String>,
    retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), field: None, retry_after: None }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "There is nothing at this address.")
    }

    /// Names the field of a form that is wrong.
    pub(crate) fn about(self, field: String) -> Self {
        Self { field: Some(field), ..self }
    }

    /// In seconds.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }
}

impl From<ChatError> for Problem {
    fn from(error: ChatError) -> Self {
        match error {
            ChatError::Unknown => {
                Self::new(StatusCode::NOT_FOUND, "unknown_chat", "There is no such chat.")
            }
            ChatError::Exists => {
                Self::new(StatusCode::CONFLICT, "chat_exists", "There is such a chat already.")
            }
            ChatError::Store(error) => error.into(),
            ChatError::Silent => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The chat does not answer. Try again.",
            ),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = format!("The portal's database does not take it: {error}.");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_unavailable", detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Refused"),
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        if let Some(field) = self.field {
            body["field"] = field.into();
        }
        let mut response = (self.status, body.to_string()).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
