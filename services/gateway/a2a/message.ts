import { createHash } from 'node:crypto';
import { Role, type Message } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { inputModes } from './card';
import type { OpenRequest, Receipt, RunView } from './owners';
import { isTerminal } from './task';

/** What a client may add for admission, under this key of the message's metadata. */
const ownMetadata = 'fairlead';
const passedOn = ['agent', 'title', 'priority', 'requirements'] as const;
const between = '\n\n';

const supported = (mediaType: string): boolean => {
  const [plain = ''] = mediaType.split(';');
  return plain === '' || inputModes.some((mode) => mode === plain.trim().toLowerCase());
};

/** The words of a message: texts byte for byte, structured parts as JSON. Files are not read here. */
export const contentOf = (message: Message): string => {
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts must not be empty');
  const texts = message.parts.map(({ content, mediaType }, at) => {
    if (content === undefined) throw new RequestMalformedError(`message.parts[${at}] has no content`);
    if (content.$case === 'raw' || content.$case === 'url' || !supported(mediaType))
      throw new ContentTypeNotSupportedError(
        `message.parts[${at}]: only ${inputModes.join(', ')} are read, as text or as data`,
      );
    if (content.$case === 'data') return JSON.stringify(content.value);
    if (typeof content.value !== 'string')
      throw new RequestMalformedError(`message.parts[${at}].text must be a string`);
    return content.value;
  });
  return texts.join(between);
};

export const checkMessage = (message: Message | undefined): Message => {
  if (message === undefined) throw new RequestMalformedError('message is required');
  if (message.messageId === '') throw new RequestMalformedError('message.messageId is required');
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError('message.role must be the user');
  return message;
};

/** Where a first message without a context goes: the same place every time it is sent. */
export const derivedContext = (messageId: string): string =>
  `a2a-${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`;

/** The message's id stands for another one. To a client it is a malformed request, which the SDK tells by the name. */
export class IdUsedBefore extends RequestMalformedError {
  override readonly name = 'RequestMalformedError';
}

const idLength = 100;

/** What a message is known by where its own id stands for another one: its beginning, to be recognised, and more. */
export const otherId = ({ messageId }: Message, more: string): string =>
  `${messageId.slice(0, idLength)}.${createHash('sha256').update(more).digest('hex').slice(0, 32)}`;

/** All that a repeat of a message says again. */
export const sayingOf = ({ messageId, contextId, taskId, parts, referenceTaskIds, metadata }: Message): string =>
  JSON.stringify([messageId, contextId, taskId, parts, referenceTaskIds, metadata?.[ownMetadata]]);

/** The work a message is about, as it stands. */
export interface About {
  /** The task it names; undefined = it names one that this account does not have. */
  readonly task: RunView | null | undefined;
  /** Open questions of that task to the caller. */
  readonly questions: readonly OpenRequest[];
  /** The tasks it refers to; undefined = not there for this account. */
  readonly references: readonly (RunView | undefined)[];
  /** How the message was taken, where it was before: a repeat says the same again, whatever has ended since. */
  readonly relation: string | null;
}

type Body = Readonly<Record<string, unknown>>;

export interface Submission {
  readonly conversationId: string;
  readonly body: Body;
}

const ownFields = (message: Message): Body => {
  const own = message.metadata?.[ownMetadata] as unknown;
  if (own === undefined || own === null) return {};
  if (typeof own !== 'object' || Array.isArray(own))
    throw new RequestMalformedError(`message.metadata.${ownMetadata} must be an object`);
  const fields = own as Record<string, unknown>;
  const other = Object.keys(fields).find((name) => !passedOn.some((known) => known === name));
  if (other !== undefined)
    throw new RequestMalformedError(`message.metadata.${ownMetadata}.${other}: only ${passedOn.join(', ')} are read`);
  return fields;
};

/** A context must not contradict the task's own. */
const contextOf = (message: Message, run: RunView): string => {
  if (message.contextId !== '' && message.contextId !== run.conversationId)
    throw new RequestMalformedError(`message.contextId is not the context of task ${run.runId}`);
  return run.conversationId;
};

const toTask = (message: Message, run: RunView, questions: readonly OpenRequest[]): Submission => {
  const conversationId = contextOf(message, run);
  // A task that ended is never taken up again; a new one continues it when it is referred to.
  if (isTerminal(run.state))
    throw new UnsupportedOperationError(
      `task ${run.runId} has ended (${run.state}); name it in referenceTaskIds to continue it`,
    );
  if (message.referenceTaskIds.length > 0)
    throw new UnsupportedOperationError('a message to a task cannot continue another one');
  const [question] = questions;
  const about: Body =
    question === undefined
      ? { relation: 'amend', targetRunId: run.runId, expectedVersion: run.requirementsVersion }
      : {
          relation: 'clarification',
          interactionRef: question.interactionRef,
          requestRevision: question.requestRevision,
        };
  return { conversationId, body: { clientMessageId: message.messageId, content: contentOf(message), ...about } };
};

const continuing = (message: Message, { references, relation }: About): Submission => {
  const [run, more] = references;
  if (run === undefined) throw new TaskNotFoundError(`Task not found: ${message.referenceTaskIds[0] ?? ''}`);
  if (more !== undefined || message.referenceTaskIds.length > 1)
    throw new UnsupportedOperationError('a task continues one other task');
  return {
    conversationId: contextOf(message, run),
    body: {
      clientMessageId: message.messageId,
      content: contentOf(message),
      ...ownFields(message),
      ...((relation === 'follow_up' ? false : relation === 'continue' || isTerminal(run.state))
        ? { relation: 'continue', continuationOfRunId: run.runId }
        : { relation: 'follow_up', parentRunId: run.runId }),
    },
  };
};

/** What admission is asked to do for a message: answer, amend, continue, or begin. */
export const submissionOf = (message: Message, about: About): Submission => {
  if (message.taskId !== '') {
    if (about.task === null || about.task === undefined)
      throw new TaskNotFoundError(`Task not found: ${message.taskId}`);
    return toTask(message, about.task, about.questions);
  }
  if (message.referenceTaskIds.length > 0) return continuing(message, about);
  return {
    conversationId: message.contextId === '' ? derivedContext(message.messageId) : message.contextId,
    body: {
      clientMessageId: message.messageId,
      content: contentOf(message),
      ...ownFields(message),
      relation: 'new_task',
    },
  };
};

const conflict = (what: string): IdUsedBefore =>
  new IdUsedBefore(`message.messageId was used before ${what}; a new message needs a new one`);

/**
 * The task of a message that was taken before, or null where admission itself must compare: what a repeat would do
 * now (the question is answered, the task has ended, the version moved on) says nothing about what it did then.
 */
export const taskOfRepeat = (message: Message, receipt: Receipt): string | null => {
  if (receipt.relation !== 'amend' && receipt.relation !== 'clarification') {
    if (message.taskId !== '') throw conflict('for a message that named no task');
    return null;
  }
  const runId = receipt.targetRunId ?? receipt.runId;
  if (message.taskId === '' || (runId !== null && runId !== message.taskId)) throw conflict('for another task');
  const sha256 = createHash('sha256').update(contentOf(message)).digest('hex');
  if (receipt.contentSha256 !== sha256) throw conflict('with other content');
  return message.taskId;
};
