use crate::Document;
use inline_ui_core::limits::EVENT_IDS_PER_CARD;
use inline_ui_core::{
    CallId, CardId, CardRecord, ChatId, ChatRecord, DeliveryState, Entry, EventId, Message,
    Snapshot, Write,
};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) fn write(on: &Connection, chat: &ChatId, write: &Write) -> Result<()> {
    let chat = chat.as_str();
    match write {
        Write::Chat(record) => run(
            on,
            "INSERT INTO chats (chat, next_card, woken_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (chat) DO UPDATE SET next_card = excluded.next_card, woken_at = excluded.woken_at",
            params![chat, record.next_card, record.woken_at],
        ),
        Write::Card(record) => run(
            on,
            "INSERT INTO cards (chat, card, record) VALUES (?1, ?2, ?3)
             ON CONFLICT (chat, card) DO UPDATE SET record = excluded.record",
            params![chat, record.id.0, json(record)?],
        ),
        Write::Document { card, html } => run(
            on,
            "INSERT INTO documents (chat, card, html) VALUES (?1, ?2, ?3)
             ON CONFLICT (chat, card) DO UPDATE SET html = excluded.html",
            params![chat, card.0, &**html],
        ),
        Write::Post { card, data } => {
            run(on, "UPDATE documents SET post = ?3 WHERE chat = ?1 AND card = ?2", params![chat, card.0, &**data])
        }
        Write::RemoveCard(card) => ["cards", "documents", "accepted"].iter().try_for_each(|table| {
            run(on, &format!("DELETE FROM {table} WHERE chat = ?1 AND card = ?2"), params![chat, card.0])
        }),
        Write::AcceptedId { card, id, state } => accept(on, chat, *card, id, *state),
        Write::Entry { entry, offered_to } => run(
            on,
            "INSERT OR REPLACE INTO entries (chat, seq, offered_to, wake, entry) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![chat, entry.seq, offered_to.as_ref().map(CallId::as_str), entry.wake, json(entry)?],
        ),
        Write::RemoveEntry(seq) => run(on, "DELETE FROM entries WHERE chat = ?1 AND seq = ?2", params![chat, seq]),
        Write::Message(message) => run(
            on,
            "INSERT INTO messages (chat, seq, id, wake, message) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![chat, message.seq, message.id, message.wake, json(message)?],
        ),
        Write::RemoveMessage(id) => run(on, "DELETE FROM messages WHERE chat = ?1 AND id = ?2", params![chat, id]),
        Write::ForkTo(to) => fork(on, chat, to.as_str()),
        Write::DeleteChat => delete(on, chat),
    }
}

pub(super) fn snapshot(on: &Connection, chat: &ChatId) -> Result<Snapshot> {
    let chat = chat.as_str();
    let record = on
        .prepare_cached("SELECT next_card, woken_at FROM chats WHERE chat = ?1")?
        .query_row([chat], |row| Ok(ChatRecord { next_card: row.get(0)?, woken_at: row.get(1)? }))
        .optional()?;
    let mut snapshot = Snapshot { chat: record, ..Snapshot::default() };
    let mut cards = on.prepare_cached("SELECT record FROM cards WHERE chat = ?1 ORDER BY card")?;
    for record in cards.query_map([chat], |row| from_json::<CardRecord>(row, 0))? {
        snapshot.cards.push((record?, Vec::new()));
    }
    let mut ids =
        on.prepare_cached("SELECT card, id, state FROM accepted WHERE chat = ?1 ORDER BY card, n")?;
    for row in
        ids.query_map([chat], |row| Ok((row.get(0)?, id::<EventId>(row, 1)?, from_json(row, 2)?)))?
    {
        let (card, id, state): (u32, EventId, DeliveryState) = row?;
        if let Some((_, accepted)) =
            snapshot.cards.iter_mut().find(|(record, _)| record.id.0 == card)
        {
            accepted.push((id, state));
        }
    }
    for (_, accepted) in &mut snapshot.cards {
        // Older ones may not have been pruned yet.
        accepted.drain(..accepted.len().saturating_sub(EVENT_IDS_PER_CARD));
    }
    let mut entries =
        on.prepare_cached("SELECT offered_to, entry FROM entries WHERE chat = ?1 ORDER BY seq")?;
    for row in entries.query_map([chat], |row| {
        Ok((optional_id::<CallId>(row, 0)?, from_json::<Entry>(row, 1)?))
    })? {
        match row? {
            (None, entry) => snapshot.entries.push(entry),
            (Some(call), entry) => snapshot.answers.push((call, entry)),
        }
    }
    let mut messages =
        on.prepare_cached("SELECT message FROM messages WHERE chat = ?1 ORDER BY seq")?;
    for message in messages.query_map([chat], |row| from_json::<Message>(row, 0))? {
        snapshot.messages.push(message?);
    }
    Ok(snapshot)
}

