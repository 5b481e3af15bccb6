import type { PublishReport } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import { emit, type Context, type Decision, type Row, type View } from '../platform/decision';
import {
  documentKey,
  documentRowId,
  openConflicts,
  textOf,
  type Document,
  type DocumentConflict,
  type DocumentText,
} from './document';
import type { Resolve } from './messages';

export type Resolution = 'resolved' | 'resolved_before' | 'unknown_document' | 'moved';

const kept = (id: string, sha256: string, bytes: Buffer): Row => ({
  table: 'document_texts',
  values: { document: id, sha256, bytes },
});

/** Where a text goes: it holds from now on, or it contradicts the one that holds. */
const placeOf = (document: Document, text: DocumentText): 'known' | 'holds' | 'conflict' => {
  if (textOf(document, text.sha256) !== undefined) return 'known';
  if (text.basedOn.includes(document.current)) return 'holds';
  // A run's later version takes the place of its own earlier one.
  const standing = textOf(document, document.current)?.report;
  return standing != null && standing.runId === text.report?.runId ? 'holds' : 'conflict';
};

/**
 * A final report that writes a document (P5). The report itself is published whatever the document says: who comes second
 * is a recorded conflict beside the completion, and both texts stay.
 */
export const writeDocument = (
  view: View,
  record: PublishReport,
  context: Context,
): Pick<Decision, 'put' | 'emit' | 'rows'> => {
  if (record.document === null) return {};
  const id = documentRowId(record.tenant, record.account, record.document);
  const before = view.get<Document>('document', id);
  const text: DocumentText = {
    sha256: record.sha256,
    contentType: record.contentType,
    sizeBytes: record.body.length,
    basedOn: record.basedOn === null ? [] : [record.basedOn],
    report: { runId: record.runId, version: record.version, seq: record.seq },
    by: record.account,
    at: context.now,
  };
  if (before === undefined) {
    const first: Document = {
      tenant: record.tenant,
      account: record.account,
      documentId: record.document,
      current: text.sha256,
      texts: [text],
      conflicts: [],
      updatedAt: context.now,
    };
    return { put: [{ key: documentKey(id), state: first }], rows: [kept(id, text.sha256, record.body)] };
  }
  const place = placeOf(before, text);
  if (place === 'known') return {};
  const texts = [...before.texts, text];
  const rows = [kept(id, text.sha256, record.body)];
  if (place === 'holds') {
    const next: Document = { ...before, texts, current: text.sha256, updatedAt: context.now };
    return { put: [{ key: documentKey(id), state: next }], rows };
  }
  const conflict: DocumentConflict = {
    sha256: text.sha256,
    conflictsWith: before.current,
    at: context.now,
    resolvedBy: null,
  };
  const next: Document = { ...before, texts, conflicts: [...before.conflicts, conflict], updatedAt: context.now };
  return {
    put: [{ key: documentKey(id), state: next }],
    rows,
    emit: [
      emit(
        documentKey(id),
        'publication.events.v1',
        'DocumentConflicted',
        record.conversationId,
        {
          tenant: record.tenant,
          app: record.app,
          account: record.account,
          conversationId: record.conversationId,
          taskId: record.taskId,
          runId: record.runId,
          revision: view.revision('document', id) + 1,
          documentId: record.document,
          version: record.version,
          seq: record.seq,
          sha256: text.sha256,
          conflictsWith: conflict.conflictsWith,
          basedOn: record.basedOn,
        },
        `${id}/${text.sha256}/DocumentConflicted`,
      ),
    ],
  };
};

const reply = (said: Resolution): Decision<never, never> => ({ reply: said });

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((sha256) => b.includes(sha256));

/** An integrator's commit from both texts: the one that holds and the one that contradicts it. */
export const resolve = (view: View, message: Resolve, context: Context): Decision<never, never> => {
  const { id, basedOn, body, contentType, account } = message;
  const before = view.get<Document>('document', id);
  if (before === undefined) return reply('unknown_document');
  const sha256 = sha256Hex(body);
  const known = textOf(before, sha256);
  if (known !== undefined && known.report === null && sameTexts(known.basedOn, basedOn))
    return reply('resolved_before');
  const conflict = openConflicts(before).find((one) => sameTexts([before.current, one.sha256], basedOn));
  if (conflict === undefined) return reply('moved');
  const text: DocumentText = {
    sha256,
    contentType,
    sizeBytes: body.length,
    basedOn,
    report: null,
    by: account,
    at: context.now,
  };
  const next: Document = {
    ...before,
    current: sha256,
    texts: [...before.texts, text],
    conflicts: before.conflicts.map((one) => (one === conflict ? { ...one, resolvedBy: sha256 } : one)),
    updatedAt: context.now,
  };
  return { put: [{ key: documentKey(id), state: next }], rows: [kept(id, sha256, body)], reply: 'resolved' };
};
