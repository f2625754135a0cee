-- Jobs handed to a provider's batch API, so that a later process can collect them.

INSERT INTO counters (name, value) VALUES ('batch', 0);

CREATE TABLE batches (
    id INTEGER NOT NULL PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    part INTEGER NOT NULL,
    provider TEXT NOT NULL,
    remote TEXT,
    state TEXT NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0,
    created BIGINT NOT NULL,
    owner TEXT,
    until BIGINT,
    detail TEXT
);
CREATE INDEX batches_by_run ON batches (run, closed);

CREATE TABLE batch_items (
    batch INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    custom_id TEXT NOT NULL,
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    PRIMARY KEY (batch, custom_id)
);
CREATE INDEX batch_items_by_chat ON batch_items (chat);
