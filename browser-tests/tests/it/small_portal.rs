//! The portal around the cards.

use crate::browser::{Card, Look, Outcome, Tab, World, named, pause, until};
use crate::portal::Portal;
use crate::sink::get;
use playwright_rs::{AriaRole, Locator, expect};
use serde_json::{Value, json};
use std::time::Instant;

fn role(tab: &Tab, role: AriaRole, name: &str) -> Locator {
    tab.page.get_by_role(role, Some(named(name)))
}

#[tokio::test]
async fn the_portal_is_127_0_0_1_and_answers_to_no_other_name() -> Outcome {
    let world = World::start().await;
    let port = world.portal.port();
    let good = get(port, &world.portal.host(), "/").await;
    assert!(good.starts_with("HTTP/1.1 200"), "{good:.200}");
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1:1", "[::1]"] {
        let answer = get(port, host, "/api/chats").await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer:.200}");
    }
    let answer = get(port, &format!("localhost:{port}"), "/chats/x?y=1").await;
    let there = format!("location: http://127.0.0.1:{port}/chats/x?y=1");
    assert!(answer.starts_with("HTTP/1.1 3"), "{answer:.200}");
    assert!(answer.to_lowercase().contains(&there), "{answer:.400}");

    let tab = world.blank_tab(&Look::default()).await;
    tab.open(&format!("http://localhost:{port}/")).await;
    assert_eq!(tab.page.url(), format!("http://127.0.0.1:{port}/"));
    tab.show("<p id=p>framed</p>", &json!([])).await;
    let frame: String = tab
        .page
        .locator("inline-ui-card iframe")
        .evaluate("frame => frame.src", None::<()>)
        .await?;
    assert!(frame.starts_with(&format!("http://localhost:{port}/")), "{frame}");
    // The card sees where it is from, which says nothing of the chat.
    let base: String = tab.card(1).eval("document.baseURI + document.referrer").await;
    let chat = tab.page.url().rsplit('/').next().unwrap_or_default().to_owned();
    assert!(!base.contains(&chat), "{base}");
    // The frame's address is spent, and does not either.
    let path = frame.split_once(&port.to_string()).ok_or("no port")?.1.to_owned();
    assert!(!frame.contains(&chat), "{frame} names {chat}");
    let again = get(port, &format!("localhost:{port}"), &path).await;
    assert!(again.starts_with("HTTP/1.1 404"), "{again:.200}");
    Ok(())
}

#[tokio::test]
async fn with_a_password_one_signs_in_and_out() -> Outcome {
    let world = World::around(Portal::with_password("correct horse")).await;
    let answer = get(world.portal.port(), &world.portal.host(), "/api/chats").await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer:.200}");
    let tab = world.tab().await;
    let password = tab.page.get_by_label("Password", true);
    password.fill("wrong", None).await?;
    password.press("Enter", None).await?;
    expect(tab.page.get_by_text("That is not the password.", true)).to_be_visible().await?;
    password.fill("correct horse", None).await?;
    password.press("Enter", None).await?;
    expect(tab.composer()).to_be_visible().await?;
    let html = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0 }])).await;
    card.click("#b").await;
    card.line_is("next_message").await;
    let chat = tab.page.url();
    role(&tab, AriaRole::Button, "Sign out").click(None).await?;
    expect(password.clone()).to_be_visible().await?;
    tab.open(&chat).await;
    expect(password).to_be_visible().await?;
    assert_eq!(tab.page.locator("inline-ui-card").count().await?, 0);
    Ok(())
}

#[tokio::test]
async fn settings_apply_to_cards_that_are_open() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>
        <div style='height:700px'>tall</div>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0, "wake": true }])).await;
    assert_eq!(card.settled_height().await, 480.);

    let settings = world.blank_tab(&Look::default()).await;
    settings.open(&format!("{}/settings", world.portal.url())).await;
    let height = settings.page.locator("#inline-ui-maxHeight");
    let outcome = settings.page.locator(".outcome");
    let save = role(&settings, AriaRole::Button, "Save");
    height.fill("79", None).await?;
    save.click(None).await?;
    expect(height.clone()).to_have_attribute("aria-invalid", "true").await?;
    height.fill("300", None).await?;
    save.click(None).await?;
    expect(outcome.clone()).to_have_text("Saved.").await?;
    until("the card to be lower", async || (card.height().await == 300.).then_some(())).await;

    // An event that says nothing of its own follows the setting, in a card that is open.
    let typed = "<button id=t onclick=\"pithagoras.emit('typed')\">Type</button>";
    let typing = tab.show(typed, &json!([{ "name": "typed" }])).await;
    let debounce = settings.page.locator("#inline-ui-debounceMs");
    for (ms, least) in [("3000", 2800), ("0", 0)] {
        debounce.fill(ms, None).await?;
        save.click(None).await?;
        expect(outcome.clone()).to_have_text("Saved.").await?;
        pause(500).await;
        let sent = tab.sent().len();
        let began = Instant::now();
        typing.click("#t").await;
        until("the event", async || (tab.sent().len() > sent).then_some(())).await;
        let took = began.elapsed().as_millis();
        assert!(took >= least && (least > 0 || took < 2800), "{took} ms with {ms}");
    }

    settings.page.locator("#inline-ui-wake").uncheck(None).await?;
    save.click(None).await?;
    expect(outcome).to_have_text("Saved.").await?;
    card.click("#b").await;
    card.says("next_message", "The agent gets this with your next message.").await;
    assert_eq!(tab.agent_state().await, "idle");
    assert_eq!(tab.summaries().await.len(), 0);
    tab.say("hello").await;
    tab.agent_quotes("go", &Value::Null).await;
    card.says("delivered", "The agent has this.").await;
    assert_eq!(tab.events_read().await, ["typed ×2: null", "go ×1: null"]);
    Ok(())
}

