use super::Cards;
use super::quotes::code;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::io::Read;
use std::path::Path;

/// Longer files are no cards, and would not fit the link.
const LONGEST_FILE: u64 = 512 * 1024;

/// What `ui_show` is called with for a file, or why it is not, for the person.
pub(super) fn arguments(file: &str, cards: &Cards) -> Result<Box<RawValue>, String> {
    let folder = match cards {
        Cards::In(folder) => folder,
        Cards::None => {
            return Err(
                "Start the portal with `--cards DIR`, and `/show FILE` shows what is in it."
                    .to_owned(),
            );
        }
        Cards::NotHere => {
            return Err("`/show` reads files, so it works only in a portal on loopback.".to_owned());
        }
    };
    let html = read_inside(folder, file)?;
    let title: String = Path::new(file)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .take(200)
        .collect();
    let events: Vec<_> = emitted(&html).into_iter().map(|name| json!({ "name": name })).collect();
    to_raw_value(&json!({ "title": title, "html": html, "events": events }))
        .map_err(|e| e.to_string())
}

/// A file's text, if the file is really inside the folder, whatever links say.
fn read_inside(folder: &Path, file: &str) -> Result<String, String> {
    let quoted = code(file);
    let missing = || format!("There is no file {quoted} in the cards folder.");
    let path = folder.join(file).canonicalize().map_err(|_| missing())?;
    if !path.starts_with(folder) {
        return Err(format!("{quoted} is not inside the cards folder."));
    }
    if !path.is_file() {
        return Err(missing());
    }
    let mut text = String::new();
    let opened =
        std::fs::File::open(&path).map_err(|e| format!("{quoted} cannot be read: {e}."))?;
    let read = opened.take(LONGEST_FILE + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 <= LONGEST_FILE => Ok(text),
        Ok(_) => Err(format!("{quoted} is longer than {LONGEST_FILE} bytes.")),
        Err(error) => Err(format!("{quoted} cannot be read: {error}.")),
    }
}

/// Every name that the text has as `emit('NAME'`, once, in its order.
pub(super) fn emitted(html: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, found) in html.match_indices("emit(") {
        let rest = html[at + found.len()..].trim_start();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else {
            continue;
        };
        let Some((name, _)) = rest[1..].split_once(quote) else { continue };
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_a_file_emits_are_found_once_each() {
        let html = "emit('a', 1); pithagoras.emit( \"b:c\" ); emit(`a`); emit(name); emit('')";
        assert_eq!(emitted(html), ["a", "b:c"]);
    }

    #[test]
    fn only_files_inside_the_folder_are_shown() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let folder = root.join("cards");
        std::fs::create_dir_all(folder.join("more")).unwrap();
        std::fs::write(folder.join("more/in.html"), "emit('go')").unwrap();
        std::fs::write(root.join("out.html"), "secret").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("out.html"), folder.join("link.html")).unwrap();
        let cards = Cards::In(folder);
        let shown = arguments("more/in.html", &cards).unwrap();
        let shown: serde_json::Value = serde_json::from_str(shown.get()).unwrap();
        assert_eq!(
            shown,
            json!({ "title": "in.html", "html": "emit('go')", "events": [{ "name": "go" }] })
        );
        let outside = ["../out.html", "more/../../out.html", "link.html", "/etc/passwd"];
        for file in outside {
            assert!(arguments(file, &cards).unwrap_err().contains("not inside"), "{file}");
        }
        for file in ["none.html", "more", ""] {
            assert!(arguments(file, &cards).unwrap_err().contains("no file"), "{file}");
        }
        assert!(arguments("in.html", &Cards::None).unwrap_err().contains("--cards"));
        assert!(arguments("in.html", &Cards::NotHere).unwrap_err().contains("loopback"));
    }
}
