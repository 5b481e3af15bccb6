import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, readSchemas, withoutDocs } from './avro';
import { lockName, newestLock, readLocks, releaseProblems } from './lock';
import { withTopicTable } from './page';
import { typescriptOf } from './typescript';

const generatedPath = join('generated', 'records.ts');
const pageFile = 'README.md';

/** What is out of date below a schemas folder, one line each. */
export const staleness = (schemasDir: string): string[] => {
  const schemas = readSchemas(schemasDir);
  const locks = readLocks(join(schemasDir, 'lock'));
  const target = join(schemasDir, generatedPath);
  const written = existsSync(target) ? readFileSync(target, 'utf8') : '';
  const stale = written === typescriptOf(schemas.map((schema) => schema.record)) ? [] : [`${generatedPath} is stale`];
  const unlocked = schemas
    .filter(({ record }) => newestLock(locks, record.name)?.text !== withoutDocs(record))
    .map(({ path }) => `${path} differs from its newest version in lock/: generate with --lock`);
  const page = readFileSync(join(schemasDir, pageFile), 'utf8');
  const outdated = page === withTopicTable(page) ? [] : [`${pageFile}: the topic table is stale`];
  return [...stale, ...unlocked, ...outdated];
};

export const writeGenerated = (schemasDir: string): void => {
  mkdirSync(join(schemasDir, 'generated'), { recursive: true });
  const records = readSchemas(schemasDir).map((schema) => schema.record);
  writeFileSync(join(schemasDir, generatedPath), typescriptOf(records));
  const page = join(schemasDir, pageFile);
  writeFileSync(page, withTopicTable(readFileSync(page, 'utf8')));
};

/** Adds the next version of each changed record to the lock; nothing is written when one does not get on with the past. */
export const writeLocks = (schemasDir: string): { added: string[]; problems: string[] } => {
  const lockDir = join(schemasDir, 'lock');
  const locks = readLocks(lockDir);
  const changed = readSchemas(schemasDir)
    .map((schema) => schema.record)
    .filter((record) => newestLock(locks, record.name)?.text !== withoutDocs(record));
  const problems = changed.flatMap((record) => releaseProblems(record, locks));
  if (problems.length > 0) return { added: [], problems };
  mkdirSync(lockDir, { recursive: true });
  const added = changed.map((record) => {
    const file = lockName(record.name, (newestLock(locks, record.name)?.version ?? 0) + 1);
    writeFileSync(join(lockDir, file), `${withoutDocs(record)}\n`);
    return file;
  });
  return { added, problems: [] };
};

const main = (args: readonly string[]): string[] => {
  const schemasDir = join(packageRoot(__dirname), 'schemas');
  if (args.includes('--check')) return staleness(schemasDir);
  writeGenerated(schemasDir);
  return args.includes('--lock') ? writeLocks(schemasDir).problems : [];
};

if (require.main === module) {
  const problems = main(process.argv.slice(2));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
