use super::*;
use rstest::rstest;
use serde_json::json;

fn code(tool: &str, arguments: &Value) -> Option<&'static str> {
    let raw = RawValue::from_string(arguments.to_string()).unwrap();
    read(tool, &raw).err().map(|refusal| refusal.code())
}

fn show(change: &Value) -> Option<&'static str> {
    let mut arguments = json!({ "title": "T", "html": "<p>x</p>" });
    for (key, value) in change.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    code("ui_show", &arguments)
}

fn names(count: usize) -> Value {
    (0..count).map(|n| json!({ "name": format!("e{n}") })).collect()
}

#[rstest]
#[case(json!({}), None)]
#[case(json!({ "events": null, "wait": null, "fallback": null }), None)]
#[case(json!({ "title": "t".repeat(200) }), None)]
#[case(json!({ "title": "é".repeat(201) }), Some("bad_title"))]
#[case(json!({ "title": " " }), Some("bad_title"))]
#[case(json!({ "title": 1 }), Some("bad_arguments"))]
#[case(json!({ "html": "x".repeat(262_144) }), None)]
#[case(json!({ "html": "x".repeat(262_145) }), Some("html_too_large"))]
#[case(json!({ "html": "  " }), Some("html_empty"))]
#[case(json!({ "fallback": "f".repeat(2_000) }), None)]
#[case(json!({ "fallback": "f".repeat(2_001) }), Some("fallback_too_long"))]
#[case(json!({ "events": names(20) }), None)]
#[case(json!({ "events": names(21) }), Some("too_many_events"))]
#[case(json!({ "events": names(20), "wait": { "event": "e3" } }), None)]
#[case(json!({ "events": names(20), "wait": { "event": "new" } }), Some("too_many_events"))]
#[case(json!({ "events": [{ "name": "a" }, { "name": "a" }] }), Some("duplicate_event"))]
#[case(json!({ "events": [{ "name": "a b" }] }), Some("bad_event_name"))]
#[case(json!({ "events": [{ "name": "a", "debounceMs": 60_000 }] }), None)]
#[case(json!({ "events": [{ "name": "a", "debounceMs": 60_001 }] }), Some("bad_debounce"))]
#[case(json!({ "events": [{ "name": "a", "debounceMs": -1 }] }), Some("bad_debounce"))]
#[case(json!({ "events": [{ "name": "a", "debounceMs": 0.5 }] }), Some("bad_debounce"))]
#[case(json!({ "events": [{ "name": "a", "debounceMs": 400.0 }] }), None)]
#[case(json!({ "events": [{ "name": "a", "debounce": 5 }] }), Some("unknown_field"))]
#[case(json!({ "event": [] }), Some("unknown_field"))]
#[case(json!({ "wait": { "event": ["a", "b", "a"] } }), None)]
#[case(json!({ "wait": { "event": [] } }), Some("wait_for_nothing"))]
#[case(json!({ "wait": { "event": [1] } }), Some("bad_arguments"))]
#[case(json!({ "wait": {} }), Some("bad_arguments"))]
#[case(json!({ "wait": { "event": "a", "timeoutSeconds": 86_400 } }), None)]
#[case(json!({ "wait": { "event": "a", "timeoutSeconds": 86_401 } }), Some("bad_timeout"))]
#[case(json!({ "wait": { "event": "a", "timeoutSeconds": 0 } }), Some("bad_timeout"))]
#[case(json!({ "wait": { "event": "a", "timeoutMs": 5 } }), Some("unknown_field"))]
fn ui_show_takes_what_is_within_its_limits(#[case] change: Value, #[case] refused: Option<&str>) {
    assert_eq!(show(&change), refused);
}

