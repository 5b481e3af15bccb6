import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';

export type Item = Readonly<Record<string, unknown>>;

/**
 * Learns of what happens the way a client does: from the account's live stream, from here on and not from its first
 * event, and with its last cursor again whenever the stream ends.
 */
export const followAccount = async (
  url: string,
  token: string,
  see: (kind: string, item: Item) => void,
): Promise<{ readonly close: () => Promise<void> }> => {
  const abort = new AbortController();
  let cursor = 'now';
  const open = async (): Promise<ReadableStream<Uint8Array>> => {
    const response = await fetch(`${url}/v1/account/events?after=${encodeURIComponent(cursor)}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: abort.signal,
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`the account's stream answered ${response.status}`);
    return response.body;
  };
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      cursor = id ?? cursor;
      const { item } = JSON.parse(data) as { item?: Item };
      if (item !== undefined) see(event ?? '', item);
    },
  });
  const read = async (first: ReadableStream<Uint8Array>): Promise<void> => {
    for (let body: ReadableStream<Uint8Array> | null = first; !abort.signal.aborted;) {
      try {
        body ??= await open();
        const decoder = new TextDecoder();
        for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
          parser.feed(decoder.decode(chunk, { stream: true }));
      } catch {
        if (abort.signal.aborted) return;
        await pause(100);
      }
      parser.reset();
      body = null;
    }
  };
  const reading = read(await open());
  return {
    close: async () => {
      abort.abort();
      await reading;
    },
  };
};