pub(super) fn document(on: &Connection, chat: &ChatId, card: CardId) -> Result<Option<Document>> {
    on.prepare_cached("SELECT html, post FROM documents WHERE chat = ?1 AND card = ?2")?
        .query_row(params![chat.as_str(), card.0], |row| {
            Ok(Document { html: row.get(0)?, post: row.get(1)? })
        })
        .optional()
}

pub(super) fn waking(on: &Connection) -> Result<Vec<ChatId>> {
    let sql = "SELECT chat FROM entries WHERE wake UNION SELECT chat FROM messages WHERE wake";
    on.prepare_cached(sql)?.query_map([], |row| id(row, 0))?.collect()
}

fn accept(
    on: &Connection,
    chat: &str,
    card: CardId,
    id: &EventId,
    state: DeliveryState,
) -> Result<()> {
    run(
        on,
        "INSERT INTO accepted (chat, card, id, state) VALUES (?1, ?2, ?3, ?4)",
        params![chat, card.0, id.as_str(), json(&state)?],
    )?;
    if !prunes(on.last_insert_rowid()) {
        return Ok(());
    }
    run(
        on,
        "DELETE FROM accepted WHERE chat = ?1 AND card = ?2 AND n <=
         (SELECT n FROM accepted WHERE chat = ?1 AND card = ?2 ORDER BY n DESC LIMIT 1 OFFSET ?3)",
        params![chat, card.0, EVENT_IDS_PER_CARD],
    )
}

/// Whether ids that are not remembered any more are to go with this row: with one in 64, scattered so
/// that no pattern of several cards keeps a card from its turn.
fn prunes(n: i64) -> bool {
    const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;
    let scattered = n.cast_unsigned().wrapping_mul(SCATTER);
    (scattered ^ (scattered >> 32)).wrapping_mul(SCATTER) >> (u64::BITS - 6) == 0
}

/// A portal may say again that a chat was forked: what the copy has by then stays.
fn fork(on: &Connection, from: &str, to: &str) -> Result<()> {
    if on.prepare_cached("SELECT 1 FROM chats WHERE chat = ?1")?.exists([to])? {
        return Ok(());
    }
    run(
        on,
        "INSERT INTO chats (chat, next_card) SELECT ?2, next_card FROM chats WHERE chat = ?1",
        params![from, to],
    )?;
    run(
        on,
        "INSERT INTO documents (chat, card, html, post) SELECT ?2, card, html, post FROM documents WHERE chat = ?1",
        params![from, to],
    )?;
    let mut cards = on.prepare_cached("SELECT record FROM cards WHERE chat = ?1")?;
    let records: Vec<CardRecord> =
        cards.query_map([from], |row| from_json(row, 0))?.collect::<Result<_>>()?;
    for record in records {
        let copy = record.forked();
        run(
            on,
            "INSERT INTO cards (chat, card, record) VALUES (?1, ?2, ?3)",
            params![to, copy.id.0, json(&copy)?],
        )?;
    }
    Ok(())
}

fn delete(on: &Connection, chat: &str) -> Result<()> {
    ["chats", "cards", "documents", "accepted", "entries", "messages"]
        .iter()
        .try_for_each(|table| run(on, &format!("DELETE FROM {table} WHERE chat = ?1"), [chat]))
}

fn run(on: &Connection, sql: &str, with: impl rusqlite::Params) -> Result<()> {
    on.prepare_cached(sql)?.execute(with).map(drop)
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    })
}

fn id<T: TryFrom<String, Error: std::error::Error + Send + Sync + 'static>>(
    row: &Row<'_>,
    column: usize,
) -> Result<T> {
    T::try_from(row.get(column)?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    })
}

fn optional_id<T: TryFrom<String, Error: std::error::Error + Send + Sync + 'static>>(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<T>> {
    if row.get_ref(column)?.data_type() == Type::Null {
        return Ok(None);
    }
    id(row, column).map(Some)
}
