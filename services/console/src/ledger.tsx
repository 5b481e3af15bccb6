import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { part, post } from './api';
import { Attempts } from './attempts';
import type { Action, List, Session } from './facts';
import { useLive } from './live';
import { useLoaded } from './load';
import { Act, Badge, Empty, Ids, Lost, Problem } from './parts';
import { At, When } from './time';
import { meaningOfAction, shortId, toneOfAction } from './words';

const unsettled = ['unknown', 'blocked', 'disputed'] as const;
/** An operator's account hears only of its own runs; the rest of the tenant is looked at again in this time. */
const lookAgainMs = 5_000;

const Row = ({ action }: { readonly action: Action }) => (
  <li className="card" data-item={action.actionKey} tabIndex={-1}>
    <header>
      <Badge tone={toneOfAction(action.state)}>{action.state.replaceAll('_', ' ')}</Badge>
      <Link data-open="" href={`/ledger/${part(action.actionKey)}`}>
        {action.connector}: {action.operation} for {action.subject}
      </Link>
    </header>
    <p className="quiet">
      {meaningOfAction(action.state)}
      {action.code === null ? '' : ` (${action.code})`}
      {action.openedAt === undefined ? null : (
        <>
          , opened <When at={action.openedAt} />
        </>
      )}
      , {action.attempts?.length ?? 0} attempts,{' '}
      <Link href={`/runs/${part(action.runId)}`}>run {shortId(action.runId)}</Link>
    </p>
  </li>
);

export const LedgerPage = ({ session }: { readonly session: Session }) => {
  const every = session.roles.includes('operator') ? lookAgainMs : null;
  const unknown = useLoaded<List<Action>>('/v1/actions?state=unknown', every);
  const blocked = useLoaded<List<Action>>('/v1/actions?state=blocked', every);
  const disputed = useLoaded<List<Action>>('/v1/actions?state=disputed', every);
  const all = useLoaded<List<Action>>('/v1/actions?limit=100', every);
  const connection = useLive(
    '/v1/account/events',
    ({ kind }) => {
      if (kind === 'action') for (const list of [unknown, blocked, disputed, all]) list.reload();
    },
    { start: 'now' },
  );
  const first = [...(disputed.value?.items ?? []), ...(blocked.value?.items ?? []), ...(unknown.value?.items ?? [])];
  const rest = (all.value?.items ?? []).filter(({ state }) => !unsettled.some((one) => one === state));
  const error = unknown.error ?? blocked.error ?? disputed.error ?? all.error;
  return (
    <>
      <h1>Ledger</h1>
      <p className="quiet">
        What was done outside, or may have been.{' '}
        {all.at === null ? null : (
          <>
            As of <At at={all.at} />.
          </>
        )}
      </p>
      <Lost connection={connection} />
      {error === null ? null : <Problem error={error} />}
      <section aria-labelledby="open">
        <h2 id="open">{first.length === 0 ? 'Every outcome is known' : `${first.length} without a known outcome`}</h2>
        <ul className="plain">
          {first.map((action) => (
            <Row key={action.actionKey} action={action} />
          ))}
        </ul>
      </section>
      <section aria-labelledby="rest">
        <h2 id="rest">The rest, newest first</h2>
        {all.value !== null && all.value.items.length === 0 ? (
          <Empty
            command={'npx fairlead send "Compare MSFT and AAPL over the last year. Share it with dana@example.com"'}
          >
            Every effect on the outside appears here, with its attempts and evidence. This proposes one:
          </Empty>
        ) : null}
        <ul className="plain">
          {rest.map((action) => (
            <Row key={action.actionKey} action={action} />
          ))}
        </ul>
      </section>
    </>
  );
};

const Attest = ({ path, done }: { readonly path: string; readonly done: () => void }) => {
  const [evidence, setEvidence] = useState('');
  const say = (outcome: 'succeeded' | 'failed') => async (): Promise<void> => {
    await post(`${path}/attestations`, { outcome, evidence });
    done();
  };
  return (
    <fieldset>
      <legend>Attest</legend>
      <p id="attest-means">
        You found out by yourself what happened. Your word and your evidence are kept for ever and settle the action; if
        the remote says otherwise later, it becomes disputed.
      </p>
      <label htmlFor="evidence">Evidence</label>
      <textarea
        id="evidence"
        rows={2}
        value={evidence}
        aria-describedby="attest-means"
        onChange={(event) => setEvidence(event.target.value)}
      />
      <p className="row">
        <Act act={say('succeeded')} disabled={evidence === ''}>
          Attest that it happened
        </Act>
        <Act act={say('failed')} disabled={evidence === ''}>
          Attest that it did not happen
        </Act>
      </p>
    </fieldset>
  );
};

