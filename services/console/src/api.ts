/** A "no" of a service, with its stable code. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly field: string | null,
    detail: string,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(detail);
  }
}

/** The session ended: the shell shows the sign-in again. */
export const signedOut = new EventTarget();

const read = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  const text = await response.text();
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    body = { detail: text.slice(0, 200) };
  }
  if (response.status === 401 && !response.url.endsWith('/session')) signedOut.dispatchEvent(new Event('out'));
  const field = typeof body['field'] === 'string' ? body['field'] : null;
  throw new Refused(
    response.status,
    String(body['code'] ?? response.status),
    field,
    String(body['detail'] ?? body['title'] ?? 'refused'),
    body,
  );
};

const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init });
  } catch {
    throw new Refused(0, 'unreachable', null, 'nothing answers at this address right now', {});
  }
  return read(response);
};

export const get = async <T>(path: string): Promise<T> => (await (await request(path)).json()) as T;

export const bytesOf = async (path: string): Promise<{ readonly bytes: Uint8Array; readonly headers: Headers }> => {
  const response = await request(path);
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
};

export const send = async <T>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<T | null> => {
  const response = await request(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return text === '' ? null : (JSON.parse(text) as T);
};

export const post = async <T>(path: string, body?: unknown): Promise<T> => (await send<T>('POST', path, body)) as T;

export const part = encodeURIComponent;

/** Names a submission, so that sending it again after a lost answer is the same submission. */
export const newId = (prefix: string): string => {
  const random = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}-${[...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

export const wordsOf = (error: unknown): string => {
  if (error instanceof Refused)
    return error.code === 'unreachable'
      ? error.message
      : `${error.message} (${error.code}${error.field === null ? '' : `: ${error.field}`})`;
  return error instanceof Error ? error.message : String(error);
};
