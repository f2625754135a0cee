-- Who may use the web app, and chats rated by people.

INSERT INTO counters (name, value) VALUES ('token', 0), ('rating', 0);

CREATE TABLE tokens (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('read', 'rate', 'judge', 'admin')),
    hash TEXT NOT NULL UNIQUE,
    created BIGINT NOT NULL
);

CREATE TABLE ratings (
    id INTEGER NOT NULL PRIMARY KEY,
    run INTEGER NOT NULL,
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    rater TEXT NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'open', 'done')),
    version INTEGER NOT NULL DEFAULT 0,
    started BIGINT,
    changed BIGINT,
    finished BIGINT,
    body BYTEA,
    UNIQUE (chat, rater)
);
CREATE INDEX ratings_by_run ON ratings (run, rater, state, position);
CREATE INDEX ratings_by_rater ON ratings (rater, run, state);

-- What a rating was before a change, for undoing it; number: the version it was then.
CREATE TABLE rating_changes (
    rating INTEGER NOT NULL REFERENCES ratings (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    body BYTEA,
    PRIMARY KEY (rating, number)
);
