//! For those who do not use a mouse, or do not see the page, or see it large.

use crate::browser::{Card, Look, Outcome, Tab, World, until};
use crate::engine::Engine;
use playwright_rs::expect;
use serde_json::json;

const FORM: &str = "<h2>Trip</h2><form><label>City <input name=city></label>
    <label><input type=checkbox name=rail> By rail</label>
    <label>Seats <select name=seats><option>1<option>2</select></label>
    <label>Notes <textarea name=notes></textarea></label>
    <table><caption>Prices</caption><tr><th scope=col>Class</th><th scope=col>Price</th></tr>
    <tr><td>First</td><td>40</td></tr></table><p>Press <kbd>Enter</kbd> or <code>go</code>. <small>Small print.</small></p>
    <button type=button>Reset</button> <button class=primary>Book</button></form>";

fn axe() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(file).unwrap()
}

const FOUND: &str = "axe.run(document, { iframes: false }).then((found) => found.violations.map((rule) =>
    `${rule.id}: ${rule.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).join('; ')}`))";

/// What axe has against the page around the cards.
pub(crate) async fn page_faults(tab: &Tab) -> Vec<String> {
    let () = tab.eval(&format!("() => {{ {}; }}", axe())).await;
    tab.eval(&format!("() => {FOUND}")).await
}

/// What axe has against a card's own document, which is a part of a page and not one.
async fn card_faults(card: &Card) -> Vec<String> {
    // Nor does axe see what the page paints behind it.
    let behind = "document.documentElement.style.background = pithagoras.theme.colors.surface";
    let script = format!("() => {{ {behind}; {}; return {FOUND}; }}", axe());
    let found: Vec<String> = card.get("html").evaluate(&script, None::<()>).await.unwrap();
    let of_pages = [
        "region",
        "page-has-heading-one",
        "landmark-one-main",
        "document-title",
        "html-has-lang",
        "heading-order",
    ];
    found.into_iter().filter(|fault| !of_pages.iter().any(|rule| fault.starts_with(rule))).collect()
}

#[tokio::test]
async fn axe_has_nothing_against_cards_and_what_is_around_them_in_light_and_dark() -> Outcome {
    let world = World::start().await;
    for dark in [false, true] {
        let tab = world.tab_with(&Look { dark, ..Look::default() }).await;
        let events = json!([{ "name": "go", "debounceMs": 0 }]);
        let card = tab.show(FORM, &events).await;
        let tall = tab.show("<p>tall</p><div style='height:900px'></div>", &json!([])).await;
        expect(tall.own_button("Show all")).to_be_visible().await?;
        let leaving = "<p>loop</p><script>setTimeout(() => location.reload(), 50)</script>";
        tab.call("ui_show", &json!({ "title": "Leaves", "html": leaving })).await;
        tab.card(3).line_is("left").await;
        tab.idle().await;
        let closed = tab.show("<p>closed</p>", &json!([])).await;
        closed.own_button("Close").click(None).await?;
        closed.line_is("closed").await;
        assert_eq!(page_faults(&tab).await, Vec::<String>::new(), "the page, dark: {dark}");
        assert_eq!(card_faults(&card).await, Vec::<String>::new(), "the card, dark: {dark}");
        // The twin: axe finds what is wrong.
        let spoil = "() => { document.querySelector('#message').removeAttribute('aria-label');
            document.querySelector('#message').removeAttribute('placeholder');
            for (const label of document.querySelectorAll('label')) label.remove(); }";
        let () = tab.eval(spoil).await;
        assert_ne!(page_faults(&tab).await, Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn a_frame_is_named_after_its_card_in_a_region_and_the_way_past_it_is_the_stop_before_it()
-> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let buttons = "<button>x</button>".repeat(200);
    let card = tab.show_as(&json!({ "title": "Pick a file", "html": buttons })).await;
    expect(card.frame()).to_have_attribute("title", "Pick a file").await?;
    expect(card.part("section")).to_have_attribute("aria-label", "Pick a file, c1").await?;
    card.own_button("Close").focus().await?;
    let keyboard = tab.page.keyboard();
    keyboard.press("Tab", None).await?;
    let stop =
        "() => document.querySelector('inline-ui-card').shadowRoot.activeElement.textContent";
    assert_eq!(tab.eval::<String>(stop).await, "Skip card");
    keyboard.press("Enter", None).await?;
    keyboard.press("Tab", None).await?;
    until("the focus behind the card", async || {
        tab.eval::<bool>("() => document.activeElement.localName !== 'inline-ui-card'")
            .await
            .then_some(())
    })
    .await;
    Ok(())
}

#[tokio::test]
async fn the_line_is_told_at_most_once_in_two_seconds_and_the_last_word_is_told() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick='run()'>Run</button><script>let n = 0;
        function run() { const timer = setInterval(() => { pithagoras.emit('go', ++n); if (n > 24) clearInterval(timer); }, 250); }
        </script>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0 }])).await;
    let quiet = tab.show("<p>quiet</p>", &json!([])).await;
    let watch = "() => {
        self.told = [];
        for (const host of document.querySelectorAll('inline-ui-card'))
            new MutationObserver(() => told.push([performance.now(), host.shadowRoot.querySelector('[role=status]').textContent]))
                .observe(host.shadowRoot.querySelector('[role=status]'), { childList: true, characterData: true, subtree: true });
    }";
    let () = tab.eval(watch).await;
    card.click("#b").await;
    until("the last event", async || (tab.sent().last()?.data == 25).then_some(())).await;
    quiet.own_button("Close").click(None).await?;
    quiet.line_is("closed").await;
    card.line_is("next_message").await;
    let last = card.line().await;
    let told = until("the last words", async || {
        let told: Vec<(f64, String)> = tab.eval("() => told").await;
        let heard = |words: &str| told.iter().any(|(_, text)| text == words);
        (heard(&last) && heard("Closed by you.")).then_some(told)
    })
    .await;
    for pair in told.windows(2) {
        assert!(pair[1].0 - pair[0].0 > 1900., "{told:?}");
    }
    Ok(())
}

