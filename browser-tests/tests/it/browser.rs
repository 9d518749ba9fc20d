//! A browser, and a person in front of it.

use crate::engine::Engine;
use crate::portal::Portal;
use playwright_rs::{
    AriaRole, Browser, BrowserContext, BrowserContextOptions, ColorScheme, EmulateMediaOptions,
    FrameLocator, GetByRoleOptions, Locator, Page, Playwright, Viewport, expect,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// A failing step ends its test with what it waited for.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(100);

/// A portal and a browser.
pub(crate) struct World {
    pub(crate) portal: Portal,
    pub(crate) engine: Engine,
    typing: bool,
    light: OnceCell<Browser>,
    /// Where a browser is told its colour scheme as it starts.
    dark: OnceCell<Browser>,
    playwright: Playwright,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::around(Portal::start()).await
    }

    /// For tests that press keys in a card.
    pub(crate) async fn for_typing() -> Self {
        Self { typing: true, ..Self::start().await }
    }

    pub(crate) async fn around(portal: Portal) -> Self {
        let playwright = Playwright::launch().await.unwrap();
        let engine = Engine::chosen();
        Self {
            portal,
            engine,
            typing: false,
            light: OnceCell::new(),
            dark: OnceCell::new(),
            playwright,
        }
    }

    /// The portal's root in a browser profile of its own.
    pub(crate) async fn tab(&self) -> Tab {
        self.tab_with(&Look::default()).await
    }

    pub(crate) async fn tab_with(&self, look: &Look) -> Tab {
        let tab = self.blank_tab(look).await;
        tab.open(&self.portal.url()).await;
        tab
    }

    pub(crate) async fn blank_tab(&self, look: &Look) -> Tab {
        let options = BrowserContextOptions::builder()
            .viewport(Viewport { width: look.width, height: look.height })
            .color_scheme(if look.dark { "dark" } else { "light" }.to_owned())
            .device_scale_factor(look.scale)
            .build();
        let dark = look.dark && self.engine == Engine::Firefox;
        let cell = if dark { &self.dark } else { &self.light };
        let browser =
            cell.get_or_init(|| self.engine.launch(&self.playwright, dark, self.typing)).await;
        let context = browser.new_context_with_options(options).await.unwrap();
        Tab::new(context).await
    }

    /// Another page on the chat that `tab` has open, in the same profile.
    pub(crate) async fn page_beside(&self, tab: &Tab) -> Tab {
        let beside = Tab::new(tab.context.clone()).await;
        beside.open(&tab.page.url()).await;
        beside
    }

    /// Another page on the chat that `tab` has open, in a profile of its own.
    pub(crate) async fn second_page(&self, tab: &Tab) -> Tab {
        let second = self.blank_tab(&Look::default()).await;
        second.open(&tab.page.url()).await;
        second
    }
}

pub(crate) struct Look {
    pub(crate) dark: bool,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) scale: f64,
}

impl Look {
    pub(crate) fn dark() -> Self {
        Self { dark: true, ..Self::default() }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self { dark: false, width: 1200, height: 900, scale: 1. }
    }
}

/// An event as the page sent it to the server half.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Sent {
    fn read(body: &Value) -> Self {
        let name = body["name"].as_str().unwrap_or_default().to_owned();
        Self { name, data: body["data"].clone() }
    }
}

/// Over Firefox's protocol a request comes without its body: the page says it.
const TELL_POSTS: &str = "if (self === top) {
    const native = fetch;
    self.fetch = (url, options) => {
        if (`${url}`.endsWith('/events') && options?.method === 'POST')
            console.debug(`posted event ${options.body}`);
        return native(url, options);
    };
}";

