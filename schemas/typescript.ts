import { minified, type AvroEnum, type AvroField, type AvroNode, type AvroRecord } from './avro';

const columns = 120;

const primitives: Readonly<Record<string, string>> = {
  null: 'null',
  string: 'string',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  double: 'number',
  bytes: 'Buffer',
};

/** TypeScript for all records: one interface each, the shared nested ones once, and the schemas as text. */
export const typescriptOf = (records: readonly AvroRecord[]): string => {
  const declared = new Map<string, string>();
  for (const record of records) declareRecord(record, declared);
  const names = records.map((record) => record.name).sort();
  const byName = new Map(records.map((record) => [record.name, record]));
  return [
    '// Generated from schemas/*/*.avsc by schemas/generate.ts; never edited by hand.',
    '',
    '// timestamp-millis is a number of milliseconds since 1970-01-01T00:00:00Z, bytes are a Buffer, and UNKNOWN is what an',
    "// enum reads as when the writer's symbol is newer than this code.",
    '',
    ...[...declared.keys()].sort().flatMap((name) => [declared.get(name) ?? '', '']),
    unionType('RecordName', names),
    '',
    'export interface RecordByName {',
    ...names.map((name) => `  ${name}: ${name};`),
    '}',
    '',
    '/** The schemas as they are registered, so that nothing reads a file at run time. */',
    'export const schemaText: Readonly<Record<RecordName, string>> = {',
    ...names.map((name) => property(name, minified(byName.get(name) as AvroRecord))),
    '};',
    '',
  ].join('\n');
};

const declareRecord = (record: AvroRecord, declared: Map<string, string>): void => {
  const lines = [
    ...comment(record.doc, ''),
    `export interface ${record.name} {`,
    ...record.fields.flatMap((field) => [
      ...comment(fieldDoc(field), '  '),
      `  ${field.name}: ${typeOf(field.type, `${record.name}.${field.name}`, declared)};`,
    ]),
    '}',
  ];
  declare(record.name, lines.join('\n'), declared);
};

const declareEnum = (node: AvroEnum, declared: Map<string, string>): void =>
  declare(node.name, [...comment(node.doc, ''), unionType(node.name, node.symbols)].join('\n'), declared);

/** One name means one shape everywhere: readers of two topics would otherwise get two types of the same name. */
const declare = (name: string, text: string, declared: Map<string, string>): void => {
  const earlier = declared.get(name);
  if (earlier !== undefined && earlier !== text) throw new Error(`${name} is defined twice and differently`);
  declared.set(name, text);
};

const typeOf = (node: AvroNode, where: string, declared: Map<string, string>): string => {
  if (typeof node === 'string') return primitives[node] ?? reference(node, where, declared);
  if (Array.isArray(node)) {
    const types = node.map((branch) => typeOf(branch, where, declared));
    return [...types.filter((type) => type !== 'null'), ...types.filter((type) => type === 'null')].join(' | ');
  }
  if (node.type === 'record') {
    declareRecord(node, declared);
    return node.name;
  }
  if (node.type === 'enum') {
    declareEnum(node, declared);
    return node.name;
  }
  if (node.type === 'array') {
    const items = typeOf(node.items, where, declared);
    return items.includes(' ') ? `(${items})[]` : `${items}[]`;
  }
  return typeOf(node.type, where, declared);
};

const reference = (name: string, where: string, declared: Map<string, string>): string => {
  const short = name.slice(name.lastIndexOf('.') + 1);
  if (!declared.has(short)) throw new Error(`${where}: unknown type ${name}`);
  return short;
};

const unionType = (name: string, symbols: readonly string[]): string => {
  const line = `export type ${name} = ${symbols.map((symbol) => `'${symbol}'`).join(' | ')};`;
  if (line.length <= columns) return line;
  return [`export type ${name} =`, ...symbols.map((symbol) => `  | '${symbol}'`)].join('\n') + ';';
};

const property = (name: string, text: string): string => {
  const literal = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = `  ${name}: ${literal},`;
  return line.length <= columns ? line : `  ${name}:\n    ${literal},`;
};

const fieldDoc = (field: AvroField): string | undefined =>
  isTimestamp(field.type) && field.doc !== undefined ? `${field.doc} In ms since 1970, UTC.` : field.doc;

const isTimestamp = (node: AvroNode): boolean => {
  if (typeof node === 'string') return false;
  if (Array.isArray(node)) return node.some(isTimestamp);
  return 'logicalType' in node && node.logicalType === 'timestamp-millis';
};

const comment = (doc: string | undefined, indent: string): string[] => {
  if (doc === undefined) return [];
  const text = doc.replaceAll('*/', '*\\/');
  const line = `${indent}/** ${text} */`;
  if (line.length <= columns) return [line];
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (`${indent} * ${last} ${word}`.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return [`${indent}/**`, ...lines.map((part) => `${indent} * ${part}`), `${indent} */`];
};
