import type { Pool } from 'pg';
import { setting } from '../platform/environment';
import { query } from '../platform/postgres';
import type { Api } from '../platform/service';
import { sign, signatureHeader } from '../platform/signature';
import type { Deliver } from './decide-reports';
import type { AnyMessage, Told } from './messages';
import { toldKinds } from './webhook';
import { steadyMs, wallMs } from '../platform/clocks';

/** Events told by one work, so that a long backlog gives way to others. */
const maxAtOnce = 20;
const timeoutMs = 10_000;
/** After this no further one is begun: with the time-out it stays inside the lease, so that nobody else tells beside it. */
const workMs = 40_000;
const statusMeansTaken = (status: number): boolean => status >= 200 && status < 300;

export interface Hook {
  readonly url: string;
  readonly secretEnv: string;
}

interface Due {
  readonly seq: number;
  readonly kind: string;
  readonly event_id: string;
  readonly at: Date;
  readonly item: string;
}

const dueOf = (pool: Pool, stream: string, after: number): Promise<Due[]> =>
  query<Due>(
    pool,
    `SELECT seq::int AS seq, kind, event_id, at, item FROM timeline
      WHERE stream = $1 AND seq > $2 AND kind = ANY($3::text[]) ORDER BY seq LIMIT $4`,
    [stream, after, toldKinds, maxAtOnce],
  );

/** One signed request; a redirect is an answer like any other, and followed nowhere. */
export const postTo = async (url: string, secret: string, body: Buffer<ArrayBuffer>): Promise<number> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [signatureHeader]: sign(secret, Math.floor(wallMs() / 1_000), body),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  return response.status;
};

/** Null when it was taken, else why not. The item goes out as the bytes it is kept in. */
const post = async (hook: Hook, due: Due): Promise<string | null> => {
  try {
    const secret = setting(process.env, hook.secretEnv);
    if (secret === undefined) return `${hook.secretEnv} is not set`;
    const body = Buffer.from(
      `{"eventId":${JSON.stringify(due.event_id)},"kind":${JSON.stringify(due.kind)},"item":${due.item}}`,
    );
    const status = await postTo(hook.url, secret, body);
    return statusMeansTaken(status) ? null : `status ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Tells what is next, one after the other, and brings back how far it came. */
export const deliverer =
  (hookOf: (tenant: string) => Hook | null) =>
  async (work: Deliver, api: Api<AnyMessage>): Promise<void> => {
    const { tenant, stream, after } = work;
    const hook = hookOf(tenant);
    let upTo = after;
    let failed: Told['failed'] = null;
    const due = await dueOf(api.pool, stream, after);
    const begun = steadyMs();
    for (const one of due) {
      if (api.stopping() || steadyMs() - begun > workMs) break;
      // Without a webhook any more there is nobody to tell.
      const why = hook === null ? null : await post(hook, one);
      if (why !== null) {
        failed = { seq: one.seq, eventId: one.event_id, at: one.at.getTime(), why };
        break;
      }
      upTo = one.seq;
    }
    await api.submit({ type: 'told', stream, upTo, failed });
  };
