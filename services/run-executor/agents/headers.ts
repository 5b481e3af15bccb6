import { readFileSync } from 'node:fs';

/** A header's value, or the name of the environment variable that holds it. */
export type HeaderConfig = Readonly<Record<string, string | { env: string }>>;
export type Environment = Readonly<Record<string, string | undefined>>;

const readSecret = (name: string, env: Environment): string => {
  const path = env[`${name}_FILE`];
  const secret = env[name] ?? (path === undefined ? undefined : readFileSync(path, 'utf8').trim());
  if (secret === undefined || secret === '') throw new Error(`environment variable ${name} is not set`);
  return secret;
};

/** Read at each call, so that a rotated secret is used without a restart. */
export const resolveHeaders = (headers: HeaderConfig, env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : readSecret(value.env, env),
    ]),
  );
