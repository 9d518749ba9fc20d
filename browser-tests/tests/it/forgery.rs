//! What a card, another card or another site makes up is no gesture, in either engine. The twin of
//! each attack: a real press in the same card lets the same event through.

use crate::browser::{Card, Outcome, Tab, pause, until};
use crate::containment::engine::{Engine, Running};
use crate::portal::Portal;
use crate::sink::Sink;
use playwright_rs::protocol::KeyboardOptions;
use serde_json::{Value, json};

const BUTTON: &str =
    "<button id=b onclick=\"pithagoras.emit('go', 'clicked')\">Go</button><input id=i>";

/// What the bridge says to the page, said by somebody else: as it is, and with a port of their own.
const FORGE: &str = "const forms = () => [
        { type: 'pressed' }, { type: 'active' }, { type: 'open' }, { type: 'alive', n: 1 },
        { type: 'emit', name: 'go', data: '\"forged\"', held: false },
        { type: 'emit', name: 'go', data: '\"forged\"', held: true },
        { type: 'inline-ui:hello', nonce: '' }, { type: 'inline-ui:hello' },
    ];
    const speak = (port) => { for (const form of forms()) port.postMessage(form); };
    const forgeTo = (target) => { for (const form of forms()) {
        target.postMessage(form, '*');
        const { port1, port2 } = new MessageChannel();
        target.postMessage(form, '*', [port2]);
        speak(port1);
    } };";

/// Each counts its `tries`. Functions that the driver itself needs in the card are patched in the
/// bridge's own tests.
const ATTACKS: &[(&str, &str)] = &[
    (
        "made-up events",
        "const init = { bubbles: true, composed: true, cancelable: true, isPrimary: true, pointerType: 'touch' };
        setInterval(() => {
            for (const target of [b, i, document, window]) {
                for (const type of ['pointerdown', 'pointerup', 'mousedown', 'click', 'touchstart', 'touchend'])
                    target.dispatchEvent(new PointerEvent(type, init));
                for (const key of ['Tab', 'Enter', ' ']) for (const type of ['keydown', 'keypress', 'keyup'])
                    target.dispatchEvent(new KeyboardEvent(type, { ...init, key }));
                target.dispatchEvent(new InputEvent('input', init));
            }
            b.click(); pithagoras.emit('go', 'forged'); tries++;
        }, 50);",
    ),
    (
        "patched prototypes",
        "const caught = [];
        const lie = (owner, name, value) => Object.defineProperty(owner, name, { configurable: true, ...value });
        lie(Event.prototype, 'isTrusted', { get: () => true });
        lie(MessageEvent.prototype, 'ports', { get() { caught.push(this); return [] } });
        lie(performance, 'now', { value: () => 0 });
        lie(Performance.prototype, 'now', { value: () => 0 });
        lie(MessagePort.prototype, 'postMessage', { value: function (...said) { caught.push(this); } });
        lie(MessagePort.prototype, 'onmessage', { set() { caught.push(this); } });
        lie(Object.prototype, 'held', { value: false, writable: true });
        lie(Object.prototype, 'touched', { value: true, writable: true });
        setInterval(() => {
            const event = new PointerEvent('pointerdown', { bubbles: true, composed: true });
            lie(event, 'type', { value: 'pointerdown' });
            window.dispatchEvent(event); b.click(); pithagoras.emit('go', 'forged');
            for (const it of caught) if (it instanceof MessagePort) self.stolen = true;
            tries++;
        }, 50);",
    ),
    (
        "raw messages",
        "setInterval(() => { forgeTo(top); forgeTo(parent); forgeTo(window); pithagoras.emit('go', 'forged'); tries++; }, 50);",
    ),
    (
        "guessed nonces",
        "const seen = new Set(['n', 'nonce', '0', 'undefined', 'null']);
        const look = (text) => { for (const [word] of String(text).matchAll(/[\\w-]{8,64}/g)) seen.add(word); };
        look(document.documentElement.outerHTML); look(document.baseURI); look(location.href); look(window.name);
        for (const entry of performance.getEntries()) look(entry.name);
        try { look(new Error().stack); look(document.referrer); } catch {}
        setInterval(() => {
            for (const nonce of [...seen].slice(0, 40)) {
                const { port1, port2 } = new MessageChannel();
                top.postMessage({ type: 'inline-ui:hello', nonce }, '*', [port2]);
                speak(port1);
            }
            pithagoras.emit('go', 'forged'); tries++;
        }, 150);",
    ),
    (
        "a port caught while the document is opened",
        "const ports = [];
        const listen = () => { for (const type of ['message', 'messageerror']) addEventListener(type, (event) => { ports.push(...event.ports); }, true);
            onmessage = (event) => { ports.push(...event.ports); }; };
        listen();
        for (const end = Date.now() + 400; Date.now() < end;);
        addEventListener('DOMContentLoaded', () => {
            document.open(); listen();
            document.write(`<button id=b onclick=\"pithagoras.emit('go', 'clicked')\">Go</button><input id=i>`);
            document.close(); listen();
            setInterval(() => { for (const port of ports) speak(port); pithagoras.emit('go', 'forged'); tries++; }, 50);
        });",
    ),
    (
        "focus, at load and later",
        "addEventListener('keydown', () => pithagoras.emit('go', 'stolen'), true);
        addEventListener('focus', () => pithagoras.emit('go', 'focused'), true);
        const take = () => { b.focus(); i.focus(); i.select(); HTMLElement.prototype.focus.call(i); window.focus();
            i.setCustomValidity('no'); i.reportValidity(); i.scrollIntoView(); pithagoras.emit('go', 'forged'); tries++; };
        take(); onload = take; setInterval(take, 50);",
    ),
];

