import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { canonicalBytes } from '../platform/canonical';
import { openConfiguration } from '../platform/live-configuration';
import { openLog } from '../platform/log';
import { pause } from '../platform/pause';
import { contractOf, tenantOfConnector } from './contract';
import { openTransport } from './transport';
import { tryContract } from './try-contract';

/**
 * A process of its own for `npx fairlead doctor connector`: it knows contracts as the ledger does, and acts at the remote
 * outside of it. Arguments: connector, operation, params as JSON. One line of JSON with the findings.
 */
const main = async (): Promise<void> => {
  const [name = '', operation, params = '{}'] = process.argv.slice(2);
  const path = process.env['FAIRLEAD_CONFIG'] ?? null;
  const { transport, accept } = openTransport();
  const configuration = openConfiguration(path, openLog('doctor', 'doctor', 'silent'), (config) =>
    accept(config, path === null ? process.cwd() : dirname(path)),
  );
  configuration.close();
  const tenant = tenantOfConnector(configuration.current(), name);
  const contract = tenant === null ? null : contractOf(configuration.current(), tenant, name);
  if (contract === null) throw new Error(`no connector is named ${name}`);
  const trial = {
    operation: operation === undefined || operation === '' ? (contract.operations[0] ?? '') : operation,
    subject: `doctor-${randomUUID()}`,
    body: canonicalBytes(JSON.parse(params) as unknown),
  };
  process.stdout.write(`${JSON.stringify(await tryContract(contract, transport, trial, pause))}\n`);
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
