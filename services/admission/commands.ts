import { emit, unreachable, type AggregateKey, type Emit } from '../platform/decision';
import type { Command, Speaker } from './state';

const runCommands = 'run.commands.v1';
const responses = 'hil.responses.v1';

/** Answers take their time; only silence is asked about again, ever more slowly (R25). */
const firstAskMs = 10_000;
const slowestAskMs = 300_000;
export const attemptsUntilIncident = 10;

export const askAgainAfterMs = (attempts: number): number => Math.min(firstAskMs * 2 ** (attempts - 1), slowestAskMs);

export const ownerOf = (command: Command): string => (command.type === 'SubmitClarification' ? 'hil' : 'run-executor');

export const carriesContent = (command: Command): boolean => command.type !== 'ControlRun';

/** The command as a record: attempt 1 with the message's own transaction, later ones under ids of their own. */
export const commandOf = (
  about: AggregateKey,
  { tenant, app, account, conversationId, clientMessageId }: Speaker,
  command: Command,
  sent: {
    readonly content: string;
    readonly contentSha256: string;
    readonly receivedAt: number;
    readonly attempt: number;
  },
): Emit => {
  const messageId = about.id;
  const { content, contentSha256, receivedAt, attempt } = sent;
  const id = attempt === 1 ? undefined : `${messageId}/ask/${attempt}`;
  const from = { tenant, app, account, conversationId, clientMessageId, messageId, receivedAt, attempt };
  const words = { content, contentSha256 };
  switch (command.type) {
    case 'StartRun': {
      const { value } = command;
      // Written out: most commands are this one, and it is wide.
      return emit(
        about,
        runCommands,
        'StartRun',
        conversationId,
        {
          tenant,
          app,
          account,
          conversationId,
          messageId,
          clientMessageId,
          runId: value.runId,
          taskId: value.taskId,
          relation: value.relation,
          content,
          contentSha256,
          receivedAt,
          agent: value.agent ?? null,
          title: value.title ?? null,
          priority: value.priority ?? 5,
          scheduled: value.scheduled ?? false,
          requirements: value.requirements ?? null,
          mode: value.mode ?? 'queue',
          dependsOnRunId: value.dependsOnRunId ?? null,
          parentRunId: value.parentRunId ?? null,
          continuationOfRunId: value.continuationOfRunId ?? null,
          parentFacts: value.parentFacts ?? null,
          interactionRef: value.interactionRef ?? null,
          requestRevision: value.requestRevision ?? null,
          entityType: value.entityType ?? null,
          entityId: value.entityId ?? null,
          interruptRunId: value.interruptRunId ?? null,
          attempt,
        },
        id,
      );
    }
    case 'AmendRun':
      return emit(about, runCommands, 'AmendRun', conversationId, { ...command.value, ...from, ...words }, id);
    case 'ObserveRun':
      return emit(
        about,
        runCommands,
        'ObserveRun',
        conversationId,
        {
          kind: 'observation',
          eventKind: null,
          eventAt: null,
          correlationId: null,
          entityType: null,
          entityId: null,
          confirmed: true,
          agent: null,
          priority: null,
          ...command.value,
          ...from,
          ...words,
        },
        id,
      );
    case 'ControlRun':
      return emit(about, runCommands, 'ControlRun', conversationId, { ...command.value, ...from }, id);
    case 'SubmitClarification':
      return emit(about, responses, 'SubmitClarification', conversationId, { ...command.value, ...from, ...words }, id);
    default:
      return unreachable(command);
  }
};
