import type {
  ActionStateChanged,
  AmendRun,
  ControlRun,
  FenceAcknowledged,
  InteractionChanged,
  ObserveRun,
  ProposalDecided,
  ReportPublished,
  StartRun,
  VersionSuperseded,
} from '../../schemas/generated/records';
import type { AggregateKey, Tick } from '../platform/decision';
import { canonicalBytes, sha256Hex } from '../platform/canonical';
import type { AgentOutcome } from './agents/agent';
import type { ToolResultOutcome } from './tools/tool';
import type { ChildReport, ChildStart } from './tree-state';
import type { MessageFate } from './requirements-state';
import type { Terminal } from './run-status';
import type { Cause } from './state';

/** Everything the executor decides on. Records keep their own names; the rest are results of its own work. */
export type Message =
  | {
      readonly type: 'start';
      readonly record: StartRun;
      /** What the message has been told already by the run it was first aimed at, which goes on telling it. */
      readonly fate?: MessageFate;
      /** Set for a run that an entity event gets for itself. */
      readonly event?: ObserveRun;
      readonly child?: ChildStart;
    }
  | { readonly type: 'entity_event'; readonly record: ObserveRun }
  /** What a model proposed about an entity event, or null; nothing is taken from it but the choice of a candidate. */
  | {
      readonly type: 'triaged';
      readonly entity: string;
      readonly messageId: string;
      readonly proposal: { readonly runId: string | null } | null;
    }
  /** An event that had been attached to a run was said to be something of its own. */
  | { readonly type: 'own_run'; readonly record: ObserveRun; readonly fate: MessageFate }
  | { readonly type: 'amend'; readonly record: AmendRun }
  | { readonly type: 'observe'; readonly record: ObserveRun }
  | { readonly type: 'control'; readonly record: ControlRun }
  | { readonly type: 'proposal'; readonly record: ProposalDecided }
  | { readonly type: 'action'; readonly record: ActionStateChanged }
  | { readonly type: 'fence'; readonly record: FenceAcknowledged }
  | { readonly type: 'interaction'; readonly record: InteractionChanged }
  | { readonly type: 'published'; readonly record: ReportPublished }
  | { readonly type: 'superseded'; readonly record: VersionSuperseded }
  | ({ readonly type: 'answered'; readonly outcome: AgentOutcome } & Work)
  | ({ readonly type: 'tool_done'; readonly callId: string; readonly outcome: ToolResultOutcome } & Work)
  | ({ readonly type: 'renew' } & Work)
  | {
      readonly type: 'steer';
      readonly runId: string;
      readonly conversation: string;
      readonly verb: 'cancel' | 'interrupt' | 'release-lease' | 'pause' | 'resume';
      readonly reason: string;
    }
  /** The process that held these works is gone for certain: its successor of the same name says so. */
  | { readonly type: 'orphaned'; readonly runId: string; readonly conversation: string; readonly owner: string }
  /** A child says how it ended, or that it never began; its parent has what it did not use back (R21, R18). */
  | {
      readonly type: 'child_ended';
      readonly runId: string;
      readonly childId: string;
      readonly childRunId: string;
      readonly state: Terminal;
      readonly detail: string | null;
      readonly report: ChildReport | null;
      readonly unused: { readonly turns: number; readonly cost: number | null };
      /** The parent's version that the child's last committed turn knew; absent = the one it was spawned under. */
      readonly version?: number;
    }
  /** Revisions go down: what the parent is asked for has changed, and its running children hear of it (R21). */
  | {
      readonly type: 'parent_amended';
      readonly runId: string;
      readonly version: number;
      readonly amendKind: 'supplement' | 'replace';
      readonly text: string;
      readonly messageId: string;
    }
  | {
      readonly type: 'child_asks';
      readonly runId: string;
      readonly childId: string;
      readonly questionId: string;
      readonly question: string;
      readonly choices: readonly string[];
    }
  /** A parent's answer to its child's question; null = the child shall ask the user itself (H9). */
  | {
      readonly type: 'parent_answers';
      readonly runId: string;
      readonly questionId: string;
      readonly answer: {
        readonly text: string | null;
        readonly choice: string | null;
        readonly value: string | null;
      } | null;
    }
  /** The content of an ended run goes, by its age or because somebody asked for it. */
  | { readonly type: 'purge'; readonly runId: string; readonly reason: 'age' | 'request' }
  | { readonly type: 'purge_conversation'; readonly conversation: string; readonly app: string }
  | { readonly type: 'parent_ends'; readonly runId: string; readonly cause: Cause }
  | { readonly type: 'parent_pauses'; readonly runId: string; readonly verb: 'pause' | 'resume' }
  /** Whoever ended need not know the conversation of the run that waited for it. */
  | { readonly type: 'wake'; readonly runId: string; readonly ended: EndedRun | null }
  | Tick;

export type ExecutorMessage = Message | Tick;

/** What a run that waited for another is told at its end. */
export interface EndedRun {
  readonly runId: string;
  readonly state: string;
  readonly report: { readonly version: number; readonly sha256: string } | null;
}

/** Which work of which owner a result belongs to; a stale epoch is refused however late it comes (R11). */
export interface Work {
  readonly runId: string;
  readonly conversation: string;
  readonly turn: number;
  readonly epoch: number;
}

export const runKey = (id: string): AggregateKey => ({ kind: 'run', id });
/** What the runs of one root share (H5, R21). */
export const treeKey = (rootRunId: string): AggregateKey => ({ kind: 'tree', id: rootRunId });
/** The limited places of a tenant (R19). */
export const slotsKey = (tenant: string): AggregateKey => ({ kind: 'slots', id: tenant });
export const conversationKey = (id: string): AggregateKey => ({ kind: 'conversation', id });

export const conversationIdOf = (of: {
  readonly tenant: string;
  readonly account: string;
  readonly conversationId: string;
}): string => `conv_${sha256Hex(canonicalBytes([of.tenant, of.account, of.conversationId])).slice(0, 26)}`;
