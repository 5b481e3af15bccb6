import { none, unreachable, type AggregateKey, type Context, type View } from '../platform/decision';
import { purgeRow } from '../platform/purges';
import { documentKeys, publish, reportKeys, runKey, supersede, woken, type Decided } from './decide-reports';
import { resolve } from './decide-documents';
import { documentKey } from './document';
import type { AnyMessage } from './messages';
import { enqueue, told, webhookKey, webhookTick } from './webhook';
import type { ReportRun } from './state';
import { append, streamIdOf, timelineKeys } from './timeline';

export const keys = (message: AnyMessage): readonly AggregateKey[] => {
  switch (message.type) {
    case 'publish': {
      const { record } = message;
      return [runKey(record.runId), ...documentKeys(record), ...reportKeys(record, record.version, record.seq)];
    }
    case 'supersede':
      return [runKey(message.record.runId)];
    case 'happened':
      return timelineKeys(message.event);
    case 'resolve':
      return [documentKey(message.id)];
    case 'told':
      return [webhookKey(message.stream)];
    case 'purged':
      return [];
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
    case 'resolve':
      return resolve(view, message, context);
    case 'told':
      return told(view, message, context);
    case 'purged':
      return { rows: [purgeRow(message.record)] };
    case 'tick':
      return message.kind === 'webhook' ? webhookTick(view, message.id, context) : none;
    default:
      return unreachable(message);
  }
};

/** Whose conversation a message is about, where it may have something to tell to a webhook. */
const aboutOf = (message: AnyMessage): { tenant: string; account: string; conversationId: string } | null => {
  switch (message.type) {
    case 'publish':
    case 'supersede':
      return message.record;
    case 'happened':
      return message.event;
    default:
      return null;
  }
};

/**
 * The same decisions, with what they add to a timeline queued for the tenant's webhook. Whether a tenant has one is asked
 * once a message, because its keys and its decision have to agree while the configuration may change in between.
 */
export const withWebhooks = (hooked: (tenant: string) => boolean) => {
  const asked = new WeakMap<AnyMessage, boolean>();
  const hookOf = (message: AnyMessage): AggregateKey[] => {
    const about = aboutOf(message);
    const has = asked.get(message) ?? (about !== null && hooked(about.tenant));
    asked.set(message, has);
    return has && about !== null ? [webhookKey(streamIdOf(about.tenant, about.account, about.conversationId))] : [];
  };
  return {
    // What a superseded version changes is locked in the second step, and the webhook ranks last.
    keys: (message: AnyMessage): readonly AggregateKey[] =>
      message.type === 'supersede' ? keys(message) : [...keys(message), ...hookOf(message)],
    moreKeys: (message: AnyMessage, view: View): readonly AggregateKey[] =>
      message.type === 'supersede' ? [...moreKeys(message, view), ...hookOf(message)] : moreKeys(message, view),
    decide: (view: View, message: AnyMessage, context: Context): Decided => {
      const decision = decide(view, message, context);
      const about = aboutOf(message);
      if (about === null || hookOf(message).length === 0) return decision;
      const more = enqueue(view, about.tenant, decision.rows ?? [], context);
      return {
        ...decision,
        put: [...(decision.put ?? []), ...(more.put ?? [])],
        perform: [...(decision.perform ?? []), ...(more.perform ?? [])],
      };
    },
  };
};
