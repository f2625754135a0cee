-- Who has seen what judges say of a chat: a rating that is given afterwards is not blind, and is marked.

CREATE TABLE seen_verdicts (
    chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    rater TEXT NOT NULL,
    seen BIGINT NOT NULL,
    PRIMARY KEY (chat, rater)
);
CREATE INDEX seen_verdicts_by_rater ON seen_verdicts (rater);
