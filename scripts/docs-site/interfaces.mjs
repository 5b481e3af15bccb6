// The two interfaces as plain pages: the routes from OpenAPI, the topics from AsyncAPI and the Avro schemas.
import { escape, slug } from './frame.mjs';

const table = (head, rows) =>
  rows.length === 0
    ? ''
    : `<div class="wide"><table>\n<thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>\n<tbody>\n${rows
        .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
        .join('\n')}\n</tbody></table></div>\n`;

/** A JSON Schema in few words: literals by their values, null as an alternative. */
const typeOf = (schema) => {
  if (schema === undefined || schema === true) return 'anything';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === 'object' && schema.properties !== undefined)
    return `{ ${Object.entries(schema.properties)
      .map(([name, of]) => `${name}: ${typeOf(of)}`)
      .join(', ')} }`;
  return schema.format ?? schema.type ?? 'anything';
};

const bodyTable = (title, schema) => {
  if (schema === undefined) return '';
  const inner = schema.properties?.items?.items;
  const shown = inner?.properties === undefined ? schema : inner;
  const what = inner?.properties === undefined ? title : `${title}: <code>{items, next}</code>, each item`;
  const required = new Set(shown.required ?? []);
  const rows = Object.entries(shown.properties ?? {}).map(([name, of]) => [
    `<code>${escape(name)}</code>${required.has(name) ? '' : ' (optional)'}`,
    escape(typeOf(of)),
    escape(of.description ?? ''),
  ]);
  return rows.length === 0 ? '' : `<p>${what}:</p>\n${table(['field', 'type', ''], rows)}`;
};

const operationOf = (path, method, operation, shared, owner) => {
  const name = `${method.toUpperCase()} ${path}`;
  const parameters = [...shared, ...(operation.parameters ?? [])].map(({ name: parameter, in: where, schema }) => [
    `<code>${escape(parameter)}</code>`,
    escape(where),
    escape(typeOf(schema)),
  ]);
  const answers = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'));
  return [
    `<h3 id="${slug(name)}"><code>${escape(name)}</code></h3>\n`,
    `<p>${escape(operation.summary ?? '')} Owner: ${escape(owner)}.</p>\n`,
    table(['parameter', 'in', 'type'], parameters),
    bodyTable('Body', operation.requestBody?.content?.['application/json']?.schema),
    bodyTable(`Answer ${answers?.[0] ?? ''}`, answers?.[1]?.content?.['application/json']?.schema),
  ].join('');
};

export const openapiPage = ({ info, paths }) => {
  const operations = Object.entries(paths).flatMap(([path, { 'x-owner': owner, parameters = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, parameters, owner })),
  );
  const index = operations.map(({ path, method, owner }) => {
    const name = `${method.toUpperCase()} ${path}`;
    return [`<a href="#${slug(name)}"><code>${escape(name)}</code></a>`, escape(owner)];
  });
  const all = operations.map(({ path, method, operation, parameters, owner }) =>
    operationOf(path, method, operation, parameters, owner),
  );
  return `<h1>HTTP routes</h1>\n<p>${escape(info.description)} Each service has its own as OpenAPI 3.1 at <code>/openapi.json</code>.</p>\n${table(
    ['route', 'owner'],
    index,
  )}<h2 id="routes">Routes</h2>\n${all.join('')}`;
};

const avroType = (type) => {
  if (Array.isArray(type)) return type.map(avroType).join(' | ');
  if (typeof type === 'string') return type;
  if (type.type === 'array') return `list of ${avroType(type.items)}`;
  if (type.type === 'enum') return type.symbols.join(' | ');
  return type.logicalType ?? type.name ?? avroType(type.type);
};

export const asyncapiPage = ({ info, channels, operations }, files) => {
  const records = new Map(files.map(({ record }) => [record.name, record]));
  const channelRows = Object.entries(channels).map(([name, { address, description, messages }]) => [
    `<code>${escape(address)}</code>`,
    escape(description),
    Object.keys(messages)
      .map((record) => `<a href="#${slug(record)}">${escape(record)}</a>`)
      .join(', '),
    Object.values(operations)
      .filter(({ action, channel }) => action === 'receive' && channel.$ref === `#/channels/${name}`)
      .map(({ bindings }) => `<code>${escape(bindings.kafka.groupId.const)}</code>`)
      .join(', '),
  ]);
  const used = new Set(Object.values(channels).flatMap(({ messages }) => Object.keys(messages)));
  const shown = [...records.values()].filter(({ name }) => used.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const recordParts = shown.map(({ name, doc, fields }) => {
    const rows = fields.map((field) => [
      `<code>${escape(field.name)}</code>`,
      escape(avroType(field.type)),
      field.default === undefined ? 'required' : `<code>${escape(JSON.stringify(field.default))}</code>`,
      escape(field.doc ?? ''),
    ]);
    return `<h3 id="${slug(name)}">${escape(name)}</h3>\n<p>${escape(doc ?? '')}</p>\n${table(
      ['field', 'type', 'default', ''],
      rows,
    )}`;
  });
  return `<h1>Topics</h1>\n<p>${escape(info.description)} The AsyncAPI 3.0 document is <code>docs/asyncapi.yaml</code>.</p>\n${table(
    ['topic', '', 'records', 'consumer groups'],
    channelRows,
  )}<h2 id="records">Records</h2>\n${recordParts.join('')}`;
};
