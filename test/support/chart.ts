import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './documents';
import { say, type Tool } from './tools';

interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env: readonly EnvEntry[];
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
}

/** As much of a Kubernetes object as the tests look at. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly triggers?: readonly { readonly metadata: { readonly consumerGroup: string } }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string; readonly secret?: { readonly items?: unknown } }[];
      };
    };
  };
}

const chart = join(root, 'infra/helm/fairlead');
export const valueSet = (name: string): string => join(root, 'infra/helm/values', `${name}.yaml`);

export const render = (helm: Tool, args: readonly string[]): { objects: KubeObject[]; error: string | null } => {
  const { ok, said } = say(helm, ['template', 'anyname', chart, ...args]);
  if (!ok) return { objects: [], error: said };
  const objects = parseAllDocuments(said).flatMap((document) => {
    const value = document.toJS() as KubeObject | null;
    return value === null ? [] : [value];
  });
  return { objects, error: null };
};

export const containerOf = (object: KubeObject): Container => {
  const [container] = object.spec.template?.spec.containers ?? [];
  if (container === undefined) throw new Error(`${object.metadata.name} has no container`);
  return container;
};

const packages: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'external-secrets.io': '@kubernetes-models/external-secrets',
};

/**
 * What is wrong with objects by the types of Kubernetes' own API: a field that is missing, of another type, or of no
 * such name. The compiler says it, because to it each object is a literal.
 */
export const typeErrors = (types: string, objects: readonly unknown[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-chart-'));
  try {
    const lines = objects.map((object, index) => {
      const { apiVersion, kind } = object as KubeObject;
      const from = `${packages[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;
      return `import type { I${kind} as K${index} } from '${from}';\nexport const o${index}: K${index} = ${JSON.stringify(object)};`;
    });
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2022',
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
    symlinkSync(join(types, 'node_modules'), join(folder, 'node_modules'));
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
