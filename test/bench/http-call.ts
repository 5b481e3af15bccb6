import { request, type Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A server that dies in the crash workload must not leave its callers waiting for ever. */
const answerMs = 30_000;

export const call = (
  agent: Agent,
  method: 'GET' | 'POST',
  url: string,
  token: string,
  body: object | null = null,
  prefer = '',
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const text = body === null ? null : JSON.stringify(body);
    const sent = request(
      url,
      {
        method,
        agent,
        timeout: answerMs,
        headers: {
          authorization: `Bearer ${token}`,
          prefer,
          ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer for ${answerMs} ms`)));
    sent.on('error', reject);
    sent.end(text ?? undefined);
  });

const retryMs = 50;
const maxTries = 600;

/** What a process that is just being killed does not answer comes again under the same id, as clients do. */
export const steadily = async (once: () => Promise<Answered>): Promise<Answered> => {
  for (let tries = 1; ; tries += 1) {
    try {
      const answered = await once();
      if (answered.status < 500 || tries === maxTries) return answered;
    } catch (error) {
      if (tries === maxTries) throw error;
    }
    await pause(retryMs);
  }
};
