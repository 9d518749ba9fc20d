use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use inline_ui_core::Refusal;
use inline_ui_store::StoreError;
use serde::Serialize;
use std::time::Duration;

/// A refusal as `application/problem+json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    r#type: &'static str,
    title: &'static str,
    #[serde(serialize_with = "number")]
    status: StatusCode,
    code: &'static str,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("refused");
        Self {
            r#type: "about:blank",
            title,
            status,
            code,
            detail: detail.into(),
            retry_after_ms: None,
        }
    }

    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the extension failed; try again")
    }

    pub(crate) fn unknown_card(card: &str) -> Self {
        Refusal::UnknownCard { card: card.chars().take(80).collect() }.into()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match &refusal {
            Refusal::UnknownCard { .. } => StatusCode::NOT_FOUND,
            Refusal::StaleLoad
            | Refusal::CardClosed { .. }
            | Refusal::UndeclaredEvent { .. }
            | Refusal::EventSpent { .. } => StatusCode::CONFLICT,
            Refusal::DataTooLarge | Refusal::PostTooLarge | Refusal::HtmlTooLarge { .. } => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Refusal::DataTooDeep => StatusCode::UNPROCESSABLE_ENTITY,
            Refusal::CardRate { .. } | Refusal::ChatRate { .. } => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Storage { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        };
        let wait = refusal.retry_after().map(|wait| wait.max(Duration::from_millis(1)));
        let retry_after_ms =
            wait.map(|wait| u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX));
        Self { retry_after_ms, ..Self::new(status, refusal.code(), refusal.to_string()) }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Refusal::Storage { why: error.to_string() }.into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(ms) = self.retry_after_ms {
            headers.insert(
                HeaderName::from_static("retry-after"),
                HeaderValue::from(ms.div_ceil(1_000)),
            );
        }
        response
    }
}
