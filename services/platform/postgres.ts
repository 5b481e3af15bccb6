import { Client, DatabaseError, Pool, type ClientConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { Logger } from './log';
import { classify, Transient } from './errors';
import { backoffMs, pause } from './pause';
import { steadyMs } from './clocks';

/** Bound for one statement; a handler that needs longer is a defect, not a reason to hold locks. */
const statementTimeoutMs = 30_000;
/** A process that stands still in a transaction keeps its locks no longer than this: others wait for them. */
const abandonedAfterSec = 15;
/** By our own clock, for a server that is connected and says nothing any more. */
const silentAfterMs = 40_000;
const connectTimeoutMs = 5_000;
/** How long a lost COMMIT is asked about before the batch is given back as transient. */
const commitLookupMs = 30_000;

export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

const config = (url: string, application: string): ClientConfig => ({
  connectionString: url,
  application_name: application,
  connectionTimeoutMillis: connectTimeoutMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: silentAfterMs,
  keepAlive: true,
});

/** Reads for HTTP, timers and operators. Small on purpose: the sum over all services must fit the server. */
export const openPool = (url: string, application: string, log: Logger, max = 3): Pool => {
  const pool = new Pool({ ...config(url, application), max, idleTimeoutMillis: 60_000 });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  return pool;
};

export const query = async <R extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> => (await pool.query<R>(text, values as unknown[])).rows;

/** Waits for the database and for what `fairlead migrate` makes in it. */
export const untilMigrated = async (pool: Pool, log: Logger, stopping: () => boolean): Promise<void> => {
  for (let tries = 0; !stopping(); tries += 1) {
    try {
      await query(pool, 'SELECT 1 FROM process_marks LIMIT 1');
      return;
    } catch (error) {
      if (tries % 10 === 0) log.warn({ err: error }, 'waiting for the database and its migrations');
      await pause(backoffMs(tries, 200, 3_000));
    }
  }
};

/**
 * A connection of one's own that sends several statements without waiting in between: BEGIN, claim and locks in one
 * round trip, saves and COMMIT in the next. Reconnects with the next transaction after a loss.
 */
export interface Pipe {
  /** Sends BEGIN and what is given. */
  begin(statements: readonly Statement[]): Promise<QueryResult[]>;
  /**
   * Sends more of the transaction. On another connection than it began on there is no transaction: each statement would
   * be committed by itself, without locks, so after a loss this throws what is transient.
   */
  burst(statements: readonly Statement[]): Promise<QueryResult[]>;
  /** Sends saves and COMMIT; a COMMIT whose answer was lost is settled by reading the transaction's status (A5). */
  commit(statements: readonly Statement[], xid: string): Promise<QueryResult[]>;
  rollback(): Promise<void>;
  close(): Promise<void>;
}

const settleAll = async (pending: readonly Promise<QueryResult>[]): Promise<QueryResult[]> => {
  const results = await Promise.allSettled(pending);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<QueryResult>).value);
};

/** Only an answer of the server says that a statement failed; whatever else went wrong, its outcome is unknown. */
const connectionLost = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || /^(57P|08)/.test(error.code ?? '08');

/** One write to the socket for all that is sent in `send`: a system call a statement was a tenth of a service's CPU. */
const together = <T>(client: Client, send: () => T): T => {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
};

export const openPipe = (url: string, application: string, log: Logger): Pipe => {
  let client: Client | null = null;
  /** The connection of the open transaction. */
  let open: Client | null = null;
  let closed = false;

  const connect = async (): Promise<Client> => {
    if (client !== null) return client;
    if (closed) throw new Transient('the database connection is closed');
    const fresh = new Client({ ...config(url, application), pipeline: true } as ClientConfig);
    fresh.on('error', (error) => {
      log.warn({ err: error }, 'the write connection was lost');
      if (client === fresh) client = null;
    });
    fresh.on('end', () => {
      if (client === fresh) client = null;
    });
    await fresh.connect();
    // All statements here find their rows by key. A plan made while the tables are still empty must not stay a scan.
    await fresh.query(
      `SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET idle_in_transaction_session_timeout = '${abandonedAfterSec}s'`,
    );
    // Documents are written again and again: the older compression took more of the server's time than the writing.
    await fresh.query(
      "SELECT set_config('default_toast_compression', 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)",
    );
    client = fresh;
    return fresh;
  };

  const drop = async (): Promise<void> => {
    const lost = client;
    client = null;
    // The server ends the open transaction with the connection; waiting for its goodbye would only delay the retry.
    if (lost !== null) void lost.end().catch(() => undefined);
  };

  const send = async (on: Client, statements: readonly Statement[]): Promise<QueryResult[]> => {
    try {
      return await settleAll(
        together(on, () =>
          statements.map((statement) => on.query({ ...statement, values: statement.values as unknown[] })),
        ),
      );
    } catch (error) {
      if (connectionLost(error)) await drop();
      throw error;
    }
  };

  const inTransaction = (): Client => {
    if (open === null || open !== client) throw new Transient('the connection of the transaction was lost');
    return open;
  };

  const committed = async (xid: string): Promise<boolean> => {
    const deadline = steadyMs() + commitLookupMs;
    for (let pauseMs = 50; steadyMs() < deadline; pauseMs = Math.min(pauseMs * 2, 2_000)) {
      try {
        const [result] = await send(await connect(), [
          { text: 'SELECT pg_xact_status($1::xid8) AS status', values: [xid] },
        ]);
        const status = result?.rows[0]?.status as string | null | undefined;
        if (status === 'committed') return true;
        if (status !== 'in progress') return false;
      } catch (error) {
        log.warn({ err: error }, 'asking whether the last commit went through');
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    throw new Transient(`the outcome of transaction ${xid} is still unknown`);
  };

  return {
    begin: async (statements) => {
      open = await connect();
      const [, ...results] = await send(open, [{ text: 'BEGIN' }, ...statements]);
      return results;
    },
    burst: async (statements) => send(inTransaction(), statements),
    commit: async (statements, xid) => {
      const on = inTransaction();
      try {
        return await send(on, [...statements, { text: 'COMMIT' }]);
      } catch (error) {
        if (!connectionLost(error)) throw error;
        if (await committed(xid)) return [];
        // A value that cannot be sent at all is no trouble that passes.
        throw classify(error) === 'transient' ? new Transient('the transaction was not committed', error) : error;
      }
    },
    rollback: async () => {
      if (client === null) return;
      try {
        await send(client, [{ text: 'ROLLBACK' }]);
      } catch {
        await drop();
      }
    },
    close: async () => {
      closed = true;
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
};
