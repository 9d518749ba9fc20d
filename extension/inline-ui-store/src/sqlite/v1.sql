CREATE TABLE chats (
    chat      TEXT PRIMARY KEY,
    next_card INTEGER NOT NULL,
    woken_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE cards (
    chat   TEXT NOT NULL,
    card   INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (chat, card)
) STRICT, WITHOUT ROWID;

-- Apart from the cards, so that loading a chat reads no HTML.
CREATE TABLE documents (
    chat TEXT NOT NULL,
    card INTEGER NOT NULL,
    html TEXT NOT NULL,
    post TEXT,
    PRIMARY KEY (chat, card)
) STRICT;

CREATE TABLE accepted (
    n     INTEGER PRIMARY KEY,
    chat  TEXT NOT NULL,
    card  INTEGER NOT NULL,
    id    TEXT NOT NULL,
    state TEXT NOT NULL
) STRICT;
CREATE INDEX accepted_of_card ON accepted (chat, card, n);

CREATE TABLE entries (
    chat       TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    offered_to TEXT,
    wake       INTEGER NOT NULL,
    entry      TEXT NOT NULL,
    PRIMARY KEY (chat, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    chat    TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    id      TEXT NOT NULL,
    wake    INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (chat, seq)
) STRICT;
