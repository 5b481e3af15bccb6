import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ticksPerSecond = 100;
const pageBytes = 4096;

interface Usage {
  readonly cpuSec: number;
  readonly memoryMiB: number;
}

const statOf = (
  pid: number,
): { readonly parent: number; readonly cpuSec: number; readonly memoryMiB: number } | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      cpuSec: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      memoryMiB: (Number(fields[21]) * pageBytes) / 2 ** 20,
    };
  } catch {
    return null;
  }
};

/** CPU and memory of each process of the stack by name; children (PostgreSQL's) count to their parent. */
export const usage = (home: string): ReadonlyMap<string, Usage> => {
  const folder = join(home, 'run');
  const pids = new Map<number, string>();
  for (const file of readdirSync(folder))
    if (file.endsWith('.pid')) pids.set(Number(readFileSync(join(folder, file), 'utf8')), file.slice(0, -4));
  const found = new Map<string, Usage>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(Number(entry));
    const name = pids.get(Number(entry)) ?? (stat === null ? undefined : pids.get(stat.parent));
    if (stat === null || name === undefined) continue;
    const before = found.get(name) ?? { cpuSec: 0, memoryMiB: 0 };
    found.set(name, { cpuSec: before.cpuSec + stat.cpuSec, memoryMiB: before.memoryMiB + stat.memoryMiB });
  }
  return found;
};
