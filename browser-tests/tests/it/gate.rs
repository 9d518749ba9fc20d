//! Nothing but the person's own gesture opens a card's way to the agent.

use crate::browser::{Card, Outcome, Tab, World, pause, until};
use crate::sink::Sink;
use playwright_rs::protocol::KeyboardOptions;
use serde_json::{Value, json};

const BUTTON: &str = "<button id=b onclick=\"pithagoras.emit('go', 'clicked')\">Go</button>";

fn go() -> Value {
    json!([{ "name": "go", "debounceMs": 0 }])
}

/// The twin of every attack: a real click in the same card arrives.
async fn a_real_click_is_heard(tab: &Tab, card: &Card) {
    assert_eq!(tab.sent_names(), Vec::<String>::new());
    card.click("#b").await;
    until("the real click", async || (!tab.sent().is_empty()).then_some(())).await;
    card.line_is("next_message").await;
}

#[tokio::test]
async fn made_up_clicks_and_keys_open_nothing() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = format!(
        "{BUTTON}<input id=i><script>
        self.tries = 0; self.sent = 0;
        const init = {{ bubbles: true, composed: true, cancelable: true, key: 'Tab', isPrimary: true }};
        setInterval(() => {{
            for (const target of [b, i, document, window]) {{
                for (const type of ['pointerdown', 'pointerup', 'mousedown', 'click', 'touchstart'])
                    target.dispatchEvent(new PointerEvent(type, init));
                for (const key of ['Tab', 'Enter', ' '])
                    for (const type of ['keydown', 'keyup'])
                        target.dispatchEvent(new KeyboardEvent(type, {{ ...init, key }}));
                target.dispatchEvent(new InputEvent('input', init));
            }}
            b.click(); b.focus(); i.select();
            Object.defineProperty(Event.prototype, 'isTrusted', {{ get: () => true, configurable: true }});
            tries++;
            if (pithagoras.emit('go', 'forged')) sent++;
        }}, 50);</script>"
    );
    let card = tab.show(&html, &go()).await;
    until("twenty tries", async || (card.eval::<u32>("tries").await > 20).then_some(())).await;
    assert_eq!(card.eval::<u32>("sent").await, 0);
    a_real_click_is_heard(&tab, &card).await;
    Ok(())
}

#[tokio::test]
async fn a_card_that_focuses_itself_takes_no_key_from_the_composer() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = format!(
        "{BUTTON}<input id=i autofocus><dialog id=d><input></dialog>
        <label id=l for=i>label</label><script>
        self.keys = ''; self.tries = 0;
        addEventListener('keydown', (event) => {{ keys += event.key; pithagoras.emit('go', 'stolen'); }}, true);
        const take = () => {{
            tries++;
            i.focus(); i.select(); HTMLElement.prototype.focus.call(i);
            if (!d.open) d.showModal();
            d.close();
            i.setCustomValidity('no'); i.reportValidity(); i.scrollIntoView();
            window.focus();
        }};
        take(); onload = take; setInterval(take, 30);</script>"
    );
    let card = tab.show(&html, &go()).await;
    let composer = tab.composer();
    composer.click(None).await?;
    let text = "every key of this stays with the person";
    let before: u32 = card.eval("tries").await;
    tab.page.keyboard().type_text(text, KeyboardOptions::builder().delay(40.).build()).await?;
    assert!(card.eval::<u32>("tries").await > before + 10);
    assert_eq!(composer.input_value(None).await?, text);
    assert_eq!(card.eval::<String>("keys").await, "");
    assert_eq!(tab.eval::<String>("() => document.activeElement.id").await, "message");
    assert_eq!(card.line_state().await, "");
    composer.fill("", None).await?;
    a_real_click_is_heard(&tab, &card).await;
    Ok(())
}

