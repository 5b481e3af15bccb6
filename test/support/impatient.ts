import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './documents';

const shorter = [
  ['meansFailedAfterMs: 60000', 'meansFailedAfterMs: 1000'],
  ['maxIntervalMs: 15000', 'maxIntervalMs: 1000'],
  ['firstAfterMs: 500', 'firstAfterMs: 200'],
] as const;

/** The local stack's configuration with a remote whose silence proves something sooner; resolves with its path. */
export const impatientConfiguration = (folder: string, remoteUrl: string): string => {
  let text = readFileSync(join(root, 'services/platform/default-configuration.yaml'), 'utf8');
  for (const [patient, impatient] of shorter) {
    if (!text.includes(patient)) throw new Error(`the local configuration has no ${patient} any more`);
    text = text.replace(patient, impatient);
  }
  const path = join(folder, 'impatient.yaml');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text.replaceAll('${DEMO_REMOTE_URL}', remoteUrl));
  return path;
};
