import { readFileSync } from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';

/** Account of commands given without FAIRLEAD_TOKEN: the one person of a local stack. */
export const localAccount = process.env['FAIRLEAD_ACCOUNT'] ?? 'alice';
const tokenHours = 24;

export interface TokenRequest {
  readonly account: string;
  readonly roles: readonly string[];
  readonly app: string;
  readonly tenant: string;
}

/** Signs a token with the local stack's own key; other installations bring FAIRLEAD_TOKEN. */
export const localToken = async (request: TokenRequest): Promise<string> => {
  const path = process.env['AUTH_PRIVATE_KEY_FILE'];
  let pem: string;
  try {
    pem = readFileSync(path ?? '', 'utf8');
  } catch {
    throw new Error('no local key: start the stack with npm start, or set FAIRLEAD_TOKEN');
  }
  return new SignJWT({ tenant: request.tenant, app: request.app, roles: [...request.roles] })
    .setProtectedHeader({ alg: 'ES256', ...(await keyId()) })
    .setSubject(request.account)
    .setIssuer(process.env['AUTH_ISSUER'] ?? 'fairlead-local')
    .setAudience(process.env['AUTH_AUDIENCE'] ?? 'fairlead')
    .setIssuedAt()
    .setExpirationTime(`${tokenHours}h`)
    .sign(createPrivateKey(pem));
};

/** The key set may hold several keys, so the token names its own. */
const keyId = async (): Promise<{ kid?: string }> => {
  const url = process.env['AUTH_JWKS_URL'];
  if (url === undefined || !url.startsWith('file:')) return {};
  const { keys } = JSON.parse(readFileSync(new URL(url), 'utf8')) as { keys: { kid?: string }[] };
  const kid = keys[0]?.kid;
  return Promise.resolve(kid === undefined ? {} : { kid });
};

/** An answer that was a "no": carries the stable code and the field for the person at the terminal. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    const field = typeof body['field'] === 'string' ? ` [${body['field']}]` : '';
    super(`${String(body['code'] ?? status)}${field}: ${String(body['detail'] ?? body['title'] ?? 'refused')}`);
  }
}

export interface Remote {
  get<T>(path: string): Promise<T>;
  bytes(path: string): Promise<{ readonly body: Buffer; readonly headers: Headers }>;
  post<T>(
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: T }>;
  stream(path: string, lastEventId: string | null, signal: AbortSignal): Promise<Response>;
}

export const connect = (
  roles: readonly string[] = [],
  account = localAccount,
  url = process.env['FAIRLEAD_URL'] ?? 'http://127.0.0.1:7400',
): Remote => {
  const base = url.replace(/\/$/, '');
  let token: Promise<string> | undefined;
  const bearer = async (): Promise<string> => {
    token ??=
      process.env['FAIRLEAD_TOKEN'] === undefined
        ? localToken({ account, roles, app: 'local', tenant: 'local' })
        : Promise.resolve(process.env['FAIRLEAD_TOKEN']);
    return `Bearer ${await token}`;
  };
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(base + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string> | undefined), authorization: await bearer() },
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw error;
      if (error instanceof Error && error.message.startsWith('no local key')) throw error;
      throw new Error(`nothing answers at ${base}: is the stack up? (npm start)`);
    }
    if (response.ok) return response;
    const text = await response.text();
    let body: Record<string, unknown>;
    try {
      body = JSON.parse(text) as Record<string, unknown>;
    } catch {
      body = { detail: text.slice(0, 200) };
    }
    throw new Refused(response.status, body);
  };
  return {
    get: async <T>(path: string) => (await (await call(path)).json()) as T,
    bytes: async (path) => {
      const response = await call(path);
      return { body: Buffer.from(await response.arrayBuffer()), headers: response.headers };
    },
    post: async <T>(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const response = await call(path, {
        method: 'POST',
        ...(body === undefined
          ? { headers }
          : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
    stream: (path, lastEventId, signal) =>
      call(path, {
        signal,
        headers: { accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) },
      }),
  };
};
