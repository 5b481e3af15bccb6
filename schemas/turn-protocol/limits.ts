/** What `fairlead.turn/1` promises to accept, and where it stops. Bytes are UTF-8. */
const kibibyte = 1024;

export const protocolName = 'fairlead.turn/1';
export const inputMaxBytes = 1024 * kibibyte;
export const outputMaxBytes = 2048 * kibibyte;
export const stateMaxBytes = 256 * kibibyte;
export const reportBodyMaxBytes = 700 * kibibyte;
export const requestMaxBytes = 64 * kibibyte;
export const toolInputMaxBytes = 64 * kibibyte;
export const toolOutputMaxBytes = 256 * kibibyte;
export const textMaxBytes = 64 * kibibyte;
export const schemaMaxBytes = 16 * kibibyte;
export const valueMaxDepth = 64;
export const listMaxItems = 256;
export const durationMaxSec = 10 * 366 * 86_400;

export const bytesOfBody = (body: string): number => Buffer.byteLength(body, 'utf8');
