import { canonicalBytes, sha256Hex } from '../platform/canonical';
import type { AggregateKey, Context, Row, View } from '../platform/decision';
import type { Happened } from './messages';
import type { Fact, Stream } from './state';

const idLength = 26;
const epochLength = 8;
/**
 * When a stream was last active is kept to this: its index would otherwise be written with every event, for an order of
 * conversations within a second that nobody asks for.
 */
const freshMs = 1_000;

export const streamIdOf = (tenant: string, account: string, conversationId: string | null): string =>
  conversationId === null
    ? `acct_${sha256Hex(canonicalBytes([tenant, account])).slice(0, idLength)}`
    : `conv_${sha256Hex(canonicalBytes([tenant, account, conversationId])).slice(0, idLength)}`;

/** Action keys are only unique within a tenant; two tenants never share a fact. */
export const factIdOf = (event: Pick<Happened, 'tenant' | 'kind' | 'entity'>): string =>
  `${event.kind}:${event.tenant}:${event.entity}`;

export const streamKey = (id: string): AggregateKey => ({ kind: 'stream', id });
export const factKey = (event: Pick<Happened, 'tenant' | 'kind' | 'entity'>): AggregateKey => ({
  kind: 'fact',
  id: factIdOf(event),
});

export const timelineKeys = (event: Omit<Happened, 'item'>): AggregateKey[] => [
  factKey(event),
  streamKey(streamIdOf(event.tenant, event.account, event.conversationId)),
  streamKey(streamIdOf(event.tenant, event.account, null)),
];

export interface Appended {
  readonly put: readonly { readonly key: AggregateKey; readonly state: unknown }[];
  readonly rows: readonly Row[];
  /** Streams that have something new. */
  readonly streams: readonly string[];
}

export const nothing: Appended = { put: [], rows: [], streams: [] };

const moved = (before: Stream | undefined, id: string, event: Happened, own: boolean, now: number): Stream => ({
  tenant: event.tenant,
  account: event.account,
  conversationId: own ? null : event.conversationId,
  epoch: before?.epoch ?? sha256Hex(`${id} ${now}`).slice(0, epochLength),
  seq: (before?.seq ?? 0) + 1,
  title: before?.title ?? (own ? null : event.title),
  createdAt: before?.createdAt ?? now,
  updatedAt: before === undefined || now - before.updatedAt >= freshMs ? now : before.updatedAt,
});

/**
 * Numbers an event in its conversation and in its account, in the transaction that writes it and under the rows that
 * count, so numbers follow commits and a reader at a cursor misses nothing (P3). Old news and repeats change nothing.
 */
export const append = (view: View, event: Happened, context: Context): Appended => {
  const conversation = streamIdOf(event.tenant, event.account, event.conversationId);
  const account = streamIdOf(event.tenant, event.account, null);
  const before = view.get<Stream>('stream', conversation);
  if (before === undefined && !event.kept) return nothing;
  const known = view.get<Fact>('fact', factIdOf(event));
  const item = JSON.stringify(event.item);
  const digest = sha256Hex(item);
  if (known !== undefined)
    if (known.revision > event.revision || (known.revision === event.revision && known.digest === digest))
      return nothing;
  const here = moved(before, conversation, event, false, context.now);
  const there = moved(view.get<Stream>('stream', account), account, event, true, context.now);
  const fact: Fact = {
    kind: event.kind,
    tenant: event.tenant,
    account: event.account,
    stream: conversation,
    seq: here.seq,
    firstSeq: known?.firstSeq ?? here.seq,
    runId: event.runId,
    revision: event.revision,
    digest,
    ended: event.ended,
    kept: event.kept,
  };
  return {
    put: [
      { key: factKey(event), state: fact },
      { key: streamKey(conversation), state: here },
      { key: streamKey(account), state: there },
    ],
    rows: [
      {
        table: 'timeline',
        values: {
          stream: conversation,
          seq: here.seq,
          account_stream: account,
          account_seq: there.seq,
          run_id: event.runId,
          kind: event.kind,
          event_id: event.eventId,
          at: new Date(event.at).toISOString(),
          item,
          ended: event.ended,
        },
      },
    ],
    streams: [conversation, account],
  };
};
