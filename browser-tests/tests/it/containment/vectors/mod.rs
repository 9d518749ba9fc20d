//! What a card can try, and what is known to come of it.

mod hints;
mod loads;
mod navigation;
mod reach;
mod realms;

use super::engine::Engine;

/// One attempt to get something out of a card.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vector {
    pub(crate) name: &'static str,
    /// The card. `HOST` is its own host and port; `ORIGIN` that of the page around it; `SRCDOC` a
    /// page, for an attribute in double quotes, that says it ran and makes a WebRTC connection.
    html: &'static str,
    /// What a person presses.
    pub(crate) press: Option<&'static str>,
    /// Its twin takes the page around it away.
    pub(crate) alone: bool,
    /// It needs more time than a look-up or a connection does.
    pub(crate) slow: bool,
}

const fn card(name: &'static str, html: &'static str) -> Vector {
    Vector { name, html, press: None, alone: false, slow: false }
}

const fn pressed(name: &'static str, selector: &'static str, html: &'static str) -> Vector {
    Vector { name, html, press: Some(selector), alone: false, slow: false }
}

const fn slow(vector: Vector) -> Vector {
    Vector { slow: true, ..vector }
}

const fn alone(vector: Vector) -> Vector {
    Vector { alone: true, ..vector }
}

pub(crate) fn all() -> impl Iterator<Item = Vector> {
    let parts =
        [loads::VECTORS, hints::VECTORS, navigation::VECTORS, reach::VECTORS, realms::VECTORS];
    parts.into_iter().flatten().copied()
}

const PRECONNECT: &str = "Firefox opens the connection before any script can take the hint away";

/// What is known to get through, and why it is not closed.
const OPEN: &[(Engine, &str, &str)] = &[
    (Engine::Firefox, "preconnect by DOM", PRECONNECT),
    (Engine::Firefox, "preconnect by innerHTML", PRECONNECT),
    (Engine::Firefox, "preconnect by XML", PRECONNECT),
    (Engine::Firefox, "preconnect by createElementNS", PRECONNECT),
    (Engine::Firefox, "preconnect in a shadow root", PRECONNECT),
    (Engine::Firefox, "preconnect written", PRECONNECT),
    (Engine::Firefox, "preconnect by a range", PRECONNECT),
    (Engine::Firefox, "preconnect by a class", PRECONNECT),
    (Engine::Firefox, "preconnect by another document", PRECONNECT),
    (Engine::Firefox, "preconnect by execCommand", PRECONNECT),
    (Engine::Firefox, "preconnect by XSLT", PRECONNECT),
];

/// Why a vector is known to be open in an engine.
pub(crate) fn known_open(engine: Engine, name: &str) -> Option<&'static str> {
    OPEN.iter().find(|open| open.0 == engine && open.1 == name).map(|open| open.2)
}

impl Vector {
    /// The HTML for a host: it says on the console that it ran, and may say what it got at. Its scripts
    /// have `nested`, as `SRCDOC`; `frame`, with that in it; and `tag`, a template's tag that is in
    /// pieces where the server looks.
    pub(crate) fn document(&self, host: &str, origin: &str) -> String {
        let name = self.name;
        let bare = host.split(':').next().unwrap_or(host);
        let peer = format!(
            "<script>console.log('leak {name} realm');\
             const peer=new RTCPeerConnection({{iceServers:[{{urls:'stun:{host}'}},\
             {{urls:'turn:{host}?transport=tcp',username:'secret',credential:'p'}}]}});\
             peer.createDataChannel('x');\
             peer.createOffer().then((offer)=>peer.setLocalDescription(offer))</script>"
        );
        let inner = peer.replace("</", "<\\/");
        let before = format!(
            "<script>const leak = (what) => console.log('leak {name} ' + what);\
             const tag = '<temp' + 'late', nested = \"{inner}\", frame = \"<iframe srcdoc='\" + nested.replaceAll(\"'\", '&#39;') + \"'></iframe>\";\
             addEventListener('pointerdown', (event) => event.isTrusted && console.log('pressed {name}'), true);\
             </script>"
        );
        let after = format!("<script>console.log('ran {name}')</script>");
        let html = self.html.replace("HOSTNAME", bare).replace("HOST", host);
        let html = html.replace("ORIGIN", origin).replace("SRCDOC", &peer);
        match html.strip_prefix("<head>") {
            Some(rest) => format!("<head>{before}{rest}{after}"),
            None => format!("{before}{html}{after}"),
        }
    }
}
