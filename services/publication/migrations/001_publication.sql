-- One row per run that published or superseded something: what is current, and the list of its reports.
CREATE TABLE report_runs (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL,
  account text NOT NULL
);

-- The exact bytes; written once, never changed.
CREATE TABLE reports (
  run_id text NOT NULL,
  version int NOT NULL,
  seq int NOT NULL,
  sha256 text NOT NULL,
  content_type text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (run_id, version, seq)
);

-- The newest of each message, receipt, run, turn, interaction, action and report, as a place in the timeline.
CREATE TABLE facts (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  kind text NOT NULL,
  tenant text NOT NULL,
  account text NOT NULL,
  stream text NOT NULL,
  seq bigint NOT NULL,
  first_seq bigint NOT NULL,
  run_id text,
  kept boolean NOT NULL
);
CREATE INDEX facts_stream ON facts (stream, kind, first_seq DESC) WHERE kept;
CREATE INDEX facts_run ON facts (stream, run_id, kind, first_seq DESC) WHERE kept;

-- Conversations and accounts: where events are numbered.
CREATE TABLE streams (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL,
  account text NOT NULL,
  conversation_id text,
  epoch text NOT NULL,
  seq bigint NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX streams_account ON streams (tenant, account, updated_at DESC, id DESC) WHERE conversation_id IS NOT NULL;
CREATE INDEX streams_conversation ON streams (tenant, conversation_id, updated_at DESC) WHERE conversation_id IS NOT NULL;

-- Every event once, numbered in its conversation and in its account.
CREATE TABLE timeline (
  stream text NOT NULL,
  seq bigint NOT NULL,
  account_stream text NOT NULL,
  account_seq bigint NOT NULL,
  run_id text,
  kind text NOT NULL CHECK (kind IN ('message', 'receipt', 'run', 'turn', 'interaction', 'action', 'report')),
  event_id text NOT NULL,
  at timestamptz NOT NULL,
  item text NOT NULL,
  ended boolean NOT NULL,
  PRIMARY KEY (stream, seq),
  UNIQUE (account_stream, account_seq),
  UNIQUE (stream, event_id)
);
CREATE INDEX timeline_run ON timeline (stream, run_id, seq);
