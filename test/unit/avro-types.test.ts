import type { AvroField, AvroRecord } from '../../schemas/avro';
import { typescriptOf } from '../../schemas/typescript';

const record = (name: string, fields: AvroField[]): AvroRecord => ({
  type: 'record',
  name,
  namespace: 'fairlead',
  doc: `A ${name}.`,
  fields,
});

const field = (name: string, type: AvroField['type'], doc = 'A field.'): AvroField => ({ name, type, doc });

const kind = (...symbols: string[]): AvroField['type'] => ({ type: 'enum', name: 'Kind', doc: 'Which.', symbols });

test.each<[string, AvroField['type'], string]>([
  ['string', 'string', 'x: string;'],
  ['int', 'int', 'x: number;'],
  ['boolean', 'boolean', 'x: boolean;'],
  ['bytes', 'bytes', 'x: Buffer;'],
  ['nullable bytes', ['null', 'bytes'], 'x: Buffer | null;'],
  ['nullable int', ['null', 'int'], 'x: number | null;'],
  ['timestamp', { type: 'long', logicalType: 'timestamp-millis' }, 'x: number;'],
  ['array', { type: 'array', items: 'string' }, 'x: string[];'],
  ['array of unions', { type: 'array', items: ['null', 'string'] }, 'x: (string | null)[];'],
  ['enum', kind('a', 'UNKNOWN'), 'x: Kind;'],
  ['nullable record', ['null', record('Inner', [field('y', 'string')])], 'x: Inner | null;'],
])('%s', (_, type, expected) => {
  expect(typescriptOf([record('Outer', [field('x', type)])])).toContain(`  ${expected}\n`);
});

test('a nested record and an enum become types of their own, once, also when referred to by name', () => {
  const inner = record('Inner', [field('kind', kind('a', 'UNKNOWN'))]);
  const text = typescriptOf([
    record('One', [field('first', inner), field('second', { type: 'array', items: 'fairlead.Inner' })]),
    record('Two', [field('only', structuredClone(inner))]),
  ]);
  expect(text.match(/export interface Inner \{/g)).toHaveLength(1);
  expect(text).toContain("/** Which. */\nexport type Kind = 'a' | 'UNKNOWN';");
  expect(text).toContain('  second: Inner[];');
  expect(text).toContain("export type RecordName = 'One' | 'Two';");
});

test('a name with two shapes is refused', () => {
  const one = record('One', [field('kind', kind('a', 'UNKNOWN'))]);
  const two = record('Two', [field('kind', kind('b', 'UNKNOWN'))]);
  expect(() => typescriptOf([one, two])).toThrow('Kind is defined twice and differently');
});

test('an unknown type is refused with its place', () => {
  expect(() => typescriptOf([record('One', [field('x', 'Nowhere')])])).toThrow('One.x: unknown type Nowhere');
});

test('comments carry the sentence and the unit of a time, and cannot be broken out of', () => {
  const text = typescriptOf([
    record('One', [
      field('at', { type: 'long', logicalType: 'timestamp-millis' }, 'When.'),
      field('odd', 'string', 'Ends */ here.'),
      field('long', 'string', 'word '.repeat(40).trim()),
    ]),
  ]);
  expect(text).toContain('/** When. In ms since 1970, UTC. */');
  expect(text).toContain('/** Ends *\\/ here. */');
  const comments = text.split('\n').filter((line) => line.startsWith('   *'));
  expect(comments.length).toBeGreaterThan(1);
  expect(Math.max(...comments.map((line) => line.length))).toBeLessThanOrEqual(120);
});

test('the embedded schema survives quotes and backslashes', () => {
  const source = record('One', [field('x', 'string', 'The user\'s "own" \\ words.')]);
  const literal = /One:\s+('.*'),/.exec(typescriptOf([source]))?.[1] ?? '';
  const read = JSON.parse(literal.slice(1, -1).replaceAll(/\\(.)/g, '$1')) as AvroRecord;
  expect(read).toEqual(source);
});
