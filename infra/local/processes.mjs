// Starting, recognising and ending the processes of one FAIRLEAD_HOME by their pid files.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { announcedPort, runDir } from './ports.mjs';

const pollMs = 50;
const rotateLogAtBytes = 50 * 1024 * 1024;
const lastLinesBytes = 4096;
const ticksPerSec = 100;
/** The kernel gives the boot time in whole seconds, so two times closer than this cannot be told apart. */
const clockSlackMs = 2_000;

const pidPath = (home, name) => join(runDir(home), `${name}.pid`);
export const logPath = (home, name) => join(runDir(home), `${name}.log`);

/** Fields after the command name, which itself may contain spaces and brackets. */
const procStat = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

/** A zombie has ended: only its parent has not asked for the exit code yet. */
export const isAlive = (pid) => {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  try {
    return procStat(pid)[0] !== 'Z';
  } catch (error) {
    return error.code === 'ENOENT' ? !existsSync('/proc/self/stat') : error.code !== 'ESRCH';
  }
};

/** True when the process began after the file was written: then the pid belongs to another program by now. */
export const startedAfter = (pid, path) => {
  try {
    const bootSec = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))[1]);
    const startedMs = (bootSec + Number(procStat(pid)[19]) / ticksPerSec) * 1000;
    return startedMs > statSync(path).mtimeMs + clockSlackMs;
  } catch {
    return false;
  }
};

const commandLine = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return undefined;
  }
};

/** What every server and service of a stack is run by; a pid file that points at anything else is stale. */
const knownPrograms = /\b(java|postgres|redis-server|valkey-server|node|fairlead)\b/;

/** The living process behind a pid file of this home, or undefined. */
export const running = (home, name) => {
  const path = pidPath(home, name);
  let pid;
  try {
    pid = Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  if (!isAlive(pid) || startedAfter(pid, path)) return undefined;
  const command = commandLine(pid);
  if (command !== undefined && !knownPrograms.test(command)) return undefined;
  return { name, pid, port: announcedPort(name, home) };
};

/** Everything alive of this home: servers, services, and instances started by hand. */
export const allRunning = (home) => {
  if (!existsSync(runDir(home))) return [];
  return readdirSync(runDir(home))
    .filter((file) => file.endsWith('.pid'))
    .map((file) => running(home, file.slice(0, -'.pid'.length)))
    .filter((found) => found !== undefined);
};

export const announce = (home, name, pid, port) => {
  mkdirSync(runDir(home), { recursive: true });
  if (port !== undefined) writeFileSync(join(runDir(home), `${name}.port`), `${port}\n`);
  writeFileSync(pidPath(home, name), `${pid}\n`);
};

/** Takes the announcement back, unless another process has made it its own meanwhile. */
export const withdraw = (home, name, pid) => {
  try {
    if (Number(readFileSync(pidPath(home, name), 'utf8')) !== pid) return;
  } catch {
    return;
  }
  rmSync(join(runDir(home), `${name}.port`), { force: true });
  rmSync(pidPath(home, name), { force: true });
};

const openLog = (home, name) => {
  const path = logPath(home, name);
  if (existsSync(path) && statSync(path).size > rotateLogAtBytes) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
};

/**
 * Starts a process in a session of its own, so that Ctrl-C at the terminal reaches only the command, which then ends
 * its processes in order. `exited` resolves with a description when the process ends.
 */
export const launch = (home, { name, command, args, port, env = process.env, cwd, uid, gid }) => {
  mkdirSync(runDir(home), { recursive: true });
  const log = openLog(home, name);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env, cwd, uid, gid });
  closeSync(log);
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`));
  });
  if (child.pid !== undefined) announce(home, name, child.pid, port);
  child.unref();
  return { name, pid: child.pid, port, exited };
};

export const lastLines = (home, name, count = 15) => {
  try {
    const path = logPath(home, name);
    const { size } = statSync(path);
    const buffer = Buffer.alloc(Math.min(size, lastLinesBytes));
    const file = openSync(path, 'r');
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    closeSync(file);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
};

const signal = (pid, name) => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};

/** Asks the process to end, waits, and ends it by force after `graceMs`. */
export const end = async (home, { name, pid }, { graceMs, stopSignal = 'SIGTERM' }) => {
  signal(pid, stopSignal);
  const deadline = Date.now() + graceMs;
  while (isAlive(pid) && Date.now() < deadline) await pause(pollMs);
  const forced = isAlive(pid);
  if (forced) {
    signal(pid, 'SIGKILL');
    while (isAlive(pid)) await pause(pollMs);
  }
  withdraw(home, name, pid);
  return { name, pid, forced };
};
