import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { part, post } from './api';
import type { List, Session, WaitingFor } from './facts';
import { useLoaded } from './load';
import { Act, Badge, Empty, Problem } from './parts';
import { Plot } from './plot';
import { At, When } from './time';
import { shortId, waitsFor } from './words';

const services = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
type Service = (typeof services)[number];
const lookAgainMs = 5_000;
/** An hour of looks. */
const maxSamples = 720;
const slowSec = 5;

interface Lag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
  readonly timeLagSeconds: number;
}

interface Sample {
  readonly records: number;
  readonly seconds: number;
}

/** Consumer lag of one service, and how it went since this page was opened. */
const ServiceLag = ({ service }: { readonly service: Service }) => {
  const { value, error, at } = useLoaded<List<Lag>>(`/v1/ops/${service}/lag`, lookAgainMs);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (value === null) return;
    const records = value.items.reduce((sum, one) => sum + one.lag, 0);
    const seconds = Math.max(0, ...value.items.map((one) => one.timeLagSeconds));
    setSamples((before) => [...before, { records, seconds }].slice(-maxSamples));
  }, [value, at]);
  const last = samples.at(-1);
  const topics = new Map<string, Sample>();
  for (const one of value?.items ?? []) {
    const known = topics.get(`${one.topic} ${one.group}`) ?? { records: 0, seconds: 0 };
    topics.set(`${one.topic} ${one.group}`, {
      records: known.records + one.lag,
      seconds: Math.max(known.seconds, one.timeLagSeconds),
    });
  }
  return (
    <article className="card" data-item={service} tabIndex={-1}>
      <header>
        <Badge
          tone={error !== null ? 'wrong' : last === undefined ? null : last.seconds > slowSec ? 'wrong' : 'settled'}
        >
          {error !== null
            ? 'does not answer'
            : last === undefined
              ? 'asking'
              : last.seconds > slowSec
                ? 'behind'
                : 'keeps up'}
        </Badge>
        <h3>{service}</h3>
      </header>
      {error === null ? null : <Problem error={error} />}
      {last === undefined ? null : (
        <>
          <p className="numbers">
            {last.records} records, {last.seconds.toFixed(1)} s behind
            {at === null ? null : (
              <>
                {' '}
                <span className="quiet">
                  at <At at={at} />
                </span>
              </>
            )}
          </p>
          <Plot
            of={samples.map(({ seconds }) => seconds)}
            label={`Seconds behind of ${service} since this page was opened`}
          />
        </>
      )}
      <details>
        <summary>by topic</summary>
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
                <td>{name.split(' ')[0]}</td>
                <td>{one.records}</td>
                <td>{one.seconds.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </article>
  );
};

const WithReason = ({
  label,
  verb,
  act,
}: {
  readonly label: string;
  readonly verb: string;
  readonly act: (reason: string) => Promise<unknown>;
}) => {
  const [reason, setReason] = useState('');
  return (
    <details>
      <summary>{verb}</summary>
      <label>
        {label}
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <Act act={() => act(reason)} disabled={reason === ''}>
        {verb}
      </Act>
    </details>
  );
};

interface Dead {
  readonly id: string;
  readonly topic: string;
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly attempts: number;
  readonly redriveCount: number;
  readonly key: string | null;
  readonly preview: string | null;
}

const DeadLetters = ({ service }: { readonly service: Service }) => {
  const { value, error, reload } = useLoaded<List<Dead>>(`/v1/ops/${service}/dead-letters`, lookAgainMs);
  const done = async (work: Promise<unknown>): Promise<void> => {
    await work;
    reload();
  };
  const path = (id: string): string => `/v1/ops/${service}/dead-letters/${part(id)}`;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {value?.items.map((dead) => (
        <article className="card" key={dead.id} data-item={dead.id} tabIndex={-1}>
          <header>
            <Badge tone="wrong">{dead.code}</Badge>
            <span>
              {service}, <code>{dead.id}</code>
            </span>
          </header>
          <p>{dead.message}</p>
          <p className="quiet">
            <When at={dead.at} />, {dead.attempts} attempts, redriven {dead.redriveCount} times, key{' '}
            <code>{dead.key ?? '–'}</code>
          </p>
          <details>
            <summary>Show the record</summary>
            <pre tabIndex={0}>{dead.preview ?? 'an empty value'}</pre>
          </details>
          <div className="row">
            <Act act={() => done(post(`${path(dead.id)}/redrive`))}>Put it through its consumer again</Act>
            <WithReason
              label="Why it may be left out"
              verb="Skip it"
              act={(reason) => done(post(`${path(dead.id)}/skip`, { reason }))}
            />
          </div>
        </article>
      ))}
    </>
  );
};

interface Blocked {
  readonly key: string;
  readonly topic: string;
  readonly recordKey: string | null;
  readonly message: string;
  readonly at: string;
  readonly waiting: number;
}

