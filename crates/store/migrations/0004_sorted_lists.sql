-- Lists that are sorted or filtered by anything. The first index has all that takes, so that looking through the results
-- of a run reads narrow rows in one piece instead of the table.

CREATE INDEX results_for_lists ON results (
    run, place, position, chat, gated, unscored, overall, metric_1, metric_2, metric_3, metric_4, metric_5, metric_6,
    metric_7, metric_8, metric_9, metric_10, tier, group_name, gates
);
-- As with scores: a missing group comes first in both databases.
CREATE INDEX results_by_group_name ON results (run, place, (COALESCE(group_name, '')), position);
CREATE INDEX results_by_gates ON results (run, place, (1 - gated), position);
-- The same chat in other runs, for those who must not see what is said about it yet.
CREATE INDEX chats_by_digest ON chats (digest);
