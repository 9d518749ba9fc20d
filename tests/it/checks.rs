//! What a card's HTML is told before anybody sees it.

use crate::harness::{CHAT, Portal};
use serde_json::json;

#[tokio::test]
async fn a_card_that_cannot_work_is_refused_with_its_place_and_nothing_is_kept() {
    let mut portal = Portal::start().await;
    let html = "<p>x</p>\n<script>let a = ;</script>";
    let refused = portal.tool(CHAT, "ui_show", json!({ "title": "T", "html": html })).await;
    assert_eq!(refused.code(), Some("script_syntax"));
    assert_eq!(refused.structured, json!({ "code": "script_syntax", "line": 2, "column": 17 }));
    assert!(refused.text.contains("2:17"), "{}", refused.text);
    assert!(portal.page(CHAT).cards().await.is_empty());

    let id = portal.show(CHAT, json!({})).await;
    let refused = portal.tool(CHAT, "ui_update", json!({ "card": id, "html": html })).await;
    assert_eq!(refused.code(), Some("script_syntax"));
    assert_eq!(portal.page(CHAT).card(&id).await["revision"], 1);
    assert!(portal.page(CHAT).open(&id).await.document().contains("<p>card</p>"));
}

#[tokio::test]
async fn a_card_is_kept_repaired_and_the_answer_says_so() {
    let mut portal = Portal::start().await;
    let html = "Here it is:\n```html\n<p>mended</p>\n```\nEnjoy!";
    let shown = portal.tool(CHAT, "ui_show", json!({ "title": "T", "html": html })).await;
    let note = &shown.structured["notes"][0];
    assert_eq!(
        (&note["code"], &note["line"], &note["column"]),
        (&json!("fence_removed"), &json!(2), &json!(1))
    );
    assert_eq!(shown.structured["notes"].as_array().unwrap().len(), 1);
    assert!(shown.text.contains(note["text"].as_str().unwrap()), "{}", shown.text);
    let document = portal.page(CHAT).open("c1").await.document();
    assert!(document.contains("<p>mended</p>"), "{document}");
    assert!(!document.contains("Enjoy") && !document.contains("```html"), "{document}");
}

#[tokio::test]
async fn events_are_held_against_the_html_of_a_show_and_of_an_update() {
    let mut portal = Portal::start().await;
    let emits = |name: &str| format!("<script>pithagoras.emit('{name}')</script>");
    let shown = portal
        .tool(
            CHAT,
            "ui_show",
            json!({ "title": "T", "html": emits("pick"), "events": [{ "name": "pick" }] }),
        )
        .await;
    assert_eq!(shown.structured["notes"], json!([]));
    let updated =
        portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": emits("pikc") })).await;
    let codes: Vec<_> =
        updated.structured["notes"].as_array().unwrap().iter().map(|note| &note["code"]).collect();
    assert_eq!(codes, ["undeclared_emit", "never_emitted"]);
    assert!(updated.text.contains("did you mean `pick`"), "{}", updated.text);
    let updated =
        portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": emits("pick") })).await;
    assert_eq!(updated.structured["notes"], json!([]));
    let updated = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "New" })).await;
    assert_eq!(updated.structured["notes"], json!([]));
}

#[tokio::test]
async fn a_waiting_call_has_the_notes_in_its_answer_when_it_ends() {
    let mut portal = Portal::start().await;
    let arguments = json!({ "title": "Q", "html": "<button onclick=\"alert(1)\">x</button>",
        "wait": { "event": "ok", "timeoutSeconds": 0.2 } });
    let ended = portal.tool(CHAT, "ui_show", arguments).await;
    assert_eq!(ended.structured["outcome"], "unseen");
    let codes: Vec<_> =
        ended.structured["notes"].as_array().unwrap().iter().map(|note| &note["code"]).collect();
    assert_eq!(codes, ["dialog", "never_emitted"]);
    assert!(ended.text.contains("alert()"), "{}", ended.text);
}

#[tokio::test]
async fn the_fallback_is_given_back_as_what_was_shown_when_no_page_looks() {
    let mut portal = Portal::start().await;
    let arguments = json!({ "title": "Q", "html": "<p>x</p>", "fallback": "Three tests failed." });
    let shown = portal.tool(CHAT, "ui_show", arguments.clone()).await;
    assert!(
        shown.text.contains("Shown instead is the fallback: Three tests failed."),
        "{}",
        shown.text
    );
    assert_eq!(shown.structured, json!({ "card": "c1", "pages": 0, "notes": [] }));
    let _looking = portal.page(CHAT).stream().await;
    let shown = portal.tool(CHAT, "ui_show", arguments).await;
    assert!(!shown.text.contains("fallback"), "{}", shown.text);
}
