-- What was purged, and how often this service has looked through what it holds since: content that was still on its way
-- then, or that an old record brings back, goes with a later look.
CREATE TABLE purges (
  id text PRIMARY KEY,
  what text NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  looks int NOT NULL DEFAULT 0,
  delays int NOT NULL DEFAULT 0,
  next_at timestamptz DEFAULT clock_timestamp()
);
CREATE INDEX purges_due ON purges (next_at) WHERE next_at IS NOT NULL;
