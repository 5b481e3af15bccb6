import { useState } from 'react';
import { Link } from 'wouter';
import { part, post } from './api';
import type { List, Session, WaitingFor } from './facts';
import { useLoaded } from './load';
import { Act, Badge, Empty, Problem } from './parts';
import { ServiceCard } from './service-card';
import { When } from './time';
import { shortId, waitsFor } from './words';

const services = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
type Service = (typeof services)[number];
const lookAgainMs = 5_000;

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
  readonly decoded: { readonly record: string; readonly value: unknown } | null;
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
            <div className="beside">
              <figure>
                <figcaption>as it came</figcaption>
                <pre tabIndex={0}>{dead.preview ?? 'an empty value'}</pre>
              </figure>
              <figure>
                <figcaption>{dead.decoded === null ? 'decoded' : `decoded, ${dead.decoded.record}`}</figcaption>
                <pre tabIndex={0}>
                  {dead.decoded === null ? 'no record of this system' : JSON.stringify(dead.decoded.value, null, 2)}
                </pre>
              </figure>
            </div>
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
              <ServiceCard key={service} service={service} />
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
