import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupNames } from '../../schemas/topics';
import { readSettings } from '../../services/gateway/settings';
import { readEnvironment } from '../../services/platform/environment';
import { serviceNames } from '../../services/platform/migrate';
import { containerOf, render, typeErrors, valueSet, type KubeObject } from '../support/chart';
import { codeIn, read } from '../support/documents';
import { helm, kubernetesTypes, pathOf, testWith } from '../support/tools';

const tools = { helm: helm(), 'the types of Kubernetes': kubernetesTypes() };
const rendered = testWith({ helm: tools.helm });
const validated = testWith(tools);

/** What a release may look like, by name; each is rendered and validated. */
const sets: Readonly<Record<string, readonly string[]>> = {
  'all services, nothing said': [],
  'a trial with secrets of its own': ['-f', valueSet('trial')],
  'one service alone': ['-f', valueSet('one-service')],
  'production: KEDA, external secrets, TLS, closed networks': ['-f', valueSet('production')],
  'by CPU, client certificates, no Redis': ['-f', valueSet('cpu')],
  'the gateway alone, reached from outside': ['--set', 'only=gateway,ingress.enabled=true,networkPolicy.enabled=true'],
  'everything at once under another name': [
    '-f',
    valueSet('production'),
    '--set',
    'namePrefix=second,topics.enabled=false',
  ],
};

const objectsOf = (args: readonly string[]): KubeObject[] => {
  const { objects, error } = render(tools.helm, args);
  expect(error).toBeNull();
  return objects;
};
const ofKind = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);
const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name).sort();

const roles = [...serviceNames, 'receipt-query', 'gateway'].map((name) => `fairlead-${name}`).sort();
const annotation = (object: KubeObject, name: string): string | undefined => object.metadata.annotations?.[name];

validated('every value set is valid by the types of Kubernetes, KEDA, Prometheus and External Secrets', () => {
  const objects = Object.values(sets).flatMap(objectsOf);
  expect(typeErrors(pathOf(tools['the types of Kubernetes']), objects)).toBe('');
  const [deployment] = ofKind(objects, 'Deployment');
  const misspelt = { ...deployment, spec: { ...deployment?.spec, replica: 2 } };
  expect(typeErrors(pathOf(tools['the types of Kubernetes']), [misspelt])).toContain('replica');
});

rendered('all together: each service has its Deployment, Service, account and disruption budget', () => {
  const objects = objectsOf([]);
  for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'PodDisruptionBudget'])
    expect(names(ofKind(objects, kind))).toEqual(roles);
  expect(ofKind(objects, 'Secret')).toEqual([]);
});

