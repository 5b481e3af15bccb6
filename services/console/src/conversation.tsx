import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { part } from './api';
import { nothingKnown, withEvent, type Known } from './conversation-facts';
import { hasEnded, type Interaction, type Message, type Receipt, type Run, type LiveEvent } from './facts';
import { useLive } from './live';
import { Badge, Empty, Ids, Lost } from './parts';
import { Request } from './request';
import { SendBox } from './send-box';
import { At, When } from './time';
import { fateOf, purgedWords, shortId, titleOf, toneOfRun, waitsFor } from './words';

const relationWords: Readonly<Record<string, string>> = {
  unspecified: 'said',
  new_task: 'new task',
  follow_up: 'follow-up',
  clarification: 'answer',
  continue: 'continue',
  amend: 'change',
  observe: 'observation',
  control: 'control',
  entity_event: 'event',
};

const Words = ({
  message,
  receipt,
  known,
}: {
  readonly message: Message;
  readonly receipt: Receipt | undefined;
  readonly known: Known;
}) => {
  const fate = receipt === undefined ? null : fateOf(receipt);
  const runId = receipt?.runId ?? receipt?.targetRunId ?? null;
  return (
    <li className="message" data-item={message.messageId} tabIndex={-1}>
      <p className="quiet">
        {message.account}, {relationWords[message.relation] ?? message.relation} <At at={message.receivedAt} />
      </p>
      {message.content === '' ? null : message.content === null ? (
        <p className="quiet">{purgedWords}</p>
      ) : (
        <p className="said">{message.content}</p>
      )}
      <p className="fate">
        {fate === null ? (
          <span className="quiet">stored; no receipt known yet</span>
        ) : (
          <>
            <Badge tone={fate.tone}>{fate.text}</Badge>{' '}
            {runId === null || !known.runs.has(runId) ? null : (
              <Link href={`/runs/${part(runId)}`}>run {shortId(runId)}</Link>
            )}
          </>
        )}
      </p>
      <Ids of={{ messageId: message.messageId, clientMessageId: message.clientMessageId, runId }} />
    </li>
  );
};

const RunCard = ({ run, words }: { readonly run: Run; readonly words: string | undefined }) => (
  <li className="card" data-item={run.runId} tabIndex={-1}>
    <header>
      <Badge tone={toneOfRun(run)}>{run.state}</Badge>
      <Link data-open="" href={`/runs/${part(run.runId)}`}>
        {titleOf(run.title, words, run.runId)}
      </Link>
    </header>
    <p className="quiet">
      {run.agent}, v{run.requirementsVersion}
      {run.appliedVersion < run.requirementsVersion ? ` received, v${run.appliedVersion} applied` : ' applied'},{' '}
      {run.turns} turns
      {run.cause === null ? '' : `, ${run.cause.replaceAll('_', ' ')}`}
    </p>
    {run.waitingFor.length === 0 ? null : (
      <p>
        waits for {[...new Set(run.waitingFor.map(waitsFor))].join(', ')} since{' '}
        <When at={run.waitingFor[0]?.since ?? ''} />
      </p>
    )}
    {run.unsettledActions.length === 0 ? null : (
      <p>
        <Badge tone="wrong">{run.unsettledActions.length} actions without a known outcome</Badge>
      </p>
    )}
    {run.report === null ? null : (
      <p>
        <Link href={`/runs/${part(run.runId)}/reports`}>Report v{run.report.version}</Link>
      </p>
    )}
  </li>
);

export const ConversationPage = ({ id }: { readonly id: string }) => {
  const [known, setKnown] = useState<Known>(nothingKnown);
  const onEvent = useCallback((event: LiveEvent) => setKnown((before) => withEvent(before, event)), []);
  // A cursor that names no event is answered with what stands now, then with what follows.
  const connection = useLive(`/v1/conversations/${part(id)}/events`, onEvent, { start: 'now' });
  const take = useCallback(
    (item: Interaction) => onEvent({ kind: 'interaction', eventId: null, at: '', item }),
    [onEvent],
  );
  const messages = [...known.messages.values()].sort((a, b) => a.receivedAt.localeCompare(b.receivedAt));
  const runs = [...known.runs.values()].reverse();
  const open = [...known.interactions.values()].filter((item) => item.state === 'open');
  const isNew = messages.length === 0;
  return (
    <>
      <h1>{id}</h1>
      {isNew ? null : <Lost connection={connection} />}
      <div className="two">
        <section aria-labelledby="messages">
          <h2 id="messages">Messages</h2>
          {isNew ? (
            <Empty command={`npx fairlead send --conversation ${id} "Compare MSFT and AAPL over the last year"`}>
              What was said appears here, each message with its fate. Write below, or:
            </Empty>
          ) : (
            <ol className="messages">
              {messages.map((message) => (
                <Words
                  key={message.messageId}
                  message={message}
                  receipt={known.receipts.get(message.messageId)}
                  known={known}
                />
              ))}
            </ol>
          )}
          <SendBox
            conversationId={id}
            runs={runs}
            open={open}
            wordsOf={(run) => known.messages.get(run.messageId)?.content ?? undefined}
          />
        </section>
        <section aria-labelledby="runs">
          <h2 id="runs">Runs</h2>
          {runs.length === 0 ? <p className="quiet">No run yet.</p> : null}
          <ul className="plain">
            {runs.map((run) => (
              <RunCard key={run.runId} run={run} words={known.messages.get(run.messageId)?.content ?? undefined} />
            ))}
          </ul>
          {open.length === 0 ? null : <h2>Waiting for an answer</h2>}
          {open.map((item) => (
            <Request
              key={item.interactionRef}
              item={item}
              onChange={take}
              withRun={runs.filter((run) => !hasEnded(run)).length > 1}
            />
          ))}
        </section>
      </div>
    </>
  );
};
