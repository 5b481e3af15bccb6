import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The part of the Avro schema language that the records of this project use. */
export type AvroNode = string | AvroNode[] | AvroPrimitive | AvroArray | AvroEnum | AvroRecord;

export interface AvroPrimitive {
  type: 'string' | 'int' | 'long' | 'boolean' | 'bytes' | 'double';
  logicalType?: string;
}

export interface AvroArray {
  type: 'array';
  items: AvroNode;
}

export interface AvroEnum {
  type: 'enum';
  name: string;
  doc?: string;
  symbols: string[];
  default?: string;
}

export interface AvroField {
  name: string;
  type: AvroNode;
  doc?: string;
  default?: unknown;
}

export interface AvroRecord {
  type: 'record';
  name: string;
  namespace?: string;
  doc?: string;
  fields: AvroField[];
}

export interface SchemaFile {
  /** The service, or `ingress`, that produces the record first; the folder the file lies in. */
  owner: string;
  /** Path below the schemas folder, for messages. */
  path: string;
  record: AvroRecord;
}

export const owners = ['ingress', 'admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
export type Owner = (typeof owners)[number];

/** The package's own folder, found from a source file or from its compiled copy under dist. */
export const packageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new Error('no package.json above the schemas folder');
  return packageRoot(above);
};

export const readSchemas = (schemasDir: string): SchemaFile[] =>
  owners.flatMap((owner) =>
    readdirSync(join(schemasDir, owner))
      .filter((file) => file.endsWith('.avsc'))
      .sort()
      .map((file) => {
        const path = `${owner}/${file}`;
        return { owner, path, record: parseRecord(readFileSync(join(schemasDir, path), 'utf8'), path) };
      }),
  );

export const parseRecord = (text: string, path: string): AvroRecord => {
  const schema = JSON.parse(text) as AvroNode;
  if (typeof schema === 'string' || Array.isArray(schema) || schema.type !== 'record') {
    throw new Error(`${path}: not a record`);
  }
  return schema;
};

/** The form that is uploaded: a registry compares text, so that white space must never differ. */
export const minified = (record: AvroRecord): string => JSON.stringify(record);

/** The form that is locked: a better sentence is no new version of a record. */
export const withoutDocs = (record: AvroRecord): string => {
  const strip = (node: AvroNode): AvroNode => {
    if (typeof node === 'string') return node;
    if (Array.isArray(node)) return node.map(strip);
    if (node.type === 'array') return { ...node, items: strip(node.items) };
    if (node.type === 'enum') return omitDoc(node);
    if (node.type !== 'record') return node;
    return { ...omitDoc(node), fields: node.fields.map((field) => ({ ...omitDoc(field), type: strip(field.type) })) };
  };
  return JSON.stringify(strip(record));
};

const omitDoc = <T extends { doc?: string }>(node: T): Omit<T, 'doc'> => {
  const { doc: _, ...rest } = node;
  return rest;
};