#[tokio::test]
async fn a_chat_is_renamed_forked_and_deleted_with_its_cards() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0 }])).await;
    role(&tab, AriaRole::Button, "Rename chat").click(None).await?;
    let title = role(&tab, AriaRole::Textbox, "Chat title");
    title.fill("My <b>cards</b>", None).await?;
    title.press("Enter", None).await?;
    expect(tab.page.locator("h1")).to_have_text("My <b>cards</b>").await?;
    let first = tab.page.url();

    role(&tab, AriaRole::Button, "Fork chat").click(None).await?;
    until("the fork's page", async || (tab.page.url() != first).then_some(())).await;
    let copy = tab.card(1);
    copy.is_drawn().await;
    copy.line_is("closed").await;
    assert_eq!(copy.line().await, "Closed: a copy from another chat.");
    assert!(!copy.eval::<bool>("pithagoras.emit('go')").await);

    // The one it was copied from is as it was.
    tab.open(&first).await;
    card.is_drawn().await;
    card.click("#b").await;
    card.line_is("next_message").await;

    role(&tab, AriaRole::Button, "Delete chat").click(None).await?;
    role(&tab, AriaRole::Button, "Delete").click(None).await?;
    expect(tab.composer()).to_be_visible().await?;
    until("the root", async || {
        (tab.page.url() == format!("{}/", world.portal.url())).then_some(())
    })
    .await;
    let chat = first.rsplit('/').next().unwrap_or_default();
    let ask = format!(
        "() => fetch('/ext/inline-ui/chats/{chat}/cards').then(r => r.json()).then(a => a.cards?.length ?? 0)"
    );
    until("no cards", async || (tab.eval::<u32>(&ask).await == 0).then_some(())).await;
    Ok(())
}

/// What the person asks for, and the event that the agent hears.
const DEMOS: [(&str, &str); 6] = [
    ("pick a colour", "pick"),
    ("show me a form", "submit"),
    ("show me sliders", "change"),
    ("show me a chart", "select"),
    ("play a game", "finish"),
    ("ask me for an approval", "approve"),
];

/// Uses that card as a person would, to the point where the agent hears of it.
async fn use_demo(card: &Card, request: &str) -> playwright_rs::Result<()> {
    match request {
        "pick a colour" => card.button("Teal").click(None).await,
        "show me a form" => {
            // A click, as a person does: a field filled without one looks like stolen focus.
            card.click("#name").await;
            card.get("#name").fill("Ada", None).await?;
            card.get("#email").fill("ada@example.org", None).await?;
            card.get("#terms").check(None).await?;
            card.button("Sign up").click(None).await
        }
        "show me sliders" => {
            card.click("#warmth").await;
            card.get("#warmth").press("ArrowRight", None).await
        }
        "show me a chart" => card.button("Sat 890").click(None).await,
        "play a game" => {
            let free = card.get("#board button:not([aria-disabled=true])");
            while free.count().await? > 0 {
                free.first().click(None).await?;
            }
            Ok(())
        }
        _ => card.button("Approve").click(None).await,
    }
}

#[tokio::test]
async fn the_six_demo_cards_work_without_an_error_and_are_accessible_in_light_and_dark() -> Outcome
{
    let world = World::start().await;
    let tab = world.tab().await;
    let axe = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/node_modules/axe-core/axe.min.js"
    ))?;
    for (request, event) in DEMOS {
        tab.dark(false).await;
        tab.open(&world.portal.url()).await;
        tab.say(request).await;
        let card = tab.card(1);
        card.is_drawn().await;
        use_demo(&card, request).await?;
        tab.agent_says(&format!("You did {event}: ")).await;
        tab.idle().await;
        for dark in [false, true] {
            tab.dark(dark).await;
            // Colours move, and only where they can be seen.
            card.host.scroll_into_view_if_needed().await?;
            pause(500).await;
            let found = violations(&tab, &card, &axe).await?;
            let told = serde_json::to_string_pretty(&found)?;
            assert!(found.is_empty(), "{request}, dark {dark}: {told}");
        }
    }
    assert_eq!(tab.complaints(), Vec::<String>::new());
    Ok(())
}

/// The serious and critical ones of the page and of the card.
async fn violations(tab: &Tab, card: &Card, axe: &str) -> playwright_rs::Result<Vec<Value>> {
    let inject = format!("() => {{ if (!self.axe) {{ {axe} }} }}");
    // A frame has its title and language from the page around it.
    let run = "async () => (await axe.run(document, { iframes: false, resultTypes: ['violations'],
            rules: self === top ? {} : { 'document-title': { enabled: false }, 'html-has-lang': { enabled: false } } }))
        .violations.filter((it) => ['serious', 'critical'].includes(it.impact))
        .map((it) => ({ id: it.id, nodes: it.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary) }))";
    // Nor does axe see what the page paints behind it.
    let behind = "html => { html.style.background = pithagoras.theme.colors.surface; }";
    let document = card.get("html");
    let () = document.evaluate(behind, None::<()>).await?;
    let () = tab.page.evaluate(&inject, None::<&()>).await?;
    let () = document.evaluate(&inject, None::<()>).await?;
    let mut found: Vec<Value> = tab.page.evaluate(run, None::<&()>).await?;
    found.extend(document.evaluate::<Vec<Value>, _>(run, None::<()>).await?);
    Ok(found)
}
