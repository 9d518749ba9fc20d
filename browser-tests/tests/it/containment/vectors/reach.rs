//! What is on this machine and not the card's. These say on the console what they got at.

use super::{Vector, card, pressed};

pub(super) const VECTORS: &[Vector] = &[
    card("document of the page", "<script>try { leak(top.document.title) } catch {}</script>"),
    card("address of the page", "<script>try { leak(top.location.href) } catch {}</script>"),
    card(
        "the frame around it",
        "<script>try { leak(frameElement.tagName); frameElement.removeAttribute('sandbox') } catch {}</script>",
    ),
    card(
        "document of another card",
        "<script>for (let i = 0; i < top.length; i++) for (const other of [top[i], top[i][0]])
        if (other && other !== self) try { leak(other.document.body.innerHTML) } catch {}
        try { leak(parent.frames[0].document === document ? top.document.title : 'other') } catch {}</script>",
    ),
    card(
        "a file of the page",
        "<script>fetch('ORIGIN/', { mode: 'no-cors' }).then(() => leak('file'), () => {})</script>",
    ),
    card(
        "a file of the page as an image",
        "<script>const image = new Image(); image.onload = () => leak('image'); image.src = 'ORIGIN/dot.svg'</script>",
    ),
    card(
        "timing of a file of the page",
        "<script>fetch('ORIGIN/', { mode: 'no-cors' }).catch(() => {});
        setTimeout(() => { for (const entry of performance.getEntriesByType('resource'))
        if (entry.name.startsWith('ORIGIN') && entry.responseEnd && entry.duration > 0 && entry.transferSize !== 0) leak(entry.name) }, 600)</script>",
    ),
    card(
        "localStorage",
        "<script>try { if (localStorage.getItem('kept')) leak('kept');
        else { localStorage.setItem('kept', '1'); setTimeout(() => location.reload(), 100) } } catch {}</script>",
    ),
    card(
        "sessionStorage",
        "<script>try { if (sessionStorage.getItem('kept')) leak('kept');
        else { sessionStorage.setItem('kept', '1'); setTimeout(() => location.reload(), 100) } } catch {}</script>",
    ),
    card("cookies", "<script>try { document.cookie = 'a=1'; if (document.cookie) leak(document.cookie) } catch {}</script>"),
    card(
        "indexedDB",
        "<script>try { indexedDB.open('a').onsuccess = () => leak('database') } catch {}</script>",
    ),
    card("caches", "<script>try { caches.open('a').then(() => leak('cache'), () => {}) } catch {}</script>"),
    card(
        "file system",
        "<script>try { navigator.storage.getDirectory().then(() => leak('folder'), () => {}) } catch {}</script>",
    ),
    card(
        "service worker",
        "<script>try { navigator.serviceWorker.register('ORIGIN/worker.js').then(() => leak('registered'), () => {}) } catch {}</script>",
    ),
    card(
        "shared worker of the page",
        "<script>try { const shared = new SharedWorker('ORIGIN/worker.js');
        shared.port.onmessage = () => leak('worker'); shared.port.start() } catch {}</script>",
    ),
    card(
        "broadcast channel",
        "<script>try { const hear = new BroadcastChannel('a'); hear.onmessage = () => leak('heard');
        setTimeout(() => { const inner = document.createElement('iframe');
        inner.srcdoc = `<script>new BroadcastChannel('a').postMessage(1)<\\/script>`; document.body.append(inner) }, 100) } catch {}</script>",
    ),
    card("print", "<script>addEventListener('beforeprint', () => leak('printed')); setTimeout(() => print(), 100)</script>"),
    pressed(
        "clipboard",
        "button",
        "<button onclick=\"navigator.clipboard.readText().then(() => leak('read'), () => {})\">press</button>",
    ),
    pressed(
        "full screen",
        "button",
        "<button onclick=\"document.documentElement.requestFullscreen().then(() => { leak('full'); document.exitFullscreen() }, () => {})\">press</button>",
    ),
    card(
        "permissions",
        "<script>Notification.requestPermission().then((answer) => answer === 'granted' && leak(answer), () => {});
        navigator.geolocation?.getCurrentPosition(() => leak('place'), () => {})</script>",
    ),
    card("eval from a string", "<script>try { setTimeout(\"leak('timer')\") } catch {}</script>"),
];
