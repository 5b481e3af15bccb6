import { emit, none, type Context, type Decision, type View } from '../platform/decision';
import { purgeRow, type Purge } from '../platform/purges';
import type { Intent } from './draft';
import { conversationKey, runKey, type Message } from './messages';
import { complete, isRun, isTerminal, type ConversationRuns, type Run, type RunRow } from './state';
import { withoutContent } from './without-content';

export const purgesTopic = 'content.purges.v1';

type PurgeRun = Extract<Message, { type: 'purge' }>;
type PurgeConversation = Extract<Message, { type: 'purge_conversation' }>;

export type PurgeAnswer = { readonly purgedAt: number } | 'unknown' | 'open';

const documentsOf = (run: Run): string[] => [
  ...new Set(run.publications.flatMap(({ document }) => (document === null ? [] : [document]))),
];

/** Nothing live is purged: a run has to have ended, with nobody left to be asked again. */
const isOver = (run: Run): boolean => isTerminal(run.status) && run.requests.length === 0;

/** The content of an ended run goes, here and, by the record, with everybody who holds some of it. */
export const purgeRun = (view: View, message: PurgeRun, context: Context): Decision<Message, Intent> => {
  const row = view.get<RunRow>('run', message.runId);
  if (!isRun(row) || row.purgedAt !== undefined || !isOver(row)) return none;
  const run = complete(row);
  const key = runKey(run.runId);
  const { tenant, app, account, conversationId, taskId, runId } = run;
  const purge: Purge = {
    tenant,
    account,
    conversationId,
    taskId,
    runId,
    messageId: null,
    before: context.now,
    documents: documentsOf(run),
  };
  return {
    put: [{ key, state: withoutContent(run, context.now) }],
    rows: [purgeRow(purge)],
    emit: [
      emit(key, purgesTopic, 'ContentPurged', conversationId, {
        ...purge,
        app,
        reason: message.reason,
        revision: view.revision('run', runId) + 1,
      }),
    ],
  };
};

/**
 * An operator wants all of a conversation gone. While a run of it is at work or waits its turn, the answer is no: its
 * agent is being told these very words. Runs that are parked or paused are seen by the caller, in the table.
 */
export const purgeConversation = (
  view: View,
  message: PurgeConversation,
  context: Context,
): Decision<Message, Intent> => {
  const runs = view.get<ConversationRuns>('conversation', message.conversation);
  const answer = (reply: PurgeAnswer): Decision<Message, Intent> => ({ reply });
  if (runs === undefined) return answer('unknown');
  if (runs.active.length > 0 || runs.waiting.length > 0) return answer('open');
  const key = conversationKey(message.conversation);
  const { tenant, account, conversationId } = runs;
  const purge: Purge = {
    tenant,
    account,
    conversationId,
    taskId: null,
    runId: null,
    messageId: null,
    before: context.now,
    documents: [],
  };
  return {
    put: [{ key, state: { ...runs, purgedAt: context.now } }],
    rows: [purgeRow(purge)],
    emit: [
      emit(key, purgesTopic, 'ContentPurged', conversationId, {
        ...purge,
        app: message.app,
        reason: 'request',
        revision: view.revision('conversation', message.conversation) + 1,
      }),
    ],
    reply: { purgedAt: context.now } satisfies PurgeAnswer,
  };
};
