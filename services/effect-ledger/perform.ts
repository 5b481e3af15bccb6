import type { Api } from '../platform/service';
import { failpoint } from '../platform/failpoints';
import { sha256Hex } from '../platform/canonical';
import { query } from '../platform/postgres';
import { excerptOf, type Called } from './call';
import type { Clock } from './clock';
import type { Contract } from './contract';
import type { Outside, Send, SendCancel } from './draft';
import type { Attempted, CancelAnswered, Message } from './messages';
import { judgeResponse } from './outcome';
import type { Pace } from './pace';
import { requestRef } from './state';
import { databaseNow } from './store';
import type { Transport } from './transport';

export interface PerformDeps {
  readonly contract: (tenant: string, connector: string) => Contract | null;
  readonly transport: Transport;
  readonly pace: Pace;
  readonly clock: Clock;
}

type End = Pick<Attempted, 'outcome' | 'code' | 'httpStatus' | 'body' | 'headers'>;

const ended = (outcome: End['outcome'], code: string): End => ({
  outcome,
  code,
  httpStatus: null,
  body: null,
  headers: null,
});
const notSent = (code: string): End => ended('not_sent', code);

const endOf = (contract: Contract, called: Called): End => {
  switch (called.kind) {
    case 'not_sent':
      return notSent(called.code);
    case 'lost':
      return ended('unknown', called.code);
    case 'answered': {
      const { outcome, code } = judgeResponse(contract.outcome, called.answer);
      const { status, body, headers = {} } = called.answer;
      return { outcome, code, httpStatus: status, body: excerptOf(body), headers };
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
const traceparentOf = (send: { readonly actionKey: string; readonly number: number }): string =>
  `00-${sha256Hex(send.actionKey).slice(0, 32)}-${sha256Hex(`${send.actionKey}/${send.number}`).slice(0, 16)}-01`;

const subjectOf = (actionKey: string): string => actionKey.split(':').at(-2) ?? '';

/** Makes one recorded attempt. Whatever stands in the way before the first byte is `not_sent`, and only that (E2, E3). */
const attempt = async (deps: PerformDeps, send: Send, api: Api<Message>): Promise<End> => {
  const contract = deps.contract(send.tenant, send.connector);
  if (contract === null) return notSent('connector_gone');
  let written = false;
  const mayWrite = (): boolean => {
    written = (deps.clock.peek() ?? Number.POSITIVE_INFINITY) < send.sendBy;
    return written;
  };
  try {
    await failpoint('attempt.recorded');
    const leftMs = send.sendBy - (await deps.clock.now(() => databaseNow(api.pool)));
    if (leftMs <= 0) return notSent('send_by_passed');
    const done = await deps.pace.within(contract, leftMs, async () => {
      const body = await bytesOf(send, api);
      if (body === null) return notSent('sealed_bytes_missing');
      if (api.stopping() || (await deps.clock.now(() => databaseNow(api.pool))) >= send.sendBy)
        return notSent('send_by_passed');
      const { actionKey, operation, timeoutMs } = send;
      const called = await deps.transport(contract, 'submit', {
        actionKey,
        operation,
        subject: subjectOf(actionKey),
        body,
        target: { method: send.method, url: send.url },
        traceparent: traceparentOf(send),
        timeoutMs,
        mayWrite,
      });
      await failpoint('attempt.answered');
      return endOf(contract, called);
    });
    return done ?? notSent('no_turn_in_time');
  } catch (error) {
    api.log.warn({ err: error, actionKey: send.actionKey }, 'an attempt ended in an error of its sender');
    return written ? ended('unknown', 'sender_error') : notSent('sender_error');
  }
};

const cancelled = (called: Called): Pick<CancelAnswered, 'outcome' | 'httpStatus'> => {
  if (called.kind !== 'answered') return { outcome: 'lost', httpStatus: null };
  const { status } = called.answer;
  if (status >= 200 && status < 300) return { outcome: 'accepted', httpStatus: status };
  // What the remote may think better of is asked again; anything else is its answer.
  return { outcome: status >= 500 || status === 429 ? 'lost' : 'refused', httpStatus: status };
};

const cancel = async (deps: PerformDeps, send: SendCancel, api: Api<Message>): Promise<CancelAnswered> => {
  const { actionKey, operation, subject, sendBy } = send;
  const lost = { outcome: 'lost', httpStatus: null } as const;
  const contract = deps.contract(send.tenant, send.connector);
  const told = async (): Promise<Pick<CancelAnswered, 'outcome' | 'httpStatus'>> => {
    if (contract === null) return lost;
    const now = await deps.clock.now(() => databaseNow(api.pool));
    const done = await deps.pace.within(contract, Math.max(0, sendBy - now), async () =>
      cancelled(
        await deps.transport(contract, 'cancel', {
          actionKey,
          operation,
          subject,
          body: null,
          target: null,
          traceparent: traceparentOf(send),
          timeoutMs: contract.submit.timeoutMs,
          mayWrite: () => (deps.clock.peek() ?? Number.POSITIVE_INFINITY) < sendBy,
        }),
      ),
    );
    return done ?? lost;
  };
  return { type: 'cancel_answered', actionKey, ...(await told().catch(() => lost)) };
};

export const performer =
  (deps: PerformDeps) =>
  async (work: Outside, api: Api<Message>): Promise<void> => {
    if (work.kind === 'cancel') {
      await api.submit(await cancel(deps, work, api));
      return;
    }
    const end = await attempt(deps, work, api);
    const { actionKey, runId, number } = work;
    await api.submit({ type: 'attempted', actionKey, runId, number, ...end });
    await failpoint('attempt.settled');
  };
