-- From here on packed transcripts, answers and ratings carry a checksum, which earlier versions cannot read. The
-- configuration of a run has its own; a run of an earlier version has none, and none is compared.

ALTER TABLE runs ADD COLUMN config_checksum TEXT;
