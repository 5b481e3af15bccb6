import type { Task } from '@a2a-js/sdk';
import type { Call } from './call';
import { follow } from './follow';
import type { Owners } from './owners';
import { readTask, type Wanted } from './read';

/** A client that takes nothing for so many changes of its task is let go; it takes the stream up again. */
const maxWaiting = 1_000;

interface Looker {
  readonly waiting: Task[];
  end: boolean;
  failure: unknown;
  wake: () => void;
}

interface Room {
  last: Task | null;
  readonly lookers: Set<Looker>;
  readonly empty: AbortController;
}

/**
 * Follows a task for all streams of one token at once: what happens between two looks is told as one, so streams that
 * each looked for themselves would tell it differently.
 */
export const openWatch = (
  owners: Owners,
): ((call: Call, taskId: string, wanted: Wanted) => AsyncGenerator<Task, void, undefined>) => {
  const rooms = new Map<string, Room>();

  const tell = (room: Room, what: (looker: Looker) => void): void => {
    for (const looker of room.lookers) {
      what(looker);
      looker.wake();
    }
  };
  const read = async (key: string, room: Room, call: Call, taskId: string, wanted: Wanted): Promise<void> => {
    try {
      const own: Call = { ...call, signal: room.empty.signal };
      const { answered } = wanted;
      const shared: Wanted = { historyLength: 0, artifacts: true, ...(answered === undefined ? {} : { answered }) };
      for await (const task of follow(owners, own, taskId, shared)) {
        room.last = task;
        tell(room, (looker) => looker.waiting.push(task));
      }
    } catch (error) {
      tell(room, (looker) => (looker.failure = error));
    }
    if (rooms.get(key) === room) rooms.delete(key);
    tell(room, (looker) => (looker.end = true));
  };
  const roomOf = (key: string, call: Call, taskId: string, wanted: Wanted, looker: Looker): Room => {
    const found = rooms.get(key);
    if (found !== undefined) {
      if (found.last !== null) looker.waiting.push(found.last);
      found.lookers.add(looker);
      return found;
    }
    const room: Room = { last: null, lookers: new Set([looker]), empty: new AbortController() };
    rooms.set(key, room);
    void read(key, room, call, taskId, wanted);
    return room;
  };

  /** The task as it stands, with what was said in it; then each time it has changed. */
  return async function* watch(call, taskId, wanted) {
    const looker: Looker = { waiting: [], end: false, failure: undefined, wake: () => undefined };
    const key = JSON.stringify([call.authorization, taskId, [...(wanted.answered ?? [])]]);
    const room = roomOf(key, call, taskId, wanted, looker);
    const gone = (): void => looker.wake();
    call.signal.addEventListener('abort', gone, { once: true });
    let history: Task['history'] | null = wanted.historyLength === 0 ? [] : null;
    try {
      while (!call.signal.aborted && looker.waiting.length <= maxWaiting) {
        const task = looker.waiting.shift();
        if (task !== undefined) {
          if (history !== null) yield task;
          else {
            const run = await owners.run(call, taskId);
            history = run === null ? [] : (await readTask(owners, call, run, { ...wanted, artifacts: false })).history;
            yield { ...task, history };
          }
          continue;
        }
        if (looker.failure !== undefined) throw looker.failure;
        if (looker.end) return;
        await new Promise<void>((resolve) => (looker.wake = resolve));
      }
    } catch (error) {
      // An owner was being asked when the client went, or this gateway was told to stop.
      if (!call.signal.aborted) throw error;
    } finally {
      call.signal.removeEventListener('abort', gone);
      room.lookers.delete(looker);
      if (room.lookers.size === 0) {
        if (rooms.get(key) === room) rooms.delete(key);
        room.empty.abort();
      }
    }
  };
};
