-- A repeat of an event is known by its fact's revision and by the inbox, before it comes here: one index less a row.
ALTER TABLE timeline DROP CONSTRAINT timeline_stream_event_id_key;
-- Rows that are rewritten with each event leave room for their next version on the same page, where no index has to learn of it.
ALTER TABLE facts SET (fillfactor = 60);
ALTER TABLE streams SET (fillfactor = 50);
