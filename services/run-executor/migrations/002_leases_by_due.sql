-- A claimed run is due when its lease ends: the index on due_at finds it as well, and one index less is written with each save.
DROP INDEX runs_lease;
