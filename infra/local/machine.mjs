// Programs of this machine: finding, running and, where allowed, installing them.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const outputKeptChars = 4_000;

export const isRoot = () => process.getuid?.() === 0;

export const run = (command, args, { cwd, env = process.env, uid, gid, input } = {}) =>
  new Promise((resolve) => {
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd, env, uid, gid, stdio });
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-outputKeptChars);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
    if (input !== undefined) child.stdin.end(input);
  });

export const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

export const say = (message) => console.error(message);

/** The line that tells most in the output of a failed tool. */
export const reason = (output) => {
  const lines = output.split('\n').map((line) => line.replace(/\x1b\[[0-9;]*m/g, '').trim());
  const useful = lines.filter(Boolean);
  return useful.find((line) => /error|fail|unable|could not/i.test(line)) ?? useful.at(-1) ?? 'no output';
};

let aptUpdated = false;

export const aptInstall = async (...packages) => {
  if (!isRoot() || !onPath('apt-get')) return false;
  say(`installing ${packages.join(', ')} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  if (!aptUpdated) await run('apt-get', ['update', '-qq'], { env });
  aptUpdated = true;
  const { ok, output } = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    env,
  });
  if (!ok) say(`apt-get could not install ${packages.join(', ')}: ${reason(output)}`);
  return ok;
};

/** Fills a folder beside and renames it, so that an interrupted fetch leaves nothing that looks complete. */
export const fetchInto = async (target, fill) => {
  if (existsSync(target)) return target;
  const temporary = `${target}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  await fill(temporary);
  renameSync(temporary, target);
  return target;
};