const BlockedKeys = ({ service }: { readonly service: Service }) => {
  const { value, reload } = useLoaded<List<Blocked>>(`/v1/ops/${service}/outbox/blocked`, lookAgainMs);
  const done = async (work: Promise<unknown>): Promise<void> => {
    await work;
    reload();
  };
  return value?.items.map((one) => (
    <article className="card" key={one.key} data-item={one.key} tabIndex={-1}>
      <header>
        <Badge tone="wrong">blocked</Badge>
        <span>
          {service}, {one.topic}, key <code>{one.recordKey ?? '–'}</code>
        </span>
      </header>
      <p>{one.message}</p>
      <p className="quiet">
        <When at={one.at} />, {one.waiting} records of this key wait behind it
      </p>
      <div className="row">
        <Act act={() => done(post(`/v1/ops/${service}/outbox/${part(one.key)}/retry`))}>Try to send it again</Act>
        <WithReason
          label="Why it may be left out"
          verb="Skip it, and send what waits"
          act={(reason) => done(post(`/v1/ops/${service}/outbox/${part(one.key)}/skip`, { reason }))}
        />
      </div>
    </article>
  ));
};

interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly ref: string;
  readonly reason: string;
  readonly actions: readonly string[];
  readonly openedAt: string;
  readonly acknowledgedAt: string | null;
  readonly closedAt: string | null;
}

const Incidents = ({ service }: { readonly service: Service }) => {
  const { value, reload } = useLoaded<List<Incident>>(`/v1/ops/${service}/incidents`, lookAgainMs);
  return value?.items
    .filter((one) => one.closedAt === null)
    .map((one) => (
      <article className="card" key={one.id} data-item={one.id} tabIndex={-1}>
        <header>
          <Badge tone="wrong">{one.kind.replaceAll('_', ' ')}</Badge>
          <span>
            {service}, <code>{one.ref}</code>
          </span>
        </header>
        <p>{one.reason}</p>
        {one.actions.length === 0 ? null : (
          <ul>
            {one.actions.map((action) => (
              <li key={action}>{action}</li>
            ))}
          </ul>
        )}
        <p className="quiet">
          opened <When at={one.openedAt} />
        </p>
        {one.acknowledgedAt === null ? (
          <Act
            act={async () => {
              await post(`/v1/ops/${service}/incidents/${part(one.id)}/acknowledge`);
              reload();
            }}
          >
            Say that you look after it
          </Act>
        ) : (
          <p className="quiet">
            somebody looks after it since <When at={one.acknowledgedAt} />
          </p>
        )}
      </article>
    ));
};

interface Queued {
  readonly place: number;
  readonly runId: string;
  readonly conversationId: string;
  readonly priority: number;
  readonly enqueuedAt: string;
  readonly waitingFor: readonly WaitingFor[];
}

const Queue = () => {
  const { value, error } = useLoaded<List<Queued>>('/v1/queue', lookAgainMs);
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      {error === null ? null : <Problem error={error} />}
      {value !== null && value.items.length === 0 ? <p className="quiet">No run waits for its turn.</p> : null}
      {value === null || value.items.length === 0 ? null : (
        <div className="scroll" tabIndex={0} role="region" aria-labelledby="queue">
          <table>
            <thead>
              <tr>
                <th scope="col">place</th>
                <th scope="col">run</th>
                <th scope="col">priority</th>
                <th scope="col">since</th>
                <th scope="col">waits for</th>
              </tr>
            </thead>
            <tbody>
              {value.items.map((one) => (
                <tr key={one.runId}>
                  <td>{one.place}</td>
                  <td>
                    <Link href={`/runs/${part(one.runId)}`}>{shortId(one.runId)}</Link>
                  </td>
                  <td>{one.priority}</td>
                  <td>
                    <When at={one.enqueuedAt} />
                  </td>
                  <td>{one.waitingFor.map((what) => `${waitsFor(what)} (${shortId(what.ref)})`).join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
};

export const OperationsPage = ({ session }: { readonly session: Session }) => (
  <>
    <h1>Operations</h1>
    {session.roles.includes('platform-operator') ? (
      <>
        <section aria-labelledby="lag">
          <h2 id="lag">Services</h2>
          <div className="grid">
            {services.map((service) => (
              <ServiceLag key={service} service={service} />
            ))}
          </div>
        </section>
        <section aria-labelledby="incidents" className="may-be-empty">
          <h2 id="incidents">Open incidents</h2>
          {services.map((service) => (
            <Incidents key={service} service={service} />
          ))}
          <p className="quiet none">None.</p>
        </section>
        <section aria-labelledby="dead" className="may-be-empty">
          <h2 id="dead">Dead letters</h2>
          {services.map((service) => (
            <DeadLetters key={service} service={service} />
          ))}
          <p className="quiet none">None.</p>
        </section>
        <section aria-labelledby="blocked" className="may-be-empty">
          <h2 id="blocked">Blocked outbox keys</h2>
          {services.map((service) => (
            <BlockedKeys key={service} service={service} />
          ))}
          <p className="quiet none">None.</p>
        </section>
      </>
    ) : (
      <Empty command={`npx fairlead token --account ${session.account} --role platform-operator --role operator`}>
        Lag, incidents, dead letters and blocked keys appear here for the role platform-operator. Sign in with:
      </Empty>
    )}
    <Queue />
  </>
);
