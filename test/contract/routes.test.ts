import { Validator } from '@seriousme/openapi-schema-validator';
import type { Auth } from '../../services/platform/auth';
import { openHttp, type Http } from '../../services/platform/http';
import { openLog } from '../../services/platform/log';
import { openMetrics } from '../../services/platform/metrics';
import { opsRoutes } from '../../services/platform/ops';
import { routes as admissionRoutes } from '../../services/admission/http';
import { routes as ledgerRoutes } from '../../services/effect-ledger/http';
import { callbackRoutes } from '../../services/effect-ledger/http-callbacks';
import { operateRoutes } from '../../services/effect-ledger/http-operate';
import { routes as hilRoutes } from '../../services/hil/http';
import { routes as publicationRoutes } from '../../services/publication/http';
import { documentRoutes } from '../../services/publication/http-documents';
import { reportRoutes } from '../../services/publication/http-reports';
import { routes as executorRoutes } from '../../services/run-executor/http';
import { codeIn, read, rowsOf } from '../support/documents';

/** Registering routes touches nothing of what they use later. */
const nothing = {} as never;
const auth: Auth = { verify: () => Promise.reject(new Error('no request is made')) };
const log = openLog('test', 'test', 'silent');

const services: Record<string, (app: Http) => void> = {
  admission: (app) => admissionRoutes(app, nothing, nothing, nothing),
  'run-executor': (app) => executorRoutes(app, nothing),
  hil: (app) => hilRoutes(nothing, nothing)(app, nothing),
  'effect-ledger': (app) => {
    ledgerRoutes(app, nothing);
    operateRoutes(app, nothing, nothing);
    callbackRoutes(app, nothing, nothing);
  },
  publication: (app) => {
    publicationRoutes(nothing)(app, nothing);
    reportRoutes(app, nothing);
    documentRoutes(app, nothing);
  },
};

const braced = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

interface Registered {
  readonly routes: string[];
  readonly described: string[];
  readonly document: Record<string, unknown>;
}

/** What a service registers, and what its OpenAPI document then says. */
const registered = async (service: string, register: (app: Http) => void): Promise<Registered> => {
  const app = await openHttp({
    service,
    auth,
    log,
    metrics: openMetrics(service, []),
    ready: () => Promise.resolve(),
    beforeMetrics: () => Promise.resolve(),
  });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') routes.push(`${one} ${braced(url)}`);
  });
  register(app);
  await app.ready();
  const document = app.swagger() as { paths?: Record<string, Record<string, unknown>> };
  const { paths = {} } = document;
  await app.close();
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'head')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  return {
    routes: routes.sort(),
    described: described.sort(),
    document: JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
  };
};

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
  const { routes } = await registered('any', (app) => opsRoutes(app, nothing));
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
