// The key pair that signs the local stack's tokens. Made once per FAIRLEAD_HOME.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const authDir = (home) => join(home, 'auth');
export const privateKeyPath = (home) => join(authDir(home), 'private.pem');
export const jwksPath = (home) => join(authDir(home), 'jwks.json');

/** RFC 7638: the members in alphabetical order, without spaces. */
const thumbprint = ({ crv, kty, x, y }) =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

export const ensureKeyPair = (home) => {
  mkdirSync(authDir(home), { recursive: true, mode: 0o700 });
  if (existsSync(privateKeyPath(home)) && existsSync(jwksPath(home))) return;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const key = { ...jwk, kid: thumbprint(jwk), use: 'sig', alg: 'ES256' };
  writeFileSync(jwksPath(home), `${JSON.stringify({ keys: [key] }, null, 2)}\n`);
  // The private key comes last: it marks the pair as complete.
  const temporary = `${privateKeyPath(home)}.new`;
  writeFileSync(temporary, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  renameSync(temporary, privateKeyPath(home));
};

export const authEnv = (home) => ({
  AUTH_JWKS_URL: pathToFileURL(jwksPath(home)).href,
  AUTH_ISSUER: 'fairlead-local',
  AUTH_AUDIENCE: 'fairlead',
});
