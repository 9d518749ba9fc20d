use super::App;
use super::guard::is_frame;
use super::problem::Problem;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use futures_util::StreamExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use portal_link::Endpoint;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// Until the head of the answer; its body may take for ever.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

/// In bytes. An extension that refuses a larger one while it is written may not be heard.
const LARGEST_BODY: u64 = 1_048_576;

/// Headers of one hop, which are no part of the message.
const ONE_HOP: [&str; 9] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Passes a request on to the extension, its path as it is but for the base, and the answer back as
/// it comes.
pub(super) async fn forward(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let found = app.hub.hosts().running().into_iter().find_map(|host| {
        let rest = below(&host.base(), request.uri())?;
        Some((host, rest))
    });
    let Some((host, rest)) = found else { return Err(Problem::not_found()) };
    let endpoint = host.endpoint().ok_or_else(|| away("The extension is not running."))?;
    let token = (!is_frame(request.uri().path())).then_some(endpoint.token.as_str());
    if length(request.headers()).is_some_and(|bytes| bytes > LARGEST_BODY) {
        let detail = format!("A request to an extension may have {LARGEST_BODY} bytes.");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail));
    }
    let request = outgoing(request, rest, token)?;
    let answer = timeout(ANSWER_PATIENCE, send(&endpoint, request)).await.map_err(|_| {
        let detail = "The extension did not answer in time.";
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "extension_silent", detail)
    })?;
    let answer = answer.map_err(|error| {
        tracing::warn!(%error, "extension not reached over http");
        away("The extension does not answer.")
    })?;
    let mut answer = answer.map(Body::new);
    drop_one_hop(answer.headers_mut());
    answer.headers_mut().remove(header::SET_COOKIE);
    if is_event_stream(answer.headers()) {
        // A stream without an end would hold up the portal's own.
        let stopping = app.stopping.clone().cancelled_owned();
        return Ok(
            answer.map(|body| Body::from_stream(body.into_data_stream().take_until(stopping)))
        );
    }
    Ok(answer)
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// What the extension sees of an address: the rest behind the base, byte for byte.
fn below(base: &str, uri: &Uri) -> Option<PathAndQuery> {
    let rest = uri.path_and_query()?.as_str().strip_prefix(base)?;
    if !rest.starts_with('/') {
        return None;
    }
    rest.parse().ok()
}

fn outgoing(
    request: Request,
    rest: PathAndQuery,
    token: Option<&str>,
) -> Result<hyper::Request<Body>, Problem> {
    let (mut parts, body) = request.into_parts();
    parts.uri = Uri::from(rest);
    drop_one_hop(&mut parts.headers);
    for name in [header::COOKIE, header::AUTHORIZATION] {
        parts.headers.remove(name);
    }
    parts.headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    if let Some(token) = token {
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut bearer = bearer.map_err(|_| away("The extension's token is not usable."))?;
        bearer.set_sensitive(true);
        parts.headers.insert(header::AUTHORIZATION, bearer);
    }
    let mut outgoing = hyper::Request::new(body);
    *outgoing.method_mut() = parts.method;
    *outgoing.uri_mut() = parts.uri;
    *outgoing.headers_mut() = parts.headers;
    Ok(outgoing)
}

/// A connection of its own for each request: both ends are on this machine.
async fn send(
    endpoint: &Endpoint,
    request: hyper::Request<Body>,
) -> Result<Response<hyper::body::Incoming>, Box<dyn std::error::Error + Send + Sync>> {
    let address = endpoint.address.as_str();
    #[cfg(unix)]
    if let Some(path) = address.strip_prefix("unix:") {
        let stream = timeout(CONNECT_PATIENCE, tokio::net::UnixStream::connect(path)).await??;
        return exchange(stream, request).await;
    }
    let stream = timeout(CONNECT_PATIENCE, tokio::net::TcpStream::connect(address)).await??;
    stream.set_nodelay(true)?;
    exchange(stream, request).await
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: hyper::Request<Body>,
) -> Result<Response<hyper::body::Incoming>, Box<dyn std::error::Error + Send + Sync>> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection to the extension ended");
        }
    });
    Ok(sender.send_request(request).await?)
}

fn drop_one_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in ONE_HOP {
        headers.remove(name);
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn away(detail: &str) -> Problem {
    Problem::new(StatusCode::BAD_GATEWAY, "extension_away", detail)
}
