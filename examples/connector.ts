// A connector to what speaks no HTTP, here a folder that somebody empties. In the configuration:
//   connectors:
//     letters:
//       operations: [post]
//       module: ./connector.ts
//       outcome: { succeeded: [201], alreadyDone: [409] }
//       receipt: { statePath: state, succeeded: [posted], absent: { status: [404], meansFailedAfterMs: 60000 } }
import { access, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defineConnector, NotSent } from '../services/client/define-connector';

const folder = process.env['LETTERS_FOLDER'] ?? '/var/spool/letters';

/** The key is the name, so the folder itself knows what was handed over: never the same letter twice. */
const pathOf = (actionKey: string): string => join(folder, `${encodeURIComponent(actionKey)}.json`);

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

export default defineConnector({
  submit: async ({ actionKey, body, mayWrite }) => {
    // Nothing has been handed over by now: that is said, so that it may be tried again.
    await mkdir(folder, { recursive: true }).catch(() => {
      throw new NotSent('folder_away');
    });
    if (!mayWrite()) throw new NotSent('send_by_passed');
    const draft = join(folder, `.${randomUUID()}`);
    try {
      // Whole or not at all: it gets its name only when every byte is there, and a name is given once.
      await writeFile(draft, body ?? '');
      await link(draft, pathOf(actionKey));
      return { status: 201 };
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return { status: 409 };
      // A disk that failed in the middle: whether the letter is there, only the receipt tells.
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  },
  receipt: async ({ actionKey }) => {
    try {
      await access(pathOf(actionKey));
      return { status: 200, body: JSON.stringify({ state: 'posted' }) };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { status: 404 };
      throw error;
    }
  },
});
