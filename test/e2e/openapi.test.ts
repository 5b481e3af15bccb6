import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localToken } from '../../services/cli/remote';
import { owners } from '../../services/gateway/route-table';
import { programsOf } from '../support/python';
import { system, type System } from '../support/system';

jest.setTimeout(120_000);

const requirement = 'schemathesis==4.32.5';
const programs = programsOf(requirement);
const driven = programs === null ? test.skip : test;
const why = programs === null ? ` (skipped: ${requirement} could not be installed)` : '';

const examplesPerRoute = 8;
const seed = 1;
/** With fewer requests it was not the service that was driven. */
const fewest = 100;

let stack: System;
beforeAll(async () => {
  stack = await system();
});

/** What it found; empty = nothing. */
const drive = (service: string, token: string): Promise<string> => {
  const port = readFileSync(join(stack.home, 'run', `${service}.port`), 'utf8').trim();
  const args = [
    ...['run', `http://127.0.0.1:${port}/openapi.json`, '--checks', 'not_a_server_error'],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examplesPerRoute), '--seed', String(seed)],
    ...['--generation-deterministic', '--continue-on-failure', '--workers', '2'],
    // Streams do not end, so that each would wait for its time-out; the test of cursors asks for them.
    ...['--exclude-path-regex', 'events$', '--request-timeout', '10', '--warnings', 'off', '--no-color'],
    ...['--header', `Authorization: Bearer ${token}`, '--header', 'Prefer: wait=0'],
  ];
  return new Promise((resolve) =>
    execFile(join(programs ?? '', 'schemathesis'), args, { cwd: stack.home }, (_error, stdout, stderr) => {
      // It counts what breaks inside itself as an error of the run; what counts here is what was asked and answered.
      const asked = Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0);
      const ok = asked >= fewest && !/unique failure/.test(stdout);
      resolve(ok ? '' : `${stdout.slice(stdout.indexOf('FAILURES'))}${stderr}`);
    }),
  );
};

driven.each(owners)(
  `X4 A17: whatever %s's description allows and forbids, nothing is answered with 5xx${why}`,
  async (owner) => {
    const roles = ['operator', 'platform-operator', 'approver', 'integrator'];
    const token = await localToken({ account: 'machine', tenant: 'local', app: 'local', roles });
    expect(await drive(owner, token)).toBe('');
  },
);
