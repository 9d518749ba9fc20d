//! A network of its own for one browser: a name server, and an address for each host, that remember
//! every look-up, connection, packet and request.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// All names end so; of others it knows nothing.
const ZONE: &str = ".evil.test";

/// What a host was sent, in the order it came.
type Seen = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// What the host `pages` answers to a path.
pub(crate) type Pages = Arc<dyn Fn(&str) -> Option<Page> + Send + Sync>;

/// A page of the host `pages`.
pub(crate) struct Page {
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

pub(crate) struct Net {
    pub(crate) name_server: Ipv4Addr,
    /// The one port of every host, for TCP and for UDP.
    pub(crate) port: u16,
    /// Its pages come from a loopback address, which makes them a secure context.
    pages: Ipv4Addr,
    seen: Seen,
}

impl Net {
    /// Hosts by those names, and one that serves pages.
    pub(crate) async fn open(hosts: Vec<String>, pages: Pages) -> Self {
        let seen = Seen::default();
        let (block, name_socket) = free_block().await;
        let addresses: BTreeMap<String, Ipv4Addr> =
            hosts.into_iter().zip((1..).map(|n: u16| address(block, n))).collect();
        let front = address(block, 0);
        let (port, front_listener, sockets) = bind_all(front, addresses.values()).await;
        tokio::spawn(serve(front_listener, None, Some(pages), seen.clone()));
        for ((host, _), (tcp, udp)) in addresses.iter().zip(sockets) {
            tokio::spawn(serve(tcp, Some(host.clone()), None, seen.clone()));
            tokio::spawn(hear_packets(udp, host.clone(), seen.clone()));
        }
        tokio::spawn(answer_names(name_socket, addresses, seen.clone()));
        Self { name_server: name_server(block), port, pages: front, seen }
    }

    /// `host:port` of one of its hosts.
    pub(crate) fn host(&self, name: &str) -> String {
        format!("{name}{ZONE}:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}:{}", self.pages, self.port)
    }

    /// What arrived at a host: `DNS`, `TCP`, `UDP` or a request's first line.
    pub(crate) fn seen(&self, name: &str) -> Vec<String> {
        self.seen.lock().unwrap().get(name).cloned().unwrap_or_default()
    }
}

fn note(seen: &Seen, host: &str, what: impl Into<String>) {
    let (mut seen, what) = (seen.lock().unwrap(), what.into());
    let all = seen.entry(host.to_owned()).or_default();
    if !all.contains(&what) {
        all.push(what);
    }
}

/// Loopback addresses are plenty: each network takes a block that no other process has.
fn address(block: u8, n: u16) -> Ipv4Addr {
    let [high, low] = (n + 256).to_be_bytes();
    Ipv4Addr::new(127, block, high, low)
}

fn name_server(block: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, block, 0, 53)
}

async fn free_block() -> (u8, UdpSocket) {
    let mut last = None;
    for block in 20..120 {
        match UdpSocket::bind((name_server(block), 53)).await {
            Ok(socket) => return (block, socket),
            Err(error) => last = Some(error),
        }
    }
    panic!(
        "no name server on port 53 of loopback ({last:?}): run as root, or set \
         net.ipv4.ip_unprivileged_port_start to 53 or less"
    );
}

async fn bind_all(
    front: Ipv4Addr,
    hosts: impl Iterator<Item = &Ipv4Addr> + Clone,
) -> (u16, TcpListener, Vec<(TcpListener, UdpSocket)>) {
    'ports: loop {
        let first = TcpListener::bind((front, 0)).await.unwrap();
        let port = first.local_addr().unwrap().port();
        let mut sockets = Vec::new();
        for host in hosts.clone() {
            let (tcp, udp) = tokio::join!(
                TcpListener::bind((*host, port)),
                UdpSocket::bind((IpAddr::from(*host), port))
            );
            let (Ok(tcp), Ok(udp)) = (tcp, udp) else { continue 'ports };
            sockets.push((tcp, udp));
        }
        return (port, first, sockets);
    }
}

async fn hear_packets(socket: UdpSocket, host: String, seen: Seen) {
    let mut packet = [0; 2048];
    while socket.recv_from(&mut packet).await.is_ok() {
        note(&seen, &host, "UDP");
    }
}

async fn serve(listener: TcpListener, host: Option<String>, pages: Option<Pages>, seen: Seen) {
    while let Ok((stream, _)) = listener.accept().await {
        if let Some(host) = &host {
            note(&seen, host, "TCP");
        }
        tokio::spawn(answer(stream, host.clone(), pages.clone(), seen.clone()));
    }
}

async fn answer(mut stream: TcpStream, host: Option<String>, pages: Option<Pages>, seen: Seen) {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => head.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let line = head.lines().next().unwrap_or_default().to_owned();
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let page = pages.and_then(|pages| pages(&path));
    if let Some(host) = host {
        note(&seen, &host, line);
    }
    let Page { kind, body } = page.unwrap_or(Page { kind: "text/html", body: "here".to_owned() });
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\naccess-control-allow-origin: *\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

async fn answer_names(socket: UdpSocket, hosts: BTreeMap<String, Ipv4Addr>, seen: Seen) {
    let mut packet = [0; 1500];
    while let Ok((length, from)) = socket.recv_from(&mut packet).await {
        let Some((name, kind, end)) = question(&packet[..length]) else { continue };
        // A label before a host's name is data on its way out.
        let host = name.strip_suffix(ZONE).and_then(|it| {
            hosts.keys().find(|host| it == *host || it.ends_with(&format!(".{host}")))
        });
        if let Some(host) = host {
            note(&seen, host, "DNS");
        }
        let address = host.map(|host| hosts[host]).filter(|_| kind == 1);
        let _ = socket.send_to(&reply(&packet[..end], host.is_some(), address), from).await;
    }
}

/// The name asked for, the type, and where the question ends (RFC 1035, 4.1).
fn question(packet: &[u8]) -> Option<(String, u16, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*packet.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(packet.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]);
    packet.get(at + 3)?;
    Some((labels.join("."), kind, at + 4))
}

fn reply(question: &[u8], known: bool, address: Option<Ipv4Addr>) -> Vec<u8> {
    let mut reply = question.to_vec();
    // A response, recursion available; "no such name" for what is not here.
    reply[2] = 0x81;
    reply[3] = if known { 0x80 } else { 0x83 };
    reply[4..12].copy_from_slice(&[0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
    if let Some(address) = address {
        reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        reply.extend(address.octets());
    }
    reply
}
