import type { Artifact, Message, Task } from '@a2a-js/sdk';
import type { Call } from './call';
import type { OpenRequest, Owners, RunView } from './owners';
import { artifactOf, cut, historyOf, isTerminal, newestOfEach, taskOf } from './task';

/** More versions than this are read by Fairlead's own routes. */
const maxArtifacts = 20;

export interface Wanted {
  /** Undefined = all of it. */
  readonly historyLength: number | undefined;
  readonly artifacts: boolean;
  /** Questions answered by this very request: their answers may be on the way still. */
  readonly answered?: ReadonlySet<string>;
  /** The message that has just been taken; publication may not show it yet. */
  readonly said?: Message;
  /** Texts read before, by artifact and hash. */
  readonly known?: Map<string, Artifact>;
}

const artifactsOf = async (
  owners: Owners,
  call: Call,
  runId: string,
  known: Map<string, Artifact>,
): Promise<Artifact[]> => {
  const reports = newestOfEach(await owners.reports(call, runId)).slice(0, maxArtifacts);
  return Promise.all(
    reports.map(async (report) => {
      const key = `${report.version}.${report.seq}.${report.sha256}`;
      const text = known.get(key)?.parts[0]?.content;
      const artifact = artifactOf(
        report,
        text?.$case === 'text' ? text.value : await owners.reportText(call, runId, report),
      );
      known.set(key, artifact);
      return artifact;
    }),
  );
};

const historyWith = async (owners: Owners, call: Call, run: RunView, said: Message | undefined): Promise<Message[]> => {
  const snapshot = await owners.snapshot(call, run.conversationId);
  const history = snapshot === null ? [] : historyOf(run, snapshot);
  if (said === undefined || history.some(({ messageId }) => messageId === said.messageId)) return history;
  return [...history, { ...said, contextId: run.conversationId, taskId: run.runId }];
};

/** Open requests to the caller that belong to a run. */
export const openOf = (
  run: RunView,
  requests: readonly OpenRequest[],
  answered: ReadonlySet<string> = new Set(),
): OpenRequest[] =>
  requests.filter(({ runId, interactionRef }) => runId === run.runId && !answered.has(interactionRef));

/** A task from a run and, of a list, from requests read once for all of it. */
export const readTask = async (
  owners: Owners,
  call: Call,
  run: RunView,
  wanted: Wanted,
  requests: readonly OpenRequest[] | null = null,
): Promise<Task> => {
  const [open, artifacts, history] = await Promise.all([
    isTerminal(run.state)
      ? []
      : openOf(run, requests ?? (await owners.openRequests(call, run.conversationId)), wanted.answered),
    wanted.artifacts ? artifactsOf(owners, call, run.runId, wanted.known ?? new Map()) : [],
    wanted.historyLength === 0 ? [] : historyWith(owners, call, run, wanted.said),
  ]);
  return taskOf(run, open, artifacts, cut(history, wanted.historyLength));
};
