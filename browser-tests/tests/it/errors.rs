//! A card whose code fails: the person sees it, the agent hears of it, and nothing starts by it.

use crate::browser::{Outcome, World, pause, until};
use playwright_rs::expect;
use serde_json::{Value, json};

/// Places are of the author's text as it was sent.
const FAILING: &str = "Here is the card:
```html
<p>Failing</p>
<button id=b onclick=\"later()\">Later</button>
<script>
  setTimeout(() => { nowhere.at.all(); });
  Promise.reject(new RangeError('too far'));
  function later() { null.x; }
</script>
```";

#[tokio::test]
async fn what_a_card_throws_is_on_its_head_and_reaches_the_agent_with_the_next_message() -> Outcome
{
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(FAILING, &json!([])).await;
    let line = card.part("[part=error]");
    expect(line.clone()).to_be_visible().await?;
    let answers = tab.answers().await.len();
    card.click("#b").await;
    expect(line.clone()).to_contain_text("3 errors in this card: ").await?;
    pause(500).await;
    assert_eq!(tab.answers().await.len(), answers, "it starts no turn");
    tab.say("hello").await;
    until("the answer", async || (tab.answers().await.len() > answers).then_some(())).await;
    let read = tab.read_by_agent().await.join("\n");
    // The first ones may have come while the agent still worked.
    let told = read.lines().filter(|line| line.contains(r#""name":"errors""#));
    let told: Vec<Value> = told.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut places: Vec<(String, u64)> = Vec::new();
    for error in told.iter().flat_map(|line| line["data"].as_array().unwrap()) {
        let text = error["text"].as_str().unwrap();
        places.push((
            text.split(':').next().unwrap().to_owned(),
            error["line"].as_u64().unwrap_or(0),
        ));
    }
    places.sort();
    let wanted = [("RangeError", 7), ("ReferenceError", 6), ("TypeError", 8)];
    assert_eq!(places, wanted.map(|(name, line)| (name.to_owned(), line)), "{told:?}");

    tab.reload().await;
    card.is_drawn().await;
    expect(line).to_contain_text("2 errors in this card: ").await?;
    tab.say("again").await;
    until("the answer", async || (tab.answers().await.len() > answers + 1).then_some(())).await;
    assert_eq!(tab.summaries().await.len(), told.len(), "the same errors are told once");
    Ok(())
}

#[tokio::test]
async fn what_the_policy_blocks_is_told_too_and_a_call_that_waits_gets_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<img alt=x src='https://pictures.example/a.png'><button id=b onclick=\"pithagoras.emit('ok')\">OK</button>";
    let asks = json!({ "title": "Picture", "html": html, "wait": { "event": "ok" } });
    let card = tab.show_and_wait(&asks).await;
    expect(card.part("[part=error]"))
        .to_contain_text("img-src blocked https://pictures.example/")
        .await?;
    card.click("#b").await;
    tab.call_is(1, "done").await;
    let result = tab.call_result(1).await;
    assert_eq!(result["outcome"], "answered");
    assert_eq!(result["errors"][0]["kind"], "policy", "{result}");
    Ok(())
}

#[tokio::test]
async fn a_card_that_hung_is_not_started_the_next_time_unless_the_person_says_so() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let button = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>";
    let events = json!([{ "name": "go", "debounceMs": 0 }]);
    let neighbour = tab.show(button, &events).await;
    pause(3500).await;
    let html = format!(
        "{button}<button id=loop onclick='setTimeout(() => {{ for (;;); }}, 1500)'>Loop</button>"
    );
    let looping = tab.show(&html, &events).await;
    looping.click("#loop").await;
    looping.line_is("silent").await;
    tab.reload().await;
    looping.says("stuck", "This card did not answer the last time, so it was not started.").await;
    neighbour.is_drawn().await;
    assert_eq!(looping.frame().count().await?, 0);
    looping.own_button("Run anyway").click(None).await?;
    looping.is_drawn().await;
    // It answers now, so it is an ordinary card again.
    until("the mark to go", async || {
        let cards = "() => {
            const host = document.querySelector('inline-ui-card');
            return fetch(`${host.getAttribute('base')}/chats/${host.getAttribute('chat')}/cards`).then(r => r.json());
        }";
        let cards: Value = tab.eval(cards).await;
        cards["cards"][1]["stuck"].is_null().then_some(())
    })
    .await;
    Ok(())
}

#[tokio::test]
async fn a_card_has_words_for_those_who_cannot_see_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let arguments =
        json!({ "title": "Sales", "html": "<p>chart</p>", "fallback": "Up by 4 %.\nBest: May." });
    let card = tab.show_as(&arguments).await;
    let words = card.part(".words");
    expect(words.clone()).not().to_be_visible().await?;
    card.part("summary").click(None).await?;
    expect(words.clone()).to_have_text("Up by 4 %.\nBest: May.").await?;
    // Where frames are blocked the words are what there is.
    tab.cut("**/frames/*").await;
    tab.reload().await;
    card.line_is("missing").await;
    expect(words).to_be_visible().await?;
    Ok(())
}
