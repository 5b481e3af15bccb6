import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { callOf, isLegacy, type Call } from './call';
import { cardAt } from './card';
import { eventsBetween, follow, statusEvent, taskEvent } from './follow';
import { listTasks } from './list';
import { checkLength, idOf } from './params';
import type { Owners, RunView } from './owners';
import { readTask, type Wanted } from './read';
import { openSend, type Taken } from './send';
import { hasEnded, isStill, isTerminal, mayGoOn } from './task';
import { openWatch } from './watch';

/** A client that waits for the end is answered with the task as it stands by then; it may ask again. */
const maxBlockingMs = 60_000;
const maxCancellingMs = 20_000;
const cancelWaitSec = 10;

const withReferences = ({ references }: Call, message: Message | undefined): Message | undefined =>
  message === undefined || references.length === 0 ? message : { ...message, referenceTaskIds: [...references] };

/** The protocol's operations on top of the owners' routes: nothing is kept between two of them. */
export const openHandler = (owners: Owners): A2ARequestHandler => {
  const send = openSend(owners);
  const watch = openWatch(owners);

  const runOf = async (call: Call, id: string): Promise<RunView> => {
    const run = await owners.run(call, id);
    if (run === null) throw new TaskNotFoundError(`Task not found: ${id}`);
    return run;
  };

  /** The task as soon as it is as wanted, or as it stands when the time is up. */
  const until = async (
    call: Call,
    taskId: string,
    wanted: Wanted,
    enough: (task: Task) => boolean,
    maxMs: number,
  ): Promise<Task> => {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(maxMs)]);
    let task: Task | null = null;
    try {
      for await (const now of follow(owners, { ...call, signal }, taskId, { ...wanted, historyLength: 0 })) {
        task = now;
        if (enough(now)) break;
      }
    } catch (error) {
      // The time was up while an owner was being asked.
      if (!signal.aborted || call.signal.aborted) throw error;
    }
    const run = await runOf(call, taskId);
    return task === null || wanted.historyLength !== 0 ? readTask(owners, call, run, wanted) : task;
  };

  const wantedOf = ({ answered, message }: Taken, historyLength: number | undefined): Wanted => ({
    historyLength,
    artifacts: true,
    answered,
    said: message,
  });

  /** `stays`: through the questions of the task too, up to its end. */
  async function* streamed(
    call: Call,
    taskId: string,
    wanted: Wanted,
    stays: boolean,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    let before: Task | null = null;
    for await (const task of watch(call, taskId, wanted)) {
      if (before === null) {
        yield taskEvent(task);
        if (isStill(task) && !stays) yield statusEvent(task);
      } else yield* eventsBetween(before, task);
      before = task;
      // What the client is asked is its turn; what it is to approve elsewhere goes on here.
      if (isStill(task) && !mayGoOn(task) && !stays) return;
    }
  }

  return {
    getAgentCard: (): Promise<AgentCard> => Promise.resolve(cardAt('')),
    getAuthenticatedExtendedAgentCard: (_params, context) => Promise.resolve(cardAt(callOf(context).origin)),

    sendMessage: async ({ message, configuration }: SendMessageRequest, context) => {
      const call = callOf(context);
      checkLength(configuration?.historyLength);
      const taken = await send(call, withReferences(call, message), !isLegacy(context));
      const wanted = wantedOf(taken, configuration?.historyLength);
      const waits = !(configuration?.returnImmediately ?? isLegacy(context));
      return waits
        ? until(call, taken.taskId, wanted, isStill, maxBlockingMs)
        : readTask(owners, call, await runOf(call, taken.taskId), wanted);
    },

    async *sendMessageStream({ message, configuration }: SendMessageRequest, context) {
      const call = callOf(context);
      checkLength(configuration?.historyLength);
      const taken = await send(call, withReferences(call, message), !isLegacy(context));
      yield* streamed(call, taken.taskId, wantedOf(taken, configuration?.historyLength), false);
    },

    getTask: async ({ id, historyLength }: GetTaskRequest, context) => {
      const call = callOf(context);
      checkLength(historyLength);
      return readTask(owners, call, await runOf(call, idOf(id)), { historyLength, artifacts: true });
    },

    listTasks: (params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> =>
      listTasks(owners, callOf(context), params),

    cancelTask: async ({ id }: CancelTaskRequest, context) => {
      const call = callOf(context);
      const run = await runOf(call, idOf(id));
      const ended = (state: string): TaskNotCancelableError =>
        new TaskNotCancelableError(`Task not cancelable: ${id} has ended (${state})`);
      if (isTerminal(run.state)) throw ended(run.state);
      await send.cancel(call, run, cancelWaitSec);
      const task = await until(call, id, { historyLength: undefined, artifacts: true }, hasEnded, maxCancellingMs);
      const after = await runOf(call, id);
      if (isTerminal(after.state) && after.state !== 'cancelled') throw ended(after.state);
      return task;
    },

    async *resubscribe({ id }, context) {
      const call = callOf(context);
      const run = await runOf(call, idOf(id));
      // A client of the earlier protocol version is told the end once more; a later one is told to read the task.
      if (isTerminal(run.state) && !isLegacy(context))
        throw new UnsupportedOperationError(`task ${id} has ended (${run.state}); there is nothing to follow`);
      yield* streamed(call, id, { historyLength: undefined, artifacts: true }, !isLegacy(context));
    },

    createTaskPushNotificationConfig: () => Promise.reject(new PushNotificationNotSupportedError()),
    getTaskPushNotificationConfig: () => Promise.reject(new PushNotificationNotSupportedError()),
    listTaskPushNotificationConfigs: () => Promise.reject(new PushNotificationNotSupportedError()),
    deleteTaskPushNotificationConfig: () => Promise.reject(new PushNotificationNotSupportedError()),
  };
};
