import { join } from 'node:path';
import { Type } from 'avsc';
import * as fc from 'fast-check';
import { schemaText } from '../../schemas/generated/records';
import { readLocks } from '../../schemas/lock';

/** As the codec reads them: an optional value is null or the value itself. */
const typeOf = (text: string): Type =>
  Type.forSchema(JSON.parse(text) as never, { wrapUnions: false, registry: {} } as never);

interface Named {
  readonly type: string;
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: Schema }[];
  readonly symbols: readonly string[];
  readonly items: Schema;
  readonly values: Schema;
}
type Schema = string | Schema[] | Named;

/** The Avro library keeps longs exactly up to here; every time and number of ours is far below. */
const longest = 2 ** 52 - 1;

/** Values of a schema, ends of their ranges included. */
const valuesOf = (schema: Schema, known: Map<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema)) return fc.oneof(...schema.map((one) => valuesOf(one, known)));
  const type = typeof schema === 'string' ? schema : schema.type;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'int':
      return fc.integer();
    case 'long':
      return fc.integer({ min: -longest, max: longest });
    case 'float':
    case 'double':
      return fc.double({ noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number));
    case 'string':
      return fc.string({ unit: 'grapheme', maxLength: 20 });
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
  }
  if (typeof schema === 'string') {
    const named = known.get(schema) ?? known.get(schema.split('.').at(-1) ?? '');
    if (named === undefined) throw new Error(`${schema} is not known`);
    return named;
  }
  const keep = (made: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
    known.set(schema.name, made);
    return made;
  };
  switch (type) {
    case 'enum':
      return keep(fc.constantFrom(...schema.symbols));
    case 'array':
      return fc.array(valuesOf(schema.items, known), { maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.string({ maxLength: 8 }), valuesOf(schema.values, known), { maxKeys: 3 });
    case 'record':
      return keep(fc.record(Object.fromEntries(schema.fields.map((one) => [one.name, valuesOf(one.type, known)]))));
    default:
      return valuesOf(schema.type, known);
  }
};

/** What of a value the other version has a place for. */
const shared = (value: unknown, other: unknown): unknown => {
  if (Array.isArray(value) && Array.isArray(other)) return value.map((one, index) => shared(one, other[index]));
  if (value === null || typeof value !== 'object' || other === null || typeof other !== 'object') return value;
  if (Buffer.isBuffer(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(other, name))
      .map(([name, part]) => [name, shared(part, (other as Record<string, unknown>)[name])]),
  );
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const locks = readLocks(join(__dirname, '../../schemas/lock'));
const names = [...new Set(locks.map((lock) => lock.record))];

describe('records keep what they say across every pair of released versions', () => {
  test.each(names)('X1 %s', (name) => {
    const texts = [
      ...locks.filter((lock) => lock.record === name).map((lock) => lock.text),
      schemaText[name as keyof typeof schemaText],
    ];
    for (const written of texts)
      for (const read of texts) {
        const writer = typeOf(written);
        const reader = typeOf(read);
        const forth = reader.createResolver(writer);
        const back = writer.createResolver(reader);
        fc.assert(
          fc.property(valuesOf(JSON.parse(written) as Schema, new Map()), (value) => {
            const there = reader.fromBuffer(writer.toBuffer(value), forth) as unknown;
            expect(plain(shared(there, value))).toEqual(plain(shared(value, there)));
            const again = writer.fromBuffer(reader.toBuffer(there), back) as unknown;
            expect(plain(shared(again, there))).toEqual(plain(shared(there, again)));
          }),
          { numRuns: 25, seed: 5 },
        );
      }
  });

  test('every record that is written has a released version', () => {
    expect(names.sort()).toEqual(Object.keys(schemaText).sort());
  });
});
