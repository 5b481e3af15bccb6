import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { asyncapiFile, asyncapiOf } from '../../schemas/asyncapi';
import { defaultTopicPrefix, groupNames, topicName, topics, topicsOf } from '../../schemas/topics';
import { receptionOf } from '../../services/run-executor/reception';
import type { Run } from '../../services/run-executor/state';
import { codeIn, configurationSchemaText, read, root, rowsOf, settingPaths, withCodes } from '../support/documents';

/** FAIRLEAD_UPDATE_DOCS=1 writes what is generated instead of finding it stale. */
const update = process.env['FAIRLEAD_UPDATE_DOCS'] === '1';

const fresh = (path: string, expected: string): void => {
  if (update) writeFileSync(join(root, path), expected);
  expect(read(path)).toBe(expected);
};

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'schemas/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const sources = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);

describe('what is generated', () => {
  test('docs/codes.md has the table of the catalogue', () => {
    const page = read('docs/codes.md');
    fresh('docs/codes.md', withCodes(page));
  });

  test('docs/configuration.schema.json is the schema that is checked at the start', () => {
    fresh('docs/configuration.schema.json', configurationSchemaText());
  });

  test('docs/asyncapi.yaml is written from the topics', () => {
    fresh(asyncapiFile, asyncapiOf(join(root, 'schemas'), '../schemas'));
  });

  test('the channels of docs/asyncapi.yaml are the topics, with their records', () => {
    const { channels } = parse(read(asyncapiFile)) as {
      channels: Record<string, { address: string; messages: Record<string, unknown> }>;
    };
    expect(Object.values(channels).map(({ address, messages }) => [address, Object.keys(messages)])).toEqual(
      topics.map(({ name, records }) => [topicName(defaultTopicPrefix, name), [...records]]),
    );
  });
});

