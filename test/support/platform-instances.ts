import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pino } from 'pino';
import { readEnvironment } from '../../services/platform/environment';
import { openMetrics } from '../../services/platform/metrics';
import { startService } from '../../services/platform/service';
import { toyReads, toySpec } from './platform-toy';
import { until } from './until';

type Env = Readonly<Record<string, string>>;

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly port?: number;
  readonly err?: { readonly message: string };
}

interface Instance {
  readonly port: number;
  readonly log: readonly LogLine[];
  /** Submits one message over HTTP; resolves with the revision it made, or `known`. */
  post(conversation: string, id: string, content?: string): Promise<number | 'known'>;
  request(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; body: never }>;
  ready(): Promise<boolean>;
  /** Value of one series of /metrics, summed over its labels. */
  metric(name: string): Promise<number>;
  /** What it has logged last and what its figures are, for the message of a failed test. */
  account(): Promise<string>;
  end(): Promise<void>;
}

export type Toy = Instance;

export interface ToyProcess extends Instance {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with exit code or signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly output: () => string;
}

const errorLevel = 50;
const answerWithinMs = 20_000;
export const errorsOf = (log: readonly LogLine[]): LogLine[] => log.filter(({ level }) => level >= errorLevel);

const figures = /^(kafka_consumergroup_lag|fairlead_(outbox|consumer|dlt|inbox)[a-z_]*)\{.*[1-9]/;
const lastLines = 15;

const http = (port: () => number, log: readonly LogLine[]): Omit<Instance, 'port' | 'log' | 'end'> => {
  const request: Instance['request'] = async (method, path, body, token) => {
    const response = await fetch(`http://127.0.0.1:${port()}${path}`, {
      method,
      signal: AbortSignal.timeout(answerWithinMs),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: (json ? JSON.parse(text) : text) as never };
  };
  return {
    request,
    post: async (conversation, id, content = 'hello') => {
      const { status, body } = await request('POST', `/toys/${conversation}/${id}`, { content });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return (body as { reply: number | 'known' }).reply;
    },
    account: async () => {
      const { body } = await request('GET', '/metrics').catch((error: unknown) => ({ body: String(error) }));
      return [
        `--- instance on port ${port()}`,
        ...log.slice(-lastLines).map(({ level, msg, err }) => `${level} ${msg}: ${err?.message ?? ''}`),
        ...(body as string).split('\n').filter((line) => figures.test(line)),
      ].join('\n');
    },
    ready: async () => (await request('GET', '/readyz')).status === 200,
    metric: async (name) => {
      const { body } = await request('GET', '/metrics');
      const lines = (body as string).split('\n').filter((line) => line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
};

/** Tests of servers that are away start with `NOT_READY`, the others with an instance that is. */
const whenReady = async <T extends Instance>(instance: T, env: Env): Promise<T> => {
  if (env['NOT_READY'] === undefined) await until('the toy is ready', () => instance.ready());
  return instance;
};

/** In this process. */
export const startToy = async (env: Env): Promise<Toy> => {
  const log: LogLine[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line) as LogLine) });
  const settings = readEnvironment('toy', env);
  const running = await startService(settings, logger, openMetrics('toy', [toyReads]), toySpec('toy'));
  let ended: Promise<void> | null = null;
  const end = (): Promise<void> => (ended ??= running.stop());
  return whenReady({ port: running.port, log, ...http(() => running.port, log), end }, env);
};

/** npm test has compiled test/support before it starts jest. */
const toyProgram = join(__dirname, '..', '..', 'dist', 'test', 'support', 'platform-toy.js');

/** As a process of its own. Resolves once it listens, or has ended. */
export const spawnToy = async (env: Env, program = toyProgram): Promise<ToyProcess> => {
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: LogLine[] = [];
  let output = '';
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log.push(JSON.parse(line) as LogLine);
  });
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let over = false;
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => {
      over = true;
      resolve(code ?? signal ?? -1);
    }),
  );
  const port = (): number => log.find(({ msg }) => msg === 'listening')?.port ?? 0;
  await until('the process listens', () => over || port() > 0);
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  const toy: ToyProcess = {
    pid: child.pid ?? 0,
    get port() {
      return port();
    },
    log,
    ...http(port, log),
    kill,
    exited,
    output: () => output,
    end: async () => {
      kill('SIGKILL');
      await exited;
    },
  };
  return over ? toy : whenReady(toy, env);
};
