//! What an admin does with a package, and what is left of it after a kill.

use super::registry::Served;
use super::*;

fn name() -> String {
    "tea".to_owned()
}

#[tokio::test]
async fn an_installed_one_is_shown_with_what_it_asks_for_and_runs_only_once_it_is_enabled() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    let installed = shelf.packages.install("npm:tea").await.unwrap();
    let shown = Value::from(&installed);
    assert_eq!(shown["enabled"], false);
    assert_eq!(shown["asks"], json!({ "network": "none" }));
    assert_eq!(shown["command"], json!(["run"]));
    assert!(shelf.hosts.named("tea").is_none());
    assert_eq!(shelf.lives("tea"), [""; 0]);

    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    shelf.runs("inline-ui", "0.1.0").await;
    assert_eq!(shelf.tools(), ["inline-ui_start", "tea_start"]);

    shelf.packages.disable(name()).await.unwrap();
    assert!(shelf.hosts.named("tea").is_none());
    assert_eq!(shelf.tools(), ["inline-ui_start"]);
}

#[tokio::test]
async fn it_is_updated_and_rolled_back_with_its_data() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.packages.install("npm:tea").await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    assert_eq!(shelf.packages.update(name()).await.unwrap_err().code, "up_to_date");
    assert!(shelf.packages.updates().await.unwrap().is_empty());

    shelf.stub.publish(&extension("tea", "1.1.0"));
    let updates = shelf.packages.updates().await.unwrap();
    assert_eq!(updates[0].version.as_deref(), Some("1.1.0"));
    let after = shelf.packages.update(name()).await.unwrap();
    assert_eq!(after.row.previous.as_deref(), Some("1.0.0"));
    shelf.runs("tea", "1.1.0").await;
    shelf.packages.roll_back(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    assert_eq!(shelf.lives("tea"), ["1.0.0", "1.1.0", "1.0.0"]);
    assert_eq!(shelf.folders(), ["extensions/tea/1.0.0"]);
    assert_eq!(shelf.packages.roll_back(name()).await.unwrap_err().code, "no_version_before");
}

#[tokio::test]
async fn a_version_that_asks_for_more_waits_until_it_is_enabled_again() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.packages.install("npm:tea").await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    let mut asks_more = manifest("tea", "2.0.0");
    asks_more["asks"] = json!({ "network": "all of it" });
    shelf.stub.publish(&with_manifest(&asks_more));
    let after = shelf.packages.update(name()).await.unwrap();
    assert!(!after.row.enabled);
    assert!(shelf.hosts.named("tea").is_none());
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "2.0.0").await;
}

#[tokio::test]
async fn a_range_that_was_asked_for_is_kept_to_by_updates_and_an_exact_version_is_not() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.stub.publish(&extension("cup", "1.0.0"));
    shelf.packages.install("npm:tea@^1.0.0").await.unwrap();
    shelf.packages.install("npm:cup@1.0.0").await.unwrap();
    for version in ["1.5.0", "2.0.0"] {
        shelf.stub.publish(&extension("tea", version));
        shelf.stub.publish(&extension("cup", version));
    }
    assert_eq!(shelf.packages.update(name()).await.unwrap().row.version.as_deref(), Some("1.5.0"));
    let cup = shelf.packages.update("cup".to_owned()).await.unwrap();
    assert_eq!(cup.row.version.as_deref(), Some("2.0.0"));
}

#[tokio::test]
async fn one_that_is_removed_keeps_its_data_unless_told_otherwise() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    let data = shelf.root.path().join("extension-data/tea");
    for with_data in [false, true] {
        shelf.packages.install("npm:tea").await.unwrap();
        shelf.packages.enable(name()).await.unwrap();
        shelf.runs("tea", "1.0.0").await;
        shelf.packages.remove(name(), with_data).await.unwrap();
        assert!(shelf.hosts.named("tea").is_none());
        assert_eq!(shelf.folders(), [""; 0]);
        assert_eq!(data.exists(), !with_data);
        let gone = shelf.packages.enable(name()).await.unwrap_err();
        assert_eq!(gone.code, "unknown_extension");
    }
}

