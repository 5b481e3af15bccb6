import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { system } from '../support/system';

jest.setTimeout(180_000);

test('the demo walks the whole path: message, duplicate, v2, answer, approval, unknown settled by receipt, report, crash (P4, R4, E4, A2)', async () => {
  await system();
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(__dirname, '../../dist/infra/demo/main.js')],
      { env: process.env, timeout: 150_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: stdout + stderr }),
    );
  });
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  for (const words of [
    'recognised, nothing new starts',
    'version_conflict',
    'attempt outcome unknown',
    '1 effect at the remote',
    'back again: 8 messages, 8 runs, 8 reports',
  ])
    expect(output).toContain(words);
});
