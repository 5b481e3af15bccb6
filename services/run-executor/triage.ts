import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Logger } from '../platform/log';
import type { Intent } from './draft';
import { triageMs } from './entity-events';
import type { Proposal } from './event-policy';
import type { ExecutorMessage } from './messages';
import type { Api } from '../platform/service';

const marginMs = 1_000;
const maxAnswerBytes = 64 * 1024;

const answerSchema = Type.Object({
  runId: Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()]),
});

const readUpTo = async (response: Response, maxBytes: number): Promise<string | null> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    const bytes = part as Uint8Array;
    size += bytes.length;
    if (size > maxBytes) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
};

/**
 * Asks the configured model which of the candidates an event belongs to. Whatever goes wrong, and an answer that names
 * a run it was not shown, counts as no proposal (A15).
 */
export const proposalOf = async (
  { url, question }: Pick<Extract<Intent, { type: 'triage' }>, 'url' | 'question'>,
  timeoutMs: number,
  log: Logger,
): Promise<Proposal> => {
  const no = (why: string): null => {
    log.warn({ url, why }, 'a triage proposal is not used; the policy decides without it');
    return null;
  };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) return no(`status ${response.status}`);
    const text = await readUpTo(response, maxAnswerBytes);
    if (text === null) return no('the answer is too long');
    const answer: unknown = JSON.parse(text);
    if (!Value.Check(answerSchema, answer)) return no('the answer is not {runId}');
    const { runId } = answer;
    return runId === null || question.candidates.some((one) => one.runId === runId)
      ? { runId }
      : no('it names a run that is no candidate');
  } catch (error) {
    return no(error instanceof Error ? error.message : String(error));
  }
};

type Triage = Extract<Intent, { type: 'triage' }>;

/** Ends before the entity's own timer, which decides without it. */
export const triage = async (intent: Triage, api: Api<ExecutorMessage>): Promise<void> => {
  const proposal = await proposalOf(intent, triageMs - marginMs, api.log);
  await api.submit({ type: 'triaged', entity: intent.entity, messageId: intent.messageId, proposal });
};
