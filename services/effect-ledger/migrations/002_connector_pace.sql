-- What all processes of the ledger share about a connector: until when its rate is spoken for, who may have how many
-- requests under way, and whether an operator has paused it.

CREATE TABLE connector_pace (
  connector text PRIMARY KEY,
  spoken_until timestamptz NOT NULL DEFAULT '-infinity',
  paused_at timestamptz,
  paused_by text,
  paused_reason text
);

CREATE TABLE connector_holders (
  connector text NOT NULL,
  holder text NOT NULL,
  slots int NOT NULL,
  wanted int NOT NULL,
  -- Since when it has been waiting without a slot, or holding some.
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (connector, holder)
);

-- Hands out slots and a stretch of the connector's timeline to one process, under the connector's row. A stretch is so
-- many instants `gap_us` apart, and nobody else gets an instant inside it. Alone, a process gets a long stretch and all
-- slots; beside others, short stretches and its share.
-- What a process is to come down to is told apart from what it still has under way, and only who holds slots gives way to
-- those without: who has been waiting longest takes its turn.
CREATE FUNCTION connector_lease(
  p_connector text, p_holder text, p_concurrency int, p_busy int, p_wanted int, p_tokens int, p_gap_us bigint,
  p_block_us bigint, p_alone_block_us bigint, p_ahead_us bigint, p_lease_ms int, p_even_paused boolean,
  OUT slots int, OUT first_us bigint, OUT tokens int, OUT now_us bigint, OUT paused boolean
) LANGUAGE plpgsql AS $$
DECLARE
  pace connector_pace%ROWTYPE;
  moment timestamptz;
  mine connector_holders%ROWTYPE;
  taken int;
  kept int;
  competitors int;
  earlier int;
  starved int;
  begins timestamptz;
  block_us bigint;
BEGIN
  -- After a crash of the server an instant may be handed out again; waiting for the disk each time would cost more.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO pace FROM connector_pace WHERE connector = p_connector FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO connector_pace (connector) VALUES (p_connector) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM connector_pace WHERE connector = p_connector FOR UPDATE;
  END IF;
  moment := clock_timestamp();
  DELETE FROM connector_holders WHERE connector = p_connector AND until < moment;
  SELECT * INTO mine FROM connector_holders WHERE connector = p_connector AND holder = p_holder;
  IF NOT FOUND THEN
    mine.slots := 0;
    mine.since := moment;
  END IF;
  SELECT coalesce(sum(h.slots), 0), count(*) FILTER (WHERE h.wanted > 0),
         count(*) FILTER (WHERE h.wanted > 0 AND h.slots = 0 AND (mine.slots > 0 OR h.since < mine.since)),
         count(*) FILTER (WHERE h.wanted > 0 AND h.slots = 0)
    INTO taken, competitors, earlier, starved
    FROM connector_holders h WHERE h.connector = p_connector AND h.holder <> p_holder;
  IF p_wanted = 0 THEN
    slots := p_busy;
  ELSIF competitors = 0 THEN
    slots := p_concurrency - taken;
  ELSE
    -- One slot is left for each that waits without any.
    slots := least(p_wanted, greatest(1, p_concurrency / (competitors + 1)), p_concurrency - taken - earlier);
    IF mine.slots > 0 AND starved > 0 AND p_concurrency <= competitors AND mine.since < moment - interval '200 milliseconds' THEN
      slots := 0;
    END IF;
  END IF;
  slots := greatest(slots, 0);
  kept := greatest(slots, p_busy);

  paused := pace.paused_at IS NOT NULL;
  tokens := 0;
  begins := greatest(pace.spoken_until, moment);
  block_us := CASE WHEN competitors = 0 THEN p_alone_block_us ELSE p_block_us END;
  IF p_tokens > 0 AND (p_even_paused OR NOT paused) AND begins <= moment + p_ahead_us * interval '1 microsecond' THEN
    tokens := greatest(1, least(greatest(p_tokens::bigint, block_us / p_gap_us), block_us / p_gap_us))::int;
    UPDATE connector_pace SET spoken_until = begins + tokens * p_gap_us * interval '1 microsecond'
     WHERE connector = p_connector;
  END IF;
  first_us := (extract(epoch FROM begins) * 1000000)::bigint;
  now_us := (extract(epoch FROM moment) * 1000000)::bigint;

  INSERT INTO connector_holders (connector, holder, slots, wanted, since, until)
  VALUES (p_connector, p_holder, kept, p_wanted,
          CASE WHEN (mine.slots > 0) = (kept > 0) THEN mine.since ELSE moment END,
          moment + p_lease_ms * interval '1 millisecond')
  ON CONFLICT (connector, holder) DO UPDATE
    SET slots = excluded.slots, wanted = excluded.wanted, since = excluded.since, until = excluded.until;
END $$;
