-- How far behind each instance was, for the last hour: what an operator sees of a service, whichever instance answers.
CREATE TABLE lag_samples (
  instance text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  records bigint NOT NULL,
  time_lag_seconds double precision NOT NULL,
  PRIMARY KEY (instance, at)
);
CREATE INDEX lag_samples_age ON lag_samples (at);
