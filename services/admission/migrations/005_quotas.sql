-- How many messages of a tenant with a quota its day has taken: one row per tenant, rewritten by each of its batches.
CREATE TABLE tenant_usage (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz
) WITH (fillfactor = 50);
