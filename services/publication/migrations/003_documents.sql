-- Documents that several runs write: which text holds, and which ones contradict it.
CREATE TABLE documents (
  id text PRIMARY KEY,
  revision int NOT NULL,
  doc text NOT NULL,
  due_at timestamptz,
  tenant text NOT NULL,
  account text NOT NULL,
  document_id text NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX documents_named ON documents (tenant, document_id, updated_at DESC);

-- Every text ever committed to a document, also those that met a conflict; written once, never changed.
CREATE TABLE document_texts (
  document text NOT NULL,
  sha256 text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (document, sha256)
);
