// npm run soak: mixed traffic with kills, then an audit.
import { withStack } from './with-stack.mjs';

await withStack('test/bench/soak.js');
