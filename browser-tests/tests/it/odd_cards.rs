//! What authors write, and what pages do, that breaks cards elsewhere.

use crate::browser::{Outcome, World, pause, until};
use playwright_rs::expect;
use serde_json::{Value, json};

#[tokio::test]
async fn a_form_that_names_an_event_sends_its_fields_and_the_button_that_was_pressed() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let form = "<input name=city value=Oslo><button id=go name=act value=go>Go</button>
        <button id=skip name=act value=skip>Skip</button>";
    let html = format!(
        "<form data-event=trip>{form}</form><form id=plain><button id=none>Nothing</button></form>"
    );
    let card = tab.show(&html, &json!([{ "name": "trip", "debounceMs": 0 }])).await;
    card.click("#none").await;
    for (n, act) in ["go", "skip"].into_iter().enumerate() {
        card.click(&format!("#{act}")).await;
        until("the form", async || (tab.sent().len() > n).then_some(())).await;
        let sent = &tab.sent()[n];
        assert_eq!(
            (sent.name.as_str(), &sent.data),
            ("trip", &json!({ "city": "Oslo", "act": act }))
        );
    }
    assert_eq!(card.get("[name=city]").input_value(None).await?, "Oslo");
    assert_eq!((tab.loads(), tab.sent().len()), (1, 2));
    Ok(())
}

#[tokio::test]
async fn a_script_that_expects_storage_and_dialogs_goes_on() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<script>const best = +localStorage.getItem('best') || 0;
        document.write('<p id=best>best ' + best + '</p>')</script>
        <button id=b onclick=\"localStorage.setItem('best', 9); sessionStorage.x = 1;
            pithagoras.emit('ok', [localStorage.getItem('best'), sessionStorage.x, confirm('Sure?'), window.open('/')])\">ok</button>";
    let card = tab.show(html, &json!([{ "name": "ok", "debounceMs": 0 }])).await;
    expect(card.get("#best")).to_have_text("best 0").await?;
    card.click("#b").await;
    until("the click", async || (!tab.sent().is_empty()).then_some(())).await;
    assert_eq!(tab.sent()[0].data, json!(["9", "1", false, null]));
    Ok(())
}

#[tokio::test]
async fn a_card_finds_out_neither_its_chat_nor_an_address_that_is_good_for_anything() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show("<p>who am I</p>", &json!([])).await;
    let look =
        "[document.baseURI, document.referrer, document.URL, ...(location.ancestorOrigins ?? [])]";
    let found: Vec<String> = card.eval(look).await;
    let chat = tab.page.url();
    let chat = chat.rsplit('/').next().unwrap();
    assert!(chat.len() > 10 && !found.iter().any(|text| text.contains(chat)), "{found:?}");
    assert_eq!(found[1], "");
    // The address of the frame is spent.
    let ask = "(at) => fetch('/ext/inline-ui' + new URL(at).pathname.replace('/ext/inline-ui', '')).then((got) => got.status)";
    if found[0].starts_with("http") {
        assert_eq!(tab.page.evaluate::<String, u16>(ask, Some(&found[0])).await?, 404);
    }
    Ok(())
}

#[tokio::test]
async fn a_card_that_the_page_puts_elsewhere_loads_again_and_is_heard() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('x', 1)\">x</button>";
    let card = tab.show(html, &json!([{ "name": "x", "debounceMs": 0 }])).await;
    let move_it = "() => document.querySelector('ol.transcript').append(document.querySelector('inline-ui-card'))";
    let () = tab.eval(move_it).await;
    until("another load", async || (tab.loads() == 2).then_some(())).await;
    card.is_drawn().await;
    card.click("#b").await;
    card.line_is("next_message").await;
    assert_eq!(tab.sent_names(), ["x"]);
    Ok(())
}

#[tokio::test]
async fn a_card_that_scrolls_to_itself_leaves_the_chat_where_it_is() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.show("<div style='height:470px'>one</div>", &json!([])).await;
    tab.show("<div style='height:470px'>two</div>", &json!([])).await;
    let html = "<p id=z>z</p><button id=b>Scroll</button><script>
        self.tries = 0;
        setInterval(() => { z.scrollIntoView(); b.focus(); location.hash = 'z'; tries++; }, 100);</script>";
    let card = tab.show(html, &json!([])).await;
    let () = tab.eval("() => { scrollTo(0, 0); }").await;
    let before: u32 = card.eval("tries").await;
    until("twenty tries", async || (card.eval::<u32>("tries").await > before + 20).then_some(()))
        .await;
    assert_eq!(tab.eval::<f64>("() => scrollY").await, 0.);
    Ok(())
}

#[tokio::test]
async fn the_wheel_over_a_card_moves_the_card_to_its_end_and_then_the_chat() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show("<div style='height:2000px'>long</div>", &json!([])).await;
    tab.show("<div style='height:470px'>below</div>", &json!([])).await;
    tab.show("<div style='height:470px'>below</div>", &json!([])).await;
    let () = tab.eval("() => { scrollTo(0, 0); }").await;
    pause(200).await;
    let area = card.frame().bounding_box().await?.ok_or("no frame")?;
    let mouse = tab.page.mouse();
    mouse.move_to(area.x + 50., area.y + 60., None).await?;
    mouse.wheel(0., 300.).await?;
    until("the card to scroll", async || (card.eval::<f64>("scrollY").await > 100.).then_some(()))
        .await;
    assert_eq!(tab.eval::<f64>("() => scrollY").await, 0., "the card comes first");
    until("the chat to scroll", async || {
        mouse.wheel(0., 600.).await.ok()?;
        (tab.eval::<f64>("() => scrollY").await > 20.).then_some(())
    })
    .await;
    let rest: f64 =
        card.eval("document.documentElement.scrollHeight - innerHeight - scrollY").await;
    assert!(rest.abs() < 2., "{rest} px of the card were left");
    Ok(())
}

#[tokio::test]
async fn a_card_is_told_once_of_all_that_happened_while_nobody_looked() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.show("<p>first</p>", &json!([])).await;
    let chat = tab.page.url();
    let html = "<p id=p>nothing</p><script>self.got = []; pithagoras.onData((data) => { got.push(data); p.textContent = data; });</script>";
    let shown = json!({ "title": "Unwatched", "html": html });
    let lines = [
        "/work 3".to_owned(),
        format!("/call ui_show {shown}"),
        format!("/call ui_update {}", json!({ "card": "c2", "data": "one" })),
        format!("/call ui_update {}", json!({ "card": "c2", "data": "two" })),
    ];
    tab.say(&lines.join("\n")).await;
    tab.open("about:blank").await;
    pause(5000).await;
    tab.open(&chat).await;
    let card = tab.card(2);
    card.is_drawn().await;
    expect(card.get("#p")).to_have_text("two").await?;
    assert_eq!(card.eval::<Value>("got").await, json!(["two"]));
    Ok(())
}