describe('the configuration page', () => {
  const settings = (): string[] =>
    rowsOf(read('docs/configuration.md'))
      .map(([first = '']) => codeIn(first)[0] ?? '')
      .filter((name) => /^(tenants|ingress|agents|events|tools|connectors)\W/.test(name));

  test('names every setting of the schema, and no other', () => {
    expect(settings().sort()).toEqual(settingPaths().sort());
  });

  test('names every variable that a service process reads', () => {
    const text = read('services/platform/environment.ts') + read('services/gateway/settings.ts');
    const variables = [...text.matchAll(/'([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)'/g)].map(([, name]) => name as string);
    const page = read('docs/configuration.md');
    expect([...new Set(variables)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the rules of ARCHITECTURE.md', () => {
  const count = { A: 17, R: 25, H: 10, E: 10, P: 6, X: 5 } as const;
  const ids = Object.entries(count).flatMap(([letter, n]) => Array.from({ length: n }, (_, i) => `${letter}${i + 1}`));
  const rows = rowsOf(read('ARCHITECTURE.md')).filter(([id = '']) => /^\*\*[ARHEPX]\d+\*\*$/.test(id));

  test('each has one row, in order', () => {
    expect(rows.map(([id]) => id?.replaceAll('*', ''))).toEqual(ids);
  });

  test.each(rows)('%s has a status that its tests bear out', (boldId = '', rule = '', decider = '', status = '') => {
    const id = boldId.replaceAll('*', '');
    expect(rule.length).toBeGreaterThan(40);
    expect(decider).not.toBe('');
    const [, word] = /^(shown|partly|not shown|not yet)\b/.exec(status) ?? [];
    expect(word).toBeDefined();
    const files = codeIn(status).filter((name) => name.includes('/'));
    const named = new RegExp(`\\b${id}\\b`);
    // A range in a title, say "A1 to A6", stands for what lies between.
    const covers = (text: string): boolean =>
      named.test(text) ||
      [...text.matchAll(/\b([ARHEPX])(\d+) to \1?(\d+)\b/g)].some(
        ([, letter, from, to]) =>
          id[0] === letter && Number(id.slice(1)) >= Number(from) && Number(id.slice(1)) <= Number(to),
      );
    for (const file of files)
      expect({ file, names: covers(read(`test/${file}.test.ts`)) }).toEqual({ file, names: true });
    if (word === 'shown' || word === 'partly') expect(files).not.toEqual([]);
    else expect(files).toEqual([]);
  });
});

describe('the operator pages', () => {
  const docs = pages.filter((page) => page.startsWith('docs/'));
  const metricsIn = (text: string): string[] =>
    [...text.matchAll(/\b(fairlead|kafka)_[a-z]+(?:_[a-z]+)*\b/g)].map(([name]) => name);

  test('name every metric there is, and no other', () => {
    const code = sources('services', /\.ts$/)
      .map(read)
      .flatMap((text) => [...text.matchAll(/'((?:fairlead|kafka)_[a-z_]+)'/g)].map(([, name]) => name as string))
      .filter((name) => name !== 'fairlead_session');
    const told = docs.flatMap((page) => metricsIn(read(page)));
    expect([...new Set(told)].sort()).toEqual([...new Set(code)].sort());
  });

  test('name every kind of incident', () => {
    const texts = sources('services', /\.ts$/)
      .map(read)
      .filter((text) => /incidentRow|openIncident|incidents\.open/.test(text));
    const kinds = texts.flatMap((text) => [
      ...[...text.matchAll(/kind: '([a-z_]+)',\n\s*ref:/g)].map(([, kind]) => kind as string),
      ...[...text.matchAll(/incident\('([a-z_]+)'/g)].map(([, kind]) => kind as string),
      ...(text.includes('kind: `action_${') ? ['action_blocked', 'action_disputed'] : []),
    ]);
    expect(new Set(kinds).size).toBeGreaterThan(6);
    const told = docs.flatMap((page) => rowsOf(read(page)).map(([first = '']) => codeIn(first)[0] ?? ''));
    expect([...new Set(kinds)].filter((kind) => !told.includes(kind))).toEqual([]);
  });

  test('name the groups of each service with the topics they read', () => {
    const told = docs
      .flatMap((page) => rowsOf(read(page)))
      .map(([group = '', reads = '']) => [codeIn(group)[0] ?? '', codeIn(reads)] as const)
      .filter(([group, reads]) => (groupNames as readonly string[]).includes(group) && reads.length > 0);
    expect(told.map(([group]) => group).sort()).toEqual([...groupNames].sort());
    for (const [group, reads] of told)
      expect([group, [...reads].sort()]).toEqual([group, topicsOf(group as (typeof groupNames)[number]).sort()]);
  });

  test('what a command meets in each state is what the executor decides (R3)', () => {
    const words = {
      accept: 'update_received',
      follow_up: 'follow_up_created',
      run_ended: 'run_ended',
      run_not_accepting: 'run_not_accepting',
    } as const;
    const cells = rowsOf(read('docs/run-executor.md')).filter(([first = '']) =>
      /^`(queued|running|waiting|parked|pausing|paused|cancelling|publishing|closing|completed|partial|failed|cancelled|interrupted)`/.test(
        first,
      ),
    );
    expect(cells).toHaveLength(15);
    for (const [state = '', amend, observe] of cells) {
      const [status = '', to = 'failed'] = codeIn(state);
      const reception = receptionOf({ status, ending: { to, cause: null } } as unknown as Run);
      const observed = reception === 'follow_up' ? 'run_ended' : words[reception];
      expect([state, amend, observe]).toEqual([state, `\`${words[reception]}\``, `\`${observed}\``]);
    }
  });
});

describe('links', () => {
  const anchors = (page: string): string[] =>
    page
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );

  test.each(pages)('%s leads to what exists', (page) => {
    const text = read(page).replace(/```[\s\S]*?```/g, '');
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && !anchors(read(file)).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});
