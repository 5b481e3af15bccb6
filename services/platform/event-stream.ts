import type { FastifyReply } from 'fastify';

/** Proxies cut silent connections; most of them after 60 s or more. */
const commentEveryMs = 15_000;
/** A reader this far behind is let go; it comes back with its cursor and misses nothing. */
const maxPendingBytes = 1024 * 1024;

export interface StreamEvent {
  /** The cursor a reader comes back with. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** One client that listens (server-sent events). Nothing here waits: a slow reader is disconnected instead. */
export interface EventStream {
  /** False once the reader is gone. */
  readonly send: (event: StreamEvent) => boolean;
  readonly isOpen: () => boolean;
  readonly onClose: (then: () => void) => void;
  /** Ends it from this side, after what was sent has gone out. */
  readonly end: () => void;
}

export const openEventStream = (reply: FastifyReply): EventStream => {
  reply.hijack();
  const { raw } = reply;
  const closers: (() => void)[] = [];
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
  };
  raw.on('close', closed);
  raw.on('error', closed);
  const write = (text: string): boolean => {
    if (!open) return false;
    raw.write(text);
    if (raw.writableLength > maxPendingBytes) {
      raw.destroy();
      closed();
    }
    return open;
  };
  return {
    // JSON has no line breaks of its own, so one data line is always enough.
    send: ({ id, event, data }) => write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    isOpen: () => open,
    onClose: (then) => {
      if (open) closers.push(then);
      else then();
    },
    end: () => {
      if (open) raw.end();
    },
  };
};
