import { Redis } from 'ioredis';
import type { Logger } from './log';

/** Longer than any healthy answer on one network, short enough that nobody waits for a dead Redis (case 43). */
const commandTimeoutMs = 50;
const silentAfterMs = 2_000;
/** A connection that only listens, or has nothing to say, would never notice that nobody is there any more. */
const askEveryMs = 5_000;

/**
 * Redis makes things quick and is never needed: each call answers whether it worked, none throws, and everything that
 * goes through here has a slower way without it.
 */
export interface Hints {
  publish(channel: string, message: string): void;
  subscribe(channel: string, on: (message: string) => void): void;
  /** One more of a name that is forgotten after `ttlMs`; null while Redis is away. */
  count(name: string, ttlMs: number): Promise<number | null>;
  close(): void;
}

export const openHints = (url: string | null, prefix: string, log: Logger): Hints => {
  if (url === null)
    return {
      publish: () => undefined,
      subscribe: () => undefined,
      count: () => Promise.resolve(null),
      close: () => undefined,
    };
  const options = {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    socketTimeout: silentAfterMs,
    retryStrategy: (tries: number) => Math.min(100 * 2 ** tries, 3_000),
  };
  // Behind a Redis that hangs nothing may pile up.
  const commands = new Redis(url, options);
  // A subscription waits for ever by nature, so it has no command time-out; it resubscribes by itself after a loss.
  const listener = new Redis(url, {
    ...options,
    commandTimeout: 5_000,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
  });
  let down = false;
  const onError = (error: Error): void => {
    if (!down) log.warn({ err: error }, 'Redis is away; hints are found by polling until it is back');
    down = true;
  };
  for (const client of [commands, listener]) {
    client.on('error', onError);
    client.on('ready', () => {
      down = false;
    });
  }
  const asking = setInterval(() => {
    for (const client of [commands, listener])
      // A connection that does not answer is ended, and the next one subscribes anew.
      if (client.status === 'ready') client.ping().catch(() => undefined);
  }, askEveryMs);
  const handlers = new Map<string, ((message: string) => void)[]>();
  listener.on('message', (channel: string, message: string) => handlers.get(channel)?.forEach((on) => on(message)));
  return {
    publish: (channel, message) => {
      if (commands.status === 'ready') commands.publish(prefix + channel, message).catch(onError);
    },
    subscribe: (channel, on) => {
      const name = prefix + channel;
      const known = handlers.get(name);
      handlers.set(name, [...(known ?? []), on]);
      if (known === undefined) listener.subscribe(name).catch(onError);
    },
    count: async (name, ttlMs) => {
      if (commands.status !== 'ready') return null;
      try {
        const [counted] =
          (await commands
            .multi()
            .incr(prefix + name)
            .pexpire(prefix + name, ttlMs)
            .exec()) ?? [];
        return typeof counted?.[1] === 'number' ? counted[1] : null;
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
        return null;
      }
    },
    close: () => {
      clearInterval(asking);
      commands.disconnect();
      listener.disconnect();
    },
  };
};
