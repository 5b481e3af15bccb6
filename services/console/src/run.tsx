import { useCallback, useRef, useState } from 'react';
import { Link } from 'wouter';
import { part } from './api';
import { nothingKnown, withEvent, type Known } from './conversation-facts';
import { hasEnded, type Action, type Interaction, type List, type RunRecord, type Turn, type LiveEvent } from './facts';
import { useLive } from './live';
import { useLoaded } from './load';
import { Badge, Ids, Lost, Problem } from './parts';
import { storyOf, withState, type StateChange } from './story';
import { keyOf, StoryEntry } from './story-entry';
import { When } from './time';
import { shortId, titleOf, toneOfRun, waitsFor } from './words';

interface Heard {
  readonly known: Known;
  readonly states: readonly StateChange[];
  /** When each action was first heard of. */
  readonly firstAt: ReadonlyMap<string, string>;
}

const nothingHeard: Heard = { known: nothingKnown, states: [], firstAt: new Map() };

const hear = (heard: Heard, event: LiveEvent): Heard => {
  const key = event.kind === 'action' ? (event.item as Action).actionKey : null;
  return {
    known: withEvent(heard.known, event),
    states: withState(heard.states, event),
    firstAt: key === null || heard.firstAt.has(key) ? heard.firstAt : new Map(heard.firstAt).set(key, event.at),
  };
};

const Side = ({ run, turnsDone }: { readonly run: RunRecord; readonly turnsDone: number }) => {
  const turns = run.budget.turnsLeft + turnsDone;
  return (
    <aside aria-label="How it stands">
      <p>
        <Badge tone={toneOfRun(run)}>{run.state}</Badge>
        {run.cause === null ? '' : ` ${run.cause.replaceAll('_', ' ')}`}
      </p>
      {run.detail === null ? null : <p>{run.detail}</p>}
      {run.waitingFor.length === 0 ? null : (
        <ul>
          {run.waitingFor.map((one) => (
            <li key={`${one.kind} ${one.ref}`}>
              waits for {waitsFor(one)} since <When at={one.since} />
              {one.deadline === null ? null : (
                <>
                  , until <When at={one.deadline} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {run.pendingUpdates.length === 0 ? null : <p>{run.pendingUpdates.length} received, apply at the next step</p>}
      <dl>
        <dt>Requirements</dt>
        <dd>
          v{run.requirementsVersion} received, v{run.appliedVersion} applied
        </dd>
        <dt id="budget">Turns</dt>
        <dd>
          <meter aria-labelledby="budget" min={0} max={turns} value={turnsDone} /> {turnsDone} of {turns}
        </dd>
        {run.budget.hardDeadline === null ? null : (
          <>
            <dt>Ends at the latest</dt>
            <dd>
              <When at={run.budget.hardDeadline} />
            </dd>
          </>
        )}
        <dt>Agent</dt>
        <dd>{run.agent}</dd>
        <dt>Conversation</dt>
        <dd>
          <Link href={`/conversations/${part(run.conversationId)}`}>{run.conversationId}</Link>
        </dd>
        {run.parentRunId === null ? null : (
          <>
            <dt>Started by</dt>
            <dd>
              <Link href={`/runs/${part(run.parentRunId)}`}>run {shortId(run.parentRunId)}</Link>
            </dd>
          </>
        )}
        {run.continuation === null ? null : (
          <>
            <dt>Continues</dt>
            <dd>
              <Link href={`/runs/${part(run.continuation.ofRunId)}`}>run {shortId(run.continuation.ofRunId)}</Link>
            </dd>
          </>
        )}
        {run.children.length === 0 ? null : (
          <>
            <dt>Started</dt>
            <dd>
              {run.children.map((child, index) => (
                <span key={child.runId ?? index}>
                  {child.runId === undefined ? (
                    child.childId
                  ) : (
                    <Link href={`/runs/${part(child.runId)}`}>run {shortId(child.runId)}</Link>
                  )}{' '}
                </span>
              ))}
            </dd>
          </>
        )}
        {run.report === null ? null : (
          <>
            <dt>Report</dt>
            <dd>
              <Link href={`/runs/${part(run.runId)}/reports`}>v{run.report.version}</Link>
            </dd>
          </>
        )}
      </dl>
      <Ids of={{ runId: run.runId, messageId: run.messageId, leaseEpoch: run.leaseEpoch, account: run.account }} />
    </aside>
  );
};

export const RunPage = ({ id }: { readonly id: string }) => {
  const path = `/v1/runs/${part(id)}`;
  const [heard, setHeard] = useState<Heard>(nothingHeard);
  const run = useLoaded<RunRecord>(path);
  const journal = useLoaded<List<Turn>>(`${path}/turns?limit=500`);
  const actions = useLoaded<List<Action>>(`/v1/actions?runId=${part(id)}&limit=500`);
  const isOver = useRef(false);
  const { reload: rereadRun } = run;
  const { reload: rereadJournal } = journal;
  const { reload: rereadActions } = actions;
  const onEvent = useCallback(
    (event: LiveEvent) => {
      setHeard((before) => hear(before, event));
      if (event.kind === 'run' && hasEnded(event.item as RunRecord)) isOver.current = true;
      // An event says that there is news; the owner says what holds now.
      rereadRun();
      if (event.kind === 'turn' || event.kind === 'run') rereadJournal();
      if (event.kind === 'action') rereadActions();
    },
    [rereadRun, rereadJournal, rereadActions],
  );
  const connection = useLive(`${path}/events`, onEvent, { endsWhen: () => isOver.current });
  const take = useCallback(
    (item: Interaction) => setHeard((before) => hear(before, { kind: 'interaction', eventId: null, at: '', item })),
    [],
  );

  const { known } = heard;
  const owned = new Map(actions.value?.items.map((action) => [action.actionKey, action]));
  const turns = new Map([...known.turns.values(), ...(journal.value?.items ?? [])].map((turn) => [turn.number, turn]));
  const story = storyOf({
    run: run.value,
    turns: turns.values(),
    interactions: known.interactions.values(),
    actions: [...new Map([...known.actions, ...owned])].map(([key, action]) => ({
      action,
      at: heard.firstAt.get(key) ?? '',
    })),
    reports: known.reports.values(),
    states: heard.states,
  });
  return (
    <>
      <h1>{titleOf(run.value?.title ?? null, run.value?.versions[0]?.text, id)}</h1>
      <Lost connection={connection} />
      {run.error === null ? null : <Problem error={run.error} />}
      <div className="two run">
        <section aria-labelledby="story">
          <h2 id="story">What happened</h2>
          <ol className="story">
            {story.map((entry) => (
              <StoryEntry key={keyOf(entry)} entry={entry} runId={id} take={take} />
            ))}
          </ol>
        </section>
        {run.value === null ? null : <Side run={run.value} turnsDone={run.value.turns} />}
      </div>
    </>
  );
};
