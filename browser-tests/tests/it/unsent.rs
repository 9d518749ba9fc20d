//! What a person does while it cannot be sent: kept, told, and sent in order, once.

use crate::browser::{Card, Outcome, Tab, World, pause, until};
use playwright_rs::expect;
use serde_json::{Value, json};

const CARD: &str = "<button id=a onclick=\"pithagoras.emit('a', ++n)\">A</button>
    <button id=b onclick=\"pithagoras.emit('b', ++n)\">B</button>
    <input id=i oninput=\"pithagoras.emit('typed', this.value)\"><script>let n = 0;</script>";

fn events() -> Value {
    json!([{ "name": "a", "debounceMs": 0 }, { "name": "b", "debounceMs": 0 }, { "name": "typed" }])
}

const UNREACHABLE: &str = "The portal does not answer. This is kept and sent later.";

/// Three things, the first of them twice.
async fn do_things(card: &Card) {
    for id in ["#a", "#b", "#a"] {
        card.click(id).await;
    }
    card.get("#i").press_sequentially("xy", None).await.unwrap();
}

/// A message brings the agent what was done, in order, each once.
async fn arrived(tab: &Tab, wanted: &[&str]) {
    tab.say("hello").await;
    until("the agent to read something", async || {
        (!tab.events_read().await.is_empty()).then_some(())
    })
    .await;
    tab.idle().await;
    assert_eq!(tab.events_read().await, wanted);
    assert_eq!(tab.summaries().await.len(), 1);
}

#[tokio::test]
async fn what_is_done_offline_is_kept_and_goes_in_order_when_the_network_is_back() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    tab.context.set_offline(true).await?;
    do_things(&card).await;
    card.says("offline", "You are offline. This is kept and sent later.").await;
    pause(600).await;
    assert_eq!(tab.sent().len(), 0);
    tab.context.set_offline(false).await?;
    card.says("next_message", "The agent gets this with your next message.").await;
    arrived(&tab, &["b ×1: 2", "a ×1: 3", "typed ×1: \"xy\""]).await;
    card.says("delivered", "The agent has this.").await;
    Ok(())
}

#[tokio::test]
async fn what_is_done_while_the_portal_is_down_goes_when_it_is_back() -> Outcome {
    let mut world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    world.portal.kill();
    do_things(&card).await;
    card.says("unreachable", UNREACHABLE).await;
    pause(600).await;
    assert_eq!(card.line_state().await, "unreachable");
    world.portal.start_again();
    card.says("next_message", "The agent gets this with your next message.").await;
    // The first `a` was under way when the second came, so it went first and by itself.
    arrived(&tab, &["b ×1: 2", "a ×2: 3", "typed ×1: \"xy\""]).await;
    card.says("delivered", "The agent has this.").await;
    assert_eq!(tab.loads(), 1);
    Ok(())
}

#[tokio::test]
async fn what_could_not_be_sent_before_a_reload_goes_after_it_once_and_in_order() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    tab.cut("**/events").await;
    do_things(&card).await;
    card.says("unreachable", UNREACHABLE).await;
    // What waits for its pause when the page goes is kept too.
    card.get("#i").press_sequentially("z", None).await?;
    pause(100).await;
    tab.reload().await;
    card.is_drawn().await;
    card.says("unreachable", UNREACHABLE).await;
    tab.page.unroute_all(None).await?;
    card.says("next_message", "The agent gets this with your next message.").await;
    arrived(&tab, &["b ×1: 2", "a ×2: 3", "typed ×1: \"xyz\""]).await;

    // Nothing is left to be sent again.
    let sent = tab.sent().len();
    tab.reload().await;
    card.is_drawn().await;
    card.line_is("delivered").await;
    assert_eq!(tab.sent().len(), sent);
    assert_eq!(tab.eval::<u32>("() => sessionStorage.length").await, 0);
    Ok(())
}

