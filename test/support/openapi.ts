// What the services' routes say of themselves, as one document, and the client's types, which are made of it:
//   npm run build && node dist/test/support/openapi.js
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Auth } from '../../services/platform/auth';
import { openHttp, type Http } from '../../services/platform/http';
import { openLog } from '../../services/platform/log';
import { openMetrics } from '../../services/platform/metrics';
import { opsRoutes } from '../../services/platform/ops';
import { routes as admissionRoutes } from '../../services/admission/http';
import { quotaRoutes } from '../../services/admission/http-quotas';
import { routes as ledgerRoutes } from '../../services/effect-ledger/http';
import { callbackRoutes } from '../../services/effect-ledger/http-callbacks';
import { operateRoutes } from '../../services/effect-ledger/http-operate';
import { routes as hilRoutes } from '../../services/hil/http';
import { routes as publicationRoutes } from '../../services/publication/http';
import { documentRoutes } from '../../services/publication/http-documents';
import { reportRoutes } from '../../services/publication/http-reports';
import { routes as executorRoutes } from '../../services/run-executor/http';
import { root } from './documents';

/** Registering routes touches nothing of what they use later. */
const nothing = {} as never;
const auth: Auth = { verify: () => Promise.reject(new Error('no request is made')) };
const log = openLog('test', 'test', 'silent');

export const services: Record<string, (app: Http) => void> = {
  admission: (app) => {
    admissionRoutes(app, nothing, nothing, nothing);
    quotaRoutes(app, nothing, nothing);
  },
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
export const opsOf = (app: Http): void => opsRoutes(app, nothing);

const braced = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

export interface Registered {
  readonly routes: string[];
  readonly described: string[];
  readonly document: Record<string, unknown> & { readonly paths?: Record<string, Record<string, unknown>> };
}

/** What a service registers, and what its OpenAPI document then says. */
export const registered = async (service: string, register: (app: Http) => void): Promise<Registered> => {
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
  const document = JSON.parse(JSON.stringify(app.swagger())) as Registered['document'];
  await app.close();
  const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'head')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  return { routes: routes.sort(), described: described.sort(), document };
};

/** HEAD is what GET says without a body; naming it would only double the pages. */
const withoutHead = ([path, item]: [string, Record<string, unknown>]): [string, Record<string, unknown>] => {
  const { head: _, ...rest } = item;
  return [path, rest];
};

const named = (path: string, service: string): string => path.replace('/v1/ops/', `/v1/ops/${service}/`);

/** All routes as one address, the gateway, has them; those that every service has once, under `{service}`. */
export const wholeDocument = async (): Promise<Record<string, unknown>> => {
  const paths: [string, Record<string, unknown>][] = [];
  for (const [service, register] of Object.entries(services)) {
    const { document } = await registered(service, register);
    for (const [path, item] of Object.entries(document.paths ?? {}))
      paths.push(withoutHead([path, { ...item, 'x-owner': service }]));
  }
  const { document } = await registered('any', opsOf);
  const service = { name: 'service', in: 'path', required: true, schema: { enum: Object.keys(services) } };
  for (const [path, item] of Object.entries(document.paths ?? {}))
    paths.push(withoutHead([named(path, '{service}'), { parameters: [service], ...item, 'x-owner': 'each' }]));
  return {
    openapi: '3.1.0',
    info: { title: 'Fairlead', version: '1', description: 'All services, as the gateway shows them.' },
    paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};

export const httpTypesFile = 'services/client/generated/http.ts';
/** In a process of its own: the generator is made of ES modules, which tests do not load. */
const generator = `import typesOf, { astToString } from 'openapi-typescript';
import { text } from 'node:stream/consumers';
process.stdout.write(astToString(await typesOf(JSON.parse(await text(process.stdin)))));`;

export const httpTypesText = async (): Promise<string> => {
  const mark = `// Written by test/support/openapi.ts from the services' routes: node dist/test/support/openapi.js\n`;
  const input = JSON.stringify(await wholeDocument());
  return mark + execFileSync(process.execPath, ['--input-type=module', '-e', generator], { cwd: root, input });
};

if (require.main === module)
  void (async () => {
    writeFileSync(join(root, httpTypesFile), await httpTypesText());
  })();
