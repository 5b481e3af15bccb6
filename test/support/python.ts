import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';

const run = (command: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(command, [...args], { timeout: 180_000 }, (error, _stdout, stderr) =>
      error === null ? resolve() : reject(new Error(`${command} ${args.join(' ')}: ${stderr}`)),
    );
  });

/** A Python with one package, in a virtual environment that later runs find again. */
export const pythonWith = async (requirement: string): Promise<string> => {
  const folder = join(
    process.env['FAIRLEAD_CACHE'] ?? tmpdir(),
    `python-${createHash('sha256').update(requirement).digest('hex').slice(0, 12)}`,
  );
  const python = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'ready'))) return python;
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
  mkdirSync(join(folder, 'ready'));
  return python;
};
