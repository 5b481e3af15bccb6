import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { processes, statefulServices } from '../../infra/local/services.mjs';
import { readSettings } from '../../services/gateway/settings';
import { readEnvironment } from '../../services/platform/environment';
import { codeIn, read, root } from '../support/documents';

interface Service {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly profiles?: readonly string[];
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const dockerfile = read('infra/image/Dockerfile');
const stages = new Map(
  dockerfile
    .split(/^(?=FROM )/m)
    .flatMap((text) => (/^FROM (\S+) AS (\S+)/.exec(text) === null ? [] : [[/ AS (\S+)/.exec(text)?.[1] ?? '', text]])),
);
const servers = ['kafka', 'postgres', 'registry', 'valkey'];
const own = Object.entries(compose.services).filter(([name]) => !servers.includes(name));

/** The text of an environment variable as compose would give it: the default of `${NAME:-default}`. */
const plain = (value: string | number): string => String(value).replace(/\$\{\w+:-([^}]*)\}/g, '$1');
const environmentOf = (service: Service): Record<string, string> =>
  Object.fromEntries(Object.entries(service.environment ?? {}).map(([name, value]) => [name, plain(value)]));

test('compose brings up the servers, the set-up and every process of the local stack', () => {
  const expected = [...servers, 'setup', 'cli', ...processes.map(({ name }) => name)];
  expect(Object.keys(compose.services).sort()).toEqual(expected.sort());
});

test('servers say when they are ready, and what needs them waits for it', () => {
  for (const name of servers) {
    expect(compose.services[name]?.healthcheck?.test.length).toBeGreaterThan(0);
    expect(compose.services['setup']?.depends_on?.[name]).toEqual({ condition: 'service_healthy' });
    // A tag that moves would make the same file another stack tomorrow.
    expect(compose.services[name]?.image).toMatch(/^[\w/-]+:\d/);
  }
  for (const [name, service] of own)
    if (name !== 'setup' && name !== 'cli')
      expect([name, service.depends_on?.['setup']]).toEqual([name, { condition: 'service_completed_successfully' }]);
});

test('each process is an image target whose program is built from a source that is there', () => {
  for (const [name, { build }] of own) {
    const text = stages.get(build?.target ?? '') ?? '';
    const [, program = ''] = /"node", "dist\/([^"]+)"/.exec(text) ?? [];
    const source = program.replace(/\.js$/, '.ts');
    expect([name, existsSync(join(root, source)) || existsSync(join(root, program))]).toEqual([name, true]);
    expect(build?.dockerfile).toBe('infra/image/Dockerfile');
  }
});

test('each process starts with the environment it is given, of variables that are documented', () => {
  const documented = new Set(codeIn(read('docs/configuration.md')));
  const isDocumented = (name: string): boolean => documented.has(name) || documented.has(name.replace(/_FILE$/, ''));
  for (const [name, service] of own) {
    const given = environmentOf(service);
    expect(Object.keys(given).filter((variable) => !isDocumented(variable))).toEqual([]);
    if (!(statefulServices as readonly string[]).includes(name)) continue;
    const { DATABASE_URL_FILE: file, ...rest } = given;
    expect(file).toBe(`/var/lib/fairlead/database/${name}.url`);
    expect(() => readEnvironment(name, { ...rest, DATABASE_URL: 'postgres://u:p@postgres/x' })).not.toThrow();
  }
  const gateway = compose.services['gateway'];
  expect(Object.values(readSettings(environmentOf(gateway ?? {})).owners)).toHaveLength(statefulServices.length);
});

test('only loopback is opened to the machine, and every volume is declared', () => {
  for (const { ports = [], volumes = [] } of Object.values(compose.services)) {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const volume of volumes) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
  }
});

test('the images: built in stages from pinned bases, not root, with a health check and a list of what is in them', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)]
    .map(([, from = '']) => from)
    .filter((from) => !stages.has(from));
  for (const base of bases) expect(base).toMatch(/^node:20[\w.-]*-slim$/);
  const base = stages.get('base') ?? '';
  expect(base).toMatch(/^USER 1000:1000$/m);
  expect(base).toMatch(/^HEALTHCHECK /m);
  expect(base).toContain('sbom.cdx.json');
  expect(dockerfile).not.toMatch(/^(ADD|USER root)\b/m);
  // Only the build stage has the sources and the tools of development.
  for (const [name, text] of stages) if (name !== 'build') expect(text).not.toMatch(/^COPY \. /m);
});

test('npm run sbom lists every package that is shipped, in its pinned version', () => {
  const said = execFileSync('node', ['infra/image/sbom.mjs'], { cwd: root, encoding: 'utf8', maxBuffer: 16 << 20 });
  const { bomFormat, components } = JSON.parse(said) as {
    bomFormat: string;
    components: { name: string; version: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  for (const [name, version] of Object.entries(dependencies)) expect(listed).toContain(`${name}@${version}`);
  expect(components.some(({ name }) => name === 'jest')).toBe(false);
});
