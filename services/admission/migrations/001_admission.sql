-- One row per message: its identity gate, what it asks of whom, and its newest receipt.
CREATE TABLE messages (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  settled boolean NOT NULL,
  received_at timestamptz NOT NULL
);
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;

-- What admission has seen of a conversation's runs and open questions; a projection that may be behind.
CREATE TABLE conversations (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz
);

-- The users' words by message (until an owner has them for sure they may have to be sent again), and the last known
-- facts of runs that left their conversation's projection, under run/<runId>.
CREATE TABLE blobs (
  ref text PRIMARY KEY,
  bytes bytea NOT NULL
);
