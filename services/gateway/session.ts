import { Type } from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Auth, Principal } from '../platform/auth';
import { Refusal } from '../platform/errors';
import type { Http } from '../platform/http';
import { wallMs } from '../platform/clocks';

const cookieName = 'fairlead_session';
/** Browsers drop a cookie beyond 4 KiB without a word. */
const maxTokenCharacters = 3_800;
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The token that a browser's sign-in left in its cookie. */
export const cookieToken = (cookie: string | undefined): string | null => {
  for (const part of (cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookieName && value !== undefined && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return value;
  }
  return null;
};

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Only a page of this very address: browsers say so in Sec-Fetch-Site, older ones in Origin. */
export const isSameOrigin = (request: FastifyRequest): boolean => {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header(request, 'origin');
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === request.headers.host;
};

/**
 * What the owner is given as proof. A cookie travels by itself, so it counts for a change only when the page that asks
 * for it is ours; a bearer token is always somebody's intent.
 */
export const authorizationOf = (request: FastifyRequest): string | undefined => {
  if (request.headers.authorization !== undefined) return request.headers.authorization;
  const token = cookieToken(request.headers.cookie);
  if (token === null) return undefined;
  if (!safeMethods.has(request.method) && !isSameOrigin(request))
    throw new Refusal('forbidden', 'a change with the signed-in cookie must come from a page of this address');
  return `Bearer ${token}`;
};

const expiryOf = (token: string): number => {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp?: number };
  return claims.exp ?? 0;
};

const shown = (principal: Principal, token: string): Record<string, unknown> => ({
  tenant: principal.tenant,
  app: principal.app,
  account: principal.account,
  roles: [...principal.roles],
  expiresAt: new Date(expiryOf(token) * 1_000).toISOString(),
});

const setCookie = (request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSec: number): void => {
  const secure = request.protocol === 'https' || header(request, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  void reply
    .header('set-cookie', `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSec}${secure}`)
    .header('cache-control', 'no-store');
};

const body = Type.Object({ token: Type.String({ maxLength: maxTokenCharacters }) }, { additionalProperties: false });

export const sessionRoutes = (app: Http, auth: Auth): void => {
  const refuseOthers = (request: FastifyRequest): void => {
    // A command line sends neither header and has no cookie to lose.
    const told = request.headers['sec-fetch-site'] !== undefined || request.headers.origin !== undefined;
    if (told && !isSameOrigin(request))
      throw new Refusal('forbidden', 'signing in and out is for pages of this address');
  };

  app.post('/session', { schema: { body } }, async (request, reply) => {
    refuseOthers(request);
    const { token } = request.body;
    const principal = await auth.verify(`Bearer ${token}`);
    setCookie(request, reply, token, Math.max(0, expiryOf(token) - Math.floor(wallMs() / 1_000)));
    return shown(principal, token);
  });

  app.get('/session', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const token = cookieToken(request.headers.cookie);
    if (token === null) throw new Refusal('unauthenticated', 'nobody is signed in here');
    return shown(await auth.verify(`Bearer ${token}`), token);
  });

  app.delete('/session', async (request, reply) => {
    refuseOthers(request);
    setCookie(request, reply, '', 0);
    return reply.status(204).send();
  });
};
