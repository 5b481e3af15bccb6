-- Who holds and who wants the limited places of a tenant; runs that nothing limits never come here.
CREATE TABLE slots (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz);
