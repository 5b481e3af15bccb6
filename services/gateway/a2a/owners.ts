import type { Owner } from '../route-table';
import type { Call } from './call';

/** Longer than the longest wait a message may ask for. */
const answerWithinMs = 45_000;

export interface RunView {
  readonly runId: string;
  readonly taskId: string;
  readonly conversationId: string;
  readonly state: string;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly title: string | null;
  readonly requirementsVersion: number;
  readonly continuationOfRunId: string | null;
  readonly enqueuedAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** An open request to the caller, from hil. */
export interface OpenRequest {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly kind: string;
  readonly runId: string;
  /** Null where it was purged. */
  readonly question: string | null;
  readonly choices: readonly { readonly id: string; readonly label: string }[] | null;
  readonly publishedAt: string | null;
}

export interface ReportItem {
  readonly version: number;
  readonly seq: number;
  readonly status: string;
  readonly current?: boolean;
  readonly sha256: string;
  readonly contentType: string;
  readonly publishedAt: string | null;
}

export interface Receipt {
  readonly status: string;
  readonly clientMessageId: string;
  readonly relation: string | null;
  readonly runId: string | null;
  readonly targetRunId: string | null;
  readonly continuationOfRunId: string | null;
  readonly interactionRef: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly contentSha256: string | null;
}

export interface StoredMessage {
  readonly clientMessageId: string;
  readonly relation: string;
  readonly content: string | null;
  readonly receivedAt: string;
}

export interface AskedBefore {
  readonly interactionRef: string;
  readonly kind: string;
  readonly runId: string;
  /** Null where it was purged. */
  readonly question: string | null;
  readonly publishedAt: string | null;
}

export interface Snapshot {
  readonly messages: readonly StoredMessage[];
  readonly receipts: readonly Receipt[];
  readonly interactions: readonly AskedBefore[];
}

/** An owner said no, with its stable code. */
export class OwnerSaidNo extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly receipt: Receipt | null,
  ) {
    super(detail);
  }
}

export interface Owners {
  readonly run: (call: Call, runId: string) => Promise<RunView | null>;
  readonly runs: (
    call: Call,
    asked: { readonly conversationId: string | null; readonly after: string | null; readonly limit: number },
  ) => Promise<{ readonly items: readonly RunView[]; readonly next: string | null }>;
  readonly openRequests: (call: Call, conversationId: string | null) => Promise<readonly OpenRequest[]>;
  readonly reports: (call: Call, runId: string) => Promise<readonly ReportItem[]>;
  readonly reportText: (call: Call, runId: string, report: ReportItem) => Promise<string>;
  readonly snapshot: (call: Call, conversationId: string) => Promise<Snapshot | null>;
  readonly receipt: (call: Call, conversationId: string, clientMessageId: string) => Promise<Receipt | null>;
  readonly submit: (
    call: Call,
    conversationId: string,
    body: Readonly<Record<string, unknown>>,
    waitSec: number,
  ) => Promise<Receipt>;
  /** The run's event stream, opened after the cursor. */
  readonly events: (call: Call, runId: string, after: string | null, signal: AbortSignal) => Promise<Response>;
}

const segment = encodeURIComponent;

/** Every route of the owners that A2A stands on; nothing is kept here between two requests. */
export const openOwners = (addresses: Readonly<Record<Owner, URL>>): Owners => {
  const ask = async (
    owner: Owner,
    call: Call,
    path: string,
    more: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
  ): Promise<Response> =>
    fetch(new URL(path, addresses[owner]), {
      method: more.method ?? 'GET',
      headers: { authorization: call.authorization, ...more.headers },
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(answerWithinMs)]),
      ...(more.body === undefined ? {} : { body: more.body }),
    });

  const refused = async (response: Response): Promise<OwnerSaidNo> => {
    const said = (await response.json().catch(() => ({}))) as Partial<Receipt> & { receiptStatus?: string };
    return new OwnerSaidNo(
      response.status,
      said.code ?? 'internal',
      said.detail ?? `the owner answered ${response.status}`,
      said.receiptStatus === undefined ? null : ({ ...said, status: said.receiptStatus } as Receipt),
    );
  };

  const json = async <T>(response: Response): Promise<T> => {
    if (!response.ok) throw await refused(response);
    return (await response.json()) as T;
  };
  const orNull = async <T>(response: Response): Promise<T | null> => {
    if (response.status !== 404) return json<T>(response);
    await response.body?.cancel();
    return null;
  };

  return {
    run: async (call, runId) => orNull(await ask('run-executor', call, `/v1/runs/${segment(runId)}`)),
    runs: async (call, { conversationId, after, limit }) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(conversationId === null ? {} : { conversationId }),
        ...(after === null ? {} : { after }),
      });
      return json(await ask('run-executor', call, `/v1/runs?${query}`));
    },
    openRequests: async (call, conversationId) => {
      const query = new URLSearchParams({
        state: 'open',
        limit: '500',
        ...(conversationId === null ? {} : { conversationId }),
      });
      return (await json<{ items: OpenRequest[] }>(await ask('hil', call, `/v1/interactions?${query}`))).items;
    },
    reports: async (call, runId) =>
      (
        (await orNull<{ items: ReportItem[] }>(
          await ask('publication', call, `/v1/runs/${segment(runId)}/reports?limit=500`),
        )) ?? { items: [] }
      ).items,
    reportText: async (call, runId, { version, seq }) => {
      const response = await ask('publication', call, `/v1/runs/${segment(runId)}/reports/${version}/${seq}`);
      if (!response.ok) throw await refused(response);
      // Not `text()`: that would take a byte order mark at the beginning away.
      return Buffer.from(await response.arrayBuffer()).toString('utf8');
    },
    snapshot: async (call, conversationId) =>
      orNull(await ask('publication', call, `/v1/conversations/${segment(conversationId)}/snapshot`)),
    receipt: async (call, conversationId, clientMessageId) =>
      orNull(
        await ask(
          'admission',
          call,
          `/v1/conversations/${segment(conversationId)}/messages/${segment(clientMessageId)}`,
        ),
      ),
    submit: async (call, conversationId, body, waitSec) =>
      json(
        await ask('admission', call, `/v1/conversations/${segment(conversationId)}/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', prefer: `wait=${waitSec}` },
          body: JSON.stringify(body),
        }),
      ),
    events: (call, runId, after, signal) =>
      fetch(new URL(`/v1/runs/${segment(runId)}/events`, addresses.publication), {
        headers: {
          authorization: call.authorization,
          accept: 'text/event-stream',
          ...(after === null ? {} : { 'last-event-id': after }),
        },
        signal,
      }),
  };
};
