use super::{ORIGIN, Stream, within};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN as ORIGIN_HEADER};
use hyper::{HeaderMap, Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::AbortHandle;

pub(crate) type Request = hyper::Request<Full<Bytes>>;

/// The routes of a running program, and the token they want.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    pub(crate) address: String,
    pub(crate) token: String,
}

/// What a request carries.
#[derive(Debug, Clone)]
pub(crate) struct Body(Bytes);

/// A response, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Ends the connection when it is dropped.
#[derive(Debug)]
pub(crate) struct Connection(AbortHandle);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Http {
    pub(crate) fn nowhere() -> Self {
        Self { address: String::new(), token: String::new() }
    }

    /// From the `http` of an answer to `initialize`.
    pub(crate) fn of(http: &Value) -> Self {
        let text = |key: &str| http[key].as_str().unwrap().to_owned();
        Self { address: text("address"), token: text("token") }
    }

    /// A request as the portal's proxy passes it on: with the token, and a page's origin on a POST.
    pub(crate) fn request(&self, method: Method, path: &str, body: impl Into<Body>) -> Request {
        let posts = method == Method::POST;
        let mut request = self.bare(method, path, body);
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, format!("Bearer {}", self.token).parse().unwrap());
        if posts {
            headers.insert(ORIGIN_HEADER, ORIGIN.parse().unwrap());
        }
        request
    }

    /// A request with nothing that it does not need.
    pub(crate) fn bare(&self, method: Method, path: &str, body: impl Into<Body>) -> Request {
        hyper::Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.address)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body.into().0))
            .unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path, "")).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Body>) -> Reply {
        self.send(self.request(Method::POST, path, body)).await
    }

    pub(crate) async fn send(&self, request: Request) -> Reply {
        self.try_send(request).await.expect("the program gave no response")
    }

    /// The response, if the program lives to give it.
    pub(crate) async fn try_send(&self, request: Request) -> Option<Reply> {
        within("a response or the end", async {
            let (response, _connection) = self.exchange(request).await?;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.ok()?.to_bytes();
            Some(Reply { status: parts.status, headers: parts.headers, body })
        })
        .await
    }

    /// Opens a stream of server-sent events.
    pub(crate) async fn stream(&self, request: Request) -> Stream {
        let (response, connection) = within("a stream", self.exchange(request)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Stream::new(response, connection)
    }

    async fn exchange(&self, request: Request) -> Option<(Response<Incoming>, Connection)> {
        if let Some(path) = self.address.strip_prefix("unix:") {
            return exchange(UnixStream::connect(path).await.ok()?, request).await;
        }
        exchange(TcpStream::connect(&self.address).await.ok()?, request).await
    }
}

async fn exchange(
    io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request,
) -> Option<(Response<Incoming>, Connection)> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(io)).await.ok()?;
    let connection = Connection(tokio::spawn(connection).abort_handle());
    Some((sender.send_request(request).await.ok()?, connection))
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The status and the code of a refusal, whose form is checked.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["status"], self.status.as_u16());
        for key in ["title", "detail"] {
            assert!(problem[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {problem}");
        }
        (self.status.as_u16(), problem["code"].as_str().unwrap().to_owned())
    }

    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!(self.problem(), (status, code.to_owned()), "{}", self.json()["detail"]);
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        self.json()
    }

    /// The state of an event that was taken.
    #[track_caller]
    pub(crate) fn accepted(&self) -> String {
        assert_eq!(self.status, StatusCode::ACCEPTED, "{self:?}");
        self.json()["state"].as_str().unwrap().to_owned()
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&[u8]> for Body {
    fn from(bytes: &[u8]) -> Self {
        Self(Bytes::copy_from_slice(bytes))
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        value.to_string().into()
    }
}
