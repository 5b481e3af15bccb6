import { join } from 'node:path';
import { startDemoRemote } from './server';

const defaultPort = 7410;

const main = async (): Promise<void> => {
  const home = process.env.FAIRLEAD_HOME ?? '.fairlead';
  const remote = await startDemoRemote({
    port: Number(process.env.PORT ?? defaultPort),
    host: process.env.HOST ?? '127.0.0.1',
    dataDir: join(home, 'demo-remote'),
  });
  console.log(`demo remote at ${remote.url}`);
  const stop = () => {
    remote.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};

main().catch((error: unknown) => {
  console.error(`demo remote: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
