// npm run demo: the whole system on real input, from the message to the report.
import { withStack } from './with-stack.mjs';

await withStack('infra/demo/main.js');
