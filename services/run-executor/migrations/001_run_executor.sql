CREATE TABLE runs (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL,
  account text NOT NULL,
  conversation_id text NOT NULL,
  task_id text,
  state text NOT NULL,
  lease_owner text,
  created_at timestamptz NOT NULL,
  state_since timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_account ON runs (tenant, account, created_at DESC, id DESC);
CREATE INDEX runs_task ON runs (task_id);
CREATE INDEX runs_lease ON runs (lease_owner) WHERE lease_owner IS NOT NULL;

CREATE TABLE conversations (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz);

CREATE TABLE tasks (
  task_id text PRIMARY KEY,
  tenant text NOT NULL,
  account text NOT NULL,
  conversation_id text NOT NULL,
  entity_type text,
  entity_id text,
  title text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The exact bytes every turn was asked with; never changed, never removed before the run.
CREATE TABLE inputs (
  run_id text NOT NULL,
  turn int NOT NULL,
  requirements_version int NOT NULL,
  sha256 text NOT NULL,
  bytes bytea NOT NULL,
  sealed_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, turn)
);

CREATE TABLE turns (
  run_id text NOT NULL,
  number int NOT NULL,
  attempts int NOT NULL,
  requirements_version int NOT NULL,
  input_sha256 text NOT NULL,
  outcome text NOT NULL,
  doc text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, number)
);

CREATE TABLE blobs (ref text PRIMARY KEY, bytes bytea NOT NULL);
