use super::server::{Answer, Part, call, finish, more, text};
use super::turn;
use serde_json::json;

#[tokio::test]
async fn text_comes_whole_wherever_its_bytes_are_cut() {
    let events = [text("Grün"), text("e Ä"), text("pfel."), finish("stop")];
    for bytes in [1, 3, 7, 4096] {
        let said = turn(vec![Answer::stream(&events).in_pieces_of(bytes)]).await;
        assert_eq!(said, ["Grüne Äpfel."], "{bytes}");
    }
}

#[tokio::test]
async fn a_call_in_many_chunks_is_one_call_with_its_very_bytes() {
    let events = [
        text("Look:"),
        call(0, "a", "ui_show", ""),
        more(0, "{\"n\": 1.50,"),
        more(0, " \"html\":\"<p>\\u00e9"),
        more(0, "</p>\"}"),
        finish("tool_calls"),
    ];
    let said = turn(vec![Answer::stream(&events).in_pieces_of(11)]).await;
    assert_eq!(said, ["Look:", r#"call ui_show {"n": 1.50, "html":"<p>\u00e9</p>"}"#]);
}

#[tokio::test]
async fn calls_side_by_side_keep_their_order_and_their_own_arguments() {
    let both = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
        { "index": 0, "id": "a", "type": "function", "function": { "name": "one", "arguments": "{\"a\"" } },
        { "index": 1, "id": "b", "type": "function", "function": { "name": "two", "arguments": "{\"b\"" } },
    ] } }] });
    let events = [both, more(1, ":2}"), more(0, ":1}"), finish("tool_calls")];
    let said = turn(vec![Answer::stream(&events)]).await;
    assert_eq!(said, [r#"call one {"a":1}"#, r#"call two {"b":2}"#]);
}

#[tokio::test]
async fn a_call_without_arguments_has_none_and_one_whose_arguments_are_no_json_is_unreadable() {
    let events = [
        call(0, "a", "one", ""),
        call(1, "b", "two", "{\"html\": <p>"),
        call(2, "c", "three", "[1]"),
        finish("tool_calls"),
    ];
    let said = turn(vec![Answer::stream(&events)]).await;
    assert_eq!(said, ["call one {}", r#"unreadable "{\"html\": <p>""#, "call three [1]"]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_says_so_and_what_became_of_what_it_had_said() {
    let broke = "failed The model's answer broke off: the connection ended before it was complete.";
    let begun = || Answer::unfinished(&[text("Half an ans")]);
    for cut in [begun(), begun().then(Part::Breaks)] {
        let said = turn(vec![cut]).await;
        assert_eq!(said[0], "Half an ans");
        assert_eq!(said[1], format!("{broke} What came is kept. Send a message to go on."));
    }
    let calling = [text("Look:"), call(0, "a", "ui_show", "{\"html\"")];
    let said = turn(vec![Answer::unfinished(&calling).then(Part::Breaks)]).await;
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains("what it was about to call was not called"), "{said:?}");
    let said = turn(vec![Answer::unfinished(&[])]).await;
    assert_eq!(said, [format!("{broke} Nothing had come yet. Send a message to go on.")]);
}

#[tokio::test]
async fn an_error_in_a_stream_is_told_in_the_servers_words() {
    let error = json!({ "error": { "message": "out of\nmemory", "type": "server_error" } });
    let said = turn(vec![Answer::unfinished(&[text("So"), error])]).await;
    assert_eq!(said, ["So", "failed The model's answer broke off. Its server says: out of memory"]);
    let said = turn(vec![Answer::raw("data: <html>\n\n")]).await;
    assert!(said[0].starts_with("failed The answer of the model's server is not understood."));
}

#[tokio::test]
async fn an_answer_that_is_cut_short_or_empty_has_a_line_that_says_so() {
    let cut = Answer::stream(&[text("On and on"), finish("length")]);
    let line = "notice The model's answer was cut off at its longest length.";
    assert_eq!(turn(vec![cut]).await, ["On and on", line]);
    let empty = Answer::stream(&[text(""), finish("stop")]);
    assert_eq!(turn(vec![empty]).await, ["notice The model answered with nothing."]);
    let filtered = Answer::stream(&[finish("content_filter")]);
    let line = "notice The provider's filter ended the model's answer.";
    assert_eq!(turn(vec![filtered]).await, [line]);
}
