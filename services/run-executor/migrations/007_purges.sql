-- When the content of an ended run was purged; ended runs that still have theirs are found by the time of their end.
ALTER TABLE runs ADD COLUMN purged_at timestamptz;
CREATE INDEX runs_content ON runs (tenant, state_since) WHERE purged_at IS NULL AND state IN ('completed', 'partial', 'failed', 'cancelled', 'interrupted');
-- All that a run keeps aside begins with its id.
CREATE INDEX blobs_run ON blobs (ref text_pattern_ops);
