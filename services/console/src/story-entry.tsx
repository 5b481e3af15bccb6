import { Link } from 'wouter';
import { part } from './api';
import { Attempts } from './attempts';
import type { Interaction, Transition, Turn } from './facts';
import { Badge, Ids } from './parts';
import { Request } from './request';
import type { Entry } from './story';
import { At } from './time';
import { meaningOfAction, purgedWords, toneOfAction, toneOfRun } from './words';

const versionOf = (side: unknown): string =>
  Object.entries((side ?? {}) as Record<string, unknown>)
    .map(([name, value]) => (name === 'version' ? `v${String(value)}` : `${name} ${String(value)}`))
    .join(', ');

const List = ({ name, of }: { readonly name: string; readonly of: readonly string[] }) =>
  of.length === 0 ? null : (
    <li>
      {name}:{' '}
      {of
        .map((one) => <code key={one}>{one}</code>)
        .reduce<React.ReactNode[]>((all, one) => (all.length === 0 ? [one] : [...all, ', ', one]), [])}
    </li>
  );

const TransitionFacts = ({ transition }: { readonly transition: Transition }) => (
  <>
    <p>
      What changed: {versionOf(transition.from)} → {versionOf(transition.to)}
    </p>
    <ul>
      <List name="already done outside, stays done" of={transition.effectsDone} />
      <List name="withdrawn, never sent" of={transition.withdrawn} />
      <List name="was on its way" of={transition.inFlight} />
      <List name="outcome not known" of={transition.unknown} />
      <List name="results that still hold" of={transition.reusableResults} />
      <List name="results to look at again" of={transition.resultsToRecheck} />
      <List name="requests still open" of={transition.openInteractions} />
    </ul>
  </>
);

const TurnFacts = ({ turn, runId }: { readonly turn: Turn; readonly runId: string }) => (
  <details>
    <summary>
      Turn {turn.number}
      {turn.endedAt === null ? ', being asked' : turn.outcome === null ? '' : `, ${turn.outcome.replaceAll('_', ' ')}`}
      {turn.toolCalls.length === 0 ? '' : `, ${turn.toolCalls.length} tool calls`}
      {turn.actions.length === 0 ? '' : `, ${turn.actions.length} actions proposed`}
      {turn.asks.length === 0 ? '' : `, ${turn.asks.length} asked`}
    </summary>
    {turn.understood === null ? null : <p>Understood: {turn.understood}</p>}
    {turn.stale === true ? <p>Its version was no longer the newest when it ended.</p> : null}
    {turn.toolCalls.length === 0 ? null : (
      <ul>
        {turn.toolCalls.map((call) => (
          <li key={call.callId}>
            {call.tool} <code>{call.callId}</code>
          </li>
        ))}
      </ul>
    )}
    <p>
      under v{turn.requirementsVersion}, asked {turn.attempts === 1 ? 'once' : `${turn.attempts} times`}
      {turn.endedAt === null ? null : (
        <>
          , ended <At at={turn.endedAt} />
        </>
      )}
      . <a href={`/v1/runs/${part(runId)}/turns/${turn.number}/input`}>The exact sealed input</a>
    </p>
    <Ids of={{ inputSha256: turn.inputSha256 }} />
  </details>
);

const lanes = {
  version: 'Requirements',
  turn: 'Turn',
  question: 'Request',
  action: 'Action',
  report: 'Publication',
  transition: 'Transition',
  state: 'State',
} as const;

export const keyOf = (entry: Entry): string => {
  switch (entry.kind) {
    case 'version':
      return `v${entry.version.version}`;
    case 'turn':
      return `t${entry.turn.number}`;
    case 'question':
      return `q${entry.item.interactionRef}`;
    case 'action':
      return `a${entry.action.actionKey}`;
    case 'report':
      return `r${entry.report.version}.${entry.report.seq}`;
    case 'transition':
    case 'state':
      return `${entry.kind}${entry.at}`;
  }
};

const Body = ({
  entry,
  runId,
  take,
}: {
  readonly entry: Entry;
  readonly runId: string;
  readonly take: (item: Interaction) => void;
}) => {
  switch (entry.kind) {
    case 'version': {
      const { version } = entry;
      return (
        <>
          <p>
            <strong>v{version.version}</strong> received <At at={version.receivedAt} />
            {version.appliedAt === null ? (
              ', applies at the next step'
            ) : (
              <>
                , applied <At at={version.appliedAt} />
              </>
            )}
          </p>
          {version.text === null ? <p className="quiet">{purgedWords}</p> : <p className="said">{version.text}</p>}
        </>
      );
    }
    case 'turn':
      return <TurnFacts turn={entry.turn} runId={runId} />;
    case 'question':
      return <Request item={entry.item} onChange={take} withRun={false} />;
    case 'action': {
      const { action } = entry;
      return (
        <>
          <p>
            <Badge tone={toneOfAction(action.state)}>{action.state.replaceAll('_', ' ')}</Badge>{' '}
            <Link href={`/ledger/${part(action.actionKey)}`}>
              {action.connector}: {action.operation} for {action.subject}
            </Link>
          </p>
          <p>
            {meaningOfAction(action.state)}
            {action.code === null ? '' : ` (${action.code})`}
          </p>
          <Attempts of={action} />
          <Ids of={{ actionKey: action.actionKey, requestSha256: action.requestSha256 }} />
        </>
      );
    }
    case 'report': {
      const { report } = entry;
      return (
        <p>
          <Badge tone={report.current && report.status === 'final' ? 'settled' : null}>{report.status}</Badge>{' '}
          <Link href={`/runs/${part(runId)}/reports?report=${report.version}.${report.seq}`}>
            Report of v{report.version}
            {report.seq === 1 ? '' : `, number ${report.seq}`}
          </Link>
          , {report.sizeBytes} bytes{report.current ? ', what the run says now' : ''}
        </p>
      );
    }
    case 'transition':
      return <TransitionFacts transition={entry.transition} />;
    case 'state':
      return (
        <p>
          <Badge tone={toneOfRun({ state: entry.state, waitingFor: [] })}>{entry.state}</Badge>
          {entry.cause === null ? '' : ` ${entry.cause.replaceAll('_', ' ')}`}
        </p>
      );
  }
};

export const StoryEntry = ({
  entry,
  runId,
  take,
}: {
  readonly entry: Entry;
  readonly runId: string;
  readonly take: (item: Interaction) => void;
}) => (
  <li
    className={`entry ${entry.kind}`}
    data-item={entry.kind === 'question' ? undefined : keyOf(entry)}
    tabIndex={entry.kind === 'question' ? undefined : -1}
  >
    <p className="lane">
      <span>{lanes[entry.kind]}</span> {entry.at === '' ? null : <At at={entry.at} />}
    </p>
    <div>
      <Body entry={entry} runId={runId} take={take} />
    </div>
  </li>
);
