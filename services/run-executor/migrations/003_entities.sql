-- Runs about one entity of one account and the events it has reported: what entity events are decided by.
CREATE TABLE entities (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz) WITH (fillfactor = 80);
CREATE INDEX entities_due ON entities (due_at) WHERE due_at IS NOT NULL;
