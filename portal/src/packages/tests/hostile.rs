//! Registries and packages that mean harm, or are broken.

use super::registry::Served;
use super::*;
use std::io::Write;

const ENTRY: &str = "/tea";
const TARBALL: &str = "/tea/-/1.0.0.tgz";

/// Publishes tea with what a test does to its entry.
fn publish_with(shelf: &Shelf, change: impl FnOnce(&mut Value)) {
    let tea = extension("tea", "1.0.0");
    shelf.stub.publish_tarball(&tea.package, tea.tarball(), change);
}

#[tokio::test]
async fn a_wrong_a_weak_or_no_integrity_is_refused() {
    let shelf = Shelf::new().await;
    let wrong = format!("sha512-{}==", "A".repeat(86));
    for (integrity, want) in [
        (json!(wrong), "integrity_mismatch"),
        (json!(null), "integrity_missing"),
        (json!("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="), "integrity_missing"),
        (json!(""), "integrity_missing"),
    ] {
        publish_with(&shelf, |entry| {
            entry["dist"]["integrity"] = integrity.clone();
            entry["dist"]["shasum"] = "da39a3ee5e6b4b0d3255bfef95601890afd80709".into();
        });
        assert_eq!(shelf.refused("npm:tea").await, want, "{integrity}");
    }
    publish_with(&shelf, |_| {});
    let mut other = extension("tea", "1.0.0").tarball();
    other.push(0);
    shelf.stub.put(TARBALL, Served::Body(other));
    assert_eq!(shelf.refused("npm:tea").await, "integrity_mismatch", "one byte more");
    publish_with(&shelf, |_| {});
    assert_eq!(shelf.refused("npm:tea").await, "installed");
}

#[tokio::test]
async fn a_tarball_elsewhere_is_not_even_asked_for() {
    let shelf = Shelf::new().await;
    let elsewhere = Stub::start().await;
    let there = format!("{}{TARBALL}", elsewhere.address);
    for tarball in [
        &there,
        "https://evil.example/tea.tgz",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "",
    ] {
        publish_with(&shelf, |entry| entry["dist"]["tarball"] = tarball.into());
        assert_eq!(shelf.refused("npm:tea").await, "tarball_elsewhere", "{tarball}");
    }
    publish_with(&shelf, |_| {});
    shelf.stub.put(TARBALL, Served::Redirect(there));
    assert_eq!(shelf.refused("npm:tea").await, "tarball_elsewhere", "sent there");
    assert!(elsewhere.asked().is_empty());
    let tarball = extension("tea", "1.0.0").tarball();
    shelf.stub.put("/cache/tea.tgz", Served::Body(tarball));
    shelf.stub.put(TARBALL, Served::Redirect(format!("{}/cache/tea.tgz", shelf.stub.address)));
    assert_eq!(shelf.refused("npm:tea").await, "installed", "to the registry itself");
}

#[tokio::test]
async fn a_registry_that_stalls_sends_for_ever_goes_round_or_fails_is_given_up() {
    let shelf = Shelf::new().await;
    for (path, served, want) in [
        (ENTRY, Served::Stalls, "registry_slow"),
        (ENTRY, Served::Endless, "download_too_large"),
        (ENTRY, Served::Status(500), "registry_away"),
        (ENTRY, Served::Body(b"<html>".to_vec()), "bad_answer"),
        (TARBALL, Served::Stalls, "registry_slow"),
        (TARBALL, Served::Endless, "download_too_large"),
        (TARBALL, Served::Status(403), "registry_away"),
        (TARBALL, Served::Status(404), "unknown_package"),
        (TARBALL, Served::Redirect(format!("{}{TARBALL}", shelf.stub.address)), "registry_away"),
    ] {
        publish_with(&shelf, |_| {});
        shelf.stub.put(path, served.clone());
        assert_eq!(shelf.refused("npm:tea").await, want, "{path} {served:?}");
        shelf.stub.put(ENTRY, Served::Status(404));
    }
    assert_eq!(shelf.refused("npm:tea").await, "unknown_package");
    publish_with(&shelf, |_| {});
    assert_eq!(shelf.refused("npm:tea").await, "installed");
}

#[tokio::test]
async fn an_entry_or_a_tarball_of_another_package_is_refused() {
    let shelf = Shelf::new().await;
    publish_with(&shelf, |entry| entry["name"] = "cup".into());
    assert_eq!(shelf.refused("npm:tea").await, "another_package", "the entry's name");
    publish_with(&shelf, |entry| entry["version"] = "1.0.1".into());
    assert_eq!(shelf.refused("npm:tea").await, "another_package", "the entry's version");
    let tea = extension("tea", "1.0.0");
    for (other, what) in [
        (Publication { package: extension("cup", "1.0.0").package, ..tea.clone() }, "its own name"),
        (
            Publication { package: extension("tea", "1.0.1").package, ..tea.clone() },
            "its own version",
        ),
        (extension("cup", "1.0.0"), "the tarball's name"),
        (extension("tea", "1.0.1"), "the tarball's version"),
        (
            Publication { files: extension("cup", "1.0.0").files, ..tea.clone() },
            "the manifest's name",
        ),
        (
            Publication { files: extension("tea", "1.0.1").files, ..tea.clone() },
            "the manifest's version",
        ),
    ] {
        shelf.stub.publish_tarball(&tea.package, other.tarball(), |_| {});
        assert_eq!(shelf.refused("npm:tea").await, "another_package", "{what}");
    }
    shelf.stub.publish(&tea);
    assert_eq!(shelf.refused("npm:tea").await, "installed");
}

