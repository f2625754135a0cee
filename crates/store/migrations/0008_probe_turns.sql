-- What a simulated user and a bot have said so far, entry by entry, so that a probe can be carried on wherever it was left.

CREATE TABLE probe_turns (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, conversation, number)
);
