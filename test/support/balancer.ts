import { connect, createServer, type Socket } from 'node:net';

/** One address for several instances, as a cluster's service has: who was taken out gets no new connection. */
export interface Balancer {
  add(port: number): void;
  remove(port: number): void;
  close(): Promise<void>;
}

export const balancer = async (port: number): Promise<Balancer> => {
  let targets: readonly number[] = [];
  let turn = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = targets[(turn += 1) % targets.length];
    if (target === undefined) return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port: target });
    client.pipe(upstream).pipe(client);
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    add: (target) => void (targets = [...targets, target]),
    remove: (target) => void (targets = targets.filter((each) => each !== target)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
