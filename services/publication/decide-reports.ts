import type { PublishReport, SupersedeVersion } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import { emit, type AggregateKey, type Context, type Decision, type Emit, type View } from '../platform/decision';
import { Malformed } from '../platform/errors';
import { writeDocument } from './decide-documents';
import { documentKey, documentRowId } from './document';
import { reportItem } from './items';
import type { Happened, Message } from './messages';
import type { Report, ReportRun, ReportStatus } from './state';
import { append, nothing, timelineKeys, type Appended } from './timeline';

/** After the commit: readers of these streams look again. */
export interface Wake {
  readonly kind: 'wake';
  readonly streams: readonly string[];
}

/** After the commit: the tenant's webhook is told what follows in this conversation. */
export interface Deliver {
  readonly kind: 'deliver';
  readonly tenant: string;
  readonly stream: string;
  readonly after: number;
}

export type Outside = Wake | Deliver;

export type Decided = Decision<Message, Outside>;

const eventsTopic = 'publication.events.v1';

export const runKey = (runId: string): AggregateKey => ({ kind: 'report_run', id: runId });

type Named = Pick<PublishReport, 'tenant' | 'account' | 'conversationId' | 'runId'>;

const reportEntity = (runId: string, version: number, seq: number): string => `${runId}/${version}.${seq}`;

const reportTold = (
  named: Named,
  version: number,
  seq: number,
): Omit<Happened, 'item' | 'revision' | 'eventId' | 'at'> => ({
  kind: 'report',
  entity: reportEntity(named.runId, version, seq),
  tenant: named.tenant,
  account: named.account,
  conversationId: named.conversationId,
  runId: named.runId,
  title: null,
  ended: false,
  kept: true,
});

export const reportKeys = (named: Named, version: number, seq: number): AggregateKey[] =>
  timelineKeys({ ...reportTold(named, version, seq), revision: 0, eventId: '', at: 0 });

export const documentKeys = ({ tenant, account, document }: PublishReport): AggregateKey[] =>
  document === null ? [] : [documentKey(documentRowId(tenant, account, document))];

const freshRun = (record: PublishReport | SupersedeVersion): ReportRun => ({
  tenant: record.tenant,
  app: record.app,
  account: record.account,
  conversationId: record.conversationId,
  taskId: record.taskId,
  runId: record.runId,
  supersededBelow: 1,
  current: null,
  reports: [],
});

const runOf = (view: View, record: PublishReport | SupersedeVersion): ReportRun => {
  const run = view.get<ReportRun>('report_run', record.runId) ?? freshRun(record);
  if (run.tenant !== record.tenant || run.account !== record.account || run.conversationId !== record.conversationId)
    throw new Malformed('contradicting_run', `${record.runId}: another owner than before`);
  return run;
};

const head = (run: ReportRun, revision: number) => ({
  tenant: run.tenant,
  app: run.app,
  account: run.account,
  conversationId: run.conversationId,
  taskId: run.taskId,
  runId: run.runId,
  revision,
});

const published = (run: ReportRun, report: Report, revision: number, id: string): Emit =>
  emit(
    runKey(run.runId),
    eventsTopic,
    'ReportPublished',
    run.conversationId,
    {
      ...head(run, revision),
      version: report.version,
      seq: report.seq,
      reportStatus: report.status,
      sha256: report.sha256,
      contentType: report.contentType,
      sizeBytes: report.sizeBytes,
      current: report.accepted,
      sources: report.sources,
      unsettledActions: [...report.unsettledActions],
    },
    id,
  );

const superseded = (run: ReportRun, version: number, revision: number, id: string): Emit =>
  emit(
    runKey(run.runId),
    eventsTopic,
    'VersionSuperseded',
    run.conversationId,
    { ...head(run, revision), version },
    id,
  );

const higher = (a: { version: number; seq: number }, b: { version: number; seq: number } | null): boolean =>
  b === null || a.version > b.version || (a.version === b.version && a.seq > b.seq);

