import { BadSetting, type AuthSettings } from '../platform/environment';
import { owners, type Owner } from './route-table';

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly instance: string;
  readonly shutdownGraceMs: number;
  readonly auth: AuthSettings;
  readonly owners: Readonly<Record<Owner, URL>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const required = (env: Env, name: string): string => {
  const value = env[name];
  if (value === undefined || value === '') throw new BadSetting(name, 'is not set');
  return value;
};

const url = (env: Env, name: string, protocols: readonly string[]): URL => {
  const value = required(env, name);
  if (!URL.canParse(value)) throw new BadSetting(name, 'is not a URL');
  const parsed = new URL(value);
  if (!protocols.includes(parsed.protocol)) throw new BadSetting(name, `must start with ${protocols.join(' or ')}`);
  return parsed;
};

const whole = (env: Env, name: string, fallback: number, max: number): number => {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new BadSetting(name, `must be a whole number from 0 to ${max}`);
  return value;
};

const endlessTokens = (env: Env): boolean => {
  const value = env['AUTH_ENDLESS_TOKENS'] ?? 'refused';
  if (value !== 'refused' && value !== 'accepted')
    throw new BadSetting('AUTH_ENDLESS_TOKENS', 'must be one of refused, accepted');
  return value === 'accepted';
};

const ownerVariable = (owner: Owner): string => `${owner.replaceAll('-', '_').toUpperCase()}_URL`;

export const readSettings = (env: Env): Settings => ({
  host: env['HOST'] ?? '0.0.0.0',
  port: whole(env, 'PORT', 0, 65_535),
  logLevel: env['LOG_LEVEL'] ?? 'info',
  instance: env['INSTANCE'] ?? 'gateway',
  shutdownGraceMs: whole(env, 'SHUTDOWN_GRACE_MS', 20_000, 600_000),
  auth: {
    jwksUrl: url(env, 'AUTH_JWKS_URL', ['http:', 'https:', 'file:']).href,
    issuer: required(env, 'AUTH_ISSUER'),
    audience: required(env, 'AUTH_AUDIENCE'),
    endless: endlessTokens(env),
  },
  owners: Object.fromEntries(
    owners.map((owner) => [owner, url(env, ownerVariable(owner), ['http:', 'https:'])]),
  ) as Record<Owner, URL>,
});
