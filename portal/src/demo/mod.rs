//! The model `demo`: a script that needs no key and no network, and says so. It answers a handful of
//! plain requests with cards, quotes whatever the person did in them, and understands a few lines
//! for people who write or test cards.

mod cards;
mod commands;
mod context;
mod quotes;
mod reading;
mod show;

use crate::chat::Item;
use crate::model::{Model, Turn, TurnRequest, Wanted};
use commands::Command;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reading::Reading;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const WORD: Duration = Duration::from_millis(12);
const STEP: Duration = Duration::from_millis(500);
/// A long answer streams in larger pieces, so that it takes no longer than this many.
const PIECES: usize = 60;

/// Where `/show` may read.
#[derive(Debug, Clone)]
pub(crate) enum Cards {
    /// No folder was given.
    None,
    /// The portal can be reached from elsewhere, so files stay where they are.
    NotHere,
    /// Files in this folder, which is canonical.
    In(PathBuf),
}

/// The scripted model.
#[derive(Debug)]
pub(crate) struct Demo {
    pub(crate) cards: Cards,
}

impl Model for Demo {
    fn name(&self) -> &'static str {
        "demo"
    }

    fn turn(&self, request: TurnRequest) -> BoxStream<'static, Turn> {
        let cards = self.cards.clone();
        // The script may read a file.
        let beats = async move {
            let script = move || script(&request.context, &cards);
            tokio::task::spawn_blocking(script).await.unwrap_or_else(|error| {
                vec![Beat::Piece(Turn::Failed(format!("The demo model failed: {error}.")))]
            })
        };
        stream::once(beats).flat_map(stream::iter).filter_map(play).boxed()
    }
}

/// A part of a turn, in its time.
#[derive(Debug)]
enum Beat {
    Pause(Duration),
    Piece(Turn),
}

async fn play(beat: Beat) -> Option<Turn> {
    match beat {
        Beat::Pause(time) => {
            tokio::time::sleep(time).await;
            None
        }
        Beat::Piece(piece) => Some(piece),
    }
}

#[derive(Debug, Default)]
struct Script {
    paragraphs: Vec<String>,
    calls: Vec<(String, Box<RawValue>)>,
    let_go: bool,
}

fn script(context: &[Arc<Item>], cards: &Cards) -> Vec<Beat> {
    let reading = Reading::of(context);
    if let Some(step) = reading.work_step() {
        return work(&reading, step);
    }
    let mut script = Script::default();
    script
        .paragraphs
        .extend(reading.events.iter().map(|it| quotes::message(&it.text, &it.summary)));
    let request = reading.asked.filter(|text| !is_command(text));
    let closing = request.and_then(cards::asked_for).map(|card| card.closing);
    for call in &reading.calls {
        script.paragraphs.push(quotes::result(call, closing));
    }
    if let Some(text) = reading.person {
        answer(text, context, cards, &mut script);
    }
    if script.paragraphs.is_empty() && script.calls.is_empty() {
        script.paragraphs.push("There is nothing new for me to answer.".to_owned());
    }
    let mut beats = words(&script.paragraphs.join("\n\n"));
    let calls = script.calls.into_iter();
    beats.extend(
        calls.map(|(name, arguments)| Beat::Piece(Turn::Call(Wanted::new(name, arguments)))),
    );
    if script.let_go {
        beats.push(Beat::Piece(Turn::LetGo));
    }
    beats
}

fn answer(text: &str, context: &[Arc<Item>], cards: &Cards, script: &mut Script) {
    if is_command(text) {
        for command in commands::read(text) {
            obey(command, context, cards, script);
        }
        return;
    }
    let Some(card) = cards::asked_for(text) else {
        script.paragraphs.push(cards::HONEST.to_owned());
        return;
    };
    match card.arguments() {
        Ok(arguments) => {
            script.paragraphs.push(card.opening.to_owned());
            script.calls.push(("ui_show".to_owned(), arguments));
        }
        Err(error) => script.paragraphs.push(error),
    }
}

fn is_command(text: &str) -> bool {
    text.trim_start().starts_with('/')
}

fn obey(command: Command, context: &[Arc<Item>], cards: &Cards, script: &mut Script) {
    match command {
        Command::Context => script.paragraphs.push(context::quoted(context)),
        Command::Call { name, arguments } => {
            script.paragraphs.push(format!("Calling {}.", quotes::code(&name)));
            script.calls.push((name, arguments));
        }
        Command::Show { file } => match show::arguments(&file, cards) {
            Ok(arguments) => {
                script.paragraphs.push(format!("Showing {}.", quotes::code(&file)));
                script.calls.push(("ui_show".to_owned(), arguments));
            }
            Err(error) => script.paragraphs.push(error),
        },
        Command::LetGo => {
            script.paragraphs.push(
                "The agent is let go. Its cards stay; your next message starts it again."
                    .to_owned(),
            );
            script.let_go = true;
        }
        // Alone in its message, it never comes here.
        Command::Work { .. } => {
            script.paragraphs.push("Write `/work N` as a message of its own.".to_owned());
        }
        Command::Unclear(why) => script.paragraphs.push(why),
    }
}

/// One step of `/work`: what came in, then half a second.
fn work(reading: &Reading, step: reading::Step) -> Vec<Beat> {
    let news: Vec<String> =
        reading.events.iter().map(|it| quotes::message(&it.text, &it.summary)).collect();
    let news = if news.is_empty() { "Nothing came in.".to_owned() } else { news.join(" ") };
    let mut beats = words(&format!("Step {} of {}. {news}", step.number, step.of));
    beats.push(Beat::Pause(STEP));
    if step.number < step.of {
        beats.push(Beat::Piece(Turn::More));
    }
    beats
}

fn words(text: &str) -> Vec<Beat> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let together = words.len().div_ceil(PIECES).max(1);
    let pieces = words.chunks(together).map(|words| Beat::Piece(Turn::Text(words.concat())));
    pieces.flat_map(|piece| [piece, Beat::Pause(WORD)]).collect()
}

#[cfg(test)]
mod tests;
