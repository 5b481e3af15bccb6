// Runs once before the services of docker compose: token keys, each service's database address, migrations, topics.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureKeyPair } from '../local/auth.mjs';
import { serviceDatabaseUrl } from '../local/database-url.mjs';
import { statefulServices } from '../local/services.mjs';

const home = process.env.FAIRLEAD_HOME;
const adminUrl = process.env.DATABASE_ADMIN_URL;
const cli = fileURLToPath(new URL('../../services/cli/main.js', import.meta.url));

ensureKeyPair(home);
mkdirSync(join(home, 'database'), { recursive: true, mode: 0o700 });
for (const service of statefulServices) {
  writeFileSync(join(home, 'database', `${service}.url`), serviceDatabaseUrl(adminUrl, service), { mode: 0o600 });
}
for (const args of [['migrate'], ['topics', 'apply']]) {
  const { status } = spawnSync(process.execPath, [cli, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