#[tokio::test]
async fn an_answer_that_was_lost_on_the_way_does_not_double_the_event() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    // It arrives, and the page does not hear so.
    let script = "() => {
        const send = fetch;
        self.fetch = async (url, options) => {
            const answer = await send(url, options);
            if (String(url).endsWith('/events')) throw new TypeError('lost');
            return answer;
        };
    }";
    let () = tab.page.evaluate(script, None::<&()>).await?;
    card.click("#a").await;
    card.says("unreachable", UNREACHABLE).await;
    tab.reload().await;
    card.is_drawn().await;
    card.says("next_message", "The agent gets this with your next message.").await;
    arrived(&tab, &["a ×1: 1"]).await;
    Ok(())
}

#[tokio::test]
async fn what_a_page_has_no_room_to_keep_is_not_said_to_be_kept() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    let fill = "() => {
        let size = 2 ** 22;
        for (let n = 0; size; ) try { sessionStorage.setItem(n++, 'x'.repeat(size)); } catch { size >>= 1; }
    }";
    let () = tab.page.evaluate(fill, None::<&()>).await?;
    tab.cut("**/events").await;
    card.click("#a").await;
    let words = "The portal does not answer. This is sent later if the page stays open.";
    card.says("unreachable", words).await;
    tab.page.unroute_all(None).await?;
    card.line_is("next_message").await;
    arrived(&tab, &["a ×1: 1"]).await;
    Ok(())
}

#[tokio::test]
async fn what_is_left_when_another_chat_is_opened_goes_without_the_card() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    tab.cut("**/events").await;
    card.click("#a").await;
    card.click("#b").await;
    card.says("unreachable", UNREACHABLE).await;
    let chat = tab.page.url();
    tab.page.locator("#side .new-chat").click(None).await?;
    expect(tab.page.locator("inline-ui-card")).to_have_count(0).await?;
    let tried = tab.sent().len();
    tab.page.unroute_all(None).await?;
    until("the rest to be sent", async || (tab.sent().len() >= tried + 2).then_some(())).await;
    until("nothing to be kept", async || {
        (tab.eval::<u32>("() => sessionStorage.length").await == 0).then_some(())
    })
    .await;
    tab.open(&chat).await;
    tab.card(1).is_drawn().await;
    arrived(&tab, &["a ×1: 1", "b ×1: 2"]).await;
    Ok(())
}

#[tokio::test]
async fn a_card_over_its_rate_waits_a_moment_and_its_newest_value_arrives() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick='run()'>Run</button><script>
        let n = 0;
        const run = () => { pithagoras.emit('go', ++n); if (n < 300) setTimeout(run, 10); };
        </script>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0 }])).await;
    card.keep_line().await;
    card.click("#b").await;
    until("the card to wait", async || {
        card.line_history().await.contains(&"rate_limited".to_owned()).then_some(())
    })
    .await;
    until("the newest value", async || {
        tab.sent().last().is_some_and(|last| last.data == 300).then_some(())
    })
    .await;
    card.says("next_message", "The agent gets this with your next message.").await;
    tab.say("hello").await;
    tab.agent_says("You did go").await;
    tab.idle().await;
    let read = tab.events_read().await;
    assert_eq!(read.len(), 1, "{read:?}");
    assert!(read[0].ends_with(": 300"), "{read:?}");
    // What was merged while it waited is no event of its own.
    assert!(tab.sent().len() < 150, "{}", tab.sent().len());
    Ok(())
}

#[tokio::test]
async fn a_refusal_is_told_in_plain_words_and_the_agent_hears_of_nothing() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('order', 1)\">Order</button>";
    let card = tab.show(html, &json!([{ "name": "order", "debounceMs": 0, "once": true }])).await;
    // A page that does not hear what happens meanwhile.
    let second = world.second_page(&tab).await;
    let twin = second.card(1);
    twin.is_drawn().await;
    second.cut("**/inline-ui/chats/*/stream*").await;
    second.reload().await;
    twin.is_drawn().await;
    card.click("#b").await;
    card.line_is("next_message").await;
    twin.click("#b").await;
    twin.says("refused", "Not sent: the agent takes this once, and has it already.").await;
    arrived(&tab, &["order ×1: 1"]).await;
    card.says("delivered", "The agent has this.").await;
    assert_eq!(twin.line_state().await, "refused");
    Ok(())
}
