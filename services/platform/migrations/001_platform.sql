-- Tables every service has. Applied to each service's own database before its own migrations.

-- Called inside a save: a missed row turns the whole burst, COMMIT included, into a retry.
CREATE FUNCTION expect_rows(actual bigint, expected bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF actual IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'saved % of % rows', actual, expected USING ERRCODE = '40001';
  END IF;
END $$;

CREATE TABLE inbox (
  consumer text NOT NULL,
  topic text NOT NULL,
  event_id text NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (consumer, topic, event_id)
);
CREATE INDEX inbox_age ON inbox USING brin (handled_at);

CREATE TABLE outbox (
  id bigserial PRIMARY KEY,
  bucket smallint NOT NULL,
  topic text NOT NULL,
  partition int,
  key bytea NOT NULL,
  value bytea,
  headers text NOT NULL,
  event_id text NOT NULL,
  writer text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  blocked_at timestamptz,
  blocked_message text
);
CREATE INDEX outbox_bucket ON outbox (bucket, id);
CREATE INDEX outbox_blocked ON outbox (bucket, topic, key) WHERE blocked_at IS NOT NULL;

CREATE TABLE relay_buckets (bucket smallint PRIMARY KEY, owner text, epoch int NOT NULL DEFAULT 0, until timestamptz NOT NULL DEFAULT clock_timestamp());
INSERT INTO relay_buckets (bucket) SELECT generate_series(0, 63);
CREATE TABLE relay_members (owner text PRIMARY KEY, until timestamptz NOT NULL);

-- Durable messages of a service to its own aggregates; the row goes in the transaction that decides it.
CREATE TABLE told (id text PRIMARY KEY, message text NOT NULL, trace text NOT NULL, told_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX told_age ON told (told_at);

-- What this database has handled, per partition: after a restore it says from where to read again.
CREATE TABLE positions (consumer text, topic text, partition int, next_offset bigint NOT NULL, PRIMARY KEY (consumer, topic, partition));

CREATE TABLE dead_letters (
  consumer text NOT NULL,
  id text NOT NULL,
  topic text NOT NULL,
  partition int NOT NULL,
  record_offset bigint NOT NULL,
  record_at timestamptz NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  attempts int NOT NULL,
  redrive_count int NOT NULL DEFAULT 0,
  key bytea,
  value bytea,
  headers text NOT NULL,
  dead_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  state text NOT NULL DEFAULT 'dead' CHECK (state IN ('dead', 'redriven', 'skipped')),
  PRIMARY KEY (consumer, id)
);

-- Who did what to dead letters and blocked keys, and why.
CREATE TABLE audit (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), account text NOT NULL, action text NOT NULL, ref text NOT NULL, reason text);

CREATE TABLE incidents (
  id text PRIMARY KEY,
  kind text NOT NULL,
  ref text NOT NULL,
  reason text NOT NULL,
  actions text NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  acknowledged_at timestamptz,
  closed_at timestamptz
);

CREATE TABLE process_marks (instance text PRIMARY KEY, clean boolean NOT NULL, crashes int NOT NULL);
CREATE TABLE suspects (consumer text, topic text, partition int, record_offset bigint, deaths int NOT NULL DEFAULT 0, PRIMARY KEY (consumer, topic, partition, record_offset));