#[tokio::test]
async fn messages_forged_by_a_card_its_sibling_or_an_opener_are_not_heard() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let forge = "const port = () => { const c = new MessageChannel(); return c.port2; };
        const forms = () => [
            { type: 'pressed' }, { type: 'open' }, { type: 'alive', n: 1 },
            { type: 'emit', name: 'go', data: '\"forged\"', held: false },
            { type: 'emit', name: 'go', data: '\"forged\"', held: true },
            { type: 'inline-ui:hello', nonce: '' }, { type: 'inline-ui:hello' },
            { card: 'c1', name: 'go', data: 'forged' },
        ];
        const forgeTo = (target) => {
            for (const form of forms()) {
                target.postMessage(form, '*');
                target.postMessage(form, '*', [port()]);
            }
        };";
    let own = format!(
        "{BUTTON}<script>{forge}
        setInterval(() => {{ forgeTo(top); forgeTo(parent); forgeTo(window); self.tries = (self.tries ?? 0) + 1;
            pithagoras.emit('go', 'forged'); }}, 50);</script>"
    );
    let sibling = format!(
        "<p>sibling</p><script>{forge}
        setInterval(() => {{ for (let k = 0; k < top.frames.length; k++) {{
            forgeTo(top.frames[k]); forgeTo(top.frames[k].frames[0]); }}
            forgeTo(top); self.tries = (self.tries ?? 0) + 1; }}, 50);</script>"
    );
    let card = tab.show(&own, &go()).await;
    let other = tab.show(&sibling, &json!([])).await;
    for card in [&card, &other] {
        until("the attack", async || {
            (card.eval::<u32>("self.tries ?? 0").await > 15).then_some(())
        })
        .await;
    }
    assert_eq!(tab.sent_names(), Vec::<String>::new());

    // A page that opened the chat holds its window, and so its frames.
    let chat = tab.page.url();
    let evil = Sink::open(|_| format!("<!doctype html><script>{forge}</script>")).await;
    let attacker = world.blank_tab(&crate::browser::Look::default()).await;
    attacker.open(&evil.url("/")).await;
    let waiter = attacker.context.expect_page(Some(10_000.)).await?;
    let open = "(chat) => { self.chat = open(chat); return true; }";
    let _: bool = attacker.page.evaluate(open, Some(&chat)).await?;
    let opened = waiter.wait().await?;
    let shown = opened.locator("inline-ui-card[card=c1] iframe.shown");
    playwright_rs::expect(shown)
        .with_timeout(std::time::Duration::from_secs(20))
        .to_be_visible()
        .await?;
    let run = "async () => {
        for (let i = 0; i < 20; i++) {
            forgeTo(chat);
            for (let k = 0; k < chat.length; k++) { forgeTo(chat.frames[k]); forgeTo(chat.frames[k].frames[0]); }
            await new Promise((done) => setTimeout(done, 50));
        }
        return chat.length;
    }";
    // The portal cuts its opener off, so this may reach no frame; then the page says it to itself.
    let _: f64 = attacker.page.evaluate(run, None::<&()>).await?;
    let inside = format!(
        "async () => {{
            {forge}
            forgeTo(window);
            const cards = document.querySelectorAll('inline-ui-card');
            for (const card of cards) {{
                const outer = card.shadowRoot.querySelector('iframe').contentWindow;
                forgeTo(outer);
                forgeTo(outer.frames[0]);
            }}
            await new Promise((done) => setTimeout(done, 300));
            return cards.length;
        }}"
    );
    assert_eq!(tab.eval::<u32>(&inside).await, 2);
    let ask = "() => fetch('/ext/inline-ui' + location.pathname + '/cards').then(r => r.json())
        .then(all => all.cards.filter(card => card.state).length)";
    assert_eq!(tab.eval::<u32>(ask).await, 0, "no event was accepted");
    a_real_click_is_heard(&tab, &card).await;
    assert_eq!(tab.eval::<u32>(ask).await, 1);
    Ok(())
}

#[tokio::test]
async fn a_person_at_the_keyboard_gets_in_by_tab_and_by_the_heads_button() -> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let card = tab.show(BUTTON, &go()).await;
    // From the head's last button: the way past the card, then the card.
    card.own_button("Close").focus().await?;
    let keyboard = tab.page.keyboard();
    keyboard.press("Tab", None).await?;
    pause(100).await;
    for _ in 0..3 {
        keyboard.press("Tab", None).await?;
        let inside = "document.activeElement === b";
        if card.eval::<bool>(inside).await {
            break;
        }
    }
    keyboard.press("Enter", None).await?;
    card.line_is("next_message").await;
    assert_eq!(tab.sent_names(), ["go"]);

    // Tab and Enter faster than the page sees where the focus went.
    let quick = tab.show(BUTTON, &go()).await;
    let skip = quick.part("a");
    skip.focus().await?;
    let late = async {
        pause(20).await;
        keyboard.press("Enter", None).await
    };
    let both = tokio::join!(keyboard.press("Tab", None), late);
    both.0?;
    both.1?;
    quick.line_is("next_message").await;
    assert_eq!(tab.sent_names(), ["go", "go"]);

    // With assistive technology: the button says that the person goes in.
    let entered = tab.show(BUTTON, &go()).await;
    entered.own_button("Enter card").focus().await?;
    keyboard.press("Enter", None).await?;
    pause(300).await;
    assert!(entered.eval::<bool>("pithagoras.emit('go', 'after Enter card')").await);
    entered.line_is("next_message").await;
    assert_eq!(tab.sent_names(), ["go", "go", "go"]);
    Ok(())
}
