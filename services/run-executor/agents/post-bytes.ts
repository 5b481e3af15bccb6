import * as http from 'node:http';
import * as https from 'node:https';
import { wallMs } from '../../platform/clocks';

export interface PostRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
}

export type PostOutcome =
  | { kind: 'response'; status: number; retryAfterMs: number | null; body: Buffer }
  | { kind: 'too_large'; status: number }
  | { kind: 'timeout' }
  | { kind: 'unreachable'; message: string }
  | { kind: 'aborted' };

const maxSockets = 256;
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets }),
  'https:': new https.Agent({ keepAlive: true, maxSockets }),
};

/**
 * One POST of exact bytes, bounded in time and size. Not fetch: its own time limits (300 s) are shorter than a turn
 * may take and cannot be changed without the undici package. Redirects are not followed.
 */
export const postBytes = async (request: PostRequest): Promise<PostOutcome> => {
  const outcome = await postOnce(request);
  // A server may close an idle connection just as it is used again; the bytes are the same, so asking again is safe.
  return outcome.kind === 'stale_connection' ? withoutStale(await postOnce(request)) : outcome;
};

type OnceOutcome = PostOutcome | { kind: 'stale_connection'; message: string };

const withoutStale = (outcome: OnceOutcome): PostOutcome =>
  outcome.kind === 'stale_connection' ? { kind: 'unreachable', message: outcome.message } : outcome;

const postOnce = (request: PostRequest): Promise<OnceOutcome> =>
  new Promise((resolve) => {
    if (request.signal.aborted) return resolve({ kind: 'aborted' });
    const url = new URL(request.url);
    const secure = url.protocol === 'https:';
    const sent = (secure ? https : http).request(url, {
      method: 'POST',
      agent: secure ? agents['https:'] : agents['http:'],
      headers: { ...request.headers, 'content-length': String(request.body.byteLength) },
    });
    const settle = (outcome: OnceOutcome) => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
      resolve(outcome);
      if (outcome.kind !== 'response') sent.destroy();
    };
    const onAbort = () => settle({ kind: 'aborted' });
    const timer = setTimeout(() => settle({ kind: 'timeout' }), request.timeoutMs);
    request.signal.addEventListener('abort', onAbort);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const stale = sent.reusedSocket && error.code === 'ECONNRESET';
      settle({ kind: stale ? 'stale_connection' : 'unreachable', message: error.message });
    });
    sent.on('response', (response) => collect(response, request.maxBytes, settle));
    sent.end(request.body);
  });

const collect = (response: http.IncomingMessage, maxBytes: number, settle: (outcome: PostOutcome) => void): void => {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) settle({ kind: 'too_large', status });
    else chunks.push(chunk);
  });
  response.on('error', (error) => settle({ kind: 'unreachable', message: error.message }));
  response.on('end', () => {
    const retryAfterMs = readRetryAfterMs(response.headers['retry-after'], wallMs());
    settle({ kind: 'response', status, retryAfterMs, body: Buffer.concat(chunks) });
  });
};

const retryAfterMaxMs = 10 * 60_000;

/** Seconds or an HTTP date; never more than the longest pause between two tries of a turn. */
export const readRetryAfterMs = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), retryAfterMaxMs);
};

/** JSON in valid UTF-8, or the reason why not. */
export const readJson = (body: Buffer): { ok: true; value: unknown } | { ok: false; message: string } => {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'not JSON' };
  }
};
