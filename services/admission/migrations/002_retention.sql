-- Whose words these are and since when, so that they can be removed by age; rows of before are kept.
ALTER TABLE blobs ADD COLUMN tenant text, ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX blobs_age ON blobs (tenant, stored_at) WHERE tenant IS NOT NULL;
