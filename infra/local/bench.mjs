// npm run bench: the benchmark, on a stack of its own with the benchmark's agent, connector and stub, so that figures do
// not depend on what a stack in use has in its tables.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePortBase } from './network.mjs';
import { prepare } from './node-modules.mjs';
import { cacheDir, home, portSpan, repoRoot } from './ports.mjs';
import { withStack } from './with-stack.mjs';

await prepare();
const own = join(home(), 'bench');
const base = await freePortBase(portSpan);
mkdirSync(own, { recursive: true });
const template = readFileSync(join(repoRoot(), 'dist/test/bench/configuration.yaml'), 'utf8');
const configuration = join(repoRoot(), 'dist/test/bench', `configuration-${base}.yaml`);
writeFileSync(configuration, template.replaceAll('${DEMO_REMOTE_URL}', `http://127.0.0.1:${base + 10}`));
process.env.FAIRLEAD_CACHE ??= cacheDir();
process.env.FAIRLEAD_HOME = own;
process.env.FAIRLEAD_PORT_BASE = String(base);
process.env.FAIRLEAD_CONFIG = configuration;
// The collector of `--stages`: tracing costs a little, so it is only on where its figures are asked for.
if (process.argv.includes('--stages')) process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${base + 11}`;
// The stub takes the demo remote's place and port.
process.env.FAIRLEAD_ONLY ??=
  'admission,run-executor,hil,effect-ledger,effect-ledger-receipt-query,publication,gateway';
await withStack('test/bench/main.js');
