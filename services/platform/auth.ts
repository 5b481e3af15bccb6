import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { Refusal } from './errors';
import { steadyMs, wallMs } from './clocks';

/** Who speaks, as the verified token says; nothing of it ever comes from a body (A7). */
export interface Principal {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly roles: ReadonlySet<string>;
}

export interface Auth {
  /** Throws `unauthenticated` for anything but a valid bearer token; `unavailable` while its keys cannot be had. */
  readonly verify: (authorization: string | undefined) => Promise<Principal>;
}

const keySet = async (jwksUrl: string): Promise<JWTVerifyGetKey> =>
  jwksUrl.startsWith('file:')
    ? createLocalJWKSet(JSON.parse(await readFile(fileURLToPath(jwksUrl), 'utf8')) as JSONWebKeySet)
    : createRemoteJWKSet(new URL(jwksUrl));

/** As an asserted account may be: what no database keeps and nobody can see is no name (A17). */
const unusable = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;
const text = (claim: unknown): string | null =>
  typeof claim === 'string' && claim.length > 0 && claim.length <= 128 && !unusable.test(claim) ? claim : null;

/** A token is checked once in this time: the check of a signature takes longer than most answers. */
const trustMs = 30_000;
const clockToleranceSec = 30;
const maxTrusted = 5_000;

/** What `jose` says where it could not get the keys, or what it got are none; that says nothing about the token. */
const withoutKeys: ReadonlySet<string> = new Set(
  [errors.JOSEError, errors.JWKSTimeout, errors.JWKSInvalid].map(({ code }) => code),
);
const isFaultOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError ? !withoutKeys.has(error.code) : (error as Error).message !== 'fetch failed';

/** Remembers what was verified, never beyond the token's own end, and no more than so many. */
const rememberVerified = (verify: (token: string) => Promise<Verified>): ((token: string) => Promise<Principal>) => {
  const trusted = new Map<string, Verified & { readonly until: number }>();
  return async (token) => {
    const known = trusted.get(token);
    if (known !== undefined && known.until > steadyMs() && (known.expiresAt ?? Number.POSITIVE_INFINITY) > wallMs())
      return known.principal;
    const { principal, expiresAt } = await verify(token);
    if (trusted.size >= maxTrusted) trusted.clear();
    trusted.set(token, { principal, expiresAt, until: steadyMs() + trustMs });
    return principal;
  };
};

interface Verified {
  readonly principal: Principal;
  readonly expiresAt: number | null;
}

export const openAuth = (settings: {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** Takes tokens that never end, which nobody can take back either. */
  readonly endless?: boolean;
}): Auth => {
  let keys: JWTVerifyGetKey | null = null;

  const verified = rememberVerified(async (token) => {
    try {
      keys ??= await keySet(settings.jwksUrl);
    } catch {
      throw new Refusal('unavailable', 'the keys that tokens are checked against cannot be read');
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        clockTolerance: clockToleranceSec,
        requiredClaims: settings.endless === true ? [] : ['exp'],
      });
      return {
        principal: principalOf(payload),
        expiresAt: payload.exp === undefined ? null : (payload.exp + clockToleranceSec) * 1_000,
      };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (!isFaultOfToken(error))
        throw new Refusal('unavailable', 'the keys that tokens are checked against cannot be read');
      if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'exp')
        throw new Refusal('unauthenticated', 'the token has no end (exp)');
      throw new Refusal('unauthenticated', 'the token does not verify');
    }
  });

  return {
    verify: async (authorization) => {
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(authorization ?? '')?.[1];
      if (token === undefined) throw new Refusal('unauthenticated', 'a bearer token is needed');
      return verified(token);
    },
  };
};

const principalOf = (payload: JWTPayload): Principal => {
  const [account, tenant, app] = [text(payload.sub), text(payload['tenant']), text(payload['app'] ?? payload['azp'])];
  if (account === null || tenant === null || app === null)
    throw new Refusal('unauthenticated', 'the token lacks sub, tenant or app');
  const roles = Array.isArray(payload['roles'])
    ? payload['roles'].filter((role): role is string => typeof role === 'string')
    : [];
  return { account, tenant, app, roles: new Set(roles) };
};
