import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const script = pathToFileURL(join(__dirname, '../../infra/local/audit.mjs')).href;

/** The script is a module of node's own kind; it is asked the way another script would ask it. */
const asked = (expression: string): unknown => {
  const program = `const { judge, reportOf } = await import(${JSON.stringify(script)}); console.log(JSON.stringify(${expression}));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString());
};
const advisory = {
  source: 1,
  name: 'leftish',
  severity: 'high',
  title: 'reads too far',
  range: '<2',
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
};
const report = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: { leftish: { via: [advisory] }, above: { via: ['leftish', advisory] } },
});
const allow = (more: object): string =>
  JSON.stringify([{ id: 'GHSA-aaaa-bbbb-cccc', reason: 'only its writer is used', until: '2026-12-31', ...more }]);

test('a known hole fails the audit, once, unless it was accepted with a reason that still holds', () => {
  const lists = ['[]', allow({}), allow({ until: '2026-11-30' }), allow({ reason: '' })];
  const today = "'2026-12-01'";
  const calls = [...lists.map((list) => `judge(${report}, ${list}, ${today})`), `judge({}, ${allow({})}, ${today})`];
  expect(asked(`[${calls.join()}]`)).toEqual([
    ['GHSA-aaaa-bbbb-cccc high leftish <2: reads too far'],
    [],
    [expect.stringContaining('look at it again')],
    [expect.stringContaining('needs a reason')],
    [expect.stringContaining('take it out')],
  ]);
});

test('a registry that cannot be asked is said by name, and is no finding', () => {
  const texts = ['{"message":"405 Method Not Allowed"}', '', report];
  expect(asked(`[${texts.map((text) => `reportOf(${JSON.stringify(text)})`).join()}]`)).toEqual([
    { why: '405 Method Not Allowed' },
    { why: 'npm said nothing that can be read' },
    { report: JSON.parse(report) as unknown },
  ]);
});
