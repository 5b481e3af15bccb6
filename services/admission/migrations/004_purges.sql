-- Whose conversation these words belong to, so that a purge of it finds them; of rows of before their message says it.
ALTER TABLE blobs ADD COLUMN account text, ADD COLUMN conversation_id text;
CREATE INDEX blobs_conversation ON blobs (tenant, conversation_id) WHERE tenant IS NOT NULL;
