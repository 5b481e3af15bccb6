import type { StreamResponse, Task } from '@a2a-js/sdk';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { Call } from './call';
import type { Owners } from './owners';
import { readTask, type Wanted } from './read';
import { hasEnded } from './task';
import { openWakes } from './wakes';

/** The task now, then each time it has changed; ends with the task, or when the client has gone. */
export async function* follow(owners: Owners, call: Call, taskId: string, wanted: Wanted): AsyncGenerator<Task> {
  const wakes = openWakes(owners, call, taskId);
  const known: Wanted['known'] = new Map();
  // What was said before does not change while a client looks on; it is read for the first task only.
  let now: Wanted = { ...wanted, known };
  let last = '';
  try {
    while (!call.signal.aborted) {
      const run = await owners.run(call, taskId);
      if (run === null) throw new TaskNotFoundError(`Task not found: ${taskId}`);
      const task = await readTask(owners, call, run, now);
      now = { ...now, historyLength: 0 };
      const digest = JSON.stringify([task.status, task.artifacts.map(({ metadata }) => metadata)]);
      if (digest !== last) yield task;
      last = digest;
      if (hasEnded(task)) return;
      await wakes.next();
    }
  } catch (error) {
    // An owner was being asked when the client went, or this gateway was told to stop.
    if (!call.signal.aborted) throw error;
  } finally {
    wakes.close();
  }
}

const hashOf = (task: Task): Map<string, string> =>
  new Map(
    task.artifacts.map(({ artifactId, metadata }) => [
      artifactId,
      JSON.stringify([metadata?.['seq'], metadata?.['sha256']]),
    ]),
  );

export const taskEvent = (task: Task): StreamResponse => ({ payload: { $case: 'task', value: task } });

export const statusEvent = (task: Task): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: { taskId: task.id, contextId: task.contextId, status: task.status, metadata: task.metadata },
  },
});

/** What a client that has seen one state of a task must be told to know the next: texts first, then how it stands. */
export const eventsBetween = (before: Task, after: Task): StreamResponse[] => {
  const known = hashOf(before);
  const hashes = hashOf(after);
  const artifacts = after.artifacts
    .filter(({ artifactId }) => known.get(artifactId) !== hashes.get(artifactId))
    .map((artifact): StreamResponse => ({
      payload: {
        $case: 'artifactUpdate',
        value: {
          taskId: after.id,
          contextId: after.contextId,
          artifact,
          append: false,
          lastChunk: true,
          metadata: undefined,
        },
      },
    }));
  const moved = JSON.stringify(before.status) !== JSON.stringify(after.status);
  return moved ? [...artifacts, statusEvent(after)] : artifacts;
};
