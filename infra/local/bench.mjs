// npm run bench: the benchmark.
import { withStack } from './with-stack.mjs';

await withStack('test/bench/main.js');
