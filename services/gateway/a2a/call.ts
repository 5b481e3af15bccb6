import type { IncomingHttpHeaders } from 'node:http';
import { A2A_VERSION_HEADER } from '@a2a-js/sdk';
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

/** Of this protocol version a stream says by itself which event is its last, and a send does not wait unless told to. */
export const isLegacy = (context: ServerCallContext): boolean => context.requestedVersion.startsWith('0.');
