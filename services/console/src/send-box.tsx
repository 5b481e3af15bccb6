import { useRef, useState } from 'react';
import { newId, part, post, Refused, wordsOf } from './api';
import type { Interaction, Receipt, Run } from './facts';
import { Badge } from './parts';
import { choicesOf, type Choice } from './send-choices';
import { fateOf, titleOf } from './words';

export const SendBox = ({
  conversationId,
  runs,
  open,
  wordsOf: saidFor,
}: {
  readonly conversationId: string;
  readonly runs: readonly Run[];
  readonly open: readonly Interaction[];
  /** The words a run was started with. */
  readonly wordsOf: (run: Run) => string | undefined;
}) => {
  const [text, setText] = useState('');
  /** Kept as it was when the person chose it or began to write: a change meanwhile must not slip in under their words. */
  const [held, setHeld] = useState<Choice | null>(null);
  const [sent, setSent] = useState<Receipt | null>(null);
  const [no, setNo] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const pending = useRef<{ readonly id: string; readonly body: string } | null>(null);
  const choices = choicesOf(runs, open, (run) => `“${titleOf(run.title, saidFor(run), run.runId)}”`);
  const choice = held ?? choices[0];
  const today = choices.find(({ id }) => id === choice?.id);
  const moved = held !== null && JSON.stringify(today?.fields) !== JSON.stringify(held.fields);
  const options = choices.map((one) => (one.id === held?.id ? held : one));

  const submit = (as: Choice): void => {
    const body = JSON.stringify({ content: as.needsWords ? text : '', ...as.fields });
    // Sending the same again after a lost answer is the same message, not a second one.
    if (pending.current?.body !== body) pending.current = { id: newId('web'), body };
    const { id } = pending.current;
    setBusy(true);
    setNo(null);
    setSent(null);
    post<Receipt>(`/v1/conversations/${part(conversationId)}/messages`, {
      ...(JSON.parse(body) as object),
      clientMessageId: id,
    })
      .then(
        (receipt) => {
          pending.current = null;
          setSent(receipt);
          setText('');
          setHeld(null);
        },
        (error: unknown) => {
          if (!(error instanceof Refused) || error.code !== 'unreachable') pending.current = null;
          setNo(wordsOf(error));
        },
      )
      .finally(() => setBusy(false));
  };

  if (choice === undefined) return null;
  const fate = sent === null ? null : fateOf(sent);
  return (
    <form
      className="send"
      onSubmit={(event) => {
        event.preventDefault();
        submit(choice);
      }}
    >
      <label htmlFor="as">This message is</label>
      <select
        id="as"
        value={choice.id}
        onChange={(event) => setHeld(choices.find(({ id }) => id === event.target.value) ?? null)}
      >
        {[...options, ...(today === undefined ? [choice] : [])].map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <p className="quiet" id="means">
        {choice.means}
      </p>
      {moved ? (
        <p role="alert" className="no">
          This changed while you wrote.{' '}
          <button type="button" onClick={() => setHeld(today ?? null)}>
            Take it as it is now
          </button>
        </p>
      ) : null}
      {choice.needsWords ? (
        <>
          <label htmlFor="words">Your words</label>
          <textarea
            id="words"
            rows={3}
            value={text}
            aria-describedby="means"
            onChange={(event) => {
              setText(event.target.value);
              setHeld(choice);
            }}
          />
        </>
      ) : null}
      <p className="row">
        <button type="submit" className="primary" disabled={busy || (choice.needsWords && text === '')}>
          {choice.needsWords ? 'Send' : choice.label}
        </button>
        <span role="status">{fate === null ? null : <Badge tone={fate.tone}>{fate.text}</Badge>}</span>
      </p>
      {no === null ? null : (
        <p role="alert" className="no">
          {no}
        </p>
      )}
    </form>
  );
};
