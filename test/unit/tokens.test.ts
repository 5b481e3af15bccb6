import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { openAuth, type Auth } from '../../services/platform/auth';

const [issuer, audience] = ['issuer', 'fairlead'];
const claims = { sub: 'alice', tenant: 'local', app: 'local', roles: ['operator'] };
let auth: Auth;
let own: CryptoKey;
let foreign: CryptoKey;
let publicPem: string;
let keySet: string;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  own = pair.privateKey;
  foreign = (await generateKeyPair('RS256')).privateKey;
  publicPem = await exportSPKI(pair.publicKey);
  const file = join(mkdtempSync(join(tmpdir(), 'fairlead-tokens-')), 'jwks.json');
  keySet = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }] });
  writeFileSync(file, keySet);
  auth = openAuth({ jwksUrl: pathToFileURL(file).href, issuer, audience });
});

const now = Math.floor(Date.now() / 1_000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const whole = (more: object = {}): object => ({ ...claims, iss: issuer, aud: audience, exp: now + 3_600, ...more });
const signed = (more: object = {}, key = own, header: object = {}): Promise<string> =>
  new SignJWT(whole(more) as never).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign(key);

const said = async (token: string, scheme = 'Bearer '): Promise<unknown> => {
  try {
    const { roles, ...who } = await auth.verify(`${scheme}${token}`);
    return { ...who, roles: [...roles] };
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('A7 what a token has to be', () => {
  const alice = { account: 'alice', tenant: 'local', app: 'local', roles: ['operator'] };

  test('a good one says who speaks; azp stands for app, roles that are no texts count for nothing', async () => {
    expect(await said(await signed())).toEqual(alice);
    expect(await said(await signed({ app: undefined, azp: 'shop' }))).toEqual({ ...alice, app: 'shop' });
    expect(await said(await signed({ roles: ['a', 1, null, { b: 1 }] }))).toEqual({ ...alice, roles: ['a'] });
    expect(await said(await signed({ roles: 'operator' }))).toEqual({ ...alice, roles: [] });
  });

  test.each<[string, () => Promise<string>]>([
    ['signed with another key', () => signed({}, foreign)],
    ['that names a key nobody has', () => signed({}, foreign, { kid: 'mine' })],
    ['that brings its own key', async () => signed({}, foreign, { jwk: await exportJWK(foreign).catch(() => ({})) })],
    ['that says where its keys are', () => signed({}, foreign, { jku: 'http://127.0.0.1:1/keys' })],
    ['of alg none, unsigned', () => Promise.resolve(`${part({ alg: 'none' })}.${part(whole())}.`)],
    ['of alg none, with something signed', () => Promise.resolve(`${part({ alg: 'none' })}.${part(whole())}.eA`)],
    [
      'of HS256, signed with the public key as its secret',
      () => {
        const text = `${part({ alg: 'HS256', kid: 'k' })}.${part(whole())}`;
        return Promise.resolve(`${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`);
      },
    ],
    [
      'changed after it was signed',
      async () => {
        const [head, , tail] = (await signed()).split('.');
        return `${head ?? ''}.${part(whole({ sub: 'olga' }))}.${tail ?? ''}`;
      },
    ],
    ['that has ended', () => signed({ exp: now - 60 })],
    ['that never ends', () => signed({ exp: undefined })],
    ['that is not valid yet', () => signed({ nbf: now + 600 })],
    ['for another audience', () => signed({ aud: 'another' })],
    ['for no audience', () => signed({ aud: undefined })],
    ['of another issuer', () => signed({ iss: 'another' })],
    ['without a tenant', () => signed({ tenant: undefined })],
    ['with an empty tenant', () => signed({ tenant: '' })],
    ['with several tenants', () => signed({ tenant: ['local', 'other'] })],
    ['without an account', () => signed({ sub: undefined })],
    ['with NUL in its account', () => signed({ sub: 'alice\u0000' })],
    ['with a line break in its tenant', () => signed({ tenant: 'local\n' })],
    ['with half a character in its app', () => signed({ app: 'a\ud800' })],
    ['with an account that is too long', () => signed({ sub: 'a'.repeat(129) })],
  ])('one %s is no token', async (_name, token) => expect(await said(await token())).toBe('unauthenticated'));

  test.each(['', 'Basic ', 'bearer\n', 'Bearer  '])('after "%s" it is no bearer token', async (scheme) =>
    expect(await said(await signed(), scheme)).toBe('unauthenticated'),
  );

  test('one that never ends is taken where that is configured, one that has ended nowhere', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'fairlead-tokens-')), 'jwks.json');
    writeFileSync(file, keySet);
    const lenient = openAuth({ jwksUrl: pathToFileURL(file).href, issuer, audience, endless: true });
    expect(await lenient.verify(`Bearer ${await signed({ exp: undefined })}`)).toMatchObject({ account: 'alice' });
    const over = lenient.verify(`Bearer ${await signed({ exp: now - 60 })}`);
    await expect(over).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a good one that was just seen helps no other with the same payload', async () => {
    const good = await signed();
    expect(await said(good)).toEqual(alice);
    const [head = '', body = ''] = good.split('.');
    expect(await said(`${head}.${body}.${Buffer.alloc(256).toString('base64url')}`)).toBe('unauthenticated');
  });
});
