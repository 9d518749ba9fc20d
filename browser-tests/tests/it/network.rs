//! A card has no network. The big battery is elsewhere; this is what every run checks.

use crate::browser::{Look, Outcome, World, pause, until};
use crate::engine::Engine;
use crate::sink::Sink;
use serde_json::json;

/// What a card tries; the last one leaves its document.
fn attempts(port: u16) -> String {
    format!(
        "<p>secret</p><img src='http://127.0.0.1:{port}/img'>
        <style>body {{ background: url(http://127.0.0.1:{port}/css); }}</style><script>
        const at = (path) => 'http://127.0.0.1:{port}' + path;
        fetch(at('/fetch'), {{ mode: 'no-cors' }}).catch(() => {{}});
        navigator.sendBeacon(at('/beacon'), 'secret');
        new Image().src = at('/image');
        try {{ new WebSocket('ws://127.0.0.1:{port}/socket'); }} catch {{}}
        const frame = document.createElement('iframe');
        frame.src = at('/frame');
        document.body.append(frame);
        setTimeout(() => {{ self.tried = true; location = at('/away'); }}, 800);
        </script>"
    )
}

const PATHS: [&str; 8] =
    ["/img", "/css", "/fetch", "/beacon", "/image", "/socket", "/frame", "/away"];

#[tokio::test]
async fn a_card_opens_no_connection_where_the_same_page_elsewhere_does() -> Outcome {
    let world = World::start().await;
    let sink = Sink::open(attempts).await;
    let tab = world.tab().await;
    tab.call("ui_show", &json!({ "title": "Out", "html": attempts(sink.port) })).await;
    let card = tab.card(1);
    if world.engine == Engine::Chromium {
        // It tried everything before it left, and was drawn again three times.
        card.line_is("left").await;
    } else {
        // Where what may not be loaded leaves a document alone, it stays.
        card.is_drawn().await;
        let tried = async || card.eval::<bool>("self.tried === true").await.then_some(());
        until("all attempts", tried).await;
    }
    pause(1000).await;
    assert_eq!(sink.paths(), Vec::<String>::new());

    // The twin: outside of a card all of it arrives.
    let twin = world.blank_tab(&Look::default()).await;
    twin.open(&sink.url("/page")).await;
    for path in PATHS {
        until(&format!("{path} at the sink"), async || {
            sink.paths().iter().any(|seen| seen == path).then_some(())
        })
        .await;
    }
    Ok(())
}
