import type { Api } from '../platform/service';
import { sha256Hex } from '../platform/canonical';
import { query } from '../platform/postgres';
import { call, excerptOf, type Called } from './call';
import type { Clock } from './clock';
import { headersOf, type Contract } from './contract';
import type { Send } from './draft';
import type { Attempted, Message } from './messages';
import { judgeResponse } from './outcome';
import type { Pace } from './pace';
import { requestRef } from './state';
import { databaseNow } from './store';

export interface PerformDeps {
  readonly contract: (tenant: string, connector: string) => Contract | null;
  readonly pace: Pace;
  readonly clock: Clock;
}

type End = Pick<Attempted, 'outcome' | 'code' | 'httpStatus' | 'body'>;

const notSent = (code: string): End => ({ outcome: 'not_sent', code, httpStatus: null, body: null });

const endOf = (contract: Contract, called: Called): End => {
  switch (called.kind) {
    case 'not_sent':
      return notSent(called.code);
    case 'lost':
      return { outcome: 'unknown', code: called.code, httpStatus: null, body: null };
    case 'answered': {
      const { outcome, code } = judgeResponse(contract.outcome, called.answer);
      return { outcome, code, httpStatus: called.answer.status, body: excerptOf(called.answer.body) };
    }
  }
};

const bytesOf = async (send: Send, api: Api<Message>): Promise<Buffer | null> => {
  if (send.bytes !== null) return send.bytes;
  const [row] = await query<{ bytes: Buffer }>(api.pool, 'SELECT bytes FROM blobs WHERE ref = $1', [
    requestRef(send.actionKey),
  ]);
  return row !== undefined && sha256Hex(row.bytes) === send.sha256 ? row.bytes : null;
};

/** All attempts of an action are one trace, whoever makes them and whenever. */
const traceparentOf = (send: Send): string =>
  `00-${sha256Hex(send.actionKey).slice(0, 32)}-${sha256Hex(`${send.actionKey}/${send.number}`).slice(0, 16)}-01`;

/** Makes one recorded attempt. Whatever stands in the way before the first byte is `not_sent`, and only that (E2, E3). */
const attempt = async (deps: PerformDeps, send: Send, api: Api<Message>): Promise<End> => {
  const contract = deps.contract(send.tenant, send.connector);
  if (contract === null) return notSent('connector_gone');
  const headers = headersOf(contract, process.env);
  if (headers === null) return notSent('header_missing');
  let written = false;
  const mayWrite = (): boolean => {
    written = (deps.clock.peek() ?? Number.POSITIVE_INFINITY) < send.sendBy;
    return written;
  };
  try {
    return await deps.pace.within(send.connector, contract.concurrency, async () => {
      const body = await bytesOf(send, api);
      if (body === null) return notSent('sealed_bytes_missing');
      if (api.stopping() || (await deps.clock.now(() => databaseNow(api.pool))) >= send.sendBy)
        return notSent('send_by_passed');
      const called = await call({
        method: send.method,
        url: send.url,
        headers: {
          ...headers,
          'content-type': 'application/json',
          [contract.submit.idempotencyHeader.toLowerCase()]: send.actionKey,
          'fairlead-operation': send.operation,
          traceparent: traceparentOf(send),
        },
        body,
        timeoutMs: send.timeoutMs,
        allow: contract.allowAddresses,
        mayWrite,
      });
      return endOf(contract, called);
    });
  } catch (error) {
    api.log.warn({ err: error, actionKey: send.actionKey }, 'an attempt ended in an error of its sender');
    return written
      ? { outcome: 'unknown', code: 'sender_error', httpStatus: null, body: null }
      : notSent('sender_error');
  }
};

export const performer =
  (deps: PerformDeps) =>
  async (send: Send, api: Api<Message>): Promise<void> => {
    const end = await attempt(deps, send, api);
    const { actionKey, runId, number } = send;
    await api.submit({ type: 'attempted', actionKey, runId, number, ...end });
  };
