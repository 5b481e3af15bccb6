import { randomUUID } from 'node:crypto';
import type { Message } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { Call } from './call';
import {
  checkMessage,
  derivedContext,
  IdUsedBefore,
  otherId,
  sayingOf,
  submissionOf,
  taskOfRepeat,
  type About,
  type Submission,
} from './message';
import { OwnerSaidNo, type Owners, type Receipt, type RunView } from './owners';
import { openOf } from './read';

const decideWaitSec = 30;
const readAgainMs = 500;
/** An owner that has not decided by then is down; the message is stored and will be decided, a repeat is safe. */
const maxReads = 40;

/** A message that was taken: its task, and the questions it answered. */
export interface Taken {
  readonly taskId: string;
  readonly answered: ReadonlySet<string>;
  /** Under the id that it is known by from now on. */
  readonly message: Message;
}

export interface Send {
  /** `idsRepeat`: what comes under an id that was used for something else is another message, not refused. */
  (call: Call, message: Message | undefined, idsRepeat: boolean): Promise<Taken>;
  readonly cancel: (call: Call, run: RunView, waitSec: number) => Promise<void>;
}

const notThere: ReadonlySet<string> = new Set(['unknown_run', 'unknown_conversation']);
const notNow: ReadonlySet<string> = new Set([
  'run_ended',
  'run_not_accepting',
  'not_continuable',
  'original_unverifiable',
  'parent_contradiction',
  'interaction_closed',
  'unknown_interaction',
  'expired',
  'already_answered',
  'old_revision',
  'busy',
  'not_granted',
  'forbidden',
]);
const usedBefore: ReadonlySet<string> = new Set([
  'content_conflict',
  'conversation_conflict',
  'relation_conflict',
  'target_conflict',
]);
const notOurs: ReadonlySet<string> = new Set(['unavailable', 'rate_limited', 'internal', 'unauthenticated']);

/** An owner's refusal in the words of the protocol; the code stays in front, it is what a person looks up. */
export const errorOf = (code: string, detail: string): Error => {
  const text = `${code}: ${detail}`;
  if (notThere.has(code)) return new TaskNotFoundError(text);
  if (usedBefore.has(code)) return new IdUsedBefore(text);
  if (notNow.has(code)) return new UnsupportedOperationError(text);
  // What is left is a fault of the message; what is none of it may be tried again as it is.
  return notOurs.has(code) ? new Error(text) : new RequestMalformedError(text);
};

export const openSend = (owners: Owners): Send => {
  const aboutOf = async (call: Call, message: Message): Promise<About> => {
    const find = async (runId: string): Promise<RunView | undefined> => (await owners.run(call, runId)) ?? undefined;
    const task = message.taskId === '' ? null : await find(message.taskId);
    const requests = task === null || task === undefined ? [] : await owners.openRequests(call, task.conversationId);
    return {
      task,
      questions:
        task === null || task === undefined ? [] : openOf(task, requests).filter((one) => one.kind === 'question'),
      references: await Promise.all(message.referenceTaskIds.slice(0, 2).map(find)),
      relation: null,
    };
  };

  /** The receipt once the owner has decided; the message itself is safe from the first answer on. */
  const decided = async (call: Call, conversationId: string, first: Receipt): Promise<Receipt> => {
    let receipt = first;
    for (let reads = 0; receipt.status === 'admitted' && reads < maxReads; reads += 1) {
      await new Promise((resolve) => setTimeout(resolve, readAgainMs));
      call.signal.throwIfAborted();
      receipt = (await owners.receipt(call, conversationId, first.clientMessageId)) ?? receipt;
    }
    if (receipt.status === 'admitted')
      throw new Error('unavailable: the message is stored and not decided yet; the same message may come again');
    return receipt;
  };

  const submit = async (call: Call, { conversationId, body }: Submission): Promise<Receipt> => {
    try {
      return await decided(call, conversationId, await owners.submit(call, conversationId, body, decideWaitSec));
    } catch (error) {
      throw error instanceof OwnerSaidNo ? errorOf(error.code, error.message) : error;
    }
  };

  const contextOf = (message: Message, about: About): string =>
    about.task?.conversationId ??
    about.references[0]?.conversationId ??
    (message.contextId === '' ? derivedContext(message.messageId) : message.contextId);

  const takenAs = (taskId: string, { interactionRef }: Receipt, message: Message): Taken => ({
    taskId,
    answered: new Set(interactionRef === null ? [] : [interactionRef]),
    message,
  });

  const takenBefore = (message: Message, receipt: Receipt): Taken | null => {
    const taskId = taskOfRepeat(message, receipt);
    if (taskId === null) return null;
    if (receipt.status === 'refused' || receipt.status === 'version_conflict')
      throw errorOf(receipt.code ?? receipt.status, receipt.detail ?? 'the message was refused before');
    return takenAs(taskId, receipt, message);
  };

  const take = async (call: Call, message: Message): Promise<Taken> => {
    const about = await aboutOf(call, message);
    if (message.taskId !== '' && about.task === undefined)
      throw new TaskNotFoundError(`Task not found: ${message.taskId}`);
    // What begins a task says the same each time, so admission compares it; the rest depends on what stands now.
    const depends = message.taskId !== '' || message.referenceTaskIds.length > 0;
    const stored = depends ? await owners.receipt(call, contextOf(message, about), message.messageId) : null;
    const before = stored === null ? null : takenBefore(message, stored);
    if (before !== null) return before;
    const submission = submissionOf(message, { ...about, relation: stored?.relation ?? null });
    const receipt = await submit(call, submission);
    if (receipt.status === 'refused' || receipt.status === 'version_conflict')
      throw errorOf(receipt.code ?? receipt.status, receipt.detail ?? 'the message was refused');
    const taskId = receipt.runId ?? receipt.targetRunId ?? (message.taskId === '' ? null : message.taskId);
    if (taskId === null) throw new Error(`internal: the receipt ${receipt.status} names no run`);
    return takenAs(taskId, receipt, message);
  };

  const send = async (call: Call, given: Message | undefined, idsRepeat: boolean): Promise<Taken> => {
    const message = checkMessage(given);
    if (call.newIdentity) return take(call, { ...message, messageId: otherId(message, randomUUID()) });
    try {
      return await take(call, message);
    } catch (error) {
      if (!idsRepeat || !(error instanceof IdUsedBefore)) throw error;
      return take(call, { ...message, messageId: otherId(message, sayingOf(message)) });
    }
  };

  return Object.assign(send, {
    cancel: async (call: Call, run: RunView, waitSec: number): Promise<void> => {
      try {
        await owners.submit(
          call,
          run.conversationId,
          {
            clientMessageId: `a2a-cancel-${run.runId}`,
            content: '',
            relation: 'control',
            control: 'cancel',
            targetRunId: run.runId,
          },
          waitSec,
        );
      } catch (error) {
        throw error instanceof OwnerSaidNo ? errorOf(error.code, error.message) : error;
      }
    },
  });
};
