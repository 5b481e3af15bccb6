import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { newId, part, post, Refused, wordsOf } from './api';
import type { Interaction } from './facts';
import { Badge, Ids } from './parts';
import { Preview } from './preview';
import { At, When } from './time';
import { answerWords, purgedWords, shortId, standOf, type Tone } from './words';

const kindWords = { question: 'Question', permission: 'Permission', approval: 'Approval' } as const;

const Facts = ({ item }: { readonly item: Interaction }) => {
  const voided = item.adoption?.status === 'void';
  const facts: readonly (readonly [string, string | null])[] = [
    ['published', item.publishedAt],
    ['seen', item.seenAt],
    ['answered', item.answeredAt],
    [voided ? 'void' : 'adopted', item.adoptedAt],
  ];
  return (
    <ol className="facts" aria-label="What happened to this request">
      {facts.map(([name, at]) => (
        <li key={name} className={at === null ? 'not-yet' : name === 'void' ? 'wrong' : 'is'} data-fact={name}>
          <span className="fact-name">{name}</span> {at === null ? <span>not yet</span> : <At at={at} />}
        </li>
      ))}
    </ol>
  );
};

type Answer = Readonly<Record<string, unknown>>;

/** The form that fits the answer contract: decision, choices, a JSON value, or words. */
const AnswerForm = ({
  item,
  answer,
}: {
  readonly item: Interaction;
  readonly answer: (given: Answer) => Promise<void>;
}) => {
  const [text, setText] = useState('');
  const [no, setNo] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const id = `answer-${item.interactionRef}`;
  const give = (given: Answer): void => {
    setBusy(true);
    setNo(null);
    answer(given)
      .catch((error: unknown) => setNo(wordsOf(error)))
      .finally(() => setBusy(false));
  };
  const byValue = item.schema !== null && item.schema !== undefined;
  const submit = (): void => {
    if (!byValue) return give({ text });
    try {
      give({ value: JSON.parse(text) as unknown });
    } catch {
      setNo('this is not JSON yet');
    }
  };
  return (
    <div className="answer">
      {item.kind === 'approval' ? <Preview item={item} decide={answer} /> : null}
      {item.kind === 'permission' ? (
        <p className="row">
          <button
            type="button"
            className="primary"
            disabled={busy}
            data-key="a"
            onClick={() => give({ decision: 'approve' })}
          >
            Grant this permission
          </button>
          <button type="button" disabled={busy} data-key="d" onClick={() => give({ decision: 'deny' })}>
            Refuse this permission
          </button>
        </p>
      ) : null}
      {item.kind === 'question' && item.choices.length > 0 ? (
        <p className="row" role="group" aria-label="Choices">
          {item.choices.map((choice) => (
            <button key={choice.id} type="button" disabled={busy} onClick={() => give({ choice: choice.id })}>
              Answer “{choice.label}”
            </button>
          ))}
        </p>
      ) : null}
      {item.kind === 'question' && item.choices.length === 0 ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <label htmlFor={id}>{byValue ? 'Your answer, as JSON of the asked shape' : 'Your answer'}</label>
          {byValue ? (
            <details>
              <summary>The asked shape</summary>
              <pre tabIndex={0}>{JSON.stringify(item.schema, null, 2)}</pre>
            </details>
          ) : null}
          <textarea id={id} value={text} rows={byValue ? 4 : 2} onChange={(event) => setText(event.target.value)} />
          <button type="submit" className="primary" disabled={busy || text === ''}>
            Send this answer
          </button>
        </form>
      ) : null}
      {no === null ? null : (
        <p role="alert" className="no">
          {no}
        </p>
      )}
    </div>
  );
};

const toneOf = (item: Interaction): Tone => {
  if (item.state === 'open') return 'needs';
  if (item.late || item.adoption?.status === 'void' || item.code === 'expired') return 'wrong';
  return item.state === 'answered' && item.adoption?.status === 'adopted' ? 'settled' : null;
};

/** One request to a person, wherever it is shown. */
export const Request = ({
  item,
  onChange,
  withRun = true,
}: {
  readonly item: Interaction;
  readonly onChange: (item: Interaction) => void;
  readonly withRun?: boolean;
}) => {
  const element = useRef<HTMLElement>(null);
  const responseId = useRef('');
  const [note, setNote] = useState<string | null>(null);
  const { interactionRef, state, seenAt } = item;
  const path = `/v1/interactions/${part(interactionRef)}`;

  // Seen is a fact about a person: told once the card has really been on the screen.
  useEffect(() => {
    const shown = element.current;
    if (state !== 'open' || seenAt !== null || shown === null) return;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      post<Interaction>(`${path}/seen`).then(onChange, () => undefined);
    });
    watch.observe(shown);
    return () => watch.disconnect();
  }, [path, state, seenAt, onChange]);

  const answer = async (given: Answer): Promise<void> => {
    // The same answer given again after a lost connection is the same answer.
    responseId.current ||= newId('web');
    const body = { requestRevision: item.requestRevision, clientResponseId: responseId.current, ...given };
    try {
      onChange(await post<Interaction>(`${path}/responses`, body));
    } catch (error) {
      if (!(error instanceof Refused) || error.code === 'unreachable') throw error;
      responseId.current = '';
      if (error.code === 'already_answered') setNote('Somebody answered before you; your answer was not taken.');
      else if (error.code === 'expired') setNote('This expired before your answer came.');
      else if (error.code === 'interaction_closed') setNote('This was withdrawn before your answer came.');
      else if (error.code === 'old_revision') setNote('The question has changed meanwhile; read it again.');
      else throw error;
      const response = await fetch(path, { credentials: 'same-origin' });
      if (response.ok) onChange((await response.json()) as Interaction);
    }
  };

  const given = answerWords(item);
  return (
    <article className="card" data-item={interactionRef} data-state={state} tabIndex={-1} ref={element}>
      <header>
        <Badge tone={toneOf(item)}>
          {kindWords[item.kind]}
          {state === 'open' ? ', needs you' : ''}
        </Badge>
        {state === 'open' && item.expiresAt !== null ? (
          <span className="quiet">
            expires <When at={item.expiresAt} />
          </span>
        ) : null}
      </header>
      <h3>{item.question ?? purgedWords}</h3>
      <p className="quiet">
        {withRun ? (
          <>
            asked by <Link href={`/runs/${part(item.runId)}`}>run {shortId(item.runId)}</Link> in{' '}
            <Link href={`/conversations/${part(item.conversationId)}`}>{item.conversationId}</Link>,{' '}
          </>
        ) : null}
        under v{item.requirementsVersion}
        {item.recipient.startsWith('role:') ? `, to anybody with ${item.recipient.slice(5)}` : ''}
        {item.claimedBy === null ? '' : `, taken by ${item.claimedBy}`}
        {item.escalatedTo == null ? '' : `, escalated to ${item.escalatedTo}`}
      </p>
      <p>{standOf(item)}</p>
      {given === null ? null : <p className="given">{given}</p>}
      {note === null ? null : (
        <p role="alert" className="no">
          {note}
        </p>
      )}
      {state === 'open' ? <AnswerForm item={item} answer={answer} /> : null}
      <Facts item={item} />
      <Ids
        of={{
          interactionRef,
          revision: item.requestRevision,
          runId: item.runId,
          actionKey: item.actionKey,
          conversationId: item.conversationId,
        }}
      />
    </article>
  );
};