#[tokio::test]
async fn large_narrow_and_right_to_left_pages_show_all_of_a_card() -> Outcome {
    let world = World::start().await;
    // At 200 % a window of 1,200 px has 600; where the driver can, at twice the pixels.
    let scale = if world.engine == Engine::Chromium { 2. } else { 1. };
    for (width, scale) in [(600, scale), (320, 1.)] {
        let tab = world.tab_with(&Look { width, height: 800, scale, ..Look::default() }).await;
        let title = "A title that is much longer than the head of a narrow card has room for";
        let card = tab.show_as(&json!({ "title": title, "html": FORM })).await;
        tab.show("<div style='height:900px'>tall</div>", &json!([])).await;
        for direction in ["ltr", "rtl"] {
            let () = tab
                .page
                .evaluate("(dir) => { document.documentElement.dir = dir; }", Some(&direction))
                .await?;
            let sideways = "() => [document.documentElement.scrollWidth <= document.documentElement.clientWidth,
                ...[...document.querySelectorAll('inline-ui-card')].flatMap((host) => {
                    const edge = host.getBoundingClientRect();
                    return [...host.shadowRoot.querySelectorAll('header > :not(.quiet):not([hidden]), footer > :not(.quiet):not([hidden])')]
                        .map((part) => part.getBoundingClientRect())
                        .map((part) => part.left >= edge.left && part.right <= edge.right + .5);
                })]";
            let fits: Vec<bool> = tab.eval(sideways).await;
            assert!(fits.iter().all(|fits| *fits), "{width} px, {direction}: {fits:?}");
            let head = "section => { const at = (name) => section.querySelector(name).getBoundingClientRect().left;
                return at('.title') < at('.close'); }";
            let in_order: bool = card.part("section").evaluate(head, None::<()>).await?;
            assert_eq!(in_order, direction == "ltr");
        }
        let inside: bool = card.eval("document.documentElement.scrollWidth <= innerWidth").await;
        assert!(inside, "{width} px: the card scrolls sideways");
    }
    Ok(())
}

#[tokio::test]
async fn text_in_arabic_is_laid_out_right_to_left_and_the_authors_direction_wins() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<p id=a>شكرا! (3)</p><button id=b>إرسال</button><p id=e>English line</p><p id=own dir=rtl>English, by its author</p>";
    let card = tab.show(html, &json!([])).await;
    // At which side of its block a text begins.
    let sides = "['a', 'e', 'own'].map((id) => {
        const block = document.getElementById(id);
        const text = document.createRange();
        text.selectNodeContents(block);
        const [outer, inner] = [block.getBoundingClientRect(), text.getBoundingClientRect()];
        return outer.right - inner.right < inner.left - outer.left ? 'right' : 'left';
    })";
    assert_eq!(card.eval::<Vec<String>>(sides).await, ["right", "left", "right"]);
    Ok(())
}