/** The pointer follows accepted commits only, never back; everything else is history with its label (P1, P2). */
const statusOf = (run: ReportRun, record: PublishReport): ReportStatus => {
  if (record.status !== 'final' && record.status !== 'partial') return 'late';
  if (record.version < run.supersededBelow) return 'superseded';
  return higher(record, run.current) ? record.status : 'late';
};

export const woken = (appended: Appended): Pick<Decided, 'perform'> =>
  appended.streams.length === 0 ? {} : { perform: [{ kind: 'wake', streams: appended.streams }] };

export const publish = (view: View, record: PublishReport, context: Context): Decided => {
  const run = runOf(view, record);
  const revision = view.revision('report_run', record.runId);
  const key = reportEntity(record.runId, record.version, record.seq);
  const known = run.reports.find((one) => one.version === record.version && one.seq === record.seq);
  if (known !== undefined)
    return { emit: [published(run, known, revision, `${key}/again/${record.attempt}/${revision}`)] };
  const sha256 = sha256Hex(record.body);
  if (sha256 !== record.sha256)
    throw new Malformed('hash_mismatch', `${key}: the bytes do not have the hash they came with`);
  const status = statusOf(run, record);
  const accepted = status === 'final' || status === 'partial';
  const report: Report = {
    version: record.version,
    seq: record.seq,
    status,
    accepted,
    sha256,
    contentType: record.contentType,
    sizeBytes: record.body.length,
    sources: record.sources,
    actions: record.actions,
    unsettledActions: record.unsettledActions,
    turn: record.turn,
    publishedAt: context.now,
  };
  const next: ReportRun = {
    ...run,
    current: accepted ? { version: record.version, seq: record.seq } : run.current,
    reports: [...run.reports, report],
  };
  const eventId = `${key}/ReportPublished`;
  // Only what the run stands by is a commit to the document: a final report that became current.
  const written = status === 'final' ? writeDocument(view, record, context) : {};
  const appended = append(
    view,
    {
      ...reportTold(run, report.version, report.seq),
      item: reportItem(next, report),
      revision: revision + 1,
      eventId,
      at: context.now,
    },
    context,
  );
  return {
    put: [{ key: runKey(record.runId), state: next }, ...(written.put ?? []), ...appended.put],
    emit: [published(next, report, revision + 1, eventId), ...(written.emit ?? [])],
    rows: [
      ...(written.rows ?? []),
      {
        table: 'reports',
        values: {
          run_id: record.runId,
          version: record.version,
          seq: record.seq,
          sha256,
          content_type: record.contentType,
          bytes: record.body,
        },
      },
      ...appended.rows,
    ],
    ...woken(appended),
  };
};

/** Told in order with the reports, on their partition: from here on nothing older becomes current (R4). */
export const supersede = (view: View, record: SupersedeVersion, context: Context): Decided => {
  const run = runOf(view, record);
  const revision = view.revision('report_run', record.runId);
  const id = `${record.runId}/superseded/${record.version}`;
  if (record.version <= run.supersededBelow)
    return { emit: [superseded(run, record.version, revision, `${id}/again/${record.attempt}/${revision}`)] };
  const next: ReportRun = { ...run, supersededBelow: record.version };
  const { current } = run;
  const shown = run.reports.find((one) => one.version === current?.version && one.seq === current.seq);
  const appended =
    shown === undefined
      ? nothing
      : append(
          view,
          {
            ...reportTold(run, shown.version, shown.seq),
            item: reportItem(next, shown),
            revision: revision + 1,
            eventId: id,
            at: context.now,
          },
          context,
        );
  return {
    put: [{ key: runKey(record.runId), state: next }, ...appended.put],
    emit: [superseded(next, record.version, revision + 1, id)],
    rows: appended.rows,
    ...woken(appended),
  };
};
