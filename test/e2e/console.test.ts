import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { localToken } from '../../services/cli/remote';
import { fresh, system, type System } from '../support/system';
import { until } from '../support/until';

/** The machine's browser, installed when it may be; empty where there is none and none can be had. */
const executablePath = execFileSync(process.execPath, [join(__dirname, '../../infra/local/browser.mjs')]).toString();
const shown = executablePath === '' ? test.skip : test;

jest.setTimeout(120_000);

const roles = ['operator', 'platform-operator'];
const screenshots = mkdtempSync(join(tmpdir(), 'fairlead-console-'));
const words =
  'Compare MSFT and AAPL over the last three years, say which data it rests on. Ask me how to count returns. Share it with dana@example.com';
const phone = { width: 360, height: 740 };

let stack: System;
let base: string;
let browser: Browser;
let alice: { readonly context: BrowserContext; readonly page: Page };
let conversation: string;
let runId: string;

const signedIn = async (): Promise<{ context: BrowserContext; page: Page }> => {
  const context = await browser.newContext({ baseURL: base });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto('/');
  await page.getByLabel('Token').fill(await localToken({ account: 'alice', roles, app: 'local', tenant: 'local' }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return { context, page };
};

const keep = async (page: Page, name: string, fullPage = true): Promise<void> => {
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage });
};

