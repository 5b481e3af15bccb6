import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'avsc';
import { withoutDocs, type AvroRecord } from './avro';

/** A version of a record that readers and stored records out there may have. */
export interface LockedSchema {
  record: string;
  version: number;
  text: string;
}

const lockFile = /^(\w+)\.v(\d+)\.avsc$/;

export const lockName = (record: string, version: number): string => `${record}.v${version}.avsc`;

/** All released versions, oldest first within a record. */
export const readLocks = (lockDir: string): LockedSchema[] =>
  (existsSync(lockDir) ? readdirSync(lockDir) : [])
    .map((file) => {
      const match = lockFile.exec(file);
      if (match === null) throw new Error(`lock/${file}: not a lock of a record`);
      const text = readFileSync(join(lockDir, file), 'utf8').trim();
      return { record: match[1] as string, version: Number(match[2]), text };
    })
    .sort((a, b) => (a.record < b.record ? -1 : a.record > b.record ? 1 : a.version - b.version));

export const newestLock = (locks: readonly LockedSchema[], record: string): LockedSchema | undefined =>
  locks.filter((lock) => lock.record === record).at(-1);

/** Null when each can read what the other wrote, else the reason. */
export const incompatibility = (one: string, other: string): string | null => {
  const [a, b] = [Type.forSchema(JSON.parse(one)), Type.forSchema(JSON.parse(other))];
  try {
    a.createResolver(b);
    b.createResolver(a);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Reasons why the record may not be released as it is; empty when every released version gets on with it. */
export const releaseProblems = (record: AvroRecord, locks: readonly LockedSchema[]): string[] =>
  locks
    .filter((lock) => lock.record === record.name)
    .flatMap((lock) => {
      const reason = incompatibility(withoutDocs(record), lock.text);
      return reason === null ? [] : [`${record.name} against released version ${lock.version}: ${reason}`];
    });