rendered('one service alone: nothing of another, its own version, the same names', () => {
  const objects = objectsOf(sets['one service alone'] ?? []);
  expect(names(ofKind(objects, 'Deployment'))).toEqual(['fairlead-run-executor']);
  expect(names(ofKind(objects, 'Job'))).toEqual(['fairlead-run-executor-migrate']);
  expect(objects.filter(({ metadata }) => !metadata.name.startsWith('fairlead-run-executor'))).toEqual([]);
  for (const object of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')])
    expect(containerOf(object).image).toMatch(/:0\.1\.1$/);
  expect(objectsOf(sets['the gateway alone, reached from outside'] ?? []).some(({ kind }) => kind === 'Job')).toBe(
    false,
  );
});

rendered('migrations run before the new version, one Job for each service with a database', () => {
  const objects = objectsOf(sets['production: KEDA, external secrets, TLS, closed networks'] ?? []);
  const jobs = ofKind(objects, 'Job').filter(({ metadata }) => metadata.name.endsWith('-migrate'));
  expect(jobs.map((job) => containerOf(job).args)).toEqual(
    expect.arrayContaining(serviceNames.map((name) => ['migrate', name])),
  );
  expect(jobs).toHaveLength(serviceNames.length);
  const services = ofKind(objects, 'Service');
  for (const job of ofKind(objects, 'Job')) {
    expect(annotation(job, 'helm.sh/hook')).toBe('pre-install,pre-upgrade');
    // A Service that chose the Job's pod would send it requests.
    const labels = job.spec.template?.metadata.labels ?? {};
    const choosers = services.filter(({ spec }) =>
      Object.entries(spec.selector ?? {}).every(([k, v]) => labels[k] === v),
    );
    expect(names(choosers)).toEqual([]);
  }
  // What the Jobs need is there before them.
  for (const object of objects.filter(({ kind }) => ['ConfigMap', 'ExternalSecret'].includes(kind)))
    expect(Number(annotation(object, 'helm.sh/hook-weight'))).toBeLessThan(0);
});

rendered('the owner of the tables is known to migrations only', () => {
  const objects = objectsOf(sets['production: KEDA, external secrets, TLS, closed networks'] ?? []);
  const [job] = ofKind(objects, 'Job').filter(({ metadata }) => metadata.name === 'fairlead-hil-migrate');
  expect(JSON.stringify(job)).toContain('"key":"ownerUrl"');
  for (const deployment of ofKind(objects, 'Deployment')) expect(JSON.stringify(deployment)).not.toContain('ownerUrl');
});

rendered('instances by lag: a trigger for each consumer group of the topic map, and no second autoscaler', () => {
  const objects = objectsOf(sets['production: KEDA, external secrets, TLS, closed networks'] ?? []);
  const groups = ofKind(objects, 'ScaledObject').flatMap(({ spec }) =>
    (spec.triggers ?? []).map(({ metadata }) => metadata.consumerGroup),
  );
  expect(groups.sort()).toEqual(groupNames.map((group) => `acme.prod.${group}`).sort());
  expect(names(ofKind(objects, 'HorizontalPodAutoscaler'))).toEqual(['fairlead-gateway']);
  for (const deployment of ofKind(objects, 'Deployment')) expect(deployment.spec).not.toHaveProperty('replicas');
});

rendered('probes ask the routes that are there, and images are targets of the Dockerfile', () => {
  const targets = [...read('infra/image/Dockerfile').matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, target]) => target);
  for (const object of objectsOf([])) {
    if (object.kind !== 'Deployment' && object.kind !== 'Job') continue;
    const { image, livenessProbe, readinessProbe } = containerOf(object);
    expect(targets).toContain(/^fairlead-(.+):0\.1\.0$/.exec(image)?.[1]);
    if (object.kind === 'Job') continue;
    expect([livenessProbe?.httpGet.path, readinessProbe?.httpGet.path]).toEqual(['/livez', '/readyz']);
  }
});

rendered('every variable is one of docs/configuration.md, and each service starts with what it is given', () => {
  const documented = new Set(codeIn(read('docs/configuration.md')));
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-chart-'));
  const secret = (variable: string): string => {
    const path = join(folder, variable);
    writeFileSync(
      path,
      variable.startsWith('DATABASE')
        ? 'postgres://u:p@db/x'
        : variable.startsWith('REDIS')
          ? 'redis://r'
          : 'x-----BEGIN',
    );
    return path;
  };
  try {
    for (const args of Object.values(sets))
      for (const deployment of ofKind(objectsOf(args), 'Deployment')) {
        const { env } = containerOf(deployment);
        const given = Object.fromEntries(
          env.map(({ name, value }) => [name, name.endsWith('_FILE') ? secret(name) : (value ?? 'pod-1')]),
        );
        const gateway = deployment.metadata.name.endsWith('-gateway');
        for (const name of Object.keys(given)) expect(documented).toContain(name.replace(/_FILE$/, ''));
        if (gateway) expect(Object.keys(readSettings(given).owners).sort()).toEqual([...serviceNames].sort());
        else expect(readEnvironment('any', given)).toMatchObject({ instance: 'pod-1', port: 8080 });
      }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

rendered('what cannot be meant is refused, and says where', () => {
  const refused = (set: string): string => render(tools.helm, ['--set', set]).error ?? 'taken';
  expect(refused('services.hil.replica=2')).toContain('replica');
  expect(refused('only=hill')).toContain('only');
  expect(refused('services.hil.hpa.enabled=true,services.hil.keda.enabled=true')).toContain('services.hil');
  expect(refused('services.gateway.keda.enabled=true')).toContain('services.gateway.keda');
  expect(refused('kafka.brokers=kafka')).toContain('brokers');
  expect(refused('secrets.from=external')).toContain('secrets.external.store.name');
});
