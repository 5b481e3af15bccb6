import { useLoaded } from './load';
import type { List } from './facts';
import { Badge, Problem } from './parts';
import { Plot } from './plot';
import { At, When } from './time';

const lookAgainMs = 5_000;
const slowSec = 5;

interface Lag {
  readonly group: string;
  readonly topic: string;
  readonly lag: number;
  readonly timeLagSeconds: number;
}

interface Status {
  readonly instances: readonly {
    readonly instance: string;
    readonly seenAt: string;
    readonly lag: number;
    readonly timeLagSeconds: number;
  }[];
  readonly history: readonly { readonly at: string; readonly lag: number; readonly timeLagSeconds: number }[];
  readonly outbox: { readonly pending: number; readonly oldestSeconds: number; readonly blockedKeys: number };
}

const ByTopic = ({ lag }: { readonly lag: readonly Lag[] }) => {
  const topics = new Map<string, { records: number; seconds: number }>();
  for (const one of lag) {
    const known = topics.get(one.topic) ?? { records: 0, seconds: 0 };
    topics.set(one.topic, {
      records: known.records + one.lag,
      seconds: Math.max(known.seconds, one.timeLagSeconds),
    });
  }
  return (
    <details>
      <summary>by topic, of the instance that answered</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">topic</th>
            <th scope="col">records</th>
            <th scope="col">seconds</th>
          </tr>
        </thead>
        <tbody>
          {[...topics].map(([name, one]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{one.records}</td>
              <td>{one.seconds.toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
};

const Instances = ({ instances }: { readonly instances: Status['instances'] }) => (
  <details>
    <summary>
      {instances.length} {instances.length === 1 ? 'instance' : 'instances'}
    </summary>
    <table>
      <thead>
        <tr>
          <th scope="col">instance</th>
          <th scope="col">measured</th>
          <th scope="col">records</th>
          <th scope="col">seconds</th>
        </tr>
      </thead>
      <tbody>
        {instances.map((one) => (
          <tr key={one.instance}>
            <td>{one.instance}</td>
            <td>
              <When at={one.seenAt} />
            </td>
            <td>{one.lag}</td>
            <td>{one.timeLagSeconds.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

const toneOf = (failed: boolean, seconds: number | null): 'wrong' | 'settled' | null =>
  failed ? 'wrong' : seconds === null ? null : seconds > slowSec ? 'wrong' : 'settled';
const wordOf = (failed: boolean, seconds: number | null): string =>
  failed ? 'does not answer' : seconds === null ? 'asking' : seconds > slowSec ? 'behind' : 'keeps up';

/** One service: how far behind it is now and was in the last hour, its instances, and what waits in its outbox. */
export const ServiceCard = ({ service }: { readonly service: string }) => {
  const now = useLoaded<List<Lag>>(`/v1/ops/${service}/lag`, lookAgainMs);
  const status = useLoaded<Status>(`/v1/ops/${service}/status`, lookAgainMs);
  const error = now.error ?? status.error;
  const lag = now.value?.items ?? [];
  // Each instance knows its own partitions: the one that answered is fresh, the others are as of their last look.
  const instances = status.value?.instances ?? [];
  const known = now.value !== null;
  const records = Math.max(
    lag.reduce((sum, one) => sum + one.lag, 0),
    instances.length > 1 ? instances.reduce((sum, one) => sum + one.lag, 0) : 0,
  );
  const seconds = known
    ? Math.max(
        0,
        ...lag.map((one) => one.timeLagSeconds),
        ...(instances.length > 1 ? instances : []).map((one) => one.timeLagSeconds),
      )
    : null;
  const outbox = status.value?.outbox;
  return (
    <article className="card" data-item={service} tabIndex={-1}>
      <header>
        <Badge tone={toneOf(error !== null, seconds)}>{wordOf(error !== null, seconds)}</Badge>
        <h3>{service}</h3>
      </header>
      {error === null ? null : <Problem error={error} />}
      {seconds === null ? null : (
        <p className="numbers">
          {records} records, {seconds.toFixed(1)} s behind
          {now.at === null ? null : (
            <>
              {' '}
              <span className="quiet">
                at <At at={now.at} />
              </span>
            </>
          )}
        </p>
      )}
      {outbox === undefined ? null : (
        <p className="numbers">
          outbox: {outbox.pending} waiting
          {outbox.pending === 0 ? null : `, the oldest for ${outbox.oldestSeconds.toFixed(1)} s`}
          {outbox.blockedKeys === 0 ? null : `, ${outbox.blockedKeys} blocked`}
        </p>
      )}
      {status.value === null || status.value.history.length === 0 ? null : (
        <>
          <Plot
            of={status.value.history.map((one) => one.timeLagSeconds)}
            label={`Seconds behind of ${service} in the last hour`}
          />
          <Plot
            of={status.value.history.map((one) => one.lag)}
            label={`Records behind of ${service} in the last hour`}
          />
        </>
      )}
      <Instances instances={instances} />
      <ByTopic lag={lag} />
    </article>
  );
};
