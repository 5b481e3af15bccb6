-- Who else may answer once nobody has: shown in their inbox like what is addressed to them.
ALTER TABLE interactions ADD COLUMN also_account text;
ALTER TABLE interactions ADD COLUMN also_role text;
CREATE INDEX interactions_also_account ON interactions (tenant, also_account, published_at DESC, id DESC) WHERE also_account IS NOT NULL;
CREATE INDEX interactions_also_role ON interactions (tenant, also_role, published_at DESC, id DESC) WHERE also_role IS NOT NULL;
