import type { AggregateKey, Context, Row, View } from '../platform/decision';
import { incidentRow } from '../platform/incidents';
import type { Decided, Outside } from './decide-reports';
import type { Told } from './messages';

/** What a tenant's webhook is told; everything else of a timeline concerns nobody outside. */
export const toldKinds = ['interaction', 'run', 'report'] as const;

/** One conversation's way to its tenant's webhook: a place in the timeline that only moves forward. */
export interface Webhook {
  readonly tenant: string;
  readonly stream: string;
  /** Newest event there is to tell, and newest that was told or given up. */
  readonly seq: number;
  readonly sent: number;
  /** Failures in a row of the event that is next. */
  readonly tries: number;
  /** When it is looked at again: the next try, or the end of whoever is at it. Null: nothing to tell. */
  readonly nextAt: number | null;
}

/** What one delivery may take until somebody else takes over. */
const leaseMs = 60_000;
const firstAgainMs = 1_000;
const maxAgainMs = 900_000;
/** An event is tried for so long from when it happened. */
export const keepTryingMs = 86_400_000;
const incidentAfterTries = 8;

export const webhookKey = (stream: string): AggregateKey => ({ kind: 'webhook', id: stream });

const deliver = ({ tenant, stream, sent }: Webhook): Outside => ({ kind: 'deliver', tenant, stream, after: sent });

/** The rows that a decision adds to the timeline are what there is to tell. */
export const enqueue = (view: View, tenant: string, rows: readonly Row[], context: Context): Decided => {
  const kinds: readonly unknown[] = toldKinds;
  const row = rows.find(({ table, values }) => table === 'timeline' && kinds.includes(values['kind']));
  if (row === undefined) return {};
  const stream = String(row.values['stream']);
  const seq = Number(row.values['seq']);
  // A webhook that is new gets what happens from now on, not the past.
  const before = view.get<Webhook>('webhook', stream) ?? {
    tenant,
    stream,
    seq: seq - 1,
    sent: seq - 1,
    tries: 0,
    nextAt: null,
  };
  const idle = before.nextAt === null;
  const next: Webhook = { ...before, seq, nextAt: idle ? context.now + leaseMs : before.nextAt };
  return { put: [{ key: webhookKey(stream), state: next }], ...(idle ? { perform: [deliver(next)] } : {}) };
};

export const webhookTick = (view: View, stream: string, context: Context): Decided => {
  const state = view.get<Webhook>('webhook', stream);
  if (state === undefined || state.nextAt === null || state.nextAt > context.now) return {};
  const next = { ...state, nextAt: context.now + leaseMs };
  return { put: [{ key: webhookKey(stream), state: next }], perform: [deliver(next)] };
};

const incidentId = (stream: string): string => `webhook/${stream}`;

/** What came of a delivery. In order, so an event that is not taken holds up those behind it, for a day at most. */
export const told = (view: View, message: Told, context: Context): Decided => {
  const { stream, upTo, failed } = message;
  const state = view.get<Webhook>('webhook', stream);
  if (state === undefined) return {};
  const key = webhookKey(stream);
  const sent = Math.max(state.sent, upTo);
  if (failed === null || failed.seq <= sent) {
    const more = state.seq > sent;
    const next: Webhook = { ...state, sent, tries: 0, nextAt: more ? context.now + leaseMs : null };
    return {
      put: [{ key, state: next }],
      close: state.tries >= incidentAfterTries ? [incidentId(stream)] : [],
      ...(more ? { perform: [deliver(next)] } : {}),
    };
  }
  if (context.now - failed.at > keepTryingMs) {
    const more = state.seq > failed.seq;
    return {
      put: [{ key, state: { ...state, sent: failed.seq, tries: 0, nextAt: more ? context.now : null } }],
      rows: [
        incidentRow({
          id: `webhook/${stream}/${failed.seq}`,
          kind: 'webhook_given_up',
          ref: failed.eventId,
          reason: `the webhook of ${state.tenant} did not take ${failed.eventId} for a day: ${failed.why}`,
          actions: ['what it says is in the routes and the timeline', 'look at the webhook'],
        }),
      ],
    };
  }
  const tries = (sent > state.sent ? 0 : state.tries) + 1;
  const nextAt = context.now + Math.min(maxAgainMs, firstAgainMs * 2 ** Math.min(tries - 1, 16));
  return {
    put: [{ key, state: { ...state, sent, tries, nextAt } }],
    rows:
      tries === incidentAfterTries
        ? [
            incidentRow({
              id: incidentId(stream),
              kind: 'webhook_failing',
              ref: failed.eventId,
              reason: `the webhook of ${state.tenant} has not taken ${failed.eventId} ${tries} times: ${failed.why}`,
              actions: ['look at the webhook and its secret; the trying goes on for a day'],
            }),
          ]
        : [],
  };
};
