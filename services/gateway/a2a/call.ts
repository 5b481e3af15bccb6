import type { IncomingHttpHeaders } from 'node:http';
import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import {
  STATE_HEADERS_KEY,
  UnauthenticatedUser,
  defaultServerCallContextBuilder,
  type ServerCallContext,
} from '@a2a-js/sdk/server';

/** What one request of an A2A client is done with. */
export interface Call {
  /** Passed on to the owners as it came; they decide what it may see. */
  readonly authorization: string;
  readonly account: string;
  /** Where the client reached this gateway, for the addresses in the agent card. */
  readonly origin: string;
  /** Tasks referred to where the form of the request has no field that the SDK would read. */
  references: readonly string[];
  /** A message is a new one each time it is sent, although its id was used before. */
  readonly newIdentity: boolean;
  /** Fires when the client has gone or this gateway stops. */
  readonly signal: AbortSignal;
}

/** The SDK hands its handlers the request's headers and nothing else of the request, so a call is found again by them. */
const calls = new WeakMap<object, Call>();

export const remember = (headers: IncomingHttpHeaders, call: Call): void => void calls.set(headers, call);

export const callAt = (headers: unknown): Call => {
  const call = typeof headers === 'object' && headers !== null ? calls.get(headers) : undefined;
  if (call === undefined) throw new Error('a request came without its call');
  return call;
};

export const callOf = (context: ServerCallContext): Call => callAt(context.state.get(STATE_HEADERS_KEY));

export const contextOf = (headers: IncomingHttpHeaders): ServerCallContext => {
  const version = headers[A2A_VERSION_HEADER.toLowerCase()];
  return defaultServerCallContextBuilder({
    extensions: undefined,
    user: new UnauthenticatedUser(),
    headers,
    requestedVersion: typeof version === 'string' && version !== '' ? version : A2A_LEGACY_PROTOCOL_VERSION,
  });
};

const withoutPatch = /^(\d+\.\d+)\.\d+$/;

/**
 * The version a request is in, put where the SDK looks for it: what is asked for in the header or the query, of which
 * the patch number says nothing; without it the path tells, for only the later version's HTTP+JSON has no `v1` in it.
 */
export const settleVersion = (headers: IncomingHttpHeaders, url: string): void => {
  const name = A2A_VERSION_HEADER.toLowerCase();
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const asked = headers[name] ?? searchParams.get(A2A_VERSION_HEADER);
  if (typeof asked === 'string') headers[name] = withoutPatch.exec(asked.trim())?.[1] ?? asked.trim();
  else if (/^\/a2a\/(?!v1\/|\.well-known\/).+/.test(pathname)) headers[name] = A2A_PROTOCOL_VERSION;
};

/** Of this protocol version a stream says by itself which event is its last, and a send does not wait unless told to. */
export const isLegacy = (context: ServerCallContext): boolean => context.requestedVersion.startsWith('0.');
