//! Lines that are broken, too long, or not known: each is answered or ignored, and the link goes on.

use crate::harness::{CHAT, Portal};
use portal_link::MAX_LINE;
use portal_link::error_code::{INVALID_PARAMS, METHOD_NOT_FOUND, PARSE};
use serde_json::{Value, json};

/// The link still answers.
async fn goes_on(portal: &mut Portal) {
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn an_unknown_method_is_refused_by_name_and_an_unknown_notification_is_ignored() {
    let mut portal = Portal::start().await;
    let refused = portal.request("outbox/peek", json!({})).await.unwrap_err();
    assert_eq!(refused.code, METHOD_NOT_FOUND);
    assert!(refused.message.contains("outbox/peek"));
    portal.notify("chat/renamed", json!({ "chat": CHAT })).await;
    goes_on(&mut portal).await;
}

#[tokio::test]
async fn unknown_fields_are_ignored_on_every_level() {
    let mut portal =
        Portal::start_with(json!({ "colour": "green", "settings": { "later": 1 } })).await;
    let params = json!({ "chat": CHAT, "call": "c", "name": "ui_show", "trace": "t",
        "arguments": { "title": "T", "html": "<p>x</p>" } });
    let line = json!({ "jsonrpc": "2.0", "id": "own-id", "method": "tools/call", "params": params, "meta": { "a": 1 } });
    portal.raw(format!("{line}\n").as_bytes()).await;
    portal.flush().await;
    assert_eq!(portal.page(CHAT).cards().await.len(), 1);
}

#[tokio::test]
async fn a_line_that_is_not_json_is_answered_with_a_parse_error() {
    let mut portal = Portal::start().await;
    for line in [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\n",
        "no json\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}}\n",
    ] {
        portal.raw(line.as_bytes()).await;
        let (id, refused) = portal.stray().await;
        assert_eq!((id, refused.code), (Value::Null, PARSE), "{line}");
    }
    goes_on(&mut portal).await;
}

#[tokio::test]
async fn a_line_of_bad_utf8_is_answered_with_a_parse_error() {
    let mut portal = Portal::start().await;
    portal.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":\"\xff\xfe\"}\n").await;
    let (_, refused) = portal.stray().await;
    assert_eq!(refused.code, PARSE);
    assert!(refused.message.contains("UTF-8"), "{}", refused.message);
    goes_on(&mut portal).await;
}

#[tokio::test]
async fn a_line_of_two_mebibytes_is_answered_with_a_parse_error_once_and_dropped() {
    let mut portal = Portal::start().await;
    let mut line = vec![b'x'; 2 * MAX_LINE];
    line.push(b'\n');
    portal.raw(&line).await;
    let (_, refused) = portal.stray().await;
    assert_eq!(refused.code, PARSE);
    assert!(refused.message.contains(&MAX_LINE.to_string()), "{}", refused.message);
    goes_on(&mut portal).await;
}

#[tokio::test]
async fn a_line_may_have_one_mebibyte_and_not_a_byte_more() {
    let mut portal = Portal::start().await;
    for (bytes, taken) in [(MAX_LINE, true), (MAX_LINE + 1, false)] {
        let around =
            json!({ "jsonrpc": "2.0", "id": "long", "method": "no/such", "params": { "pad": "" } })
                .to_string()
                .len();
        let pad = "x".repeat(bytes - around);
        let line = json!({ "jsonrpc": "2.0", "id": "long", "method": "no/such", "params": { "pad": pad } }).to_string();
        assert_eq!(line.len(), bytes);
        portal.raw(format!("{line}\n").as_bytes()).await;
        let (id, refused) = portal.stray().await;
        let want = if taken { (json!("long"), METHOD_NOT_FOUND) } else { (Value::Null, PARSE) };
        assert_eq!((id, refused.code), want);
    }
}

#[tokio::test]
async fn empty_lines_and_carriage_returns_are_no_messages() {
    let mut portal = Portal::start().await;
    portal.raw(b"\n\r\n  \n").await;
    portal.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"crlf\",\"method\":\"no/such\"}\r\n").await;
    let (id, refused) = portal.stray().await;
    assert_eq!((id, refused.code), (json!("crlf"), METHOD_NOT_FOUND));
}

#[tokio::test]
async fn parameters_of_a_wrong_type_are_refused_and_change_nothing() {
    let mut portal = Portal::start().await;
    for (method, params) in [
        ("outbox/take", json!({ "chat": CHAT, "at": "sometime" })),
        ("outbox/take", json!({ "chat": 7, "at": "prompt" })),
        ("outbox/take", json!([])),
        ("tools/call", json!({ "chat": CHAT, "name": "ui_show", "arguments": {} })),
        ("tools/call", json!({ "chat": "", "call": "1", "name": "ui_show", "arguments": {} })),
        (
            "tools/call",
            json!({ "chat": "x".repeat(129), "call": "1", "name": "ui_close", "arguments": {} }),
        ),
    ] {
        let refused = portal.request(method, params.clone()).await.unwrap_err();
        assert_eq!(refused.code, INVALID_PARAMS, "{method} {params}");
    }
    for (method, params) in [
        ("chat/agent", json!({ "chat": CHAT, "state": "asleep" })),
        ("outbox/delivered", json!({ "chat": CHAT })),
        ("notifications/cancelled", json!({})),
        ("settings/changed", json!({ "settings": 7 })),
    ] {
        portal.notify(method, params).await;
    }
    goes_on(&mut portal).await;
    portal.show(CHAT, json!({})).await;
}

#[tokio::test]
async fn a_request_keeps_its_id_whether_it_is_a_number_or_a_text() {
    let mut portal = Portal::start().await;
    portal.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"no/such\"}\n").await;
    assert_eq!(portal.stray().await.0, json!("a\"b"));
}

#[tokio::test]
async fn a_tool_with_arguments_nested_a_thousand_deep_is_refused_in_words_and_the_link_goes_on() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({})).await;
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":4000000000,"method":"tools/call","params":{{"chat":"{CHAT}","call":"d","name":"ui_update","arguments":{{"card":"c1","data":{deep}}}}}}}"#
    );
    portal.raw(format!("{line}\n").as_bytes()).await;
    goes_on(&mut portal).await;
    assert!(portal.page(CHAT).load("c1").await.get("post").is_none());
}
