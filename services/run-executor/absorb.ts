import { decideFate, type Draft, textOf } from './draft';
import { changeOfEvent } from './entity';
import { recheckResults } from './event-question';
import type { PendingUpdate } from './requirements-state';
import { recordTransition } from './transition';
import { at } from './times';

/** All updates pending at a boundary are absorbed in it; each message is told its fate once the input is sealed (R6). */
export const absorb = (draft: Draft): readonly PendingUpdate[] => {
  const { run, context } = draft;
  const absorbed = run.pending;
  run.pending = [];
  const from = run.appliedVersion;
  if (absorbed.some((update) => update.kind === 'amendment')) {
    for (const call of run.calls) if (call.version < run.requirements.version) call.needsRecheck = true;
    recordTransition(draft, { version: from }, { version: run.requirements.version });
  }
  if (absorbed.some((update) => update.event?.confirmed === true)) recheckResults(run);
  for (const update of absorbed)
    run.changes.push(
      update.event !== undefined
        ? changeOfEvent({ ...update, ...update.event }, update.event.confirmed, textOf(draft, update.text))
        : update.kind === 'amendment'
          ? {
              kind: 'amended',
              at: at(update.receivedAt),
              version: update.version as number,
              amendKind: update.amendKind as string,
              text: textOf(draft, update.text),
              messageId: update.messageId,
            }
          : {
              kind: 'observed',
              at: at(update.receivedAt),
              text: textOf(draft, update.text),
              messageId: update.messageId,
            },
    );
  run.appliedVersion = run.requirements.version;
  for (const entry of run.requirements.history) if (entry.appliedAt === null) entry.appliedAt = context.now;
  return absorbed;
};

/** An amendment whose text a later `replace` took out of force before any turn saw it was superseded. */
export const tellFates = (
  draft: Draft,
  absorbed: readonly PendingUpdate[],
  turn: number,
  inputSha256: string,
): void => {
  const { run } = draft;
  for (const update of absorbed) {
    const superseded =
      update.kind === 'amendment' &&
      absorbed.some((later) => later.amendKind === 'replace' && (later.version ?? 0) > (update.version ?? 0));
    decideFate(draft, update, {
      status: superseded ? 'update_superseded' : 'update_applied',
      version: update.version ?? run.requirements.version,
      withEffective: update.kind === 'amendment',
      turn,
      inputSha256,
    });
  }
};
