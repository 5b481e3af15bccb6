import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';

const fetchMs = 300_000;

/** What this machine lacks to run a Java source file with libraries of Maven Central; null = nothing. */
export const lacking = (): string | null => {
  const { status, stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' });
  if (status !== 0) return 'java';
  // A source file is compiled as it is started, which a JRE alone cannot.
  if (!/^jdk\.compiler@/m.test(stdout)) return 'the Java compiler';
  return spawnSync('mvn', ['--version']).status === 0 ? null : 'mvn';
};

/** The folder with the jars that a pom names, kept where later runs find it again. */
export const jarsOf = (pom: string): string => {
  const name = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const folder = join(process.env['FAIRLEAD_CACHE'] ?? tmpdir(), `java-${name}`);
  if (existsSync(join(folder, 'ready'))) return folder;
  mkdirSync(folder, { recursive: true });
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  execFileSync('mvn', args, { timeout: fetchMs, cwd: dirname(folder), stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(join(folder, 'ready'));
  return folder;
};
