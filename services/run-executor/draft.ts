import type { MessageDecided } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import { copyOf } from '../platform/copy';
import { emit, type Context, type Emit, type Row, type View } from '../platform/decision';
import { incidentRow, type Incident } from '../platform/incidents';
import { runKey, type Message } from './messages';
import type { Settings } from './settings';
import type { Slots } from './slots';
import type { MessageFate } from './requirements-state';
import type { Tree } from './tree-state';
import type { Run } from './state';
import type { Kept } from './turn-state';
import { complete, isTerminal } from './state';

/** Kept texts up to this size stay in the document; larger ones would make every save of the run heavy. */
const inlineBytes = 4 * 1024;

/** Work in the outside world that follows from a commit. */
export type Intent =
  | {
      readonly type: 'ask';
      readonly runId: string;
      readonly conversation: string;
      readonly agent: string;
      readonly turn: number;
      readonly epoch: number;
      readonly attempt: number;
      readonly inputSha256: string;
      /** Null when another owner sealed it: the bytes are read from the table, never built again. */
      readonly inputBytes: Buffer | null;
      readonly deadline: number;
      /** Asked again after its owner was lost. */
      readonly takenOver: boolean;
      readonly trace: Run['trace'];
    }
  | {
      readonly type: 'tool';
      readonly runId: string;
      readonly conversation: string;
      readonly turn: number;
      readonly epoch: number;
      readonly callId: string;
      readonly tool: string;
      readonly inputText: string;
      readonly trace: Run['trace'];
      readonly for: {
        readonly conversationId: string;
        readonly taskId: string;
        readonly runId: string;
        readonly turn: number;
        readonly requirementsVersion: number;
      };
    }
  | { readonly type: 'abort'; readonly runId: string }
  /** A model may propose which run an entity event belongs to; it sees these candidates and no others (A15). */
  | {
      readonly type: 'triage';
      readonly url: string;
      readonly entity: string;
      readonly messageId: string;
      readonly question: TriageQuestion;
    };

export interface TriageQuestion {
  readonly entity: { readonly type: string; readonly id: string };
  readonly event: {
    readonly kind: string;
    readonly at: string;
    readonly correlationId: string | null;
    readonly text: string;
  };
  readonly candidates: readonly {
    readonly runId: string;
    readonly title: string | null;
    readonly state: string;
    readonly requirementsVersion: number;
    readonly startedAt: string | null;
  }[];
}

/** One decision being made about one run: a private copy of its state and what the decision leads to. */
export interface Draft {
  readonly run: Run;
  readonly before: Run | null;
  readonly view: View;
  readonly context: Context;
  readonly settings: Settings;
  readonly emits: Emit[];
  readonly rows: Row[];
  readonly tells: Message[];
  readonly performs: Intent[];
  readonly conversation: string;
  /** Aggregates beside the run that this decision changed. */
  readonly changed: { tree: Tree | null; slots: Slots | null };
}

export const draftOf = (
  run: Run,
  before: Run | null,
  conversation: string,
  view: View,
  context: Context,
  settings: Settings,
): Draft => ({
  run: before === null ? run : complete(copyOf(run)),
  before,
  view,
  context,
  settings,
  conversation,
  emits: [],
  rows: [],
  tells: [],
  performs: [],
  changed: { tree: null, slots: null },
});

export const keep = (draft: Draft, text: string): Kept => {
  const bytes = Buffer.byteLength(text);
  const sha256 = sha256Hex(Buffer.from(text));
  const ref = `${draft.run.runId}/${sha256}`;
  if (bytes > inlineBytes) draft.rows.push({ table: 'blobs', values: { ref, bytes: Buffer.from(text) } });
  return { ref, sha256, bytes, inline: bytes > inlineBytes ? null : text };
};

/** The kept text. A blob that was asked for and is not there is a defect of the loader, never an empty text. */
export const textOf = (draft: Draft, kept: Kept): string => {
  if (kept.inline !== null) return kept.inline;
  const fresh = draft.rows.find((row) => row.table === 'blobs' && row.values['ref'] === kept.ref)?.values['bytes'] as
    Buffer | undefined;
  const bytes = fresh ?? draft.view.blob(kept.ref);
  if (bytes === undefined) throw new Error(`blob ${kept.ref} was not loaded`);
  return bytes.toString('utf8');
};

export const common = (run: Run) => ({
  tenant: run.tenant,
  app: run.app,
  account: run.account,
  conversationId: run.conversationId,
});

/** Fields every public record of a run carries. The revision is the one this decision will save. */
export const ofRun = (draft: Draft) => ({
  ...common(draft.run),
  taskId: draft.run.taskId,
  runId: draft.run.runId,
  revision: draft.view.revision('run', draft.run.runId) + 1,
});

export const effective = (draft: Draft): NonNullable<MessageDecided['effectiveRequirements']> => ({
  texts: draft.run.requirements.texts.map(({ version, text }) => ({ version, text: textOf(draft, text) })),
  structured: draft.run.requirements.structured === null ? '{ }' : JSON.stringify(draft.run.requirements.structured),
});

/** Says what became of a message; said again it may carry a newer result of the run, so the id carries both revisions. */
export const say = (draft: Draft, fate: MessageFate, attempt = 0): void => {
  const { run } = draft;
  const result =
    isTerminal(run.status) || run.status === 'publishing' || run.status === 'closing'
      ? {
          state: run.status,
          cause: run.cause,
          version: run.report?.version ?? null,
          sha256: run.report?.sha256 ?? null,
        }
      : null;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'run.events.v1',
      'MessageDecided',
      run.conversationId,
      {
        ...common(run),
        messageId: fate.messageId,
        clientMessageId: fate.clientMessageId,
        revision: fate.revision,
        status: fate.status,
        runId: fate.runId,
        taskId: fate.taskId,
        targetRunId: fate.messageId === run.messageId ? null : run.runId,
        parentRunId: run.parentRunId,
        continuationOfRunId: run.continuationOfRunId,
        requirementsVersion: fate.version,
        effectiveRequirements: fate.withEffective ? effective(draft) : null,
        interactionRef: null,
        requestRevision: null,
        adoption: null,
        result,
        code: fate.code,
        field: fate.field,
        detail: fate.detail,
        candidates: [],
      },
      `${fate.messageId}/fate/${fate.revision}${attempt === 0 ? '' : `/again/${draft.context.cause}/${draft.view.revision('run', run.runId)}`}`,
    ),
  );
};

type FateChange = Partial<Omit<MessageFate, 'messageId' | 'clientMessageId' | 'revision'>> & {
  readonly status: string;
};

export const newFate = (
  of: { readonly messageId: string; readonly clientMessageId: string },
  change: FateChange,
  after = 0,
): MessageFate => ({
  messageId: of.messageId,
  clientMessageId: of.clientMessageId,
  code: null,
  detail: null,
  field: null,
  version: null,
  withEffective: false,
  runId: null,
  taskId: null,
  turn: null,
  inputSha256: null,
  ...change,
  revision: after + 1,
});

/** Moves a message's fate forward and says so. */
export const decideFate = (
  draft: Draft,
  of: { readonly messageId: string; readonly clientMessageId: string },
  change: FateChange,
): void => {
  const known = draft.run.fates.find((fate) => fate.messageId === of.messageId);
  const fate = newFate(of, { ...(known ?? {}), ...change }, known?.revision ?? 0);
  draft.run.fates = [...draft.run.fates.filter((one) => one.messageId !== of.messageId), fate];
  say(draft, fate);
};

export const openIncident = (draft: Draft, incident: Incident): void => void draft.rows.push(incidentRow(incident));
