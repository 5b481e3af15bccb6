import type { Socket } from 'node:net';
import { steadyMs, wallMs } from './clocks';

// How long kafkajs waits for a broker. It goes by the wall clock, and it keeps connections that nobody answers any more.

interface SentRequest {
  readonly requestTimeout: number;
  steadySentAt?: number;
  timeoutRequest(): void;
}

interface RequestQueue {
  readonly enforceRequestTimeout: boolean;
  readonly inflight: ReadonlyMap<number, SentRequest>;
  requestTimeoutIntervalId: NodeJS.Timeout;
  isConnected(): boolean;
  destroy(): void;
}

const lookEveryMs = 100;

/** A clock that is set back would let a request wait as much longer. */
const timeRequestsSteadily = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const SocketRequest = require('kafkajs/src/network/requestQueue/socketRequest') as {
    prototype: { send(this: SentRequest): void };
  };
  const send = SocketRequest.prototype.send;
  SocketRequest.prototype.send = function () {
    this.steadySentAt = steadyMs();
    send.call(this);
  };
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const Queue = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleRequestTimeoutCheck(this: RequestQueue): void };
  };
  Queue.prototype.scheduleRequestTimeoutCheck = function () {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(() => {
      for (const request of this.inflight.values())
        if (steadyMs() - (request.steadySentAt ?? steadyMs()) > request.requestTimeout) request.timeoutRequest();
      if (!this.isConnected()) this.destroy();
    }, lookEveryMs);
  };
};

/** The same for heartbeats: a member that sends none is put out of its group and does not notice. */
const beatAfterSetBack = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as {
    prototype: { heartbeat(this: { lastRequest: number }, options: { interval: number }): Promise<void> };
  };
  const heartbeat = ConsumerGroup.prototype.heartbeat;
  ConsumerGroup.prototype.heartbeat = function (options) {
    if (this.lastRequest > wallMs()) this.lastRequest = 0;
    return heartbeat.call(this, options);
  };
};

/**
 * A broker answers a connection in order: where one request was waited for in vain, nothing after it is answered either.
 * kafkajs would send the next tries after it, until it gave up the whole client minutes later.
 */
const endSilentConnections = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const Connection = require('kafkajs/src/network/connection') as {
    prototype: { send(this: { socket?: Socket }, request: unknown): Promise<unknown> };
  };
  const send = Connection.prototype.send;
  Connection.prototype.send = async function (request) {
    const { socket } = this;
    try {
      return await send.call(this, request);
    } catch (error) {
      if ((error as Error).name === 'KafkaJSRequestTimeoutError')
        socket?.destroy(new Error('a request was not answered in time'));
      throw error;
    }
  };
};

export const watchForSilence = (): void => {
  timeRequestsSteadily();
  beatAfterSetBack();
  endSilentConnections();
};