#[tokio::test]
async fn names_that_pass_for_others_are_refused_before_anybody_is_asked() {
    let shelf = Shelf::new().await;
    for name in [
        "@evil/inline-ui",
        "Tea",
        "tеa",
        "node_modules",
        "..",
        "../tea",
        "tea/../cup",
        "a%2fb",
        "@a/..",
    ] {
        assert_eq!(shelf.refused(&format!("npm:{name}")).await, "bad_name", "{name}");
    }
    assert!(shelf.stub.asked().is_empty());
}

#[tokio::test]
async fn a_package_without_a_manifest_or_with_a_bad_one_is_refused() {
    let shelf = Shelf::new().await;
    let mut none = extension("tea", "1.0.0");
    none.files.remove(0);
    shelf.stub.publish(&none);
    assert_eq!(shelf.refused("npm:tea").await, "no_manifest");
    let mut leaves = manifest("tea", "1.0.0");
    leaves["server"]["command"] = json!(["../../bin/sh"]);
    shelf.stub.publish(&with_manifest(&leaves));
    assert_eq!(shelf.refused("npm:tea").await, "bad_manifest");
    leaves["server"]["command"] = json!(["bin/run"]);
    shelf.stub.publish(&with_manifest(&leaves));
    assert_eq!(shelf.refused("npm:tea").await, "installed");
}

#[tokio::test]
async fn a_hostile_tarball_with_the_right_integrity_is_refused_too() {
    let shelf = Shelf::new().await;
    let tea = extension("tea", "1.0.0");
    let whole = tea.tarball();
    let half = whole[..whole.len() / 2].to_vec();
    shelf.stub.publish_tarball(&tea.package, half, |_| {});
    assert_eq!(shelf.refused("npm:tea").await, "bad_tarball", "cut off");
    let mut bomb = tea.clone();
    bomb.files.push(("bomb".to_owned(), vec![0; 40 << 20], 0o644));
    shelf.stub.publish(&bomb);
    assert_eq!(shelf.refused("npm:tea").await, "unpacks_too_large");
    let mut tar = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    tar.write_all(&vec![1; 4096]).unwrap();
    shelf.stub.publish_tarball(&tea.package, tar.finish().unwrap(), |_| {});
    assert_eq!(shelf.refused("npm:tea").await, "bad_tarball", "no tar");
}

#[tokio::test]
async fn install_scripts_are_shown_and_never_run() {
    let shelf = Shelf::new().await;
    let trace = shelf.root.path().join("ran");
    let mut tea = extension("tea", "1.0.0");
    let run = format!("touch {}", trace.display());
    tea.package["scripts"] = json!({ "preinstall": run, "install": run, "postinstall": run, "prepare": run, "test": run });
    shelf.stub.publish(&tea);
    let installed = shelf.packages.install("npm:tea").await.unwrap();
    let scripts = Value::from(&installed)["scripts"].clone();
    assert_eq!(scripts, json!(["preinstall", "install", "postinstall", "prepare"]));
    shelf.packages.enable("tea".to_owned()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    assert!(!trace.exists());
}

#[tokio::test]
async fn a_platforms_package_is_held_to_the_same() {
    let shelf = Shelf::new().await;
    let here = Platform::here();
    let mut main = extension("tea", "1.0.0");
    main.files.truncate(1);
    main.package["optionalDependencies"] = json!({ "tea-bin": "1.0.0" });
    shelf.stub.publish(&main);
    let bin = Publication {
        package: json!({ "name": "tea-bin", "version": "1.0.0", "os": [here.os], "cpu": [here.cpu] }),
        files: vec![program("tea", "1.0.0")],
    };
    let spoil = |change: fn(&mut Value)| {
        shelf.stub.publish_tarball(&bin.package, bin.tarball(), change);
    };
    spoil(|entry| entry["dist"]["integrity"] = format!("sha512-{}==", "A".repeat(86)).into());
    assert_eq!(shelf.refused("npm:tea").await, "integrity_mismatch");
    spoil(|entry| entry["dist"]["tarball"] = "https://evil.example/a.tgz".into());
    assert_eq!(shelf.refused("npm:tea").await, "tarball_elsewhere");
    let lies = Publication {
        package: json!({ "name": "tea-bin", "version": "1.0.0", "os": ["plan9"] }),
        ..bin.clone()
    };
    shelf.stub.publish_tarball(&bin.package, lies.tarball(), |_| {});
    assert_eq!(shelf.refused("npm:tea").await, "another_package");
    main.package["optionalDependencies"] = json!({ "../tea-bin": "1.0.0" });
    shelf.stub.publish(&main);
    assert_eq!(shelf.refused("npm:tea").await, "bad_name");
    main.package["optionalDependencies"] = json!({ "tea-bin": "1.0.0" });
    shelf.stub.publish(&main);
    shelf.stub.publish(&bin);
    assert_eq!(shelf.refused("npm:tea").await, "installed");
}
