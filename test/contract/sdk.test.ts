import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { read, root } from '../support/documents';
import { httpTypesFile, httpTypesText } from '../support/openapi';

jest.setTimeout(120_000);

test('the types of the routes are those of the OpenAPI document (node dist/test/support/openapi.js writes them)', async () => {
  expect(read(httpTypesFile) === (await httpTypesText())).toBe(true);
});

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-sdk-'));
  const sdk = join(folder, 'node_modules/@fairlead/sdk');
  afterAll(() => rmSync(folder, { recursive: true }));

  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    node(join(root, 'scripts/package-sdk.mjs'), sdk);
    // Of everything else only what its package.json names can be found from there.
    const { dependencies } = JSON.parse(readPackage()) as { dependencies: Record<string, string> };
    for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  });
  const readPackage = (): string => readFileSync(join(sdk, 'package.json'), 'utf8');

  test('holds its code, its types and nothing else', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: sdk,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files = [], name } = { name: '' }] = JSON.parse(packed) as { name: string; files?: { path: string }[] }[];
    expect(name).toBe('@fairlead/sdk');
    expect(files.map(({ path }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
      'schemas/connector/module.d.ts',
      'schemas/connector/module.js',
      'schemas/generated/records.d.ts',
      'schemas/turn-protocol/input.d.ts',
      'schemas/turn-protocol/limits.d.ts',
      'schemas/turn-protocol/output.d.ts',
      'services/client/client.d.ts',
      'services/client/client.js',
      'services/client/define-agent.d.ts',
      'services/client/define-agent.js',
      'services/client/define-connector.d.ts',
      'services/client/define-connector.js',
      'services/client/follow.d.ts',
      'services/client/follow.js',
      'services/client/generated/http.d.ts',
      'services/client/index.d.ts',
      'services/client/index.js',
    ]);
  });

  test('the examples compile and load against it, with nothing else of this repository', () => {
    mkdirSync(join(folder, 'src'));
    for (const name of ['agent', 'connector', 'upstream'])
      writeFileSync(
        join(folder, 'src', `${name}.ts`),
        read(`examples/${name}.ts`).replace(/'\.\.\/services\/client\/[\w-]+'/g, `'@fairlead/sdk'`),
      );
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node', '--outDir', 'out'];
    node(
      join(root, 'node_modules/typescript/bin/tsc'),
      ...options,
      'src/agent.ts',
      'src/connector.ts',
      'src/upstream.ts',
    );
    const loaded = node(
      '-p',
      `JSON.stringify(['agent','connector','upstream'].map((name) => Object.keys(require('./out/' + name + '.js'))))`,
    );
    expect(JSON.parse(loaded)).toEqual([['default'], ['default'], ['work']]);
  });
});
