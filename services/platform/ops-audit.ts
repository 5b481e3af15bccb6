import { Type } from 'typebox';
import type { Pool } from 'pg';
import type { Principal } from './auth';
import { query } from './postgres';

/** Routes of the platform's operators only. */
export const guard = { config: { roles: ['platform-operator'] } };

export const reasonBody = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 1_000 }) },
  { additionalProperties: false },
);

/** An operator as the audit names them. */
export const accountOf = (who: Principal): string => `${who.tenant}/${who.account}`;

/** Who did what, and why; beside the tables it was done to. */
export const auditIn =
  (pool: Pool) =>
  (who: Principal, action: string, ref: string, reason: string | null): Promise<unknown> =>
    query(pool, 'INSERT INTO audit (account, action, ref, reason) VALUES ($1, $2, $3, $4)', [
      accountOf(who),
      action,
      ref,
      reason,
    ]);

const previewBytes = 512;
/** The beginning of some bytes, for the eye. */
export const printable = (bytes: Buffer | null): string | null =>
  bytes === null
    ? null
    : bytes
        .subarray(0, previewBytes)
        .toString('utf8')
        .replace(/[^\x20-\x7e\u00a0-\uffff]/g, '·');