#[tokio::test]
async fn one_with_the_name_of_the_built_in_one_takes_its_place_and_gives_it_back() {
    let shelf = Shelf::new().await;
    shelf.runs("inline-ui", "0.1.0").await;
    shelf.stub.publish(&extension("inline-ui", "9.0.0"));
    shelf.packages.install("npm:inline-ui").await.unwrap();
    shelf.runs("inline-ui", "0.1.0").await;
    let name = || "inline-ui".to_owned();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("inline-ui", "9.0.0").await;
    assert_eq!(shelf.hosts.running().len(), 1);
    shelf.packages.disable(name()).await.unwrap();
    shelf.runs("inline-ui", "0.1.0").await;
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("inline-ui", "9.0.0").await;
    assert_eq!(shelf.packages.remove(name(), true).await.unwrap_err().code, "data_in_use");
    shelf.packages.remove(name(), false).await.unwrap();
    shelf.runs("inline-ui", "0.1.0").await;
    assert_eq!(shelf.lives("inline-ui"), ["0.0.0", "9.0.0", "0.0.0", "9.0.0", "0.0.0"]);
}

#[tokio::test]
async fn a_name_that_is_taken_and_a_tool_that_is_taken_are_refused() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.packages.install("npm:tea").await.unwrap();
    let again = shelf.packages.install("npm:tea@1.0.0").await.unwrap_err();
    assert_eq!(again.code, "name_taken");
    let mut same_tool = manifest("cup", "1.0.0");
    same_tool["tools"][0]["name"] = "tea_start".into();
    shelf.stub.publish(&with_manifest(&same_tool));
    shelf.packages.install("npm:cup").await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    let taken = shelf.packages.enable("cup".to_owned()).await.unwrap_err();
    assert_eq!(taken.code, "tool_taken");
    shelf.packages.disable(name()).await.unwrap();
    shelf.packages.enable("cup".to_owned()).await.unwrap();
}

#[tokio::test]
async fn a_folder_is_used_in_place() {
    let shelf = Shelf::new().await;
    let folder = tempfile::tempdir().unwrap();
    let source = format!("path:{}", folder.path().display());
    assert_eq!(shelf.refused(&source).await, "no_manifest");
    let write = |manifest: Value| {
        std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    };
    write(manifest("tea", "1.0.0"));
    assert_eq!(shelf.refused(&source).await, "no_program");
    let run = folder.path().join("run");
    std::fs::write(&run, program("tea", "1.0.0").1).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    shelf.packages.install(&source).await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    assert_eq!(shelf.packages.update(name()).await.unwrap_err().code, "not_from_registry");
    write(manifest("tea", "1.1.0"));
    shelf.packages.disable(name()).await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.1.0").await;
    shelf.packages.remove(name(), true).await.unwrap();
    assert!(run.exists(), "it is the admin's own");
}

#[tokio::test]
async fn the_program_comes_from_the_package_of_this_machine() {
    let shelf = Shelf::new().await;
    let here = Platform::here();
    let mut main = extension("tea", "1.0.0");
    main.files.truncate(1);
    main.package["optionalDependencies"] = json!({
        "tea-elsewhere": "1.0.0", "tea-gone": "1.0.0", "@tea/here": "1.0.0",
    });
    shelf.stub.publish(&main);
    let platform = |name: &str, os: &str| Publication {
        package: json!({ "name": name, "version": "1.0.0", "os": [os], "cpu": [here.cpu],
            "libc": here.libc.map(|it| vec![it]).unwrap_or_default() }),
        files: vec![program("tea", "1.0.0")],
    };
    shelf.stub.publish(&platform("tea-elsewhere", "plan9"));
    assert_eq!(shelf.refused("npm:tea").await, "no_program");
    shelf.stub.publish(&platform("@tea/here", here.os));
    shelf.packages.install("npm:tea").await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    let asked = shelf.stub.asked();
    assert!(!asked.iter().any(|path| path.contains("tea-elsewhere/-/")), "{asked:?}");
}

