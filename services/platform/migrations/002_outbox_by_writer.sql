-- Looking for rows of other writers must not pass over one's own, which are nearly all there are.
CREATE INDEX outbox_writer ON outbox (bucket, writer, id);
DROP INDEX outbox_bucket;

-- A queue: what is dead in it is in everybody's way, long before it is a fifth of the table.
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
