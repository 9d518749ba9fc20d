//! The command line: what it says, and with which code it exits.

use crate::harness::{Program, initialize_params, run, spawn, terminate};
use portal_link::error_code::INTERNAL;
use serde_json::json;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Output;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Refused as a mistake in the command: exit 2, on standard error only.
async fn usage(args: &[&str]) -> String {
    let output = run(args).await;
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    text(&output.stderr)
}

/// Failed: exit 1, one line on standard error, nothing on standard output.
fn failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[tokio::test]
async fn help_names_both_commands_and_version_is_one_line() {
    let help = run(&["--help"]).await;
    assert!(help.status.success());
    let help = text(&help.stdout);
    assert!(help.contains("portal") && help.contains("serve"), "{help}");
    let version = run(&["--version"]).await;
    assert!(version.status.success());
    assert_eq!(text(&version.stdout), format!("inline-ui {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn help_of_a_command_names_its_options() {
    let serve = text(&run(&["serve", "--help"]).await.stdout);
    for option in ["--stdio", "--socket", "--http"] {
        assert!(serve.contains(option), "{option}: {serve}");
    }
    let portal = text(&run(&["portal", "--help"]).await.stdout);
    for option in ["--listen", "--data", "--model"] {
        assert!(portal.contains(option), "{option}: {portal}");
    }
}

#[tokio::test]
async fn a_command_that_cannot_be_meant_exits_with_2() {
    assert!(usage(&[]).await.contains("Usage"));
    assert!(usage(&["draw"]).await.contains("draw"));
    assert!(usage(&["serve"]).await.contains("--stdio"));
    assert!(usage(&["serve", "--stdio", "--colour"]).await.contains("--colour"));
    usage(&["serve", "--stdio", "--socket", "/tmp/x"]).await;
    assert!(usage(&["portal", "--listen", "nowhere"]).await.contains("nowhere"));
}

#[tokio::test]
async fn an_address_for_the_routes_that_is_none_exits_with_2() {
    assert!(usage(&["serve", "--stdio", "--http", "nowhere"]).await.contains("nowhere"));
}

#[tokio::test]
async fn routes_open_to_the_network_are_refused() {
    let output = run(&["serve", "--stdio", "--http", "0.0.0.0:0"]).await;
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
    assert!(text(&output.stderr).contains("loopback"));
}

#[tokio::test]
async fn a_socket_that_cannot_be_made_fails_with_its_path() {
    let line = failure(&run(&["serve", "--socket", "/nowhere/at/all/link.sock"]).await);
    assert!(line.contains("/nowhere/at/all/link.sock"), "{line}");
}

#[tokio::test]
async fn a_portal_whose_data_folder_cannot_be_made_fails_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let data = file.join("data").display().to_string();
    let line = failure(&run(&["portal", "--listen", "127.0.0.1:0", "--data", &data]).await);
    assert!(line.contains(&data), "{line}");
}

#[tokio::test]
async fn a_portal_whose_database_a_newer_program_made_fails_with_its_path() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().display().to_string();
    let args = ["portal", "--listen", "127.0.0.1:0", "--data", &folder];
    let mut program = Program::start_with_errors(&args);
    let (input, mut output) = program.pipes();
    let mut first = [0; 19];
    tokio::io::AsyncReadExt::read_exact(&mut output, &mut first).await.unwrap();
    assert_eq!(&first, b"listening on http:/");
    terminate(&program).await;
    assert!(program.ended().await.success());
    drop(input);
    let database = databases(data.path())
        .into_iter()
        .next()
        .expect("the portal keeps a database in its folder");
    set_schema(&database, 99);
    let line = failure(&run(&args).await);
    assert!(line.contains("99") && line.contains(&database.display().to_string()), "{line}");
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_written_is_told_over_the_link_and_the_process_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let (_program, mut link) = spawn();
    let refused = link
        .request("initialize", initialize_params(&file.join("data"), &json!({})))
        .await
        .unwrap_err();
    assert_eq!(refused.code, INTERNAL);
    assert!(refused.message.contains(&file.display().to_string()), "{}", refused.message);
    let good = folder.path().join("data");
    assert!(link.request("initialize", initialize_params(&good, &json!({}))).await.is_ok());
}

#[tokio::test]
async fn a_newer_schema_is_told_over_the_link_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let (mut program, mut link) = spawn();
    link.request("initialize", initialize_params(folder.path(), &json!({}))).await.unwrap();
    link.request("shutdown", json!({})).await.unwrap();
    program.ended().await;
    let database = databases(folder.path()).remove(0);
    set_schema(&database, 77);
    let (_program, mut link) = spawn();
    let refused =
        link.request("initialize", initialize_params(folder.path(), &json!({}))).await.unwrap_err();
    assert!(
        refused.message.contains("77") && refused.message.contains("schema"),
        "{}",
        refused.message
    );
    set_schema(&database, 1);
    assert!(link.request("initialize", initialize_params(folder.path(), &json!({}))).await.is_ok());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_told_over_the_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("inline-ui.db"),
        "this is no database, and long enough to be told from one".repeat(9),
    )
    .unwrap();
    let (_program, mut link) = spawn();
    let refused =
        link.request("initialize", initialize_params(folder.path(), &json!({}))).await.unwrap_err();
    assert!(refused.message.contains("inline-ui.db"), "{}", refused.message);
}

#[tokio::test]
async fn standard_output_has_nothing_but_the_link() {
    let mut program = Program::start_with_errors(&["serve", "--stdio"]);
    let (input, _output) = program.pipes();
    drop(input);
    let output = program.output().await;
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}

fn databases(folder: &Path) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|kind| kind == "db" || kind == "sqlite3"))
        .collect();
    files.sort();
    files
}

/// The header of a database file keeps `user_version` at byte 60, big-endian (sqlite.org/fileformat2.html).
fn set_schema(database: &Path, version: u32) {
    let mut file = fs::OpenOptions::new().write(true).open(database).unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&version.to_be_bytes()).unwrap();
}
