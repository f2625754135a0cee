-- Words that people put on runs to find them by, separated by spaces.

ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '';
