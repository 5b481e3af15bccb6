import { createServer, type Server } from 'node:http';

/** The remote of the benchmark: acts once per request and counts per key, so that doing something twice shows. */
export interface Stub {
  readonly server: Server;
  readonly perKey: () => Record<string, number>;
  /** Requests that were taken and are not answered yet. */
  readonly active: () => number;
  readonly reset: (delayMs: number) => void;
}

export const startStub = (port: number): Promise<Stub> => {
  const effects = new Map<string, number>();
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
    if (request.method === 'GET') return effects.has(key) ? answer(200, { state: 'done' }) : answer(404, {});
    request.resume();
    request.on('end', () => {
      effects.set(key, (effects.get(key) ?? 0) + 1);
      active += 1;
      const done = (): void => {
        active -= 1;
        answer(200, { ok: true });
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
        perKey: () => {
          const counts: Record<string, number> = {};
          for (const n of effects.values()) counts[n] = (counts[n] ?? 0) + 1;
          return counts;
        },
        reset: (next) => {
          effects.clear();
          delayMs = next;
        },
      }),
    );
  });
};