/// A page, and what it sent and complained of.
pub(crate) struct Tab {
    pub(crate) page: Page,
    pub(crate) context: BrowserContext,
    sent: Arc<Mutex<Vec<Sent>>>,
    loads: Arc<Mutex<usize>>,
    posts: Arc<Mutex<Vec<String>>>,
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Tab {
    pub(crate) async fn new(context: BrowserContext) -> Self {
        let page = context.new_page().await.unwrap();
        page.set_default_timeout(20_000.).await;
        let tab = Self {
            page,
            context,
            sent: Arc::default(),
            loads: Arc::default(),
            posts: Arc::default(),
            complaints: Arc::default(),
        };
        let (sent, loads, posts) = (tab.sent.clone(), tab.loads.clone(), tab.posts.clone());
        let notice = move |request: playwright_rs::Request| {
            if request.method() == "POST" {
                if request.url().ends_with("/events")
                    && let Some(Ok(body)) = request.post_data_json()
                {
                    sent.lock().unwrap().push(Sent::read(&body));
                }
                if request.url().ends_with("/loads") {
                    *loads.lock().unwrap() += 1;
                }
                posts.lock().unwrap().push(request.url().to_owned());
            }
            async { Ok(()) }
        };
        tab.page.on_request(notice).await.unwrap();
        if Engine::chosen() == Engine::Firefox {
            tab.page.add_init_script(TELL_POSTS).await.unwrap();
        }
        let (complaints, sent) = (tab.complaints.clone(), tab.sent.clone());
        let complain = move |message: playwright_rs::ConsoleMessage| {
            if let Some(body) = message.text().strip_prefix("posted event ") {
                sent.lock().unwrap().push(Sent::read(&serde_json::from_str(body).unwrap()));
            }
            if message.type_() == "error" {
                let place = &message.location().url;
                complaints.lock().unwrap().push(format!("{} ({place})", message.text()));
            }
            async { Ok(()) }
        };
        tab.page.on_console(complain).await.unwrap();
        let complaints = tab.complaints.clone();
        let complain = move |error: String| {
            complaints.lock().unwrap().push(error);
            async { Ok(()) }
        };
        tab.page.on_pageerror(complain).await.unwrap();
        tab
    }

    pub(crate) async fn open(&self, url: &str) {
        self.page.goto(url, None).await.unwrap();
    }

    pub(crate) async fn reload(&self) {
        self.page.reload(None).await.unwrap();
    }

    /// Errors on the console of the page and its cards, and uncaught ones.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.complaints.lock().unwrap().clone()
    }

