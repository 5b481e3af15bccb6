import { none, unreachable, type AggregateKey, type Context, type View } from '../platform/decision';
import { publish, reportKeys, runKey, supersede, woken, type Decided } from './decide-reports';
import type { AnyMessage } from './messages';
import type { ReportRun } from './state';
import { append, timelineKeys } from './timeline';

export const keys = (message: AnyMessage): readonly AggregateKey[] => {
  switch (message.type) {
    case 'publish': {
      const { record } = message;
      return [runKey(record.runId), ...reportKeys(record, record.version, record.seq)];
    }
    case 'supersede':
      return [runKey(message.record.runId)];
    case 'happened':
      return timelineKeys(message.event);
    case 'tick':
      return [{ kind: message.kind, id: message.id }];
    default:
      return unreachable(message);
  }
};

/** A superseded version's current report changes its badge, so its place in the timeline is needed too. */
export const moreKeys = (message: AnyMessage, view: View): readonly AggregateKey[] => {
  if (message.type !== 'supersede') return [];
  const run = view.get<ReportRun>('report_run', message.record.runId);
  return run?.current == null ? [] : reportKeys(run, run.current.version, run.current.seq);
};

export const decide = (view: View, message: AnyMessage, context: Context): Decided => {
  switch (message.type) {
    case 'publish':
      return publish(view, message.record, context);
    case 'supersede':
      return supersede(view, message.record, context);
    case 'happened': {
      const appended = append(view, message.event, context);
      return { put: appended.put, rows: appended.rows, ...woken(appended) };
    }
    case 'tick':
      return none;
    default:
      return unreachable(message);
  }
};
