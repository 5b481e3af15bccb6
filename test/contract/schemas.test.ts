import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'avsc';
import { minified, packageRoot, readSchemas, withoutDocs, type AvroNode, type AvroRecord } from '../../schemas/avro';
import { schemaText, type RecordName } from '../../schemas/generated/records';
import { staleness } from '../../schemas/generate';
import { incompatibility, newestLock, readLocks, releaseProblems } from '../../schemas/lock';
import { topics } from '../../schemas/topics';

const schemasDir = join(packageRoot(__dirname), 'schemas');
const schemas = readSchemas(schemasDir);
const locks = readLocks(join(schemasDir, 'lock'));

/** Every record and enum of a schema, nested ones too. */
const named = (node: AvroNode): Exclude<AvroNode, string | AvroNode[]>[] => {
  if (typeof node === 'string') return [];
  if (Array.isArray(node)) return node.flatMap(named);
  if (node.type === 'array') return named(node.items);
  if (node.type === 'record') return [node, ...node.fields.flatMap((field) => named(field.type))];
  return node.type === 'enum' ? [node] : [];
};

const record = (name: string): AvroRecord => {
  const found = schemas.find((schema) => schema.record.name === name);
  if (found === undefined) throw new Error(`no record ${name}`);
  return found.record;
};

const changed = (name: string, change: (copy: AvroRecord) => void): AvroRecord => {
  const copy = structuredClone(record(name));
  change(copy);
  return copy;
};

describe.each(schemas.map((schema) => [schema.path, schema.record] as const))('%s', (path, current) => {
  test('is one record of the project, named like its file', () => {
    expect(current.namespace).toBe('fairlead');
    expect(path.endsWith(`/${current.name}.avsc`)).toBe(true);
    expect(() => Type.forSchema(JSON.parse(minified(current)))).not.toThrow();
  });

  test('says in a sentence what it and each field is', () => {
    for (const node of named(current)) {
      if (node.type !== 'record' && node.type !== 'enum') continue;
      expect([node.name, node.doc]).toEqual([node.name, expect.stringMatching(/\.$/)]);
      if (node.type !== 'record') continue;
      for (const field of node.fields) {
        expect([`${node.name}.${field.name}`, field.doc]).toEqual([
          `${node.name}.${field.name}`,
          expect.stringMatching(/\.$/),
        ]);
      }
    }
  });

  test('A8: an unknown symbol of a newer producer reads as UNKNOWN, in every enum', () => {
    for (const node of named(current)) {
      if (node.type !== 'enum') continue;
      expect([node.name, node.default]).toEqual([node.name, 'UNKNOWN']);
      expect(node.symbols).toContain('UNKNOWN');
    }
  });

  test('gives every nested field a default', () => {
    for (const node of named(current)) {
      if (node.type !== 'record' || node === current) continue;
      expect(node.fields.filter((field) => field.default === undefined)).toEqual([]);
    }
  });

  test('has no default that the registry of the local stack chokes on', () => {
    expect(minified(current)).not.toContain('"default":"{}"');
  });

  test('reads and is read by every released version', () => {
    expect(newestLock(locks, current.name)).toBeDefined();
    expect(releaseProblems(current, locks)).toEqual([]);
  });

  test('is on at least one topic', () => {
    expect(topics.filter((topic) => topic.records.includes(current.name as RecordName))).not.toEqual([]);
  });

  test('is embedded in the generated code as it is', () => {
    expect(JSON.parse(schemaText[current.name as RecordName])).toEqual(current);
  });
});

