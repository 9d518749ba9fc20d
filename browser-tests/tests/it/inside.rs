//! What card code finds in its document.

use crate::browser::{Outcome, World, until};
use serde_json::{Value, json};

const BUTTON: &str = "<button id=b>Touch</button>";

#[tokio::test]
async fn a_card_is_told_at_once_what_it_may_not_send() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(BUTTON, &json!([{ "name": "submit", "debounceMs": 0 }])).await;
    assert!(!card.eval::<bool>("pithagoras.emit('submit')").await);
    card.click("#b").await;
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    // Each beside what is just allowed.
    let attempts = [
        ("'submitted', 1".to_owned(), false),
        ("'submit', 1".to_owned(), true),
        ("'submit', 'x'.repeat(32_767)".to_owned(), false),
        ("'submit', 'x'.repeat(32_766)".to_owned(), true),
        ("'submit', 'é'.repeat(16_384)".to_owned(), false),
        ("'submit', 'é'.repeat(16_383)".to_owned(), true),
        (format!("'submit', {}", deep(65)), false),
        (format!("'submit', {}", deep(64)), true),
        ("'submit', 1n".to_owned(), false),
        ("'submit', () => 1".to_owned(), false),
        ("'submit', window".to_owned(), false),
        ("'submit'".to_owned(), true),
    ];
    let mut accepted = 0;
    for (arguments, sent) in &attempts {
        let found = card.eval::<bool>(&format!("pithagoras.emit({arguments})")).await;
        assert_eq!(found, *sent, "{arguments:.60}");
        accepted += usize::from(*sent);
        until(&format!("{accepted} events"), async || (tab.sent().len() == accepted).then_some(()))
            .await;
        if *sent {
            card.line_is("next_message").await;
        }
    }
    assert_eq!(tab.sent().last().map(|sent| sent.data.clone()), Some(Value::Null));
    card.own_button("Close").click(None).await?;
    card.line_is("closed").await;
    assert!(!card.eval::<bool>("pithagoras.emit('submit', 1)").await);
    Ok(())
}

#[tokio::test]
async fn the_cards_own_object_says_what_it_is_and_cannot_be_changed() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<p id=own></p>
        <button id=b onclick=\"patch(); pithagoras.emit('go', [alert(1), confirm(), prompt(), window.open('/')])\">
        Go</button><script>
        try { pithagoras = 1; } catch {}
        try { delete window.pithagoras; } catch {}
        try { pithagoras.emit = () => 'forged'; } catch {}
        own.textContent = JSON.stringify({
            card: pithagoras.card, events: pithagoras.events, frozen: Object.isFrozen(pithagoras),
            keys: Reflect.ownKeys(pithagoras).sort(), mode: pithagoras.theme.mode,
            colours: Reflect.ownKeys(pithagoras.theme.colors).length });
        function patch() {
            window.JSON = { stringify: () => '\"forged\"' };
            Array.prototype.push = Map.prototype.get = Object.keys = () => { throw 'patched'; };
            Function.prototype.call = Function.prototype.apply = () => { throw 'patched'; };
        }
        </script>";
    let events = json!([{ "name": "go", "debounceMs": 0 }, { "name": "later", "once": true }]);
    let card = tab.show(html, &events).await;
    let own: Value = serde_json::from_str(&card.get("#own").inner_text().await?)?;
    let wanted = json!({
        "card": { "id": "c1", "title": "A card" }, "events": ["go", "later"], "frozen": true,
        "keys": ["card", "emit", "events", "onData", "theme"], "mode": "light", "colours": 13,
    });
    assert_eq!(own, wanted);
    card.click("#b").await;
    card.line_is("next_message").await;
    assert_eq!(tab.sent()[0].data, json!([null, false, null, null]));
    Ok(())
}
