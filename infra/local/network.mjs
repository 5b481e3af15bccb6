// Ports and readiness of local servers, asked in each server's own protocol where that is cheap.
import { connect, createServer } from 'node:net';

const probeTimeoutMs = 2_000;
const portsTried = 400;
const loopback = '127.0.0.1';

export const isPortFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });

const freesMs = 3_000;

/** A port whose process has just died may be held for a moment longer, by a child of it that is still ending. */
export const becomesFree = async (port) => {
  for (const deadline = Date.now() + freesMs; ;) {
    if (await isPortFree(port)) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: loopback }, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A base with `span` free ports above it, below the range the system hands out by itself. */
export const freePortBase = async (span, from = 20_000, to = 32_000) => {
  for (let tried = 0; tried < portsTried; tried += 1) {
    const base = from + Math.floor(Math.random() * ((to - from) / span)) * span;
    const free = await Promise.all(Array.from({ length: span }, (_, index) => isPortFree(base + index)));
    if (free.every(Boolean)) return base;
  }
  throw new Error(`no ${span} free ports in a row between ${from} and ${to}`);
};

/** Sends `request` and resolves with what `answer` makes of the first bytes; false when nothing useful came. */
const exchange = (port, request, answer) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: loopback });
    const finish = (result) => {
      socket.destroy();
      resolve(result);
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(probeTimeoutMs, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const result = answer(received);
      if (result !== undefined) finish(result);
    });
  });

/** Metadata v4 for no topic: ready when the broker lists itself. */
export const kafkaReady = (port) => {
  const client = Buffer.from('fairlead-probe');
  const request = Buffer.alloc(4 + 2 + 2 + 4 + 2 + client.length + 4 + 1);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(3, 4);
  request.writeInt16BE(4, 6);
  request.writeInt32BE(1, 8);
  request.writeInt16BE(client.length, 12);
  client.copy(request, 14);
  return exchange(port, request, (bytes) => (bytes.length < 16 ? undefined : bytes.readInt32BE(12) > 0));
};

/** A start-up message is answered by a request for the password once connections are taken. */
export const postgresReady = (port) => {
  const body = Buffer.from('\0\x03\0\0user\0fairlead\0database\0postgres\0\0', 'latin1');
  const request = Buffer.alloc(4 + body.length);
  request.writeInt32BE(request.length, 0);
  body.copy(request, 4);
  return exchange(port, request, (bytes) => bytes.subarray(0, 1).toString('latin1') === 'R');
};

export const redisReady = (port) =>
  exchange(port, 'PING\r\n', (bytes) => (bytes.length < 5 ? undefined : bytes.toString('latin1').startsWith('+PONG')));

export const httpReady = async (url) => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
};