#[rstest]
#[case(json!({ "card": "c1", "data": 1 }), None)]
#[case(json!({ "card": "c1" }), Some("nothing_to_update"))]
#[case(json!({ "card": "1", "data": 1 }), Some("unknown_card"))]
#[case(json!({ "card": "c1", "data": "x".repeat(65_534) }), None)]
#[case(json!({ "card": "c1", "data": "x".repeat(65_535) }), Some("data_too_large"))]
#[case(json!({ "card": "c1", "title": "" }), Some("bad_title"))]
#[case(json!({ "card": "c1", "html": "" }), Some("html_empty"))]
fn ui_update_takes_what_is_within_its_limits(
    #[case] arguments: Value,
    #[case] refused: Option<&str>,
) {
    assert_eq!(code("ui_update", &arguments), refused);
}

#[rstest]
#[case(64, None)]
#[case(65, Some("data_too_deep"))]
#[case(5_000, Some("data_too_deep"))]
fn a_post_nests_64_deep(#[case] depth: usize, #[case] refused: Option<&str>) {
    let arguments = format!(r#"{{"card":"c1","data":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let read = read("ui_update", &RawValue::from_string(arguments).unwrap());
    assert_eq!(read.err().map(|refusal| refusal.code()), refused);
}

#[test]
fn an_unknown_field_or_tool_is_named_and_a_limit_stands_in_digits() {
    let raw = RawValue::from_string(json!({ "title": "T", "html": "x", "colour": 1 }).to_string())
        .unwrap();
    assert!(read("ui_show", &raw).unwrap_err().to_string().contains("colour"));
    assert!(read("ui_draw", &raw).unwrap_err().to_string().contains("ui_draw"));
    assert!(Refusal::HtmlTooLarge { bytes: 300_000 }.to_string().contains("262144"));
}

#[rstest]
#[case(json!({ "title": 5, "html": "x" }), "title: invalid type: integer `5`, expected a string")]
#[case(json!({ "title": "T", "html": "x", "events": ["pick"] }), "events[0]: invalid type: string \"pick\", expected an object such as {\"name\": \"pick\"}")]
#[case(json!({ "title": "T", "html": "x", "events": "pick" }), "events: invalid type: string \"pick\", expected a list")]
#[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a" }, {}] }), "events[1]: missing field `name`")]
#[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a", "wake": "yes" }] }), "events[0].wake: invalid type: string \"yes\", expected a boolean")]
#[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a", "ms": 1 }] }), "events[0]: unknown field `ms`")]
#[case(json!({ "title": "T", "html": "x", "wait": "ok" }), "wait: invalid type: string \"ok\", expected an object such as {\"event\": \"pick\"}")]
#[case(json!({ "html": "x" }), "missing field `title`")]
#[case(json!({ "title": "T", "html": "x", "colour": 1 }), "unknown field `colour`")]
#[case(json!(["T", "x", null, null, null]), "they are a JSON object")]
fn what_does_not_fit_is_named_by_its_place_in_the_words_of_json(
    #[case] arguments: Value,
    #[case] words: &str,
) {
    let raw = RawValue::from_string(arguments.to_string()).unwrap();
    let told = read("ui_show", &raw).unwrap_err().to_string();
    assert!(told.contains(&format!(": {words}")), "{told}");
    assert!(!told.contains("Args"), "{told}");
}

#[test]
fn the_descriptions_and_schemas_together_cost_less_than_900_tokens() {
    let tools: Vec<_> = tools()
        .into_iter()
        .map(|tool| (tool.name, tool.description, tool.input_schema.to_string()))
        .collect();
    let text = format!("{tools:?}");
    let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len();
    assert!(tokens < 900, "{tokens}");
}

#[test]
fn only_what_must_be_there_is_required() {
    let required = |n: usize| tools()[n].input_schema["required"].clone();
    assert_eq!(
        [required(0), required(1), required(2)],
        [json!(["title", "html"]), json!(["card"]), json!(["card"])]
    );
}

#[test]
fn schemas_are_self_contained_and_stay_as_they_are() {
    let tools: Vec<Value> = tools()
        .into_iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema }))
        .collect();
    let text = serde_json::to_string_pretty(&tools).unwrap();
    assert!(!text.contains("$ref"));
    insta::assert_snapshot!(text);
}
