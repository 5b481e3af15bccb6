import { createHmac, timingSafeEqual } from 'node:crypto';

/** `Fairlead-Signature: t=<unix s>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, one `v1` for each key in use. */
export const signatureHeader = 'fairlead-signature';
/** How far the time of a signature may be from now; what is older may be a recording. */
const toleranceSec = 300;

const digest = (secret: string, t: string, body: Buffer): Buffer =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest();

export const sign = (secret: string, unixSec: number, body: Buffer): string =>
  `t=${unixSec},v1=${digest(secret, String(unixSec), body).toString('hex')}`;

/** True when one of the signatures is of this secret, and the time is near. */
export const verifies = (header: string | undefined, secret: string, body: Buffer, nowMs: number): boolean => {
  const parts = (header ?? '').split(',').map((part) => part.trim());
  const t = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  if (!/^\d{1,12}$/.test(t) || Math.abs(nowMs / 1_000 - Number(t)) > toleranceSec) return false;
  const expected = digest(secret, t, body);
  return parts
    .filter((part) => /^v1=[0-9a-f]{64}$/i.test(part))
    .some((part) => timingSafeEqual(Buffer.from(part.slice(3), 'hex'), expected));
};
