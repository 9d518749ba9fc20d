use crate::PortalError;
use axum::http::Uri;
use std::net::SocketAddr;

/// The addresses a portal is reached at. What comes under another name is not for it.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    /// The portal's own origins; the first is the one to open.
    pub(crate) origins: Vec<String>,
    /// What stands in the Host header of a request to one of them.
    hosts: Vec<String>,
    /// The second origin, of frames only: `localhost` on loopback, elsewhere one that was given.
    pub(crate) frames: Option<FrameSite>,
    /// Nobody elsewhere reaches it.
    pub(crate) loopback: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct FrameSite {
    pub(crate) origin: String,
    hosts: Vec<String>,
}

/// Which of the portal's sites a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    Portal,
    Frames,
}

impl Site {
    /// `origins` and that of frames as an admin gave them; without any it is the address itself.
    pub(crate) fn new(
        address: SocketAddr,
        origins: &[String],
        frame_origin: Option<&str>,
    ) -> Result<Self, PortalError> {
        let local = address.ip().is_loopback();
        let own = format!("http://{}", with_port(address));
        let mut all: Vec<String> = origins.iter().map(|it| origin(it)).collect::<Result<_, _>>()?;
        let loopback = local && all.iter().all(|it| is_loopback_origin(it));
        if all.is_empty() && address.ip().is_unspecified() {
            return Err(PortalError::OriginNeeded { address });
        }
        if all.is_empty() || loopback && !all.contains(&own) {
            all.push(own);
        }
        let frames = match frame_origin.map(origin).transpose()? {
            Some(given) if all.contains(&given) => {
                return Err(PortalError::FrameOrigin { origin: given });
            }
            Some(given) => Some(given),
            None if loopback => Some(format!("http://localhost{}", port_suffix(address.port()))),
            None => None,
        };
        let frames = frames.map(|origin| FrameSite { hosts: hosts(&origin), origin });
        let hosts = all.iter().flat_map(|it| hosts(it)).collect();
        Ok(Self { origins: all, hosts, frames, loopback })
    }

    /// The address to open.
    pub(crate) fn url(&self) -> &str {
        self.origins.first().map_or("", String::as_str)
    }

    pub(crate) fn is_own(&self, origin: &str) -> bool {
        self.origins.iter().any(|it| it.eq_ignore_ascii_case(origin))
    }

    /// Cookies travel only over TLS when every origin is a secure one.
    pub(crate) fn is_secure(&self) -> bool {
        self.origins.iter().all(|it| it.starts_with("https://"))
    }

    pub(crate) fn door(&self, host: &str) -> Option<Door> {
        let is = |hosts: &[String]| hosts.iter().any(|it| it.eq_ignore_ascii_case(host));
        if is(&self.hosts) {
            return Some(Door::Portal);
        }
        self.frames.as_ref().is_some_and(|frames| is(&frames.hosts)).then_some(Door::Frames)
    }

    /// The policy of the portal's page.
    pub(crate) fn page_policy(&self) -> String {
        let frames = self.frames.as_ref().map(|it| format!(" {}", it.origin)).unwrap_or_default();
        format!(
            "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; frame-src 'self'{frames}; object-src 'none'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'"
        )
    }
}

/// Whether people elsewhere could reach it: then there must be a password.
pub(crate) fn public_name(address: SocketAddr, origins: &[String]) -> Option<String> {
    if !address.ip().is_loopback() {
        return Some(address.to_string());
    }
    origins.iter().find(|it| !is_loopback_origin(it)).cloned()
}

