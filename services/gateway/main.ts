import { join } from 'node:path';
import { openAuth } from '../platform/auth';
import { BadSetting } from '../platform/environment';
import { openLog } from '../platform/log';
import { openMetrics } from '../platform/metrics';
import { openGateway } from './server';
import { readSettings, type Settings } from './settings';

const settings = (): Settings => {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    process.stderr.write(`gateway cannot start: ${error.message}\n`);
    process.exit(1);
  }
};

const run = async (): Promise<void> => {
  const { auth, owners, host, port, logLevel, instance, shutdownGraceMs } = settings();
  const log = openLog('gateway', instance, logLevel);
  const gateway = await openGateway({
    owners,
    consoleFolder: join(__dirname, '../console'),
    auth: openAuth(auth),
    log,
    metrics: openMetrics('gateway', []),
  });
  await gateway.app.listen({ host, port });
  log.info({ address: gateway.app.server.address() }, 'listening');
  const stop = (): void => {
    void gateway.stop(shutdownGraceMs).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};

run().catch((error: unknown) => {
  process.stderr.write(`gateway cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
