import { checkText, checkValue } from './content';

/** Content of 256 KiB may need six bytes a character as JSON escapes, plus the other fields. */
export const bodyLimitBytes = 2 * 1024 * 1024;
/** Deeper than anything that is asked for; a field's own bound is lower. */
const maxBodyDepth = 100;
/**
 * How servers of ours wait for a request: whoever sends it byte by byte holds a connection no longer than this. The
 * first is longer than clients and proxies keep idle connections, so that none is closed that is being reused.
 */
export const waits = {
  keepAliveTimeout: 75_000,
  requestTimeout: 60_000,
  http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
} as const;

/** No text of a body reaches a table or a record that could not keep it (A17); callbacks come as bytes. */
export const checkBody = (body: unknown): void => {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return;
  for (const [name, value] of Object.entries(body)) {
    checkText(name, 'body', bodyLimitBytes);
    checkValue(value, name, bodyLimitBytes, maxBodyDepth);
  }
};