    /// Events that the page posted.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    pub(crate) fn sent_names(&self) -> Vec<String> {
        self.sent().into_iter().map(|sent| sent.name).collect()
    }

    /// Cards drawn, again ones too.
    pub(crate) fn loads(&self) -> usize {
        *self.loads.lock().unwrap()
    }

    /// Addresses posted to that end so.
    pub(crate) fn posts_to(&self, end: &str) -> usize {
        self.posts.lock().unwrap().iter().filter(|url| url.ends_with(end)).count()
    }

    pub(crate) fn composer(&self) -> Locator {
        self.page.get_by_role(AriaRole::Textbox, Some(named("Message")))
    }

    pub(crate) fn stop_button(&self) -> Locator {
        self.page.get_by_role(AriaRole::Button, Some(named("Stop")))
    }

    /// Writes into the composer, and comes back when the portal has it.
    pub(crate) async fn say(&self, text: &str) {
        let composer = self.composer();
        composer.fill(text, None).await.unwrap();
        composer.press("Enter", None).await.unwrap();
        until(&format!("the portal to take {text:.60}"), || async {
            composer.input_value(None).await.ok().filter(String::is_empty)
        })
        .await;
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &Value) {
        self.say(&format!("/call {tool} {arguments}")).await;
    }

    /// Has the agent show a card, and comes back when it is drawn and the agent is idle.
    pub(crate) async fn show(&self, html: &str, events: &Value) -> Card {
        let title = "A card";
        self.show_as(&json!({ "title": title, "html": html, "events": events })).await
    }

    pub(crate) async fn show_as(&self, arguments: &Value) -> Card {
        let card = self.show_and_wait(arguments).await;
        self.idle().await;
        card
    }

    /// As `show_as`, while the agent may be waiting for the card.
    pub(crate) async fn show_and_wait(&self, arguments: &Value) -> Card {
        let n = self.page.locator("inline-ui-card").count().await.unwrap() + 1;
        self.call("ui_show", arguments).await;
        let card = self.card(n);
        card.is_drawn().await;
        card
    }

    pub(crate) fn card(&self, n: usize) -> Card {
        let selector = format!("inline-ui-card[card=c{n}]");
        Card { page: self.page.clone(), host: self.page.locator(&selector), selector }
    }

    /// The agent's answers, oldest first.
    pub(crate) async fn answers(&self) -> Vec<String> {
        self.page.locator("li.assistant").all_inner_texts().await.unwrap_or_default()
    }

    pub(crate) async fn agent_says(&self, text: &str) {
        let what = format!("the agent to say {text:?}");
        until(&what, || async {
            self.answers().await.iter().any(|answer| answer.contains(text)).then_some(())
        })
        .await;
    }

    /// What the agent said that the person did under that name, oldest first.
    pub(crate) async fn quoted(&self, name: &str) -> Vec<Value> {
        let said = format!("You did {name}: ");
        let answers = self.answers().await.join("\n");
        let rests = answers.split(&said).skip(1);
        rests
            .filter_map(|rest| serde_json::Deserializer::from_str(rest).into_iter().next()?.ok())
            .collect()
    }

    /// The agent's newest quote of `name` has that data, once.
    pub(crate) async fn agent_quotes(&self, name: &str, data: &Value) {
        let what = format!("the agent to quote {name} with {data}");
        until(&what, || async {
            self.quoted(name).await.last().is_some_and(|last| last == data).then_some(())
        })
        .await;
        let quoted = self.quoted(name).await;
        assert_eq!(quoted.iter().filter(|it| *it == data).count(), 1, "{quoted:?}");
    }

    /// Summaries of the messages that brought the agent events, oldest first.
    pub(crate) async fn summaries(&self) -> Vec<String> {
        self.page.locator("li.events summary").all_inner_texts().await.unwrap_or_default()
    }

    /// What the agent read in them, oldest first.
    pub(crate) async fn read_by_agent(&self) -> Vec<String> {
        self.page.locator("li.events pre").all_text_contents().await.unwrap_or_default()
    }

    /// The events that the agent read in messages, oldest first, as `name ×count: data`.
    pub(crate) async fn events_read(&self) -> Vec<String> {
        let lines = self.read_by_agent().await.join("\n");
        let events = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let told = |it: Value| {
            format!("{} ×{}: {}", it["name"].as_str().unwrap_or("?"), it["count"], it["data"])
        };
        events.map(told).collect()
    }

    /// Whatever the page asks of that address fails, until `page.unroute_all`.
    pub(crate) async fn cut(&self, address: &str) {
        let fail = |route: playwright_rs::protocol::Route| async move { route.abort(None).await };
        self.page.route(address, fail).await.unwrap();
    }

    pub(crate) async fn agent_state(&self) -> String {
        let ask = "() => fetch('/api' + location.pathname).then(r => r.json()).then(c => c.agent)";
        self.page.evaluate(ask, None::<&()>).await.unwrap_or_default()
    }

    pub(crate) async fn agent_is(&self, state: &str) {
        until(&format!("the agent to be {state}"), || async {
            (self.agent_state().await == state).then_some(())
        })
        .await;
    }

    pub(crate) async fn idle(&self) {
        self.agent_is("idle").await;
    }

    /// The row of the `n`th tool call, from 1.
    pub(crate) fn call_row(&self, n: i32) -> Locator {
        self.page.locator("li.call").nth(n - 1)
    }

    pub(crate) async fn call_is(&self, n: i32, status: &str) {
        let row = expect(self.call_row(n)).with_timeout(PATIENCE);
        row.to_have_attribute("data-status", status).await.unwrap();
    }

    /// What the `n`th call gave back, as data.
    pub(crate) async fn call_result(&self, n: i32) -> Value {
        let ask = "() => fetch('/api' + location.pathname).then(r => r.json())
            .then(c => c.items.filter(i => i.kind === 'call').map(i => i.result?.structured ?? null))";
        let results: Vec<Value> = self.page.evaluate(ask, None::<&()>).await.unwrap();
        results[usize::try_from(n - 1).unwrap()].clone()
    }

    /// Of the system where the browser can be told, else as chosen in the portal's settings.
    pub(crate) async fn dark(&self, dark: bool) {
        if Engine::chosen() == Engine::Firefox {
            let theme = if dark { "dark" } else { "light" };
            let choose = "(theme) => { document.documentElement.dataset.theme = theme; }";
            return self.page.evaluate(choose, Some(&theme)).await.unwrap();
        }
        let scheme = if dark { ColorScheme::Dark } else { ColorScheme::Light };
        let options = EmulateMediaOptions::builder().color_scheme(scheme).build();
        self.page.emulate_media(Some(options)).await.unwrap();
    }

    pub(crate) async fn eval<R: DeserializeOwned>(&self, script: &str) -> R {
        self.page.evaluate(script, None::<&()>).await.unwrap()
    }
}

/// One card on one page.
#[derive(Clone)]
pub(crate) struct Card {
    pub(crate) page: Page,
    pub(crate) host: Locator,
    selector: String,
}

impl Card {
    fn inner(&self) -> FrameLocator {
        let outer = format!("{} iframe", self.selector);
        self.page.frame_locator(outer.as_str()).frame_locator("iframe")
    }

