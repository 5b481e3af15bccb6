import type { FastifyReply } from 'fastify';

/** Proxies cut silent connections; most of them after 60 s or more. */
const commentEveryMs = 15_000;
/** A reader that is this far behind when more comes is let go; it comes back with its cursor and misses nothing. */
const maxPendingBytes = 1024 * 1024;
/** A reader that takes nothing at all for this long is gone, whatever its socket says. */
const maxStallMs = 60_000;

export interface StreamEvent {
  /** The cursor a reader comes back with. */
  readonly id: string;
  readonly event: string;
  /** JSON text; it has no line breaks of its own, so one data line is always enough. */
  readonly data: string;
}

/** One client that listens (server-sent events). */
export interface EventStream {
  /** Never waits; false once the reader is gone. */
  readonly send: (event: StreamEvent) => boolean;
  /** Resolves when the reader has taken enough for more to be read for it, or is gone. */
  readonly drained: () => Promise<void>;
  readonly isOpen: () => boolean;
  readonly onClose: (then: () => void) => void;
  /** Ends it from this side, after what was sent has gone out. */
  readonly end: () => void;
}

export const openEventStream = (reply: FastifyReply): EventStream => {
  reply.hijack();
  const { raw } = reply;
  const closers = new Set<() => void>();
  let open = true;
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  raw.write(': connected\n\n');
  const comment = setInterval(() => write(':\n\n'), commentEveryMs);
  const closed = (): void => {
    if (!open) return;
    open = false;
    clearInterval(comment);
    for (const close of closers) close();
    closers.clear();
  };
  const drop = (): void => {
    raw.destroy();
    closed();
  };
  raw.on('close', closed);
  raw.on('error', closed);
  const write = (text: string): boolean => {
    if (open && raw.writableLength > maxPendingBytes) drop();
    if (open) raw.write(text);
    return open;
  };
  return {
    send: ({ id, event, data }) => write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`),
    drained: () =>
      new Promise((resolve) => {
        if (!open || !raw.writableNeedDrain) return resolve();
        const done = (): void => {
          clearTimeout(stalled);
          raw.off('drain', done);
          closers.delete(done);
          resolve();
        };
        const stalled = setTimeout(drop, maxStallMs);
        raw.on('drain', done);
        closers.add(done);
      }),
    isOpen: () => open,
    onClose: (then) => {
      if (open) closers.add(then);
      else then();
    },
    end: () => {
      if (open) raw.end();
    },
  };
};
