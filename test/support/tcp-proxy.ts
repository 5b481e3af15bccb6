import { connect, createServer, type Socket } from 'node:net';

/**
 * `pass` forwards; `refuse` ends connections old and new; `stall` accepts and forwards nothing; `mute` brings requests
 * to the server and keeps its replies back.
 */
type Mode = 'pass' | 'refuse' | 'stall' | 'mute';

export interface TcpProxy {
  readonly port: number;
  readonly address: string;
  readonly set: (mode: Mode) => void;
  /** Ends every connection there is; new ones follow the mode. */
  readonly cut: () => void;
  /** Every connection there is stays open and is silent for ever, as behind a gateway that forgot it; new ones follow the mode. */
  readonly strand: () => void;
  /** Connections that are not stranded. */
  readonly live: () => number;
  /** Ends a connection in place of forwarding the next reply that holds this text; resolves when that happened. */
  readonly cutOnReply: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Stands between a service and one server, and fails the way networks do. */
export const tcpProxy = async (target: { readonly host: string; readonly port: number }): Promise<TcpProxy> => {
  let mode: Mode = 'pass';
  let trap: { readonly text: string; readonly sprung: () => void } | null = null;
  const pairs = new Set<readonly [Socket, Socket]>();
  const stranded = new Set<readonly [Socket, Socket]>();

  const server = createServer((client) => {
    if (mode === 'refuse') return void client.destroy();
    const upstream = connect(target);
    const pair = [client, upstream] as const;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
      stranded.delete(pair);
    };
    pairs.add(pair);
    client.on('data', (chunk) => {
      if (mode !== 'stall' && !stranded.has(pair)) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (stranded.has(pair)) return;
      if (trap !== null && chunk.includes(trap.text)) {
        const { sprung } = trap;
        trap = null;
        end();
        return sprung();
      }
      if (mode === 'pass') client.write(chunk);
    });
    for (const socket of pair) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    port,
    address: `127.0.0.1:${port}`,
    set: (next) => {
      mode = next;
      if (next === 'refuse') cut();
    },
    cut,
    strand: () => pairs.forEach((pair) => stranded.add(pair)),
    live: () => pairs.size - stranded.size,
    cutOnReply: (text) => new Promise((resolve) => (trap = { text, sprung: resolve })),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The same URL by way of the proxy. */
export const through = (url: string, proxy: TcpProxy): string => {
  const copy = new URL(url);
  copy.hostname = '127.0.0.1';
  copy.port = String(proxy.port);
  return copy.href;
};

export const targetOf = (url: string): { readonly host: string; readonly port: number } => {
  const { hostname, port } = new URL(url.includes('://') ? url : `tcp://${url}`);
  return { host: hostname, port: Number(port) };
};
