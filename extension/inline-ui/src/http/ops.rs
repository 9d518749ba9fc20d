use super::problem::Problem;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::{Value, json};
use std::sync::OnceLock;

static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();

/// Collects what the process counts, from here on.
pub(crate) fn install_metrics() {
    match PrometheusBuilder::new().install_recorder() {
        Ok(handle) => drop(METRICS.set(handle)),
        Err(error) => tracing::warn!(%error, "metrics are not collected"),
    }
}

pub(crate) async fn healthz() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

pub(crate) async fn metrics() -> Result<impl IntoResponse, Problem> {
    let handle = METRICS.get().ok_or_else(|| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no_metrics", "metrics are not collected")
    })?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], handle.render()))
}
