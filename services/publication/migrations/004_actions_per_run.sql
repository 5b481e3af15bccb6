-- An action that several runs wait for is one fact per run, because each run shows it in its own conversation. An instance
-- of an earlier build that still runs beside this one writes the old ids: it shows such an action twice until its next news.
UPDATE facts SET id = id || ':' || run_id WHERE kind = 'action' AND run_id IS NOT NULL;
