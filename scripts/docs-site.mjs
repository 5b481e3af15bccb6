#!/usr/bin/env node
// Makes the docs site: static pages in dist/docs (or the folder named), which need no server and fetch nothing from
// elsewhere. The pages are the Markdown of this repository; what is generated is the guarantees with their tests, the
// two interfaces, and a page for every source file that a page refers to.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import { build } from './build.mjs';
import { asyncapiPage, openapiPage } from './docs-site/interfaces.mjs';
import { escape, frame, slug } from './docs-site/frame.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = resolve(process.argv[2] ?? join(root, 'dist/docs'));
const read = (path) => readFileSync(join(root, path), 'utf8');

/** In the order of the menu; a page of docs/ that is not named is found under "More". */
const menu = [
  ['Start', ['README.md']],
  ['Concepts', ['ARCHITECTURE.md', 'guarantees', 'docs/proof.md', 'docs/security.md', 'docs/comparison.md']],
  ['For upstream apps', ['docs/upstream.md', 'docs/sdk.md', 'docs/a2a.md', 'docs/codes.md']],
  ['For agent authors', ['docs/agents.md', 'docs/turn-protocol.md']],
  ['For connector authors', ['docs/remotes.md']],
  ['Interfaces', ['openapi', 'asyncapi', 'schemas/README.md']],
  [
    'Operation',
    ['docs/operations.md', 'docs/deployment.md', 'docs/runbook.md', 'docs/configuration.md', 'docs/tenants.md'],
  ],
];
const written = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'schemas/README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const pages = [...written, 'guarantees', 'openapi', 'asyncapi'];
const listed = new Set(menu.flatMap(([, paths]) => paths));
const sections = [
  ...menu.map(([title, paths]) => [title, paths.filter((path) => pages.includes(path))]),
  ['More', pages.filter((path) => !listed.has(path))],
];

const outputOf = (path) => {
  if (path === 'README.md') return 'index.html';
  return `${path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-')
    .toLowerCase()}.html`;
};
const titles = { guarantees: 'Guarantees', openapi: 'HTTP routes', asyncapi: 'Topics' };
const titleOf = (path) => titles[path] ?? /^# (.+)$/m.exec(read(path))?.[1]?.replaceAll('`', '') ?? path;
const nav = sections.map(([title, paths]) => [
  title,
  paths.map((path) => ({ title: path === 'README.md' ? 'Fairlead' : titleOf(path), href: outputOf(path) })),
]);

/** Source files that pages lead to, each as a page of its own. */
const sources = new Set();
const sourceOf = (path) => {
  sources.add(path);
  return `source/${path}.html`;
};

/** Where a link of a page leads on the site; a link to what is not there stops the build. */
const hrefOf = (from, href) => {
  if (/^[a-z]+:/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return hash;
  const file = posix.join(posix.dirname(from), path).replace(/\/$/, '');
  if (pages.includes(file)) return outputOf(file) + hash;
  if (file === 'docs/asyncapi.yaml') return outputOf('asyncapi') + hash;
  if (!existsSync(join(root, file))) throw new Error(`${from}: ${href} leads to nothing`);
  return sourceOf(file);
};

const markdown = new MarkdownIt({ html: true, linkify: false });
const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (tokens, index, ...rest) =>
  tokens[index].info.trim() === 'mermaid'
    ? `<pre class="mermaid">${escape(tokens[index].content)}</pre>\n`
    : fence(tokens, index, ...rest);
markdown.renderer.rules.table_open = () => '<div class="wide"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';

const rendered = (path, text) => {
  const tokens = markdown.parse(text, {});
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') token.attrSet('id', slug(tokens[index + 1].content));
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('href', hrefOf(path, child.attrGet('href')));
  });
  return markdown.renderer.render(tokens, markdown.options, {});
};

const put = (name, content) => {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, name), content);
};
const putPage = (path, body) =>
  put(outputOf(path), frame({ title: titleOf(path), nav, here: outputOf(path), up: '', body }));

/** The rules as ARCHITECTURE.md has them, each test a link to what it does. */
const guarantees = () => {
  const [, rules = ''] = /\n## Rules\n([\s\S]*?)\n## /.exec(read('ARCHITECTURE.md')) ?? [];
  const linked = rules.replace(/`((?:unit|contract|simulation|integration|fault|e2e)\/[\w-]+)`/g, (whole, name) => {
    const file = `test/${name}.test.ts`;
    return existsSync(join(root, file)) ? `[${name}](${file})` : whole;
  });
  return rendered('ARCHITECTURE.md', `# Guarantees\n${linked.replace(/^### /gm, '## ')}`);
};

await build();
rmSync(target, { recursive: true, force: true });
for (const path of written) putPage(path, rendered(path, read(path)));
putPage('guarantees', guarantees());
const require = createRequire(import.meta.url);
const { wholeDocument } = require(join(root, 'dist/test/support/openapi.js'));
const { readSchemas } = require(join(root, 'dist/schemas/avro.js'));
const { parse } = require('yaml');
putPage('openapi', openapiPage(await wholeDocument()));
putPage('asyncapi', asyncapiPage(parse(read('docs/asyncapi.yaml')), readSchemas(join(root, 'schemas'))));
/** A file's text, or of a folder links to its files. */
const sourceBody = (path, up) => {
  if (!statSync(join(root, path)).isDirectory()) return `<pre>${escape(read(path))}</pre>\n`;
  const files = readdirSync(join(root, path), { withFileTypes: true }).filter((entry) => entry.isFile());
  const items = files.map(({ name }) => `<li><a href="${up}${sourceOf(`${path}/${name}`)}">${escape(name)}</a></li>`);
  return `<ul>\n${items.join('\n')}\n</ul>\n`;
};
// A set is gone through in the order of adding: files of a folder are still to come when the folder is written.
for (const path of sources) {
  const here = `source/${path}.html`;
  const up = '../'.repeat(here.split('/').length - 1);
  put(here, frame({ title: path, nav, here, up, body: `<h1>${escape(path)}</h1>\n${sourceBody(path, up)}` }));
}
copyFileSync(join(root, 'scripts/docs-site/site.css'), join(target, 'site.css'));
copyFileSync(require.resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'), join(target, 'mermaid.js'));
put('diagrams.js', `mermaid.initialize({ startOnLoad: true, securityLevel: 'strict' });\n`);
console.log(`${pages.length} pages and ${sources.size} source files in ${target}`);
// What the routes are registered with keeps timers of its own.
process.exit();
