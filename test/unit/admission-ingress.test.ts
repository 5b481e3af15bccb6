import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { MessageSubmitted } from '../../schemas/generated/records';
import { ingressReader } from '../../services/admission/ingress';
import { rateLimits } from '../../services/admission/rate-limits';
import type { Submit } from '../../services/admission/submission';
import { openAuth, type Auth } from '../../services/platform/auth';
import type { IngressBinding } from '../../services/platform/configuration';
import type { RawRecord } from '../../services/platform/dead-letters';
import { Transient } from '../../services/platform/errors';
import { empty, ids } from '../support/admission-world';

const issuer = 'test';
const audience = 'fairlead';
let key: CryptoKey;
let jwks: string;
let auth: Auth;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  key = pair.privateKey;
  jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] });
  const file = join(mkdtempSync(join(tmpdir(), 'fairlead-jwks-')), 'jwks.json');
  writeFileSync(file, jwks);
  auth = openAuth({ jwksUrl: pathToFileURL(file).href, issuer, audience });
});

const token = (claims: Record<string, unknown> = {}, signed = key): Promise<string> =>
  new SignJWT({ tenant: 'local', app: 'local', roles: ['operator'], sub: 'carol', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime((claims['exp'] as number | undefined) ?? '1h')
    .sign(signed);

const binding = (more: Partial<IngressBinding>): IngressBinding => ({
  topic: 'ingress.messages.v1',
  tenant: 'local',
  app: 'local',
  accounts: 'asserted',
  ...more,
});

interface Delivered {
  readonly headers?: Record<string, string>;
  readonly value?: Buffer;
  readonly by?: Auth;
}

const read = async (
  bound: IngressBinding,
  fields: Partial<MessageSubmitted>,
  { headers = {}, value = Buffer.alloc(0), by = auth }: Delivered = {},
): Promise<Submit> => {
  const raw = {
    ...{ topic: 't', partition: 0, offset: '7', timestampMs: 1, key: null, value },
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
  } as unknown as RawRecord;
  const noLimits = rateLimits(
    () => ({ tenant: null, account: null }),
    () => Promise.resolve(null),
  );
  return ingressReader(
    new Map([['t', bound]]),
    by,
    noLimits,
  )({ name: 'MessageSubmitted', value: { ...empty, ...fields } }, raw);
};

/** Who it is from, and what there is against it. */
const said = async (...of: Parameters<typeof read>): Promise<unknown[]> => {
  const { account, identity, verdict } = await read(...of);
  return verdict.ok
    ? [account, identity?.ids.messageId]
    : [account, identity === null, verdict.issue.code, verdict.issue.field];
};

describe('A7 asserted accounts stay in the namespace of their binding', () => {
  const bound = binding({ accountPrefix: 'shop-' });
  test.each<[string, string | null, unknown[]]>([
    ['inside it', 'shop-alice', ['shop-alice', expect.any(String)]],
    ['the prefix alone', 'shop-', ['shop-', expect.any(String)]],
    ['outside it', 'alice', ['', true, 'forbidden', 'account']],
    ['only nearly inside it', 'Shop-alice', ['', true, 'forbidden', 'account']],
    ['none', null, ['', true, 'field_missing', 'account']],
    ['an empty one', '', ['', true, 'forbidden', 'account']],
    ['one with control characters', 'shop-\u0000', ['', true, 'field_invalid', 'account']],
  ])('%s', async (_name, account, expected) => expect(await said(bound, { account })).toEqual(expected));

  test('without a prefix every account may be asserted', async () =>
    expect(await said(binding({}), { account: 'alice' })).toEqual(['alice', ids('m1').messageId]));
});

describe('A7 a binding with tokens takes the account from the header of the record', () => {
  const bound = binding({ accounts: 'token' });
  const bearer = async (claims: Record<string, unknown> = {}): Promise<Delivered> => ({
    headers: { authorization: `Bearer ${await token(claims)}` },
  });

  test('and ignores what the record asserts', async () =>
    expect(await said(bound, { account: 'alice' }, await bearer({ sub: 'carol' }))).toEqual([
      'carol',
      expect.any(String),
    ]));

  test.each<[string, Record<string, unknown>, string]>([
    ['of another app', { app: 'other' }, 'forbidden'],
    ['of another tenant', { tenant: 'other' }, 'forbidden'],
    ['that has ended', { exp: 1_000 }, 'unauthenticated'],
    ['without an account', { sub: '' }, 'unauthenticated'],
  ])('a token %s: refused, without an identity', async (_name, claims, code) =>
    expect(await said(bound, { account: 'alice' }, await bearer(claims))).toEqual(['', true, code, null]),
  );

  test('no token, no bearer token, a foreign signature: refused, without an identity', async () => {
    const foreign = (await generateKeyPair('RS256')).privateKey;
    for (const headers of [{}, { authorization: 'x' }, { authorization: `Bearer ${await token({}, foreign)}` }])
      expect(await said(bound, {}, { headers: headers as Record<string, string> })).toEqual([
        '',
        true,
        'unauthenticated',
        null,
      ]);
  });

  test('X2 while the keys cannot be had the record waits, whatever keeps them away', async () => {
    const answers: [number, string][] = [
      [500, ''],
      [200, '{}'],
      [200, jwks],
    ];
    const server: Server = createServer((_request, response) => {
      const [status, body] = answers.shift() ?? [500, ''];
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const by = openAuth({ jwksUrl: `http://127.0.0.1:${port}/jwks`, issuer, audience });
    const delivered = { ...(await bearer()), by };
    await expect(read(bound, {}, delivered)).rejects.toThrow(Transient);
    await expect(read(bound, {}, delivered)).rejects.toThrow(Transient);
    expect(await said(bound, {}, delivered)).toEqual(['carol', expect.any(String)]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const gone = openAuth({ jwksUrl: `http://127.0.0.1:${port}/jwks`, issuer, audience });
    await expect(read(bound, {}, { ...delivered, by: gone })).rejects.toThrow(Transient);
  });
});

describe('A17 words that are no UTF-8 are not kept as other words', () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62]);
  test.each(['content', 'title', 'requirements', 'agent'] as const)('%s', async (name) =>
    expect(await said(binding({}), { [name]: bytes.toString('utf8') }, { value: bytes })).toEqual([
      'alice',
      false,
      'field_invalid',
      name,
    ]),
  );

  test('U+FFFD as it was sent is a character like any other', async () => {
    const content = 'a\ufffdb';
    expect(await said(binding({}), { content }, { value: Buffer.from(`..${content}..`) })).toEqual([
      'alice',
      ids('m1').messageId,
    ]);
  });
});