describe('generated code and lock', () => {
  test('are fresh, and so is the topic table of the README', () => {
    expect(staleness(schemasDir)).toEqual([]);
  });

  test('name the same records', () => {
    expect(Object.keys(schemaText).sort()).toEqual(schemas.map((schema) => schema.record.name).sort());
    expect([...new Set(locks.map((lock) => lock.record))].sort()).toEqual(Object.keys(schemaText).sort());
  });

  test('the versions of a locked record are counted without a gap and get on with one another', () => {
    for (const name of Object.keys(schemaText)) {
      const versions = locks.filter((lock) => lock.record === name);
      expect(versions.map((lock) => lock.version)).toEqual(versions.map((_, index) => index + 1));
      for (const one of versions)
        for (const other of versions) expect(incompatibility(one.text, other.text)).toBeNull();
    }
  });

  test('nothing but owners, code and pages lies in the schemas folder', () => {
    const folders = readdirSync(schemasDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(
      [...new Set(schemas.map((schema) => schema.owner)), 'connector', 'generated', 'lock', 'turn-protocol'].sort(),
    );
  });
});

describe('the lock notices', () => {
  test.each<[string, (copy: AvroRecord) => void]>([
    ['a new field without a default', (copy) => copy.fields.push({ name: 'extra', type: 'string' })],
    ['a removed field without a default', (copy) => void copy.fields.splice(0, 1)],
    ['a changed type', (copy) => Object.assign(copy.fields[0] as object, { type: 'int' })],
    ['a renamed field without a default', (copy) => Object.assign(copy.fields[0] as object, { name: 'other' })],
  ])('%s', (_, change) => {
    expect(releaseProblems(changed('StartRun', change), locks)).toHaveLength(
      locks.filter((lock) => lock.record === 'StartRun').length,
    );
  });

  test('nothing wrong in a new field with a default, a new symbol or a better sentence', () => {
    const better = changed('StartRun', (copy) => {
      copy.doc = 'Another sentence.';
      copy.fields.push({ name: 'extra', type: ['null', 'string'], default: null });
      for (const node of named(copy)) if (node.type === 'enum') node.symbols.push('later');
    });
    expect(releaseProblems(better, locks)).toEqual([]);
    expect(withoutDocs(changed('StartRun', (copy) => (copy.doc = 'Another sentence.')))).toBe(
      withoutDocs(record('StartRun')),
    );
  });
});

describe('MessageSubmitted', () => {
  const type = Type.forSchema(JSON.parse(schemaText.MessageSubmitted));
  const least = { eventId: 'e', occurredAt: 1, conversationId: 'c', clientMessageId: 'm', content: '' };

  test('A2: the least a producer can send is everything up to content, the rest has a default', () => {
    const fields = record('MessageSubmitted').fields;
    expect(fields.filter((field) => field.default === undefined).map((field) => field.name)).toEqual(
      Object.keys(least).sort((a, b) => fields.findIndex((f) => f.name === a) - fields.findIndex((f) => f.name === b)),
    );
    expect(type.fromBuffer(type.toBuffer(least))).toMatchObject({
      ...least,
      account: null,
      relation: 'UNSPECIFIED',
      amendKind: null,
      priority: null,
      scheduled: false,
    });
  });

  test("A8: a newer producer's relation, control and mode read as UNKNOWN instead of failing", () => {
    const newer = JSON.parse(
      minified(
        changed('MessageSubmitted', (copy) => {
          for (const node of named(copy)) if (node.type === 'enum') node.symbols.push('LATER');
        }),
      ),
    );
    const writer = Type.forSchema(newer);
    const bytes = writer.toBuffer({ ...least, relation: 'LATER', control: 'LATER', mode: 'LATER' });
    expect(type.fromBuffer(bytes, type.createResolver(writer))).toMatchObject({
      relation: 'UNKNOWN',
      control: 'UNKNOWN',
      mode: 'UNKNOWN',
    });
  });
});

test('a time is a plain number of milliseconds and bytes are kept', () => {
  const type = Type.forSchema(JSON.parse(schemaText.PublishReport));
  const body = Buffer.from([0, 255, 128]);
  const identity = { eventId: 'e', occurredAt: 1_764_500_000_123, tenant: 't', app: 'a', account: 'u' };
  const ids = { conversationId: 'c', taskId: 't', runId: 'r', revision: 1, version: 1, seq: 1 };
  const read = type.fromBuffer(type.toBuffer({ ...identity, ...ids, body }));
  expect(read).toMatchObject({ occurredAt: 1_764_500_000_123, body, sources: '[]', unsettledActions: [], attempt: 1 });
});

test('lock files end in a line break and hold no sentences', () => {
  for (const file of readdirSync(join(schemasDir, 'lock'))) {
    const text = readFileSync(join(schemasDir, 'lock', file), 'utf8');
    expect([file, text.endsWith('}\n'), text.includes('"doc"')]).toEqual([file, true, false]);
  }
});