fn go() -> Value {
    json!([{ "name": "go", "debounceMs": 0 }])
}

fn card(script: &str) -> String {
    format!("{BUTTON}<script>self.tries = 0; {FORGE} {script}</script>")
}

struct Scene {
    portal: Portal,
    browser: Running,
}

impl Scene {
    async fn set(engine: Engine) -> Self {
        Self { portal: Portal::start(), browser: engine.launch(None).await }
    }

    async fn tab(&self) -> Tab {
        let tab = Tab::new(self.browser.context.clone()).await;
        tab.open(&self.portal.url()).await;
        tab
    }
}

async fn tried(card: &Card, attack: &str) {
    until(&format!("fifteen tries of {attack}"), async || {
        (card.eval::<u32>("self.tries ?? 0").await > 15).then_some(())
    })
    .await;
}

/// Events that the server half took from any card of the chat.
async fn accepted(tab: &Tab) -> u32 {
    tab.eval(
        "() => fetch('/ext/inline-ui' + location.pathname + '/cards').then(r => r.json())
        .then(all => all.cards.filter(card => card.state).length)",
    )
    .await
}

async fn only_a_real_press_is_heard(tab: &Tab, card: &Card, attack: &str) {
    assert_eq!(tab.sent_names(), Vec::<String>::new(), "{attack}");
    assert_eq!(accepted(tab).await, 0, "{attack}");
    card.click("#b").await;
    until(&format!("the real press after {attack}"), async || {
        (accepted(tab).await == 1).then_some(())
    })
    .await;
}

async fn attacks(engine: Engine) -> Outcome {
    let scene = Scene::set(engine).await;
    for (attack, script) in ATTACKS {
        let tab = scene.tab().await;
        let shown = tab.show(&card(script), &go()).await;
        // The person is elsewhere meanwhile.
        let composer = tab.composer();
        composer.click(None).await?;
        let keyboard = tab.page.keyboard();
        keyboard.type_text("words", KeyboardOptions::builder().delay(30.).build()).await?;
        tried(&shown, attack).await;
        assert_eq!(composer.input_value(None).await?, "words", "{attack}");
        only_a_real_press_is_heard(&tab, &shown, attack).await;
        tab.page.close().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_a_card_makes_up_is_no_gesture_in_chromium() -> Outcome {
    attacks(Engine::Chromium).await
}

#[tokio::test]
async fn what_a_card_makes_up_is_no_gesture_in_firefox() -> Outcome {
    attacks(Engine::Firefox).await
}

async fn others(engine: Engine) -> Outcome {
    let scene = Scene::set(engine).await;
    let tab = scene.tab().await;
    let steal = "const ask = self.fetch; self.fetch = async (...all) => { const answer = await ask(...all);
        if (/loads$/.test(all[0])) answer.clone().json().then((load) => { self.stolen = load.nonce; }); return answer; }";
    let () = tab.eval(&format!("() => {{ {steal} }}")).await;
    let victim = tab.show(&card(""), &go()).await;

    // The nonce of this very load, once the bridge has spent it: the page draws the card again.
    let nonce: String = tab.eval("() => self.stolen").await;
    let hello = format!(
        "(() => {{ const {{ port1, port2 }} = new MessageChannel();
        top.postMessage({{ type: 'inline-ui:hello', nonce: '{nonce}' }}, '*', [port2]); speak(port1); return true }})()"
    );
    let loads = tab.loads();
    assert!(victim.eval::<bool>(&hello).await);
    until("the card to be drawn again", async || (tab.loads() > loads).then_some(())).await;
    victim.is_drawn().await;

    // Another card, with the victim's names and frames, and that load's nonce.
    let nonce: String = tab.eval("() => self.stolen").await;
    let sibling = format!(
        "setInterval(() => {{
            for (let k = 0; k < top.length; k++) {{ forgeTo(top[k]); if (top[k][0] && top[k][0] !== self) forgeTo(top[k][0]); }}
            const {{ port1, port2 }} = new MessageChannel();
            top.postMessage({{ type: 'inline-ui:hello', nonce: '{nonce}' }}, '*', [port2]); speak(port1);
            forgeTo(top); tries++; }}, 100);"
    );
    let attacker = tab.show(&card(&sibling), &go()).await;
    tried(&attacker, "another card").await;
    assert_eq!(tab.sent_names(), Vec::<String>::new());

    // A page of another site that opened the chat; the portal cuts its opener off.
    let evil = Sink::open(|_| format!("<!doctype html><script>{FORGE}</script>")).await;
    let elsewhere = Tab::new(scene.browser.context.clone()).await;
    elsewhere.open(&evil.url("/")).await;
    let chat = tab.page.url();
    let run = "async (chat) => {
        const opened = open(chat);
        for (let i = 0; i < 30; i++) {
            await new Promise((done) => setTimeout(done, 100));
            try { forgeTo(opened); for (let k = 0; k < opened.length; k++) { forgeTo(opened[k]); forgeTo(opened[k][0]); } } catch {}
        }
        return true;
    }";
    assert!(elsewhere.page.evaluate::<_, bool>(run, Some(&chat)).await?);
    let pages = scene.browser.context.pages();
    for opened in pages.into_iter().filter(|page| page.url() == chat).skip(1) {
        opened.close().await?;
    }
    elsewhere.page.close().await?;
    tab.page.bring_to_front().await?;
    pause(300).await;
    only_a_real_press_is_heard(&tab, &victim, "messages of others").await;
    Ok(())
}

#[tokio::test]
async fn nobody_speaks_for_a_card_in_chromium() -> Outcome {
    others(Engine::Chromium).await
}

#[tokio::test]
async fn nobody_speaks_for_a_card_in_firefox() -> Outcome {
    others(Engine::Firefox).await
}
