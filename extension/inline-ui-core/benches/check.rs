//! How long the check takes, over the bank of good cards: `cargo bench -p inline-ui-core --bench check`.
//!
//! Each row is the fastest and the median of `ROUNDS`, the first because other programs only ever add; the last rows are cards of the contract's 64 KiB and of the
//! largest size taken, put together from the others.

use inline_ui_core::document::check::check;
use inline_ui_core::limits::HTML_BYTES;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 25;
const BOUND: Duration = Duration::from_millis(5);
const BOUND_BYTES: usize = 65_536;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cards/good");
    let mut cards = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "html") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            cards.push((name, std::fs::read_to_string(path)?));
        }
    }
    cards.sort();
    // As modules, so that each card's names are its own.
    let all: Vec<String> = cards
        .iter()
        .map(|(_, html)| html.replace("<script>", "<script type=\"module\">"))
        .collect();
    println!("{:<24} {:>8} {:>10} {:>10}", "card", "bytes", "fastest", "median");
    for (name, html) in &cards {
        row(name, html);
    }
    let bounded = row("64 KiB", &filled(&all, BOUND_BYTES));
    row("256 KiB", &filled(&all, HTML_BYTES));
    row("256 KiB of text", &"<p>some words and a &lt;b&gt; </p>\n".repeat(HTML_BYTES / 35));
    row("256 KiB of script", &script(HTML_BYTES));
    row("256 KiB of brackets", &format!("<script>{}</script>", "[".repeat(HTML_BYTES - 20)));
    println!("64 KiB within {BOUND:?}: {}", if bounded <= BOUND { "yes" } else { "NO" });
    Ok(())
}

/// Only the row that an argument names, if one does.
fn is_asked(name: &str) -> bool {
    let mut asked =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    asked.peek().is_none() || asked.any(|one| one == name)
}

fn row(name: &str, html: &str) -> Duration {
    if !is_asked(name) {
        return Duration::ZERO;
    }
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(check(std::hint::black_box(html)));
            start.elapsed()
        })
        .collect();
    times.sort();
    let (fastest, median) = (times[0], times[ROUNDS / 2]);
    println!("{name:<24} {:>8} {fastest:>10.1?} {median:>10.1?}", html.len());
    fastest
}

fn filled(cards: &[String], bytes: usize) -> String {
    let mut html = String::new();
    for card in cards.iter().cycle() {
        if html.len() + card.len() > bytes {
            break;
        }
        html.push_str(card);
    }
    html
}

fn script(bytes: usize) -> String {
    let mut code = String::from("<script type=\"module\">\n");
    for n in 0.. {
        let line = format!(
            "function f{n}(a, b) {{ const list = [a, b, {n}].map((x) => x * 2); return {{ n: list.length, text: `v ${{a}}` }}; }}\n"
        );
        if code.len() + line.len() + 10 > bytes {
            break;
        }
        code.push_str(&line);
    }
    code + "</script>"
}
