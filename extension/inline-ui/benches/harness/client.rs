use super::ORIGIN;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, ORIGIN as ORIGIN_HEADER};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The routes of a program, and the token they want.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    address: Arc<str>,
    host: HeaderValue,
    authorization: HeaderValue,
}

/// A request to be sent, and the status it must be answered with.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Bytes,
    pub(crate) status: StatusCode,
}

/// A connection that is kept open.
pub(crate) struct Connection {
    http: Http,
    sender: SendRequest<Full<Bytes>>,
}

/// Jobs that were all done.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) took: Duration,
    /// From the request to the whole response, shortest first.
    pub(crate) latencies: Vec<Duration>,
}

impl Http {
    pub(crate) fn new(address: String, token: &str) -> Self {
        let host = HeaderValue::from_str(&address).unwrap();
        let authorization = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
        Self { address: address.into(), host, authorization }
    }

    pub(crate) async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&*self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Connection { http: self.clone(), sender }
    }
}

impl Job {
    pub(crate) fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: Bytes::new(), status: StatusCode::OK }
    }

    pub(crate) fn post(path: String, body: impl Into<Bytes>, status: StatusCode) -> Self {
        Self { method: Method::POST, path, body: body.into(), status }
    }
}

impl Connection {
    /// The body of the response, whose status is checked.
    pub(crate) async fn send(&mut self, job: &Job) -> Bytes {
        let request = Request::builder()
            .method(job.method.clone())
            .uri(&job.path)
            .header(HOST, &self.http.host)
            .header(AUTHORIZATION, &self.http.authorization)
            .header(ORIGIN_HEADER, ORIGIN)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(job.body.clone()))
            .unwrap();
        let response = self.sender.send_request(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(status, job.status, "{}: {}", job.path, String::from_utf8_lossy(&body));
        self.sender.ready().await.unwrap();
        body
    }
}

/// Sends all jobs over that many connections, each with one request under way. `read` gets each body.
pub(crate) async fn exchange_all(
    http: &Http,
    jobs: Vec<Job>,
    connections: usize,
    read: impl Fn(usize, Bytes) + Clone + Send + 'static,
) -> Run {
    let (jobs, next) = (Arc::new(jobs), Arc::new(AtomicUsize::new(0)));
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(http.connect().await);
    }
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for mut connection in open {
        let (jobs, next, read) = (jobs.clone(), next.clone(), read.clone());
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { return latencies };
                let sent = Instant::now();
                let body = connection.send(job).await;
                latencies.push(sent.elapsed());
                read(at, body);
            }
        });
    }
    let latencies = tasks.join_all().await.into_iter().flatten().collect();
    Run::new(start.elapsed(), latencies)
}

impl Run {
    pub(crate) fn new(took: Duration, mut latencies: Vec<Duration>) -> Self {
        latencies.sort();
        Self { took, latencies }
    }

    pub(crate) fn a_second(&self) -> f64 {
        let done = u32::try_from(self.latencies.len()).unwrap();
        f64::from(done) / self.took.as_secs_f64()
    }

    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        self.latencies[(self.latencies.len() * percent / 100).min(self.latencies.len() - 1)]
    }
}
