-- How far each conversation has been told to its tenant's webhook. What is told are the timeline's own rows.
CREATE TABLE webhooks (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL
);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;