    /// Something in the card's document.
    pub(crate) fn get(&self, selector: &str) -> Locator {
        self.inner().locator(selector)
    }

    pub(crate) fn button(&self, name: &str) -> Locator {
        self.inner().get_by_role(AriaRole::Button, Some(named(name)))
    }

    pub(crate) async fn click(&self, selector: &str) {
        self.get(selector).click(None).await.unwrap();
    }

    /// Of the head or the foot, which are the page's own.
    pub(crate) fn own_button(&self, name: &str) -> Locator {
        self.host.get_by_role(AriaRole::Button, Some(named(name)))
    }

    pub(crate) fn part(&self, selector: &str) -> Locator {
        self.host.locator(selector)
    }

    pub(crate) fn frame(&self) -> Locator {
        self.host.locator("iframe")
    }

    pub(crate) async fn is_drawn(&self) {
        let shown = expect(self.host.locator("iframe.shown")).with_timeout(PATIENCE);
        shown.to_be_visible().await.unwrap();
        expect(self.get("body")).to_have_count(1).await.unwrap();
    }

    /// Whether the first of that selector has the focus of its document.
    pub(crate) async fn has_focus(&self, selector: &str) -> bool {
        let script = "element => element === document.activeElement && document.hasFocus()";
        self.get(selector).evaluate(script, None::<()>).await.unwrap()
    }

    pub(crate) async fn line_state(&self) -> String {
        let line = self.host.locator("[part=line]");
        line.get_attribute("data-state").await.ok().flatten().unwrap_or_default()
    }

    pub(crate) async fn line_is(&self, state: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let found = self.line_state().await;
            if found == state {
                return;
            }
            if Instant::now() > end {
                let line = self.line().await;
                panic!("the line of {} is {found:?}, {line:?}, not {state:?}", self.selector);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// The line has that state and those words.
    pub(crate) async fn says(&self, state: &str, words: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let found = (self.line_state().await, self.line().await);
            if found.0 == state && found.1 == words {
                return;
            }
            assert!(
                Instant::now() < end,
                "the line of {} is {found:?}, not {words:?}",
                self.selector
            );
            tokio::time::sleep(POLL).await;
        }
    }

    pub(crate) async fn line(&self) -> String {
        self.host.locator("[part=line]").inner_text().await.unwrap_or_default()
    }

    /// Keeps every state of the line from here on, for `line_history`.
    pub(crate) async fn keep_line(&self) {
        let script = "host => {
            const line = host.shadowRoot.querySelector('[part=line]');
            host.kept = [line.dataset.state];
            new MutationObserver(() => {
                if (host.kept.at(-1) !== line.dataset.state) host.kept.push(line.dataset.state);
            }).observe(line, { attributes: true });
        }";
        let () = self.host.evaluate(script, None::<()>).await.unwrap();
    }

    pub(crate) async fn line_history(&self) -> Vec<String> {
        self.host.evaluate("host => host.kept", None::<()>).await.unwrap()
    }

    /// Runs `script`, an expression, in the card's document.
    pub(crate) async fn eval<R: DeserializeOwned>(&self, script: &str) -> R {
        let function = format!("() => ({script})");
        self.get("html").evaluate(&function, None::<()>).await.unwrap()
    }

    /// The frame's height in the page.
    pub(crate) async fn height(&self) -> f64 {
        let script = "frame => frame.getBoundingClientRect().height";
        self.frame().evaluate(script, None::<()>).await.unwrap()
    }

    /// The height that stands still for a second, and how often it changed since this was asked.
    pub(crate) async fn settled_height(&self) -> f64 {
        let mut last = self.height().await;
        let mut since = Instant::now();
        let end = Instant::now() + PATIENCE;
        while since.elapsed() < Duration::from_secs(1) {
            assert!(Instant::now() < end, "{} never settles: {last}", self.selector);
            tokio::time::sleep(POLL).await;
            let height = self.height().await;
            if (height - last).abs() > 0.1 {
                (last, since) = (height, Instant::now());
            }
        }
        last
    }
}

pub(crate) fn named(name: &str) -> GetByRoleOptions {
    GetByRoleOptions::default().name(name).exact(true)
}

/// What `look` finds, as soon as it does.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < end, "waited {PATIENCE:?} for {what}");
        tokio::time::sleep(POLL).await;
    }
}

/// Time in which something must not happen.
pub(crate) async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
