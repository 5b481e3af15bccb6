-- Signs of life of works that outlast their first lease: a few bytes each, so that a renewal does not write the run again.
CREATE TABLE leases (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz) WITH (fillfactor = 50);
CREATE INDEX leases_due ON leases (due_at) WHERE due_at IS NOT NULL;