#[tokio::test]
async fn search_finds_what_has_the_keyword() {
    let shelf = Shelf::new().await;
    assert_eq!(shelf.packages.search("tea").await.unwrap_err().code, "no_search");
    let found = |name: &str, keyword: &str| {
        json!({ "package": { "name": name, "version": "1.0.0", "description": "A", "keywords": [keyword],
            "publisher": { "username": "ann" } } })
    };
    let body = json!({ "objects": [found("tea", KEYWORD), found("evil", "other")] });
    shelf.stub.put("/-/v1/search", Served::Body(body.to_string().into_bytes()));
    let hits = shelf.packages.search("green tea").await.unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].name.as_str(), hits[0].publisher.as_str()), ("tea", "ann"));
    let asked = shelf.stub.asked();
    assert_eq!(
        asked[1],
        "/-/v1/search?text=keywords%3Aagent-portal-extension%20green%20tea&size=25"
    );
}

#[tokio::test]
async fn what_is_installed_enabled_and_changed_is_so_after_a_kill() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.packages.install("npm:tea").await.unwrap();
    let shelf = shelf.killed().await;
    assert!(shelf.hosts.named("tea").is_none());
    shelf.packages.enable(name()).await.unwrap();
    let shelf = shelf.killed().await;
    shelf.runs("tea", "1.0.0").await;
    shelf.stub.publish(&extension("tea", "2.0.0"));
    shelf.packages.update(name()).await.unwrap();
    let shelf = shelf.killed().await;
    shelf.runs("tea", "2.0.0").await;
    shelf.packages.roll_back(name()).await.unwrap();
    let shelf = shelf.killed().await;
    shelf.runs("tea", "1.0.0").await;
}

#[tokio::test]
async fn what_a_kill_left_half_done_is_ended_or_undone_at_the_next_start() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("tea", "1.0.0"));
    shelf.packages.install("npm:tea").await.unwrap();
    shelf.packages.enable(name()).await.unwrap();
    shelf.runs("tea", "1.0.0").await;
    // Killed in place, but not in the database; and killed while unpacking.
    let extensions = shelf.root.path().join("extensions");
    std::fs::create_dir_all(extensions.join("tea/2.0.0/package")).unwrap();
    std::fs::create_dir_all(extensions.join("cup/1.0.0/package")).unwrap();
    std::fs::create_dir_all(extensions.join(".new/x/package")).unwrap();
    let shelf = shelf.killed().await;
    assert_eq!(shelf.folders(), ["extensions/tea/1.0.0"]);
    shelf.runs("tea", "1.0.0").await;
    // Killed right after it was decided to remove it with its data.
    let row = shelf.store.package(name()).await.unwrap().unwrap();
    let row = PackageRow { leaving: Leaving::WithData, ..row };
    shelf.store.put_package(row).await.unwrap();
    let shelf = shelf.killed().await;
    assert_eq!(shelf.folders(), [""; 0]);
    assert!(shelf.packages.all().await.unwrap().is_empty());
    until(async || !shelf.root.path().join("extension-data/tea").exists()).await;
}

#[tokio::test]
async fn one_whose_folder_was_spoiled_is_shown_so_and_holds_up_nothing() {
    let shelf = Shelf::new().await;
    shelf.stub.publish(&extension("inline-ui", "9.0.0"));
    shelf.packages.install("npm:inline-ui").await.unwrap();
    shelf.packages.enable("inline-ui".to_owned()).await.unwrap();
    shelf.runs("inline-ui", "9.0.0").await;
    let manifest = shelf.root.path().join("extensions/inline-ui/9.0.0/package/manifest.json");
    std::fs::write(manifest, "{").unwrap();
    let shelf = shelf.killed().await;
    shelf.runs("inline-ui", "0.1.0").await;
    let all = shelf.packages.all().await.unwrap();
    assert!(all[0].found.as_ref().unwrap_err().contains("manifest.json"));
}

#[tokio::test]
async fn data_from_before_there_were_packages_is_where_an_extension_finds_it() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("extensions/inline-ui")).unwrap();
    std::fs::write(root.path().join("extensions/inline-ui/lives"), "old\n").unwrap();
    let shelf = Shelf::over(root, Stub::start().await).await;
    shelf.runs("inline-ui", "0.1.0").await;
    assert_eq!(shelf.lives("inline-ui"), ["old", "0.0.0"]);
}
