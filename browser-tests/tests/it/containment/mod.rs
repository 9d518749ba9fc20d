//! Nothing gets out of a card: each way out is tried in the built product, and again on a page
//! without policy, sandbox and bridge, which shows that the engine knows that way.

pub(crate) mod engine;
mod net;
mod table;
mod vectors;

use crate::browser::{Outcome, Tab, pause};
use crate::portal::Portal;
use engine::{Engine, Running};
use net::{Net, Page, Pages};
use playwright_rs::{ClickOptions, GotoOptions, Locator, WaitUntil};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use table::{Result as Held, Table};
use vectors::Vector;

/// Cards in one page.
const TOGETHER: usize = 10;
/// A look-up or a connection comes at once; what WebRTC sends takes its time.
const QUIET: Duration = Duration::from_millis(2500);
const QUIET_IF_SLOW: Duration = Duration::from_secs(5);
/// Until every card's script was at its end.
const TO_RUN: Duration = Duration::from_secs(20);
/// Until something came of every twin.
const TO_BE_SEEN: Duration = Duration::from_secs(6);
/// Until what was pressed has asked for its address.
const TO_ASK: Duration = Duration::from_millis(700);
const TO_BE_PRESSED: f64 = 8000.;

#[tokio::test]
async fn nothing_gets_out_of_a_card_in_chromium() -> Outcome {
    battery(Engine::Chromium).await
}

#[tokio::test]
async fn nothing_gets_out_of_a_card_in_firefox() -> Outcome {
    battery(Engine::Firefox).await
}

async fn battery(engine: Engine) -> Outcome {
    let vectors = chosen();
    let table = Table::of(engine);
    let stand = Stand::build(engine, &vectors).await;
    let mut results = BTreeMap::new();
    let all: Vec<_> = vectors.iter().copied().enumerate().collect();
    for group in all.chunks(TOGETHER) {
        results.extend(stand.run(group, &table).await);
    }
    // On a busy machine a card or a twin may be late. What got out stays out.
    let again: Vec<_> = all.iter().filter(|(n, v)| table.doubts(v, &results[n])).copied().collect();
    for group in again.chunks(TOGETHER / 3).take(6) {
        results.extend(stand.run(group, &table).await);
    }
    table.judge(&vectors.iter().zip(results.into_values()).collect::<Vec<_>>());
    Ok(())
}

/// All, or those whose names hold `INLINE_UI_VECTORS`.
fn chosen() -> Vec<Vector> {
    let only = std::env::var("INLINE_UI_VECTORS").unwrap_or_default();
    vectors::all().filter(|vector| vector.name.contains(&only)).collect()
}

/// What the vectors' hosts are called.
fn card_host(n: usize) -> String {
    format!("card{n}")
}

fn twin_host(n: usize) -> String {
    format!("twin{n}")
}

/// Vectors with their numbers.
type Group<'a> = &'a [(usize, Vector)];

/// A browser, the product in front of it, and the network behind it.
struct Stand {
    net: Net,
    browser: Running,
    portal: Portal,
}

impl Stand {
    async fn build(engine: Engine, vectors: &[Vector]) -> Self {
        let hosts = (0..vectors.len()).flat_map(|n| [card_host(n), twin_host(n)]).collect();
        let twins: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let net = Net::open(hosts, pages(twins.clone())).await;
        for (n, vector) in vectors.iter().enumerate() {
            let html = vector.document(&net.host(&twin_host(n)), &net.origin());
            let body = if html.starts_with("<head>") { "" } else { "<body>" };
            let html = format!("<!doctype html><meta charset=utf-8>{body}{html}");
            twins.lock().unwrap().insert(format!("/twin/{n}"), html);
        }
        let browser = engine.launch(Some(net.name_server)).await;
        Self { net, browser, portal: Portal::start() }
    }

    async fn run(&self, group: Group<'_>, table: &Table) -> BTreeMap<usize, Held> {
        let tab = Tab::new(self.browser.context.clone()).await;
        let console = Console::of(&tab).await;
        let began = Instant::now();
        let ran = self.show_cards(&tab, &console, group).await;
        let since = Instant::now();
        let live = self.open_twins(group, table).await;
        println!("{}: cards {:?}, twins {:?}", group[0].1.name, since - began, since.elapsed());
        let slow = group.iter().any(|(_, vector)| vector.slow);
        let quiet = if slow { QUIET_IF_SLOW } else { QUIET };
        tokio::time::sleep(quiet.saturating_sub(since.elapsed())).await;
        let result = |(n, vector): &(usize, Vector)| {
            let out = [self.net.seen(&card_host(*n)), console.said(vector)].concat();
            (*n, Held::of(ran.contains(n), out, live.contains(n)))
        };
        let results = group.iter().map(result).collect();
        for page in self.browser.context.pages() {
            let _ = page.close().await;
        }
        results
    }

