import { canonicalBytes, sha256Hex } from '../platform/canonical';
import type { AggregateKey } from '../platform/decision';

/** One text of a document, by its hash. */
export interface DocumentText {
  readonly sha256: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The texts it was written from: none for a first one, one for a run's, two for an integrator's. */
  readonly basedOn: readonly string[];
  /** The report that brought it; null for a resolution. */
  readonly report: { readonly runId: string; readonly version: number; readonly seq: number } | null;
  /** The account that spoke: the run's, or the integrator's. */
  readonly by: string;
  readonly at: number;
}

export interface DocumentConflict {
  /** The text that came second. */
  readonly sha256: string;
  /** The one that stood when it came. */
  readonly conflictsWith: string;
  readonly at: number;
  /** The integrator's text; null while nobody has resolved it. */
  readonly resolvedBy: string | null;
}

/** Named within an account, like a conversation: nobody writes into somebody else's by choosing its name. */
export interface Document {
  readonly tenant: string;
  readonly account: string;
  readonly documentId: string;
  /** Hash of the text that holds. */
  readonly current: string;
  readonly texts: readonly DocumentText[];
  readonly conflicts: readonly DocumentConflict[];
  readonly updatedAt: number;
}

const idLength = 26;

export const documentRowId = (tenant: string, account: string, documentId: string): string =>
  `doc_${sha256Hex(canonicalBytes([tenant, account, documentId])).slice(0, idLength)}`;

export const documentKey = (id: string): AggregateKey => ({ kind: 'document', id });

/** The newest entry: an integrator who takes one of the two as it is says so once more. */
export const textOf = (document: Document, sha256: string): DocumentText | undefined =>
  document.texts.findLast((text) => text.sha256 === sha256);

export const openConflicts = (document: Document): readonly DocumentConflict[] =>
  document.conflicts.filter((conflict) => conflict.resolvedBy === null);
