use super::*;
use regex::Regex;
use serde_json::json;

fn good() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "name": "tea-timer",
        "title": "Tea timer", "version": "1.2.3-rc.1", "description": "Times tea.", "license": "MIT",
        "homepage": "https://tea.example/", "protocol": 1,
        "server": { "command": ["bin/tea", "serve", "--stdio"] },
        "page": { "module": "page/tea.js", "element": "tea-timer" },
        "tools": [{ "name": "tea_start", "title": "Start" }],
        "settings": { "type": "object", "properties": {} }, "asks": { "network": "none" },
    })
}

fn read(manifest: &Value) -> Result<Manifest, PackageError> {
    Manifest::read(manifest.to_string().as_bytes())
}

#[test]
fn the_published_schema_is_the_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/manifest.schema.json");
    let schema = format!("{:#}\n", Manifest::schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &schema).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap();
    assert_eq!(published, schema, "UPDATE_SCHEMA=1 writes it");
}

#[test]
fn our_own_manifest_is_taken() {
    let manifest = Manifest::read(include_bytes!("../../../../manifest.json")).unwrap();
    assert_eq!(&*manifest.name, "inline-ui");
    assert_eq!(manifest.server.command.program(), "inline-ui");
    assert_eq!(manifest.server.command.arguments(), ["serve", "--stdio"]);
}

#[test]
fn a_manifest_is_taken_and_what_it_does_not_know_is_left_alone() {
    let mut manifest = good();
    manifest["future"] = json!({ "a": 1 });
    assert!(read(&manifest).is_ok());
}

#[test]
fn a_wrong_field_is_named_with_the_reason() {
    for (field, value, want) in [
        ("/name", json!("../x"), "name: it must be a-z and 0-9"),
        ("/name", json!("Tea"), "name: it must be a-z and 0-9"),
        ("/name", json!(""), "name: it must be a-z and 0-9"),
        ("/title", json!("a\nb"), "title: it must be one line"),
        ("/title", json!(""), "title: it must be one line"),
        ("/version", json!("1.2"), "version: it must be a version"),
        ("/version", json!("1.2.3/../4"), "version: it must be a version"),
        ("/homepage", json!("javascript:alert(1)"), "homepage: it must be an address"),
        ("/protocol", json!(2), "protocol: this portal speaks version 1"),
        ("/server/command", json!([]), "server.command: it names no program"),
        (
            "/server/command",
            json!(["../../bin/sh"]),
            "server.command: the program \"../../bin/sh\"",
        ),
        ("/server/command", json!(["/bin/sh"]), "server.command: the program \"/bin/sh\""),
        ("/server/command", json!(["a\\b"]), "server.command: the program"),
        ("/server/command", json!(["a/./b"]), "server.command: the program"),
        ("/server/command", json!("inline-ui"), "server.command: invalid type"),
        ("/page/module", json!("../page.js"), "page.module: it must be a path"),
        ("/page/element", json!("tea"), "page.element: it must be a custom element's name"),
        ("/tools/0/name", json!("tea start"), "tools[0].name: it must be letters"),
        ("/tools", json!([{ "name": "a", "title": "A" }, { "name": "a", "title": "B" }]), "twice"),
        ("/settings", json!(true), "settings: invalid type"),
        ("/asks", json!({ "network": 1 }), "asks.network: invalid type"),
    ] {
        let mut manifest = good();
        *manifest.pointer_mut(field).unwrap() = value.clone();
        let error = read(&manifest).unwrap_err();
        assert_eq!(error.code, "bad_manifest");
        assert!(error.text.contains(want), "{field} {value}: {}", error.text);
    }
}

#[test]
fn a_missing_field_and_what_is_no_json_are_refused() {
    let names = good().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for name in names.iter().filter(|name| *name != "$schema") {
        let mut manifest = good();
        manifest.as_object_mut().unwrap().remove(name);
        assert!(read(&manifest).unwrap_err().text.contains(&format!("`{name}`")), "{name}");
    }
    for text in ["", "null", "{", "[]", "{} {}"] {
        assert_eq!(Manifest::read(text.as_bytes()).unwrap_err().code, "bad_manifest", "{text}");
    }
    let twice = format!("{}{}", good(), good());
    assert!(Manifest::read(twice.as_bytes()).unwrap_err().text.contains("after its end"));
}

type Check = fn(String) -> bool;

/// The pattern and the lengths of a field in the published schema.
fn allows(pointer: &str, text: &str) -> bool {
    let schema = Manifest::schema();
    let field = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {schema:#}"));
    let length = text.chars().count() as u64;
    Regex::new(field["pattern"].as_str().unwrap()).unwrap().is_match(text)
        && (field["minLength"].as_u64().unwrap()..=field["maxLength"].as_u64().unwrap())
            .contains(&length)
}

#[test]
fn the_schemas_patterns_say_what_the_checks_do() {
    let long = "a".repeat(65);
    let samples = [
        "",
        "a",
        "A",
        "-",
        "a-b",
        "a--b",
        "-a",
        "a-",
        "a_b",
        "0-a",
        "ab-1",
        "1.2.3",
        "1.2",
        "1.2.3-a.1+b",
        "v1.2.3",
        " 1.2.3",
        "1.2.3 ",
        "a/b",
        "a//b",
        "/a",
        "a/",
        "..",
        "a/..",
        ".a",
        "a.js",
        "a\nb",
        "a\\b",
        "é",
        "https://a",
        "http://a.example/b?c",
        "https://",
        "ftp://a",
        "https://a b",
        "javascript:a",
        &long,
    ];
    let checks: [(&str, Check); 7] = [
        ("/properties/name", |text| Name::try_from(text).is_ok()),
        ("/properties/title", |text| Title::try_from(text).is_ok()),
        ("/properties/version", |text| VersionText::try_from(text).is_ok()),
        ("/properties/homepage", |text| Address::try_from(text).is_ok()),
        ("/properties/page/properties/module", |text| FilePath::try_from(text).is_ok()),
        ("/properties/page/properties/element", |text| Element::try_from(text).is_ok()),
        ("/properties/tools/items/properties/name", |text| ToolName::try_from(text).is_ok()),
    ];
    for (pointer, check) in checks {
        for text in samples {
            assert_eq!(allows(pointer, text), check(text.to_owned()), "{pointer} {text:?}");
        }
    }
}