    /// The group's cards in one chat; which of them ran, and were pressed if they are to be.
    async fn show_cards(&self, tab: &Tab, console: &Console, group: Group<'_>) -> BTreeSet<usize> {
        tab.open(&self.portal.url()).await;
        let calls: Vec<_> = group
            .iter()
            .map(|(n, vector)| {
                let html = vector.document(&self.net.host(&card_host(*n)), &self.portal.url());
                let card = serde_json::json!({ "title": vector.name, "html": html });
                format!("/call ui_show {card}")
            })
            .collect();
        tab.say(&calls.join("\n")).await;
        let end = Instant::now() + TO_RUN;
        while !group.iter().all(|(_, vector)| console.ran(vector)) && Instant::now() < end {
            pause(200).await;
            self.load_again(tab, console, group).await;
        }
        let mut ran = BTreeSet::new();
        for ((_, vector), card) in group.iter().zip(1..) {
            if let Some(selector) = vector.press {
                press(&tab.card(card).get(selector)).await;
            }
        }
        pause(100).await;
        for (n, vector) in group {
            if console.ran(vector) && (vector.press.is_none() || console.pressed(vector)) {
                ran.insert(*n);
            }
        }
        ran
    }

    /// On a busy machine the page gives up waiting for a card; a person would ask for it again.
    async fn load_again(&self, tab: &Tab, console: &Console, group: Group<'_>) {
        for ((_, vector), card) in group.iter().zip(1..) {
            let again = tab.card(card).own_button("Reload card");
            if !console.ran(vector) && again.is_visible().await.unwrap_or(false) {
                press(&again).await;
            }
        }
    }

    /// The group's twins, until each that the engine is known to know was seen; which were.
    async fn open_twins(&self, group: Group<'_>, table: &Table) -> BTreeSet<usize> {
        let (alone, together): (Vec<_>, Vec<_>) =
            group.iter().copied().partition(|(_, vector)| vector.alone);
        let mut consoles = Vec::new();
        for group in std::iter::once(&together[..]).chain(alone.chunks(1)) {
            let tab = Tab::new(self.browser.context.clone()).await;
            let console = Console::of(&tab).await;
            let numbers: Vec<_> = group.iter().map(|(n, _)| n.to_string()).collect();
            let url = format!("{}/group?{}", self.net.origin(), numbers.join(","));
            let commit = GotoOptions::new().wait_until(WaitUntil::Commit);
            let _ = tab.page.goto(&url, Some(commit)).await;
            for (n, vector) in group {
                let Some(selector) = vector.press else { continue };
                self.close_popups().await;
                let frame = tab.page.frame_locator(format!("#v{n}").as_str());
                press(&frame.locator(selector)).await;
                let end = Instant::now() + TO_ASK;
                while self.net.seen(&twin_host(*n)).len() < 3 && Instant::now() < end {
                    pause(25).await;
                }
            }
            consoles.push(console);
        }
        let live = |n: usize, vector: &Vector| {
            let said = consoles.iter().any(|console| !console.said(vector).is_empty());
            said || !self.net.seen(&twin_host(n)).is_empty()
        };
        let end = Instant::now() + TO_BE_SEEN;
        let late = || group.iter().any(|(n, v)| table.knows(v) && !live(*n, v));
        while late() && Instant::now() < end {
            pause(50).await;
        }
        group.iter().filter(|(n, vector)| live(*n, vector)).map(|(n, _)| *n).collect()
    }

    /// A window in front of a page keeps that from being pressed.
    async fn close_popups(&self) {
        for page in self.browser.context.pages() {
            if page.url().contains("://twin") {
                let _ = page.close().await;
            }
        }
    }
}

/// The pages of the twins, and what some of them ask their own host for.
fn pages(twins: Arc<Mutex<BTreeMap<String, String>>>) -> Pages {
    const WORKER: &str = "self.onconnect = (event) => event.ports[0].postMessage(1)";
    const DOT: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
    Arc::new(move |path| {
        let page = |kind, body: &str| Some(Page { kind, body: body.to_owned() });
        if let Some(group) = path.strip_prefix("/group?") {
            let frame = |n| format!("<iframe id=v{n} width=300 height=120 src=/twin/{n}></iframe>");
            return page("text/html", &group.split(',').map(frame).collect::<String>());
        }
        match path {
            "/worker.js" => page("text/javascript", WORKER),
            "/dot.svg" => page("image/svg+xml", DOT),
            _ => page("text/html", twins.lock().unwrap().get(path)?),
        }
    })
}

/// What a page and its frames said.
#[derive(Clone, Default)]
struct Console(Arc<Mutex<BTreeSet<String>>>);

impl Console {
    async fn of(tab: &Tab) -> Self {
        let console = Self::default();
        let lines = console.0.clone();
        let hear = move |message: playwright_rs::ConsoleMessage| {
            lines.lock().unwrap().insert(message.text().to_owned());
            async { Ok(()) }
        };
        tab.page.on_console(hear).await.unwrap();
        console
    }

    fn ran(&self, vector: &Vector) -> bool {
        self.0.lock().unwrap().contains(&format!("ran {}", vector.name))
    }

    fn pressed(&self, vector: &Vector) -> bool {
        self.0.lock().unwrap().contains(&format!("pressed {}", vector.name))
    }

    /// What the vector said that it got at.
    fn said(&self, vector: &Vector) -> Vec<String> {
        let start = format!("leak {} ", vector.name);
        let lines = self.0.lock().unwrap();
        let what = lines.iter().filter_map(|line| line.strip_prefix(&start));
        what.map(|what| format!("{what:.60}")).collect()
    }
}

async fn press(target: &Locator) -> bool {
    let options = ClickOptions::builder().timeout(TO_BE_PRESSED).no_wait_after(true).build();
    target.click(Some(options)).await.is_ok()
}
