import { randomUUID } from 'node:crypto';
import type { MessageSubmitted, ReceiptIssued } from '../../schemas/generated/records';
import { follow, type Happened } from './follow';
import type { paths } from './generated/http';

/** What the records' enums are over HTTP. */
type OverHttp<T> = T extends string ? (string extends T ? T : Lowercase<Exclude<T, 'UNKNOWN'>>) : T;
type Fields = Omit<
  MessageSubmitted,
  'eventId' | 'occurredAt' | 'conversationId' | 'account' | 'content' | 'requirements' | 'eventAt'
>;

/** A message as `POST /v1/conversations/{id}/messages` takes it. Without a `clientMessageId`, `send` makes one. */
export type Message = { readonly content: string } & { readonly [Name in keyof Fields]?: OverHttp<Fields[Name]> } & {
  /** When it happened to the entity, RFC 3339. */
  readonly eventAt?: string | null;
  readonly requirements?: Readonly<Record<string, unknown>> | string | null;
};

/** A receipt over HTTP: as the record, but times are text, the relation is lower case, structured values are objects. */
export type Receipt = Omit<ReceiptIssued, 'occurredAt' | 'effectiveRequirements' | 'progress'> & {
  readonly occurredAt: string;
  readonly effectiveRequirements:
    (Omit<NonNullable<ReceiptIssued['effectiveRequirements']>, 'structured'> & { readonly structured: unknown }) | null;
  readonly progress:
    (Omit<NonNullable<ReceiptIssued['progress']>, 'waitingFor'> & { readonly waitingFor: readonly unknown[] }) | null;
};

type Shown<Path extends keyof paths> = paths[Path] extends {
  readonly get: {
    readonly responses: { readonly 200: { readonly content: { readonly 'application/json': infer Body } } };
  };
}
  ? Body
  : never;

/** As their owners show them; the types are made of the OpenAPI document. */
export type Run = Shown<'/v1/runs/{runId}'>;
export type Interaction = Shown<'/v1/interactions/{ref}'>;
export type Action = Shown<'/v1/actions/{actionKey}'>;

export interface Answer {
  readonly requestRevision: number;
  /** The same answer again under the same id is the same answer. Made here where it is left out. */
  readonly clientResponseId?: string;
  readonly text?: string;
  readonly choice?: string;
  readonly value?: unknown;
  readonly decision?: 'approve' | 'deny';
  /** What an approval was shown: the hash of its preview. */
  readonly previewSha256?: string;
}

export interface Report {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly sha256: string;
  readonly requirementsVersion: number;
  readonly status: string;
}

/** An answer that carries no receipt: no permission, no such thing, or an owner that stayed away for too long. */
export class FairleadError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly field: string | null,
    detail: string,
  ) {
    super(`${code}${field === null ? '' : ` [${field}]`}: ${detail}`);
    this.name = 'FairleadError';
  }
}

export interface ClientOptions {
  /** The gateway; default `FAIRLEAD_URL` or the local one. */
  readonly url?: string;
  /** A bearer token, or where to get one each time; default `FAIRLEAD_TOKEN`. */
  readonly token?: string | (() => string | Promise<string>);
  readonly fetch?: typeof fetch;
  /** How long a request is tried again while nothing answers; default 60,000. */
  readonly retryForMs?: number;
}

export type Watched = { readonly conversationId: string } | { readonly runId: string } | 'account';

export interface FairleadClient {
  /**
   * Submits a message and resolves with its receipt, a refusal's too. What was lost on the way is found out by asking for
   * the receipt, and sent again under the same id: it counts once, however often it had to be sent.
   */
  readonly send: (
    conversationId: string,
    message: Message,
    options?: { readonly waitSec?: number },
  ) => Promise<Receipt>;
  /** The newest receipt; null = not stored. */
  readonly receipt: (conversationId: string, clientMessageId: string) => Promise<Receipt | null>;
  /** The receipt once `enough` says so, or when the time is up. */
  readonly receiptWhen: (
    receipt: Pick<Receipt, 'conversationId' | 'clientMessageId'>,
    enough: (receipt: Receipt) => boolean,
    options?: { readonly withinMs?: number },
  ) => Promise<Receipt>;
  /** What happens, from the cursor on, over lost connections; ends with the run, or when the signal fires. */
  readonly watch: (
    what: Watched,
    options?: { readonly after?: string; readonly signal?: AbortSignal },
  ) => AsyncGenerator<Happened, void, undefined>;
  readonly answer: (interactionRef: string, answer: Answer) => Promise<Interaction>;
  readonly run: (runId: string) => Promise<Run>;
  readonly interaction: (interactionRef: string) => Promise<Interaction>;
  /** One action with its attempts and what is known of each. */
  readonly action: (actionKey: string) => Promise<Action>;
  /** The exact bytes of the current report, or of a version. */
  readonly report: (runId: string, version?: number) => Promise<Report>;
}

