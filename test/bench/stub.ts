import { createServer, type Server } from 'node:http';

/** The remote of the benchmark: acts once per request and counts per key, so that doing something twice shows. */
export interface Stub {
  readonly server: Server;
  readonly perKey: () => Record<string, number>;
  /** Requests that were taken and are not answered yet. */
  readonly active: () => number;
  readonly reset: (delayMs: number) => void;
  /** While it is broken each effect happens, but its answer is an error, and it gives no receipts. */
  readonly breakDown: (broken: boolean) => void;
  /** The most receipts that were asked for in any one second. */
  readonly mostAskedPerSec: () => number;
  /** When each key's effect happened, ms of `performance.now()`. */
  readonly actedAt: () => ReadonlyMap<string, number>;
}

export const startStub = (port: number): Promise<Stub> => {
  const effects = new Map<string, number>();
  const acted = new Map<string, number>();
  const asked = new Map<number, number>();
  let broken = false;
  let delayMs = 0;
  let active = 0;
  const server = createServer((request, response) => {
    const key = decodeURIComponent(
      (request.headers['idempotency-key'] as string | undefined) ?? request.url?.split('/').at(-1) ?? '',
    );
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method === 'GET') {
      const second = Math.floor(performance.now() / 1_000);
      asked.set(second, (asked.get(second) ?? 0) + 1);
      if (broken) return answer(503, {});
      return effects.has(key) ? answer(200, { state: 'done' }) : answer(404, {});
    }
    request.resume();
    request.on('end', () => {
      effects.set(key, (effects.get(key) ?? 0) + 1);
      acted.set(key, performance.now());
      active += 1;
      const done = (): void => {
        active -= 1;
        if (broken) answer(500, {});
        else answer(200, { ok: true });
      };
      if (delayMs === 0) done();
      else setTimeout(done, delayMs);
    });
  });
  server.keepAliveTimeout = 75_000;
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () =>
      resolve({
        server,
        active: () => active,
        breakDown: (next) => {
          broken = next;
          asked.clear();
        },
        mostAskedPerSec: () => Math.max(0, ...asked.values()),
        actedAt: () => acted,
        perKey: () => {
          const counts: Record<string, number> = {};
          for (const n of effects.values()) counts[n] = (counts[n] ?? 0) + 1;
          return counts;
        },
        reset: (next) => {
          effects.clear();
          acted.clear();
          asked.clear();
          delayMs = next;
        },
      }),
    );
  });
};
