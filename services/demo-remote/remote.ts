import { createHash } from 'node:crypto';
import type { Behaviour } from './behaviours';
import type { Answer, Journal, JournalLine } from './journal';

/** What the client is to see of a request, after what was done is on the disk. */
export type Reaction = { kind: 'answer'; answer: Answer } | { kind: 'hang' } | { kind: 'reset' };

export interface Submission {
  key: string;
  operation: string;
  body: Buffer;
}

interface Entry {
  key: string;
  operation: string;
  sha256: string;
  at: string;
  state: 'done' | 'rejected' | 'processing' | 'cancelled';
  answer: Answer;
  forgetAt: string | null;
  /** Resolves when the first answer may be given to a repeated request. */
  answerable: Promise<void>;
}

export interface KeyView {
  state: Entry['state'];
  at: string;
  body: Record<string, unknown>;
}

export interface EffectView {
  actionKey: string;
  operation: string;
  effects: number;
  at: string;
}

export interface Remote {
  submit: (submission: Submission, behaviour: Behaviour) => Promise<Reaction>;
  byKey: (key: string) => KeyView | null;
  /** Drops what is still under way; what is done stays done. Resolves with the state it has from now on. */
  cancel: (key: string) => Promise<Entry['state'] | null>;
  effects: () => EffectView[];
  stop: () => void;
}

const settled = Promise.resolve();

/**
 * The other side of a connector: a key is stored before anything is done under it, and a key that comes again gets the
 * first answer. Everything it knows is in the journal.
 */
export const startRemote = (journal: Journal, lines: readonly JournalLine[]): Remote => {
  const entries = new Map<string, Entry>();
  const effects = new Map<string, EffectView>();
  const timers = new Set<NodeJS.Timeout>();

  const countEffect = (key: string, operation: string, at: string) => {
    const before = effects.get(key);
    effects.set(key, { actionKey: key, operation, effects: (before?.effects ?? 0) + 1, at: before?.at ?? at });
    const entry = entries.get(key);
    if (entry !== undefined) entry.state = 'done';
  };

  const act = async (key: string, operation: string) => {
    const at = new Date().toISOString();
    await journal.append([{ kind: 'effect', key, operation, at }]);
    countEffect(key, operation, at);
  };

  const later = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        resolve();
      }, delayMs);
      timers.add(timer);
    });

  const entryOf = (line: Extract<JournalLine, { kind: 'received' }>): Entry => ({
    key: line.key,
    operation: line.operation,
    sha256: line.sha256,
    at: line.at,
    state: line.outcome === 'rejected' ? 'rejected' : 'processing',
    answer: line.answer,
    forgetAt: line.forgetAt,
    answerable: settled,
  });

  const known = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (entry?.forgetAt != null && entry.forgetAt <= new Date().toISOString()) {
      entries.delete(key);
      return undefined;
    }
    return entry;
  };

  const receive = async (submission: Submission, behaviour: Exclude<Behaviour, { kind: 'lose' }>): Promise<Entry> => {
    const { key, operation, body } = submission;
    const now = Date.now();
    const at = new Date(now).toISOString();
    const dueMs = behaviour.kind === 'slow' || behaviour.kind === 'pending_202' ? behaviour.delayMs : null;
    const line: JournalLine = {
      kind: 'received',
      key,
      operation,
      sha256: createHash('sha256').update(body).digest('hex'),
      at,
      outcome: behaviour.kind === 'reject' || behaviour.kind === 'error_in_200' ? 'rejected' : 'done',
      answer: answerOf(behaviour, key, at),
      dueAt: dueMs === null ? null : new Date(now + dueMs).toISOString(),
      forgetAt: behaviour.kind === 'forget' ? new Date(now + behaviour.delayMs).toISOString() : null,
    };
    const entry = entryOf(line);
    entries.set(key, entry);
    const actsNow = line.outcome === 'done' && dueMs === null;
    const stored = journal.append(actsNow ? [line, { kind: 'effect', key, operation, at }] : [line]);
    const done = stored.then(async () => {
      if (actsNow) countEffect(key, operation, at);
      if (dueMs === null) return;
      await later(dueMs);
      if (entry.state !== 'cancelled') await act(key, operation);
    });
    entry.answerable = behaviour.kind === 'pending_202' ? stored : done;
    done.catch(() => entries.delete(key));
    await entry.answerable;
    return entry;
  };

  const dropped = (entry: Entry): void => {
    entry.state = 'cancelled';
    entry.answer = { status: 422, body: { error: 'cancelled', actionKey: entry.key } };
  };

  for (const line of lines) {
    const entry = entries.get(line.key);
    if (line.kind === 'received') entries.set(line.key, entryOf(line));
    else if (line.kind === 'effect') countEffect(line.key, line.operation, line.at);
    else if (entry !== undefined) dropped(entry);
  }
  // What was received and not done in the last life is done now.
  for (const line of lines) {
    if (line.kind !== 'received' || entries.get(line.key)?.state !== 'processing') continue;
    const waitMs = line.dueAt === null ? 0 : Math.max(0, Date.parse(line.dueAt) - Date.now());
    later(waitMs)
      .then(() => (entries.get(line.key)?.state === 'cancelled' ? undefined : act(line.key, line.operation)))
      .catch(() => undefined);
  }

  return {
    submit: async (submission, behaviour) => {
      const first = known(submission.key);
      if (first !== undefined) {
        await first.answerable;
        return { kind: 'answer', answer: repeatedAnswer(first, submission.body) };
      }
      if (behaviour.kind === 'lose') return { kind: 'hang' };
      const entry = await receive(submission, behaviour);
      return entry.state === 'cancelled'
        ? { kind: 'answer', answer: entry.answer }
        : reactionOf(behaviour, entry.answer);
    },
    byKey: (key) => {
      const entry = known(key);
      return entry === undefined ? null : { state: entry.state, at: entry.at, body: entry.answer.body };
    },
    cancel: async (key) => {
      const entry = known(key);
      if (entry?.state !== 'processing') return entry?.state ?? null;
      // Before the disk is waited for: its effect must not begin meanwhile.
      dropped(entry);
      await journal.append([{ kind: 'cancelled', key, at: new Date().toISOString() }]);
      return entry.state;
    },
    effects: () => [...effects.values()],
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  };
};

const answerOf = (behaviour: Behaviour, key: string, at: string): Answer => {
  switch (behaviour.kind) {
    case 'reject':
      return { status: 422, body: { error: 'rejected', actionKey: key, at } };
    case 'error_in_200':
      return { status: 200, body: { error: 'not possible', actionKey: key, at } };
    case 'already_done_409':
      return { status: 409, body: { status: 'already done', actionKey: key, at } };
    case 'pending_202':
      return { status: 202, body: { status: 'processing', actionKey: key, at } };
    default:
      return { status: 201, body: { status: 'done', actionKey: key, at } };
  }
};

const reactionOf = (behaviour: Behaviour, answer: Answer): Reaction => {
  switch (behaviour.kind) {
    case 'accept_then_timeout':
      return { kind: 'hang' };
    case 'accept_then_reset':
      return { kind: 'reset' };
    case 'accept_then_500':
      return { kind: 'answer', answer: { status: 500, body: { error: 'internal' } } };
    default:
      return { kind: 'answer', answer };
  }
};

/** The same key with other bytes is a fault of the sender: it is told so, and nothing is done. */
const repeatedAnswer = (entry: Entry, body: Buffer): Answer =>
  createHash('sha256').update(body).digest('hex') === entry.sha256
    ? entry.answer
    : { status: 422, body: { error: 'the key was used with another body', actionKey: entry.key } };
