/** The few routes of a Confluent-compatible schema registry that setting up needs. */
export interface RegistryApi {
  /** The compatibility level of the subject itself; null when it has none of its own. */
  level(subject: string): Promise<string | null>;
  /** False when the subject does not exist yet: some registries take a level only afterwards. */
  setLevel(subject: string, level: string): Promise<boolean>;
  /** Whether exactly this schema is already a version of the subject. */
  has(subject: string, schema: string): Promise<boolean>;
  register(subject: string, schema: string): Promise<number>;
}

/** Something outside is not as it has to be; the message is one line for the person at the terminal. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

const requestTimeoutMs = 10_000;
const contentType = 'application/vnd.schemaregistry.v1+json';

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export const registryAt = (registryUrl: string): RegistryApi => {
  const { base, authorization } = splitCredentials(registryUrl);

  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers: Record<string, string> = { accept: 'application/json', 'content-type': contentType };
    if (authorization !== null) headers['authorization'] = authorization;
    try {
      const response = await fetch(base + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      return { status: response.status, body: parseBody(await response.text()) };
    } catch (error) {
      throw new SetupError(`schema registry ${base}: ${method} ${path}: ${reasonOf(error)}`);
    }
  };

  const expectOk = (answer: Answer, what: string): Record<string, unknown> => {
    if (answer.status < 300) return answer.body;
    const message = String(answer.body['message'] ?? 'no reason given').replaceAll(/\s+/g, ' ');
    throw new SetupError(`schema registry ${base}: ${what}: status ${answer.status}, ${message}`);
  };

  const levelOf = async (subject: string): Promise<string | null> => {
    const answer = await call('GET', `/config/${encodeURIComponent(subject)}`);
    if (answer.status === 404) return null;
    const level = expectOk(answer, `compatibility of ${subject}`)['compatibilityLevel'];
    return typeof level === 'string' ? level : null;
  };

  return {
    level: levelOf,
    setLevel: async (subject, level) => {
      const answer = await call('PUT', `/config/${encodeURIComponent(subject)}`, { compatibility: level });
      if (answer.status === 404) return false;
      // Apicurio answers 409 to the slower of two that set it at the same moment.
      if (answer.status === 409 && (await levelOf(subject)) === level) return true;
      expectOk(answer, `setting the compatibility of ${subject}`);
      return true;
    },
    has: async (subject, schema) => {
      const answer = await call('POST', `/subjects/${encodeURIComponent(subject)}`, { schema, schemaType: 'AVRO' });
      if (answer.status === 404) return false;
      expectOk(answer, `looking up ${subject}`);
      return true;
    },
    register: async (subject, schema) => {
      const path = `/subjects/${encodeURIComponent(subject)}/versions`;
      const answer = await call('POST', path, { schema, schemaType: 'AVRO' });
      if (answer.status === 409) {
        throw new SetupError(
          `schema registry ${base}: ${subject}: the schema is incompatible with a registered version`,
        );
      }
      return Number(expectOk(answer, `registering ${subject}`)['id']);
    },
  };
};

/** fetch refuses addresses with a user and password in them, so they travel as a header. */
const splitCredentials = (registryUrl: string): { base: string; authorization: string | null } => {
  if (!URL.canParse(registryUrl)) throw new SetupError('SCHEMA_REGISTRY_URL is not an address');
  const url = new URL(registryUrl);
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = pair === ':' ? null : `Basic ${Buffer.from(pair).toString('base64')}`;
  url.username = '';
  url.password = '';
  return { base: url.href.replace(/\/+$/, ''), authorization };
};

const parseBody = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : null;
  const code = cause !== null && 'code' in cause ? String(cause.code) : null;
  return code ?? (cause?.message || error.message);
};
