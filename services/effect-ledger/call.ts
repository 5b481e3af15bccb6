import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { AddressNotAllowed, allowedLookup, classOf } from './addresses';
import type { AddressClass } from './contract';
import type { Answer } from './outcome';

/** What is read of an answer to judge it; a contract's JSON does not need more. */
const readBytes = 64 * 1024;
/** What is kept of it. */
export const excerptBytes = 2 * 1024;
/** Idle connections go before a usual server closes them, because a reset after the write would leave the outcome unknown. */
const idleMs = 4_000;
const maxSockets = 256;

const agents = {
  http: new http.Agent({ keepAlive: true, timeout: idleMs, maxSockets }),
  https: new https.Agent({ keepAlive: true, timeout: idleMs, maxSockets }),
};

/** What helps to find the request at the remote again; anything else of an answer's head is not kept. */
const keptHeaders = ['location', 'retry-after', 'date', 'etag', 'request-id', 'x-request-id', 'x-correlation-id'];
const maxHeaderCharacters = 500;

export const headersOfInterest = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value.slice(0, maxHeaderCharacters)]] : [];
    }),
  );

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** For connecting, and again for the answer. */
  readonly timeoutMs: number;
  readonly allow: ReadonlySet<AddressClass>;
  /** Asked with the connection up, directly before the first byte is written (E2). */
  readonly mayWrite: () => boolean;
}

export type Called =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Not one byte of the request has gone out. */
  | { readonly kind: 'not_sent'; readonly code: string }
  /** Something may have gone out, and no answer came back. */
  | { readonly kind: 'lost'; readonly code: string };

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code.toLowerCase() : 'connection_error';
};

export const excerptOf = (text: string): string => {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length <= excerptBytes
    ? text
    : bytes
        .subarray(0, excerptBytes)
        .toString('utf8')
        .replace(/\uFFFD+$/, '');
};

/**
 * One request, of which it is always known whether it may have gone out: headers and body are written only once the
 * connection stands and `mayWrite` has said yes. Redirects are answers like any other.
 */
export const call = async (request: Call): Promise<Called> => {
  const target = new URL(request.url);
  const secure = target.protocol === 'https:';
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !request.allow.has(classOf(host))) return { kind: 'not_sent', code: 'address_not_allowed' };

  return new Promise<Called>((resolve) => {
    let written = false;
    let timer: NodeJS.Timeout | undefined;
    const done = (called: Called): void => {
      clearTimeout(timer);
      resolve(called);
    };
    const failed = (code: string): void => done({ kind: written ? 'lost' : 'not_sent', code });
    const outgoing = (secure ? https : http).request(target, {
      method: request.method,
      agent: secure ? agents.https : agents.http,
      headers: { ...request.headers, ...(request.body === null ? {} : { 'content-length': request.body.length }) },
      lookup: allowedLookup(request.allow) as never,
    });
    const giveUp = (): void => {
      failed('timeout');
      outgoing.destroy();
    };
    timer = setTimeout(giveUp, request.timeoutMs);

    outgoing.on('error', (error) => failed(error instanceof AddressNotAllowed ? 'address_not_allowed' : codeOf(error)));
    outgoing.on('socket', (socket) => {
      const write = (): void => {
        if (socket.destroyed || outgoing.destroyed) return;
        // A name may resolve to an address of its own for the connection; the one that stands is the one that counts.
        const allowed = socket.remoteAddress !== undefined && request.allow.has(classOf(socket.remoteAddress));
        if (!allowed || !request.mayWrite()) {
          done({ kind: 'not_sent', code: allowed ? 'send_by_passed' : 'address_not_allowed' });
          outgoing.destroy();
          return;
        }
        written = true;
        clearTimeout(timer);
        timer = setTimeout(giveUp, request.timeoutMs);
        outgoing.end(request.body ?? undefined);
      };
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', write);
      else write();
    });
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes - chunk.length < readBytes) chunks.push(chunk);
      });
      response.on('end', () => {
        const body = Buffer.concat(chunks).subarray(0, readBytes).toString('utf8');
        const headers = headersOfInterest(response.headers);
        const status = response.statusCode ?? 0;
        done({ kind: 'answered', answer: { status, body, truncated: bytes > readBytes, headers } });
      });
      response.on('error', (error) => failed(codeOf(error)));
    });
  });
};
