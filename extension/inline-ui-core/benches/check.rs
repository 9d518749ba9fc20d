//! How long the check takes, over the bank of good cards: `cargo bench -p inline-ui-core --bench check`.
//!
//! Each row is the median of `ROUNDS`; the last rows are cards of the contract's 64 KiB and of the
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
    println!("{:<24} {:>8} {:>10}", "card", "bytes", "median");
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

fn row(name: &str, html: &str) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(check(std::hint::black_box(html)));
            start.elapsed()
        })
        .collect();
    times.sort();
    let median = times[ROUNDS / 2];
    println!("{name:<24} {:>8} {median:>10.1?}", html.len());
    median
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
