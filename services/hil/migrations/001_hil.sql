-- The runs that interactions belong to, as far as closing them needs it.
CREATE TABLE runs (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz
);

-- One row per interaction: what is asked, of whom, and the four facts. `awaited` = named before its request came.
CREATE TABLE interactions (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  state text NOT NULL CHECK (state IN ('awaited', 'open', 'answered', 'closed')),
  tenant text,
  account text,
  role text,
  claimed_by text,
  conversation_id text,
  run_id text,
  published_at timestamptz,
  expires_at timestamptz,
  changed_at timestamptz,
  CHECK (state = 'awaited' OR (tenant IS NOT NULL AND (account IS NULL) <> (role IS NULL) AND published_at IS NOT NULL))
);
CREATE INDEX interactions_due ON interactions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX interactions_account ON interactions (tenant, account, published_at DESC, id DESC) WHERE account IS NOT NULL;
CREATE INDEX interactions_role ON interactions (tenant, role, published_at DESC, id DESC) WHERE role IS NOT NULL;
CREATE INDEX interactions_tenant ON interactions (tenant, published_at DESC, id DESC);
CREATE INDEX interactions_changed ON interactions (changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX interactions_state ON interactions (state);

-- Answers by chat and what became of them.
CREATE TABLE clarifications (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  interaction_ref text NOT NULL
);
CREATE INDEX clarifications_due ON clarifications (due_at) WHERE due_at IS NOT NULL;

-- The bytes an approver sees, as the ledger made them.
CREATE TABLE previews (
  interaction_ref text NOT NULL,
  request_revision int NOT NULL,
  bytes bytea NOT NULL,
  sha256 text NOT NULL,
  PRIMARY KEY (interaction_ref, request_revision)
);

-- Answers that were refused, with the reason.
CREATE TABLE refused_responses (
  interaction_ref text NOT NULL,
  account text NOT NULL,
  client_response_id text NOT NULL,
  code text NOT NULL,
  at timestamptz NOT NULL,
  answer text NOT NULL,
  PRIMARY KEY (interaction_ref, account, client_response_id, code)
);