const localUrl = 'http://127.0.0.1:7400';
const defaultRetryForMs = 60_000;
const defaultReceiptWithinMs = 300_000;
const firstPauseMs = 200;
const maxPauseMs = 5_000;
const defaultWaitSec = 10;
/** Beyond the longest wait that may be asked for. */
const answerWithinMs = 45_000;

const segment = encodeURIComponent;
const mayPass = (status: number): boolean => status === 429 || status >= 500;

type Body = Readonly<Record<string, unknown>>;

const errorOf = (status: number, body: Body): FairleadError =>
  new FairleadError(
    status,
    typeof body['code'] === 'string' ? body['code'] : String(status),
    typeof body['field'] === 'string' ? body['field'] : null,
    typeof body['detail'] === 'string' ? body['detail'] : 'refused',
  );

const unavailable = (why: string): FairleadError => new FairleadError(503, 'unavailable', null, why);

/** Ids, receipts and streams of Fairlead for an upstream program. */
export const createClient = (options: ClientOptions = {}): FairleadClient => {
  const base = (options.url ?? process.env['FAIRLEAD_URL'] ?? localUrl).replace(/\/$/, '');
  const doFetch = options.fetch ?? fetch;
  const retryForMs = options.retryForMs ?? defaultRetryForMs;
  const given = options.token ?? process.env['FAIRLEAD_TOKEN'];

  const once = async (path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> => {
    if (given === undefined)
      throw new FairleadError(401, 'unauthenticated', null, 'no token: give one, or set FAIRLEAD_TOKEN');
    const token = typeof given === 'string' ? given : await given();
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${token}` };
    return doFetch(base + path, { ...init, headers, ...(signal === undefined ? {} : { signal }) });
  };

  const bodyOf = async (response: Response): Promise<Body> => (await response.json().catch(() => ({}))) as Body;

  /** Null = nothing answered, or what answered may do better later; `pauseMs` then says when to try again. */
  const attempt = async (
    path: string,
    init: RequestInit,
  ): Promise<Response | { readonly pauseMs: number | null; readonly error: FairleadError }> => {
    let response: Response;
    try {
      response = await once(path, init, AbortSignal.timeout(answerWithinMs));
    } catch (error) {
      if (error instanceof FairleadError) throw error;
      return { pauseMs: null, error: unavailable(error instanceof Error ? error.message : String(error)) };
    }
    if (!mayPass(response.status)) return response;
    const body = await bodyOf(response);
    const after = Number(response.headers.get('retry-after'));
    return {
      pauseMs: after > 0 ? after * 1_000 : null,
      // A limit is named as what it is: a day's quota outlasts every patience.
      error:
        response.status === 429
          ? errorOf(response.status, body)
          : unavailable(`${String(body['code'] ?? response.status)}: ${String(body['detail'] ?? '')}`),
    };
  };

  /** `meanwhile` looks, before each further try, whether the first has come through after all. */
  const insist = async <T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
    meanwhile: () => Promise<T | null> = () => Promise.resolve(null),
  ): Promise<T> => {
    const until = Date.now() + retryForMs;
    let pauseMs = firstPauseMs;
    for (;;) {
      const outcome = await attempt(path, init);
      if (outcome instanceof Response) return read(outcome);
      const wait = outcome.pauseMs ?? pauseMs * (0.5 + Math.random() / 2);
      if (Date.now() + wait > until) throw outcome.error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      pauseMs = Math.min(maxPauseMs, pauseMs * 2);
      const found = await meanwhile();
      if (found !== null) return found;
    }
  };

  const json = async <T>(response: Response): Promise<T> => {
    const body = await bodyOf(response);
    if (!response.ok) throw errorOf(response.status, body);
    return body as T;
  };
  const get = <T>(path: string): Promise<T> => insist(path, {}, (response) => json<T>(response));
  const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  const receiptPath = (conversationId: string, clientMessageId: string): string =>
    `/v1/conversations/${segment(conversationId)}/messages/${segment(clientMessageId)}`;

  const receiptOf = async (response: Response): Promise<Receipt> => {
    const body = await bodyOf(response);
    if (response.ok) return body as unknown as Receipt;
    // A refused message has a receipt like any other; it is told flat, beside the problem's own fields.
    const { receiptStatus, type, title, ...receipt } = body;
    if (typeof receiptStatus !== 'string') throw errorOf(response.status, body);
    return { ...receipt, status: receiptStatus } as unknown as Receipt;
  };

  const stored = async (conversationId: string, clientMessageId: string): Promise<Receipt | null> => {
    const outcome = await attempt(receiptPath(conversationId, clientMessageId), {});
    return outcome instanceof Response && outcome.ok ? receiptOf(outcome) : null;
  };

  const receipt: FairleadClient['receipt'] = (conversationId, clientMessageId) =>
    insist(receiptPath(conversationId, clientMessageId), {}, (response) =>
      response.status === 404 ? Promise.resolve(null) : receiptOf(response),
    );

  return {
    receipt,
    send: (conversationId, message, { waitSec = defaultWaitSec } = {}) => {
      const clientMessageId = message.clientMessageId ?? randomUUID();
      return insist(
        `/v1/conversations/${segment(conversationId)}/messages`,
        post({ ...message, clientMessageId }, { prefer: `wait=${waitSec}` }),
        receiptOf,
        // An id of the caller's own may stand for another message: there only the submission itself can tell.
        () => (message.clientMessageId === undefined ? stored(conversationId, clientMessageId) : Promise.resolve(null)),
      );
    },
    receiptWhen: async ({ conversationId, clientMessageId }, enough, { withinMs = defaultReceiptWithinMs } = {}) => {
      const until = Date.now() + withinMs;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
        const now = await receipt(conversationId, clientMessageId);
        if (now === null) throw new FairleadError(404, 'unknown_message', null, `${clientMessageId} is not stored`);
        if (enough(now) || Date.now() + pauseMs > until) return now;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
    watch: (what, { after, signal } = {}) => {
      const path =
        what === 'account'
          ? '/v1/account/events'
          : 'runId' in what
            ? `/v1/runs/${segment(what.runId)}/events`
            : `/v1/conversations/${segment(what.conversationId)}/events`;
      return follow(
        async (cursor) => {
          const headers = {
            accept: 'text/event-stream',
            ...(cursor === null ? {} : { 'last-event-id': cursor }),
          };
          const response = await once(path, { headers }, signal);
          if (response.ok || mayPass(response.status)) return response;
          throw errorOf(response.status, await bodyOf(response));
        },
        { after: after ?? null, signal, retryForMs, ends: typeof what === 'object' && 'runId' in what },
      );
    },
    answer: (interactionRef, answer) =>
      insist(
        `/v1/interactions/${segment(interactionRef)}/responses`,
        post({ clientResponseId: randomUUID(), ...answer }),
        (response) => json<Interaction>(response),
      ),
    run: (runId) => get(`/v1/runs/${segment(runId)}`),
    interaction: (interactionRef) => get(`/v1/interactions/${segment(interactionRef)}`),
    action: (actionKey) => get(`/v1/actions/${segment(actionKey)}`),
    report: (runId, version) =>
      insist(`/v1/runs/${segment(runId)}/reports/${version ?? 'current'}`, {}, async (response) => {
        if (!response.ok) throw errorOf(response.status, await bodyOf(response));
        return {
          bytes: Buffer.from(await response.arrayBuffer()),
          contentType: response.headers.get('content-type') ?? '',
          sha256: (response.headers.get('etag') ?? '').replaceAll('"', ''),
          requirementsVersion: Number(response.headers.get('fairlead-requirements-version')),
          status: response.headers.get('fairlead-report-status') ?? '',
        };
      }),
  };
};
