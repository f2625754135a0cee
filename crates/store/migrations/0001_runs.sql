-- Runs, their chats, what has to be asked, what was answered, and what came of it.
-- The same text runs on SQLite and PostgreSQL. Keys are INTEGER: only that spelling makes SQLite use the row's own
-- number, and in PostgreSQL it has room for two thousand million chats. What is large stands in tables of its own, so
-- that lists read narrow rows.

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('run', 0), ('chat', 0);

CREATE TABLE runs (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('filling', 'open', 'done')),
    dataset TEXT,
    judges INTEGER NOT NULL CHECK (judges > 0),
    chats INTEGER NOT NULL DEFAULT 0,
    config TEXT NOT NULL
);

CREATE TABLE chats (
    id INTEGER NOT NULL PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    origin TEXT NOT NULL,
    group_name TEXT,
    UNIQUE (run, position),
    UNIQUE (run, name)
);

CREATE TABLE transcripts (
    chat INTEGER NOT NULL PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
    dropped TEXT NOT NULL,
    labels TEXT,
    turns BYTEA NOT NULL
);

-- state: 0 open, 1 leased, 2 answered, 3 failed.
CREATE TABLE tasks (
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    run INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
    attempts INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    until BIGINT,
    error TEXT,
    PRIMARY KEY (chat, place)
);
CREATE INDEX tasks_by_state ON tasks (run, state, chat, place);

CREATE TABLE answers (
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    run INTEGER NOT NULL,
    answered BIGINT NOT NULL,
    judge TEXT NOT NULL,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    cached_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    cost_nanos BIGINT NOT NULL DEFAULT 0,
    from_record INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat, place)
);
CREATE INDEX answers_by_run
    ON answers (run, place, input_tokens, cached_tokens, output_tokens, cost_nanos, from_record);

CREATE TABLE submissions (
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (chat, place)
);

-- place: -1 for the chat's result as a whole, otherwise the place of one judge.
CREATE TABLE results (
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    run INTEGER NOT NULL,
    position INTEGER NOT NULL,
    group_name TEXT,
    judge TEXT NOT NULL,
    overall INTEGER,
    gated INTEGER NOT NULL,
    gates TEXT NOT NULL,
    tier TEXT,
    unscored INTEGER NOT NULL,
    metric_1 INTEGER,
    metric_2 INTEGER,
    metric_3 INTEGER,
    metric_4 INTEGER,
    metric_5 INTEGER,
    metric_6 INTEGER,
    metric_7 INTEGER,
    metric_8 INTEGER,
    metric_9 INTEGER,
    metric_10 INTEGER,
    outcomes TEXT NOT NULL,
    PRIMARY KEY (chat, place)
);
CREATE UNIQUE INDEX results_by_position ON results (run, place, position);
-- The two databases put a missing score at different ends; this puts it first in both.
CREATE INDEX results_by_overall ON results (run, place, (COALESCE(overall, -1)), position);
CREATE INDEX results_by_group ON results (run, place, group_name, position);