fn is_loopback_origin(origin: &str) -> bool {
    let Ok(uri) = origin.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Checks an origin and writes it as browsers do.
fn origin(text: &str) -> Result<String, PortalError> {
    let wrong = || PortalError::Origin { origin: text.to_owned() };
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let scheme = uri.scheme_str().filter(|it| matches!(*it, "http" | "https")).ok_or_else(wrong)?;
    let authority = uri.authority().ok_or_else(wrong)?;
    let bare = uri.path() == "/" && uri.query().is_none() && !text.ends_with('/');
    if !bare || authority.as_str().contains('@') {
        return Err(wrong());
    }
    let usual = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.as_str().to_ascii_lowercase();
    Ok(format!("{scheme}://{}", authority.strip_suffix(usual).unwrap_or(&authority)))
}

/// The Host headers of an origin: the usual port may be written or left out.
fn hosts(origin: &str) -> Vec<String> {
    let Some((scheme, authority)) = origin.split_once("://") else { return Vec::new() };
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port {
        return vec![authority.to_owned()];
    }
    let port = if scheme == "https" { 443 } else { 80 };
    vec![authority.to_owned(), format!("{authority}:{port}")]
}

fn with_port(address: SocketAddr) -> String {
    let host = match address {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    };
    host + &port_suffix(address.port())
}

fn port_suffix(port: u16) -> String {
    if port == 80 { String::new() } else { format!(":{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(address: &str, origins: &[&str]) -> Site {
        let origins: Vec<String> = origins.iter().map(|it| (*it).to_owned()).collect();
        Site::new(address.parse().unwrap(), &origins, None).unwrap()
    }

    #[test]
    fn on_loopback_the_portal_is_the_address_and_localhost_is_frames() {
        let site = site("127.0.0.1:8787", &[]);
        assert_eq!(site.origins, ["http://127.0.0.1:8787"]);
        assert_eq!(site.frames.as_ref().unwrap().origin, "http://localhost:8787");
        assert_eq!(site.door("127.0.0.1:8787"), Some(Door::Portal));
        assert_eq!(site.door("LocalHost:8787"), Some(Door::Frames));
        for host in ["127.0.0.1", "127.0.0.1:1", "evil.example:8787", "localhost", ""] {
            assert_eq!(site.door(host), None, "{host}");
        }
    }

    #[test]
    fn a_public_portal_has_the_origins_it_was_given_and_no_site_of_frames() {
        let site = site("0.0.0.0:8787", &["https://Chat.example:443"]);
        assert_eq!(site.origins, ["https://chat.example"]);
        assert!(site.frames.is_none() && !site.loopback && site.is_secure());
        assert_eq!(site.door("chat.example"), Some(Door::Portal));
        assert_eq!(site.door("chat.example:443"), Some(Door::Portal));
        assert_eq!(site.door("0.0.0.0:8787"), None);
    }

    #[test]
    fn frames_of_a_public_portal_come_from_another_origin_when_one_is_given() {
        let site = |frames: &str| {
            let chat = ["https://chat.example".to_owned()];
            Site::new("127.0.0.1:8787".parse().unwrap(), &chat, Some(frames))
        };
        let two = site("https://cards.example").unwrap();
        assert_eq!(two.door("cards.example"), Some(Door::Frames));
        assert_eq!(two.door("chat.example"), Some(Door::Portal));
        assert!(two.page_policy().contains("frame-src 'self' https://cards.example;"));
        assert!(two.is_secure() && !two.is_own("https://cards.example"));
        assert!(site("https://chat.example").is_err() && site("cards.example").is_err());
    }

    #[test]
    fn an_address_or_an_origin_elsewhere_needs_a_password_and_loopback_does_not() {
        let public = |address: &str, origins: &[&str]| {
            let origins: Vec<String> = origins.iter().map(|it| (*it).to_owned()).collect();
            public_name(address.parse().unwrap(), &origins).is_some()
        };
        assert!(public("0.0.0.0:1", &[]));
        assert!(public("127.0.0.1:1", &["https://chat.example"]));
        assert!(!public("127.0.0.1:1", &["http://127.0.0.1:9"]));
        assert!(!public("[::1]:1", &[]));
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "chat.example",
            "https://chat.example/",
            "https://chat.example/a",
            "ftp://a",
            "https://a@b",
            "",
        ] {
            assert!(
                Site::new("127.0.0.1:1".parse().unwrap(), &[text.to_owned()], None).is_err(),
                "{text}"
            );
        }
    }
}
