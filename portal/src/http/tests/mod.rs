mod api;
mod guard;
mod model;
mod packages;
mod proxy;
mod sign_in;
mod stream;

use super::{App, SignIn, router};
use crate::chat::tests::bench::{Bench, Piece};
use crate::config::ExtensionCommand;
use crate::extension::Surroundings;
use crate::extension::fake::profile;
use crate::model::{Access, ModelAccess, Models};
use crate::packages::{BuiltIn, Packages, RegistryConfig};
use crate::site::Site;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

const OWN: &str = "http://127.0.0.1:8787";

/// A portal up to its router.
struct Web {
    bench: Bench,
    router: Router,
    stopping: CancellationToken,
}

impl Web {
    async fn new() -> Self {
        Self::with(None, vec![]).await
    }

    async fn with(password: Option<&str>, turns: Vec<Vec<Piece>>) -> Self {
        Self::over(Bench::new(turns).await, password, &[]).await
    }

    async fn over(bench: Bench, password: Option<&str>, origins: &[String]) -> Self {
        let password = password.map(str::to_owned);
        let store = Arc::clone(&bench.store);
        let site = Site::new("127.0.0.1:8787".parse().unwrap(), origins, None).unwrap();
        let sign_in = SignIn::open(password, 8787, site.is_secure(), store).await.unwrap();
        let stopping = CancellationToken::new();
        let models = Models::new(bench.hub.model(), access());
        let packages = packages(&bench);
        let hub = bench.hub.clone();
        let app = App { hub, models, packages, site, sign_in, stopping: stopping.clone() };
        Self { bench, router: router(Arc::new(app)), stopping }
    }

    /// The same models as after a restart.
    fn models(&self) -> Models {
        Models::new(self.bench.hub.model(), access())
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str) -> Response<Body> {
        self.send(request("GET", path).body(Body::empty()).unwrap()).await
    }

    async fn post(&self, method: &str, path: &str, body: impl Into<Body>) -> Response<Body> {
        self.send(request(method, path).header("origin", OWN).body(body.into()).unwrap()).await
    }
}

/// A key of Anthropic's, and a server of one's own.
fn access() -> ModelAccess {
    ModelAccess {
        openai: Access { key: None, base_url: Some("http://127.0.0.1:1/v1".to_owned()) },
        anthropic: Access { key: Some("sk-of-anthropic".to_owned()), base_url: None },
        gemini: Access::default(),
    }
}

fn packages(bench: &Bench) -> Packages {
    let (ready, _) = tokio::sync::mpsc::channel(1);
    let around = |data| Surroundings {
        data,
        origins: vec![OWN.to_owned()],
        frame_origin: None,
        ready,
        stop: CancellationToken::new(),
    };
    let command = ExtensionCommand { program: "/nowhere".into(), args: vec![] };
    let built_in = BuiltIn { profile: profile(), command };
    let (data, store) = (bench.folder.path().to_owned(), Arc::clone(&bench.store));
    let hosts = bench.hub.hosts().clone();
    Packages::new(data, &RegistryConfig::default(), built_in, store, hosts, around).unwrap()
}

fn request(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header("host", "127.0.0.1:8787")
}

async fn json(response: Response<Body>) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

/// The status and the code of a refusal.
async fn refusal(response: Response<Body>) -> (u16, String) {
    let status = response.status();
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let problem = json(response).await;
    assert_eq!(problem["status"], status.as_u16());
    assert!(!problem["detail"].as_str().unwrap().is_empty());
    (status.as_u16(), problem["code"].as_str().unwrap().to_owned())
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn the_page_is_at_each_of_its_addresses_with_its_policy_to_the_letter() {
    let web = Web::new().await;
    for path in ["/", "/chats/any-id", "/settings"] {
        let response = web.get(path).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(
            response.headers()["content-security-policy"],
            "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; frame-src 'self' http://localhost:8787; object-src 'none'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        assert_eq!(response.headers()["cross-origin-opener-policy"], "same-origin");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert_eq!(response.headers()["referrer-policy"], "no-referrer");
    }
}

#[tokio::test]
async fn an_asset_that_a_browser_has_is_not_sent_again() {
    let web = Web::new().await;
    let response = web.get("/assets/icon.svg").await;
    assert_eq!(response.headers()["content-type"], "image/svg+xml");
    let etag = response.headers()["etag"].clone();
    let again = request("GET", "/assets/icon.svg").header("if-none-match", etag);
    let response = web.send(again.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    for path in ["/assets/none.js", "/assets/..%2fCargo.toml", "/nowhere", "/api/nowhere"] {
        assert_eq!(refusal(web.get(path).await).await, is(404, "not_found"), "{path}");
    }
    let wrong = web.post("DELETE", "/api/me", "").await;
    assert_eq!(refusal(wrong).await, is(405, "method_not_allowed"));
}
