//! `manifest.json` says what the program says.

use crate::harness::Portal;
use serde_json::{Value, json};

fn manifest() -> Value {
    serde_json::from_str(include_str!("../../manifest.json")).unwrap()
}

#[tokio::test]
async fn the_manifests_version_is_the_programs_and_the_crates() {
    let portal = Portal::start().await;
    assert_eq!(manifest()["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(portal.initialized["extension"]["version"], manifest()["version"]);
    assert_eq!(portal.initialized["extension"]["name"], manifest()["name"]);
}

#[tokio::test]
async fn the_manifests_tools_are_the_programs_in_their_order() {
    let portal = Portal::start().await;
    let tools = portal.initialized["tools"].as_array().unwrap();
    let named: Vec<Value> =
        tools.iter().map(|tool| json!({ "name": tool["name"], "title": tool["title"] })).collect();
    assert_eq!(manifest()["tools"], json!(named));
}

#[tokio::test]
async fn the_manifests_settings_page_and_protocol_are_the_programs() {
    let portal = Portal::start().await;
    assert_eq!(manifest()["settings"], portal.initialized["settingsSchema"]);
    assert_eq!(manifest()["page"], portal.initialized["page"]);
    assert_eq!(manifest()["protocol"], portal.initialized["protocol"]);
}

#[test]
fn the_manifest_has_every_field_and_starts_this_program() {
    let manifest = manifest();
    for key in ["$schema", "title", "description", "license", "homepage"] {
        assert!(manifest[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    assert_eq!(manifest["server"]["command"], json!(["inline-ui", "serve", "--stdio"]));
    assert_eq!(manifest["asks"]["network"], "none");
    assert!(manifest["asks"]["wake"].is_string() && manifest["asks"]["data"].is_string());
}
