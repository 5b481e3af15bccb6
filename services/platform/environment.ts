import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** A setting that stops the start with one line naming it (X4). */
export class BadSetting extends Error {
  constructor(name: string, why: string) {
    super(`${name}: ${why}`);
    this.name = 'BadSetting';
  }
}

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly ssl: boolean | ConnectionOptions | null;
  readonly sasl: { readonly mechanism: string; readonly username: string; readonly password: string } | null;
}

export interface AuthSettings {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  readonly endless: boolean;
}

export interface Environment {
  readonly kafka: KafkaSettings;
  readonly registryUrl: string;
  readonly databaseUrl: string;
  /** Null = live fan-out, hints and limits work in this process alone; nothing is lost, some things are slower. */
  readonly redisUrl: string | null;
  readonly port: number;
  /** Address to listen on; the local stack keeps to loopback. */
  readonly host: string;
  readonly logLevel: string;
  readonly topicPrefix: string;
  readonly auth: AuthSettings;
  readonly configPath: string | null;
  readonly home: string;
  /** Unique name of this process inside its service: log field, lease owner, pid file. */
  readonly instance: string;
  readonly role: string | null;
  readonly shutdownGraceMs: number;
  /** Where spans go (OTLP over HTTP); null = nowhere. */
  readonly tracesUrl: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Secrets may come as NAME or as a file named by NAME_FILE. */
export const setting = (env: Env, name: string): string | undefined => {
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return env[name] === '' ? undefined : env[name];
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new BadSetting(`${name}_FILE`, `cannot be read: ${path}`);
  }
};

const required = (env: Env, name: string): string => {
  const value = setting(env, name);
  if (value === undefined) throw new BadSetting(name, 'is not set');
  return value;
};

const url = (env: Env, name: string, protocols: readonly string[]): string => {
  const value = required(env, name);
  let parsed: URL;
  try {
    parsed = new URL(value);
  } catch {
    throw new BadSetting(name, 'is not a URL');
  }
  if (!protocols.includes(parsed.protocol)) throw new BadSetting(name, `must start with ${protocols.join(' or ')}`);
  return value;
};

const whole = (env: Env, name: string, fallback: number, min: number, max: number): number => {
  const text = setting(env, name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new BadSetting(name, `must be a whole number from ${min} to ${max}`);
  return value;
};

const oneOf = (env: Env, name: string, allowed: readonly string[], fallback: string): string => {
  const value = setting(env, name) ?? fallback;
  if (!allowed.includes(value)) throw new BadSetting(name, `must be one of ${allowed.join(', ')}`);
  return value;
};

export const kafkaSettings = (env: Env): KafkaSettings => {
  const brokers = required(env, 'KAFKA_BROKERS')
    .split(',')
    .map((one) => one.trim());
  const odd = brokers.find((one) => !/^[^\s:]+:\d{1,5}$/.test(one));
  if (odd !== undefined)
    throw new BadSetting('KAFKA_BROKERS', `must be host:port, separated by commas; found "${odd}"`);
  const mechanism = setting(env, 'KAFKA_SASL_MECHANISM');
  const [ca, cert, key] = ['KAFKA_SSL_CA', 'KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'].map((name) => setting(env, name));
  const pem = (value: string): string => (value.includes('-----BEGIN') ? value : readFileSync(value, 'utf8'));
  return {
    brokers,
    ssl:
      ca === undefined
        ? null
        : { ca: pem(ca), ...(cert === undefined || key === undefined ? {} : { cert: pem(cert), key: pem(key) }) },
    sasl:
      mechanism === undefined
        ? null
        : {
            mechanism: oneOf(env, 'KAFKA_SASL_MECHANISM', ['plain', 'scram-sha-256', 'scram-sha-512'], 'plain'),
            username: required(env, 'KAFKA_SASL_USERNAME'),
            password: required(env, 'KAFKA_SASL_PASSWORD'),
          },
  };
};

export const topicPrefixOf = (env: Env): string => {
  const prefix = env['TOPIC_PREFIX'] ?? 'fairlead.';
  if (!/^[A-Za-z0-9._-]{0,100}$/.test(prefix)) throw new BadSetting('TOPIC_PREFIX', 'may hold A-Z a-z 0-9 . _ - only');
  return prefix;
};

export const readEnvironment = (service: string, env: Env = process.env): Environment => ({
  kafka: kafkaSettings(env),
  registryUrl: url(env, 'SCHEMA_REGISTRY_URL', ['http:', 'https:']),
  databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
  redisUrl: setting(env, 'REDIS_URL') === undefined ? null : url(env, 'REDIS_URL', ['redis:', 'rediss:']),
  port: whole(env, 'PORT', 0, 0, 65_535),
  host: setting(env, 'HOST') ?? '0.0.0.0',
  logLevel: oneOf(env, 'LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  topicPrefix: topicPrefixOf(env),
  auth: {
    jwksUrl: url(env, 'AUTH_JWKS_URL', ['http:', 'https:', 'file:']),
    issuer: required(env, 'AUTH_ISSUER'),
    audience: required(env, 'AUTH_AUDIENCE'),
    endless: oneOf(env, 'AUTH_ENDLESS_TOKENS', ['refused', 'accepted'], 'refused') === 'accepted',
  },
  configPath: setting(env, 'FAIRLEAD_CONFIG') ?? null,
  home: env['FAIRLEAD_HOME'] ?? '.fairlead',
  instance: env['INSTANCE'] ?? service,
  role: env['FAIRLEAD_ROLE'] ?? null,
  shutdownGraceMs: whole(env, 'SHUTDOWN_GRACE_MS', 20_000, 0, 600_000),
  tracesUrl:
    setting(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') === undefined
      ? null
      : url(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
});
