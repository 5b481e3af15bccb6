-- Fences, effects and actions, each one document a row; bytes that are previewed and sent are kept apart and never change.

CREATE TABLE fences (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL
);

CREATE TABLE effects (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL
);

CREATE TABLE actions (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL,
  account text NOT NULL,
  run_id text NOT NULL,
  connector text NOT NULL,
  subject text NOT NULL,
  state text NOT NULL CHECK (state IN ('proposed', 'awaiting_approval', 'denied', 'withdrawn', 'admitted', 'sending', 'succeeded', 'failed', 'unknown', 'blocked', 'disputed')),
  opened_at timestamptz NOT NULL,
  unknown_since timestamptz
);
CREATE INDEX actions_due ON actions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX actions_run ON actions (run_id);
CREATE INDEX actions_state ON actions (state);
CREATE INDEX actions_listed ON actions (tenant, opened_at DESC, id DESC);
CREATE INDEX actions_unknown ON actions (unknown_since) WHERE unknown_since IS NOT NULL;

CREATE TABLE blobs (ref text PRIMARY KEY, bytes bytea NOT NULL);
