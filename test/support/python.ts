import { execFile, execFileSync } from 'node:child_process';
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

const folderOf = (requirement: string): string =>
  join(
    process.env['FAIRLEAD_CACHE'] ?? tmpdir(),
    `python-${createHash('sha256').update(requirement).digest('hex').slice(0, 12)}`,
  );

/**
 * The folder of a package's programs, or null where it cannot be had. At once, because jest wants to know before the
 * first test which of them there are.
 */
export const programsOf = (requirement: string): string | null => {
  const folder = folderOf(requirement);
  const programs = join(folder, 'bin');
  if (existsSync(join(folder, 'ready'))) return programs;
  try {
    mkdirSync(folder, { recursive: true });
    const quiet = { timeout: 180_000, stdio: 'ignore' } as const;
    execFileSync('python3', ['-m', 'venv', folder], quiet);
    execFileSync(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', requirement], quiet);
    mkdirSync(join(folder, 'ready'));
    return programs;
  } catch {
    return null;
  }
};

/** A Python with one package, in a virtual environment that later runs find again. */
export const pythonWith = async (requirement: string): Promise<string> => {
  const folder = folderOf(requirement);
  const python = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'ready'))) return python;
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
  mkdirSync(join(folder, 'ready'));
  return python;
};
