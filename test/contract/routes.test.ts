import { Validator } from '@seriousme/openapi-schema-validator';
import { codeIn, read, rowsOf } from '../support/documents';
import { opsOf, registered, services } from '../support/openapi';

/** The first cell of a table's row, where it is a method and a path. */
const documented = (page: string): string[] =>
  rowsOf(read(page))
    .map(([first = '']) => codeIn(first)[0] ?? '')
    .filter((code) => /^(GET|POST|PUT|DELETE|ALL) \//.test(code))
    .sort();

describe.each(Object.entries(services))('%s', (service, register) => {
  test('its page names every route, and no other', async () => {
    const { routes } = await registered(service, register);
    expect(routes).not.toEqual([]);
    expect(documented(`docs/${service}.md`)).toEqual(routes);
  });

  test('its OpenAPI document has every route', async () => {
    const { routes, described } = await registered(service, register);
    expect(described).toEqual(routes);
  });

  test('its OpenAPI document is valid OpenAPI 3.1', async () => {
    const { document } = await registered(service, register);
    const { valid, errors } = await new Validator().validate(document);
    expect([errors, valid, document['openapi']]).toEqual([undefined, true, expect.stringMatching(/^3\.1\./)]);
  });
});

test('docs/operations.md names every route that all services have', async () => {
  const { routes } = await registered('any', opsOf);
  const open = ['GET /livez', 'GET /metrics', 'GET /openapi.json', 'GET /readyz'];
  expect(documented('docs/operations.md')).toEqual([...routes, ...open].sort());
});

test('docs/gateway.md names every route that stands in its source', () => {
  const text = ['server', 'session', 'console', 'a2a/routes']
    .map((file) => read(`services/gateway/${file}.ts`))
    .join('\n');
  const stated = [...text.matchAll(/(?:app|scope)\.(get|post|delete|all)\('([^']+)'/g)].map(
    ([, method = '', path = '']) => `${method.toUpperCase()} ${path}`,
  );
  expect(stated.length).toBeGreaterThan(8);
  expect(documented('docs/gateway.md')).toEqual(stated.sort());
});
