import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Call } from './call';
import { OwnerSaidNo, type Owners, type RunView } from './owners';
import { checkLength } from './params';
import { openOf, readTask } from './read';
import { statusOf } from './task';

const defaultPageSize = 50;
const maxPageSize = 100;
const scanPage = 100;
/** Of a filtered list so many runs are looked through for one page, and so many counted. */
const maxScanned = 1_000;

const pageSizeOf = (size: number | undefined): number => {
  if (size === undefined || size === 0) return defaultPageSize;
  if (!Number.isInteger(size) || size < 1 || size > maxPageSize)
    throw new RequestMalformedError(`pageSize must be from 1 to ${maxPageSize}`);
  return size;
};

const afterOf = (time: string | undefined): number | null => {
  if (time === undefined || time === '') return null;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new RequestMalformedError('statusTimestampAfter must be a time');
  return ms;
};

/** Newest first. `totalSize` counts as far as it looks: an account's whole past is not read for one page. */
export const listTasks = async (owners: Owners, call: Call, params: ListTasksRequest): Promise<ListTasksResponse> => {
  const pageSize = pageSizeOf(params.pageSize);
  checkLength(params.historyLength);
  const since = afterOf(params.statusTimestampAfter as string | undefined);
  if (params.status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is no state of a task');
  const conversationId = params.contextId === '' ? null : params.contextId;
  const requests = await owners.openRequests(call, conversationId);
  const fits = (run: RunView): boolean => {
    const { state, timestamp } = statusOf(run, openOf(run, requests));
    const asked = params.status === TaskState.TASK_STATE_UNSPECIFIED || params.status === state;
    return asked && (since === null || (timestamp !== undefined && Date.parse(timestamp) > since));
  };

  const shown: RunView[] = [];
  let total = 0;
  let more = false;
  let after: string | null = params.pageToken === '' ? null : params.pageToken;
  for (let scanned = 0; scanned < maxScanned; scanned += scanPage) {
    const page = await owners.runs(call, { conversationId, after, limit: scanPage }).catch((error: unknown) => {
      if (error instanceof OwnerSaidNo && error.status === 422)
        throw new RequestMalformedError('pageToken must be the nextPageToken of an earlier list');
      throw error;
    });
    for (const run of page.items) {
      if (!fits(run)) continue;
      total += 1;
      if (shown.length < pageSize) shown.push(run);
      else more = true;
    }
    after = page.next;
    if (after === null) break;
  }
  const tasks: Task[] = await Promise.all(
    shown.map((run) =>
      readTask(
        owners,
        call,
        run,
        { historyLength: params.historyLength ?? 0, artifacts: params.includeArtifacts === true },
        requests,
      ),
    ),
  );
  const time = (task: Task): string => task.status?.timestamp ?? '';
  tasks.sort((a, b) => (time(a) > time(b) ? -1 : time(a) < time(b) ? 1 : 0));
  const last = shown.at(-1);
  return {
    tasks,
    nextPageToken: more && last !== undefined ? last.runId : (after ?? ''),
    pageSize: tasks.length,
    totalSize: total,
  };
};
