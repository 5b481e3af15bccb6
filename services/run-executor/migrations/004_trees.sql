-- What the runs of one root share: who lives below it, and which of them is parked.
CREATE TABLE trees (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz);