const violations = async (page: Page, rules: readonly string[] = []): Promise<string[]> =>
  (
    await (rules.length === 0 ? new AxeBuilder({ page }) : new AxeBuilder({ page }).withRules([...rules])).analyze()
  ).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary ?? ''}`),
  );

const cardOf = (page: Page, ref: string) => page.locator(`article[data-item="${ref}"]`);
const openOf = async (kind: string): Promise<string> =>
  until(`the ${kind} is open`, async () => {
    const { items } = await stack.alice.get<{
      items: { interactionRef: string; kind: string; runId: string; requirementsVersion: number }[];
    }>('/v1/interactions?state=open&limit=500');
    const wanted = items.find((one) => one.runId === runId && one.kind === kind);
    return wanted !== undefined && (kind === 'question' || wanted.requirementsVersion === 2) && wanted.interactionRef;
  });

beforeAll(async () => {
  if (executablePath === '') return;
  stack = await system();
  base = process.env['FAIRLEAD_URL'] ?? '';
  browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox'] });
  conversation = fresh('console');
});
afterAll(async () => {
  await browser?.close();
  if (executablePath !== '') console.error(`screenshots of the console: ${screenshots}`);
});

shown('A7: sign-in by token; no script of the page can read the cookie', async () => {
  alice = await signedIn();
  expect(
    await alice.page.evaluate(() => (globalThis as unknown as { document: { cookie: string } }).document.cookie),
  ).toBe('');
  const [cookie] = await alice.context.cookies();
  expect([cookie?.httpOnly, cookie?.sameSite]).toEqual([true, 'Strict']);
});

shown('a message sent by the send box, its fate, and the run followed live through a change (R6, R9)', async () => {
  const { page } = alice;
  await page.getByRole('link', { name: 'Conversations' }).click();
  await page.getByLabel('Name of a conversation').fill(conversation);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByLabel('Your words').fill(words);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.message .fate').getByText('started a run').waitFor();
  await page.locator('ul.plain a[data-open]').click();
  runId = await until('the page of the run', () => /\/runs\/(run_\w+)/.exec(page.url())?.[1]);
  await page.locator('.entry.version').getByText('v1').waitFor();
  await page.locator('.entry.action').first().waitFor();

  await page.goBack();
  const as = page.getByLabel('This message is');
  const change = await as.locator('option').filter({ hasText: '(v1 → v2)' }).first().getAttribute('value');
  await as.selectOption(change);
  await page.getByLabel('Your words').fill('Only the last year.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.message .fate').getByText('became v2, received and applied').waitFor();
  await keep(page, 'conversation');
  await page.goto(`/runs/${runId}`);
  const versions = page.locator('.entry.version');
  await versions.nth(1).getByText('applied').waitFor();
  expect(await versions.nth(1).locator('time').count()).toBeGreaterThanOrEqual(2);
  await page.locator('.entry.transition').getByText('withdrawn, never sent').waitFor();
});

shown('case 16: two browsers answer one request: one answer stands, the other is told so', async () => {
  const bob = await signedIn();
  const ref = await openOf('question');
  await alice.page.goto('/');
  const [mine, theirs] = [cardOf(alice.page, ref), cardOf(bob.page, ref)];
  await mine.getByRole('button', { name: /annual/i }).waitFor();
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await bob.page.route('**/responses', async (route) => {
    await held;
    await route.continue();
  });
  await theirs
    .getByRole('button', { name: /^Answer/ })
    .last()
    .click();
  await mine
    .getByRole('button', { name: /^Answer/ })
    .first()
    .click();
  await mine.locator('[data-fact=answered] time').waitFor();
  go();
  await theirs.getByText('Somebody answered before you').waitFor();
  await mine.locator('[data-fact=adopted] time').waitFor();
  await theirs.locator('[data-fact=adopted] time').waitFor();
  await keep(bob.page, 'inbox-conflict');
  await bob.context.close();
});

shown('E5: an approval shows the exact stored bytes and can be given only for them', async () => {
  const { page } = alice;
  const ref = await openOf('approval');
  const card = cardOf(page, ref);
  expect(await card.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await card.focus();
  await page.keyboard.press('a');
  await card.locator('[data-preview]').waitFor();
  const { body, headers } = await stack.alice.bytes(`/v1/interactions/${ref}/preview`);
  expect(await card.locator('[data-preview]').textContent()).toBe(body.toString('utf8'));
  expect(await card.locator('.hash code').textContent()).toBe((headers.get('etag') ?? '').replaceAll('"', ''));
  expect(await violations(page)).toEqual([]);
  await keep(page, 'approval');
  await card.getByRole('button', { name: /^Approve sending these \d+ bytes to contact-api$/ }).click();
  await card.locator('[data-fact=adopted] time').waitFor();
  const run = await stack.completed(runId);
  expect(run.state).toBe('completed');
});

shown('P1: the report, its badge and exactly its bytes', async () => {
  const { page } = alice;
  await page.goto(`/runs/${runId}`);
  await page.getByRole('complementary').getByText('completed').waitFor();
  await page.getByRole('complementary').getByRole('link', { name: 'v2' }).click();
  await page.locator('.markdown h2').first().waitFor();
  expect(await page.locator('.badge').first().textContent()).toContain('final');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByText('download exactly these').click(),
  ]);
  const { body } = await stack.alice.bytes(`/v1/runs/${runId}/reports/current`);
  expect(readFileSync(await download.path())).toEqual(body);
});

shown('each page: no violation found by axe, light and dark; nothing to scroll sideways on a phone', async () => {
  const { page } = alice;
  const { items } = await stack.alice.get<{ items: { actionKey: string }[] }>(`/v1/actions?runId=${runId}`);
  const pages: readonly (readonly [string, string, string])[] = [
    ['inbox', '/', '.card'],
    ['conversations', '/conversations', '.list li'],
    ['conversation', `/conversations/${conversation}`, '.message'],
    ['run', `/runs/${runId}`, '.entry.report'],
    ['report', `/runs/${runId}/reports`, '.markdown'],
    ['ledger', '/ledger', '.card'],
    ['action', `/ledger/${encodeURIComponent(items[0]?.actionKey ?? '')}`, 'dl.wide'],
    ['operations', '/operations', '.numbers'],
  ];
  const found: string[] = [];
  for (const [name, path, there] of pages) {
    await page.goto(path);
    await page.locator(there).first().waitFor();
    found.push(...(await violations(page)).map((one) => `${name}: ${one}`));
    await keep(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    // Colours are all that differs.
    found.push(...(await violations(page, ['color-contrast'])).map((one) => `${name}, dark: ${one}`));
    await keep(page, `${name}-dark`, false);
    await page.emulateMedia({ colorScheme: 'light' });
    const wide = page.viewportSize();
    await page.setViewportSize(phone);
    const width = await page.evaluate(
      () =>
        (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document.documentElement
          .scrollWidth,
    );
    if (width > phone.width) found.push(`${name}: ${width} px wide on a phone`);
    await keep(page, `${name}-phone`, false);
    if (wide !== null) await page.setViewportSize(wide);
  }
  expect(found).toEqual([]);
});

shown('X2: a dead letter is shown as it came and decoded, and left out only with a reason', async () => {
  const { page } = alice;
  const topic = 'fairlead.admission.messages.v1';
  const log = openLog('test', 'test', 'silent');
  const codec = await openCodec(process.env['SCHEMA_REGISTRY_URL'] ?? '', [{ topic, type: 'MessageStored' }], log);
  const broker = openBroker(kafkaSettings(process.env), 'console-test', log);
  const producer = await broker.producer();
  const stray = fresh('stray');
  const value = codec.encode(topic, 'MessageStored', {
    ...{ eventId: stray, occurredAt: 1, tenant: 'local', app: 'local', account: 'alice', conversationId: stray },
    ...{ messageId: stray, clientMessageId: stray, relation: 'NEW_TASK', content: 'astray', contentSha256: '' },
    ...{ title: null, targetRunId: null, receivedAt: 1, revision: 1 },
  });
  await producer.send([
    { topic: 'fairlead.ingress.messages.v1', partition: null, key: Buffer.from(stray), value, headers: {} },
  ]);
  await producer.close();
  await broker.close();
  await page.goto('/operations');
  const card = page.locator('article', { hasText: 'unexpected_record' });
  await card.getByText('Show the record').click();
  await card.getByText('decoded, MessageStored').waitFor();
  expect(await card.locator('pre').last().textContent()).toContain('"content": "astray"');
  await keep(page, 'dead-letter');
  expect(await violations(page)).toEqual([]);
  await card.getByText('Skip it').first().click();
  await card.getByLabel('Why it may be left out').fill('a test sent it astray');
  await card.getByRole('button', { name: 'Skip it' }).click();
  await card.waitFor({ state: 'detached' });
});

shown('by keyboard: skip link, j and k, help', async () => {
  const { page } = alice;
  await page.goto('/ledger');
  await page.locator('[data-item]').first().waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(focused)).toBe('Skip to the page');
  await page.keyboard.press('j');
  const first = await page.locator('[data-item]:focus').getAttribute('data-item');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  expect(await page.locator('[data-item]:focus').getAttribute('data-item')).toBe(first);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('deny what the item asks').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Evidence, in order' }).waitFor();
});

const focused = (): string =>
  (globalThis as unknown as { document: { activeElement: { textContent: string } } }).document.activeElement
    .textContent;

shown('P3: a lost connection says so and since when; back again, the page goes on where it was', async () => {
  const { page } = alice;
  await page.goto(`/conversations/${conversation}`);
  await page.locator('.message').first().waitFor();
  stack.kill('gateway');
  await page.getByText('Connection lost since').waitFor();
  await keep(page, 'lost');
  await stack.start('gateway');
  await page.getByText('Connection lost since').waitFor({ state: 'detached' });
  const before = await page.locator('.message').count();
  await stack.submit(conversation, fresh('later'), 'Compare MSFT and AAPL over the last year.');
  await until(
    'the message of elsewhere is on the page',
    async () => (await page.locator('.message').count()) === before + 1,
  );
  await page.reload();
  await until('it is there after a reload', async () => (await page.locator('.message').count()) === before + 1);
});
