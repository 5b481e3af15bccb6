import { mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** `received` stands before anything is done under a key; `effect` is the deed itself. */
export type JournalLine =
  | {
      kind: 'received';
      key: string;
      operation: string;
      sha256: string;
      at: string;
      outcome: 'done' | 'rejected';
      answer: Answer;
      dueAt: string | null;
      forgetAt: string | null;
    }
  | { kind: 'effect'; key: string; operation: string; at: string }
  /** What was under way is dropped: no effect follows. */
  | { kind: 'cancelled'; key: string; at: string };

export interface Journal {
  /** Resolves once the lines are on the disk. */
  append: (lines: readonly JournalLine[]) => Promise<void>;
  close: () => Promise<void>;
}

/** The lines of an earlier life. A torn last line was never answered for, and is cut off. */
export const readJournal = (path: string): JournalLine[] => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
};

/** Appends in groups: whatever arrives while one group is being synced goes into the next. */
export const openJournal = async (path: string): Promise<Journal> => {
  mkdirSync(dirname(path), { recursive: true });
  const file = await open(path, 'a');
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const writeGroup = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    next = null;
    await file.appendFile(group.join(''));
    await file.datasync();
  };
  return {
    append: (lines) => {
      waiting.push(...lines.map((line) => `${JSON.stringify(line)}\n`));
      if (next === null) {
        next = writing.then(writeGroup);
        // A failed group rejects whoever waits for it; the chain itself goes on.
        writing = next.catch(() => undefined);
      }
      return next;
    },
    close: async () => {
      await writing;
      await file.close();
    },
  };
};
