-- Rows that are rewritten soon leave room for their next version on the same page, where no index has to learn of it.
ALTER TABLE conversations SET (fillfactor = 50);
ALTER TABLE messages SET (fillfactor = 60);
