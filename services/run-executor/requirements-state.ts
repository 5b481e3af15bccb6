import type { Kept } from './turn-state';

export interface RequirementText {
  readonly version: number;
  readonly text: Kept;
  readonly messageId: string;
  readonly receivedAt: number;
}

export interface VersionEntry {
  readonly version: number;
  readonly kind: 'initial' | 'supplement' | 'replace';
  readonly text: Kept;
  readonly messageId: string;
  readonly receivedAt: number;
  appliedAt: number | null;
  understood: string | null;
}

export interface Requirements {
  version: number;
  /** Texts in force, oldest first. */
  texts: RequirementText[];
  structured: Record<string, unknown> | null;
  history: VersionEntry[];
}

/** A received update that no turn has taken yet. `runId` and `taskId` are what a follow-up run would be called. */
export interface PendingUpdate {
  readonly kind: 'amendment' | 'observation' | 'entity_event';
  readonly messageId: string;
  readonly clientMessageId: string;
  readonly text: Kept;
  readonly receivedAt: number;
  readonly version: number | null;
  readonly amendKind: 'supplement' | 'replace' | null;
  readonly structured: Record<string, unknown> | null;
  readonly followUp: { readonly runId: string; readonly taskId: string };
  /** Of an entity event; false = it fits by entity and time only and is asked about. */
  readonly event?: {
    readonly eventKind: string;
    readonly eventAt: number;
    readonly correlationId: string | null;
    readonly confirmed: boolean;
  };
}

/** What this run has said about a message, to be said again whenever the message is delivered again (R25). */
export interface MessageFate {
  readonly messageId: string;
  readonly clientMessageId: string;
  revision: number;
  status: string;
  code: string | null;
  detail: string | null;
  field: string | null;
  version: number | null;
  withEffective: boolean;
  runId: string | null;
  taskId: string | null;
  turn: number | null;
  inputSha256: string | null;
}