const Compensate = ({ path }: { readonly path: string }) => {
  const [, go] = useLocation();
  const [operation, setOperation] = useState('');
  const [subject, setSubject] = useState('');
  const [params, setParams] = useState('{}');
  const propose = async (): Promise<void> => {
    const opened = await post<Action>(`${path}/compensations`, {
      operation,
      subject,
      params: JSON.parse(params) as unknown,
    });
    go(`/ledger/${part(opened.actionKey)}`);
  };
  return (
    <fieldset>
      <legend>Compensate</legend>
      <p>
        Proposes a new, linked action that makes up for this one. It is approved and sent like any other; this one stays
        in the record as it is.
      </p>
      <label htmlFor="operation">Operation</label>
      <input id="operation" value={operation} onChange={(event) => setOperation(event.target.value)} />
      <label htmlFor="subject">Subject</label>
      <input id="subject" value={subject} onChange={(event) => setSubject(event.target.value)} />
      <label htmlFor="params">Parameters, as JSON</label>
      <textarea id="params" rows={3} value={params} onChange={(event) => setParams(event.target.value)} />
      <Act act={propose} disabled={operation === '' || subject === ''}>
        Propose this compensation
      </Act>
    </fieldset>
  );
};

const AskAgain = ({ path, done }: { readonly path: string; readonly done: () => void }) => (
  <fieldset>
    <legend>Ask again</legend>
    <p>Asks the remote now what became of it. Nothing is sent a second time.</p>
    <Act
      act={async () => {
        await post(`${path}/queries`);
        done();
      }}
    >
      Ask the remote again now
    </Act>
  </fieldset>
);

export const ActionPage = ({ actionKey, session }: { readonly actionKey: string; readonly session: Session }) => {
  const path = `/v1/actions/${part(actionKey)}`;
  const { value: action, error, reload } = useLoaded<Action>(path, lookAgainMs);
  const isOperator = session.roles.includes('operator');
  if (action === null) return error === null ? <h1>Action</h1> : <Problem error={error} />;
  const isUnsettled = unsettled.some((one) => one === action.state);
  return (
    <>
      <h1>
        {action.connector}: {action.operation} for {action.subject}
      </h1>
      <p>
        <Badge tone={toneOfAction(action.state)}>{action.state.replaceAll('_', ' ')}</Badge>{' '}
        {meaningOfAction(action.state)}
        {action.code === null ? '' : ` (${action.code})`}
      </p>
      <dl className="wide">
        <dt>Sealed request</dt>
        <dd>
          {action.target?.method} <code>{action.target?.url}</code>
        </dd>
        <dt>sha256 of its bytes</dt>
        <dd>
          <code>{action.requestSha256}</code>
        </dd>
        <dt>Asked by</dt>
        <dd>
          <Link href={`/runs/${part(action.runId)}`}>run {shortId(action.runId)}</Link>, v{action.requirementsVersion}
        </dd>
        {action.approval == null ? null : (
          <>
            <dt>Approval</dt>
            <dd>
              {action.approval.decision === null
                ? 'not given yet'
                : `${action.approval.decision === 'approve' ? 'approved' : 'denied'} by ${action.approval.by ?? ''}`}{' '}
              {action.approval.at === null ? null : <At at={action.approval.at} />}
            </dd>
          </>
        )}
        {action.links === undefined || action.links.length === 0 ? null : (
          <>
            <dt>Linked</dt>
            <dd>
              {action.links.map((link) => (
                <span key={link.actionKey}>
                  {link.kind.replaceAll('_', ' ')}{' '}
                  <Link href={`/ledger/${part(link.actionKey)}`}>{link.actionKey}</Link>{' '}
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      <Attempts of={action} />
      <h2>Evidence, in order</h2>
      {action.evidence.length === 0 ? <p className="quiet">None yet.</p> : null}
      <ol className="evidence">
        {action.evidence.map(({ at, ...evidence }, index) => (
          <li key={index}>
            <At at={at} />
            <pre tabIndex={0}>{JSON.stringify(evidence, null, 2)}</pre>
          </li>
        ))}
      </ol>
      {isOperator ? (
        <section aria-labelledby="moves">
          <h2 id="moves">What can be done</h2>
          {isUnsettled ? <AskAgain path={path} done={reload} /> : null}
          {isUnsettled ? <Attest path={path} done={reload} /> : null}
          {action.state === 'succeeded' || isUnsettled ? <Compensate path={path} /> : null}
          {!isUnsettled && action.state !== 'succeeded' ? (
            <p className="quiet">Nothing: its outcome is known.</p>
          ) : null}
        </section>
      ) : isUnsettled ? (
        <p>An operator can ask again, attest what happened, or compensate it.</p>
      ) : null}
      <Ids of={{ actionKey, runId: action.runId, conversationId: action.conversationId, queries: action.queries }} />
    </>
  );
};
