import type { Api } from '../platform/service';
import { failpoint } from '../platform/failpoints';
import { askAgent, type AskableAgent } from './agents/agent';
import type { ExecutorMessage } from './messages';
import type { Intent } from './draft';
import { sealedInput } from './store';
import { runTool, type CallableTool } from './tools/tool';
import { steadyMs } from '../platform/clocks';

/** Works older than this are renewed; most turns end before their lease needs it. */
const renewEveryMs = 2_000;

interface LiveWork {
  readonly runId: string;
  readonly conversation: string;
  readonly turn: number;
  readonly epoch: number;
  readonly startedAt: number;
  readonly abort: AbortController;
}

export interface OutsideWorld {
  readonly observeTurn: (seconds: number) => void;
  readonly countTakenOver: () => void;
  readonly agent: (name: string) => AskableAgent | undefined;
  readonly tool: (name: string) => CallableTool | undefined;
}

export interface Performer {
  readonly perform: (intent: Exclude<Intent, { type: 'triage' }>, api: Api<ExecutorMessage>) => Promise<void>;
  /** Starts renewing the leases of live works; the answer stops it. */
  readonly renew: (api: Api<ExecutorMessage>) => () => void;
  /** Voids what is still live: at a stop the next owner asks the same turns again. */
  readonly abandon: () => void;
}

export const performer = (world: OutsideWorld): Performer => {
  const live = new Set<LiveWork>();

  const ask = async (
    intent: Extract<Intent, { type: 'ask' }>,
    work: LiveWork,
    api: Api<ExecutorMessage>,
  ): Promise<void> => {
    const agent = world.agent(intent.agent);
    if (intent.takenOver) world.countTakenOver();
    const inputBytes = intent.inputBytes ?? (await sealedInput(api.pool, intent.runId, intent.turn))?.bytes;
    if (inputBytes === undefined) throw new Error(`the sealed input ${intent.runId}/${intent.turn} is not stored`);
    await failpoint('turn.ask');
    const outcome =
      agent === undefined
        ? ({ kind: 'retry', reason: 'unreachable' } as const)
        : await askAgent(agent, {
            inputBytes,
            inputSha256: intent.inputSha256,
            runId: intent.runId,
            turn: intent.turn,
            attempt: intent.attempt,
            deadline: new Date(intent.deadline),
            signal: work.abort.signal,
            ...(intent.trace.traceparent === null ? {} : { traceparent: intent.trace.traceparent }),
          });
    if (outcome.kind === 'aborted') return;
    await failpoint('turn.answered');
    await api.submit(
      {
        type: 'answered',
        runId: intent.runId,
        conversation: intent.conversation,
        turn: intent.turn,
        epoch: intent.epoch,
        outcome,
      },
      { causationId: null, ...intent.trace },
    );
    world.observeTurn((steadyMs() - work.startedAt) / 1_000);
  };

  const callTool = async (
    intent: Extract<Intent, { type: 'tool' }>,
    work: LiveWork,
    api: Api<ExecutorMessage>,
  ): Promise<void> => {
    const tool = world.tool(intent.tool);
    const outcome =
      tool === undefined
        ? ({
            ok: false,
            error: { code: 'unknown_tool', message: `no tool named ${intent.tool} is configured` },
          } as const)
        : await runTool(
            tool,
            {
              for: intent.for,
              callId: intent.callId,
              tool: intent.tool,
              input: JSON.parse(intent.inputText) as unknown,
            },
            { signal: work.abort.signal },
          );
    if ('kind' in outcome) return;
    await failpoint('tool.done');
    await api.submit(
      {
        type: 'tool_done',
        runId: intent.runId,
        conversation: intent.conversation,
        turn: intent.turn,
        epoch: intent.epoch,
        callId: intent.callId,
        outcome,
      },
      { causationId: null, ...intent.trace },
    );
  };

  return {
    perform: async (intent, api) => {
      if (intent.type === 'abort') {
        for (const work of live) if (work.runId === intent.runId) work.abort.abort();
        return;
      }
      const { runId, conversation, turn, epoch } = intent;
      const work: LiveWork = { runId, conversation, turn, epoch, startedAt: steadyMs(), abort: new AbortController() };
      live.add(work);
      const span = api.tracing.start(intent.type === 'ask' ? `turn ${intent.agent}` : `tool ${intent.tool}`, {
        kind: 'client',
        parent: intent.trace.traceparent,
        attributes: { 'fairlead.run_id': runId, 'fairlead.turn': turn },
      });
      const trace = { ...intent.trace, traceparent: span.traceparent };
      try {
        await (intent.type === 'ask'
          ? ask({ ...intent, trace }, work, api)
          : callTool({ ...intent, trace }, work, api));
        span.end();
      } catch (error) {
        span.end(error);
        throw error;
      } finally {
        live.delete(work);
      }
    },
    renew: (api) => {
      const timer = setInterval(() => {
        const due = new Map<string, LiveWork>();
        for (const work of live) if (steadyMs() - work.startedAt >= renewEveryMs) due.set(work.runId, work);
        for (const { runId, conversation, turn, epoch } of due.values())
          api
            .submit({ type: 'renew', runId, conversation, turn, epoch })
            .catch((error: unknown) => api.log.debug({ err: error, runId }, 'a lease was not renewed'));
      }, renewEveryMs);
      return () => clearInterval(timer);
    },
    abandon: () => {
      for (const work of live) work.abort.abort();
    },
  };
};
