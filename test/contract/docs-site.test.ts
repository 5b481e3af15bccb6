import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { topics, topicName, defaultTopicPrefix } from '../../schemas/topics';
import { root } from '../support/documents';

jest.setTimeout(120_000);

const site = mkdtempSync(join(tmpdir(), 'fairlead-docs-'));
const pages = new Map<string, string>();

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/docs-site.mjs'), site], { cwd: root, stdio: 'pipe' });
  for (const entry of readdirSync(site, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name.endsWith('.html')) {
      const path = join(entry.parentPath, entry.name);
      pages.set(path, readFileSync(path, 'utf8'));
    }
});
afterAll(() => rmSync(site, { recursive: true }));

const page = (name: string): string => pages.get(join(site, name)) ?? '';
const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

test('every link and anchor of the docs site leads somewhere, and nothing is fetched from elsewhere', () => {
  const ids = new Map(
    [...pages].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const broken: string[] = [];
  let links = 0;
  for (const [path, html] of pages) {
    for (const [, attribute = '', value = ''] of html.matchAll(/ (href|src)="([^"]*)"/g)) {
      if (/^https?:/.test(value)) {
        // A link to another site is followed by a person; a script or picture of one would be fetched by the page.
        if (attribute === 'src') broken.push(`${path}: fetches ${value}`);
        continue;
      }
      links += 1;
      const [file = '', anchor] = unescaped(value).split('#');
      const target = file === '' ? path : join(dirname(path), decodeURI(file));
      const found = statSync(target, { throwIfNoEntry: false })?.isFile() === true;
      if (!found || (anchor !== undefined && ids.get(target)?.has(decodeURIComponent(anchor)) !== true))
        broken.push(`${path}: ${value}`);
    }
    expect(html).not.toMatch(/<link[^>]+href="https?:/);
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(1_000);
});

test('has a page for each reader, with the state diagrams, the rules with their tests, all routes and all topics', () => {
  for (const name of [
    'index',
    'architecture',
    'guarantees',
    'comparison',
    'upstream',
    'agents',
    'remotes',
    'operations',
    'codes',
    'configuration',
    'tenants',
  ])
    expect([name, page(`${name}.html`).length > 2_000]).toEqual([name, true]);
  expect(page('architecture.html').split('class="mermaid"').length).toBeGreaterThan(6);
  expect(page('guarantees.html')).toMatch(
    /<strong>A1<\/strong>[\s\S]*source\/test\/unit\/[\w-]+\.test\.ts\.html[\s\S]*<strong>X5<\/strong>/,
  );
  expect(page('openapi.html')).toContain('id="post-v1conversationsconversationidmessages"');
  for (const { name, records } of topics) {
    expect(page('asyncapi.html')).toContain(topicName(defaultTopicPrefix, name));
    for (const record of records) expect(page('asyncapi.html')).toContain(` id="${record.toLowerCase()}"`);
  }
});
