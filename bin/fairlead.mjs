#!/usr/bin/env node
// npx fairlead: makes sure of node_modules and dist/, then becomes the command line tool, or one service process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from '../infra/local/node-modules.mjs';
import { reportError } from '../infra/local/plain-error.mjs';
import { repoRoot } from '../infra/local/ports.mjs';

try {
  await prepare();
  if (process.argv[2] === 'service') {
    const { becomeService } = await import('../infra/local/service-by-hand.mjs');
    await becomeService(process.argv.slice(3));
  } else {
    const { describeStack } = await import('../infra/local/stack.mjs');
    Object.assign(process.env, describeStack().env);
    const main = join(repoRoot(), 'dist/services/cli/main.js');
    process.argv[1] = main;
    await import(pathToFileURL(main).href);
  }
} catch (error) {
  reportError(error);
}
