// A browser for the tests of the console: the machine's own, or Debian's package where it may be installed.
import { pathToFileURL } from 'node:url';
import { aptInstall, isExecutable, onPath } from './machine.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const found = () => names.map(onPath).find(Boolean);

/** Path of a Chromium, or undefined when there is none and none can be installed. */
export const browserPath = async (env = process.env) => {
  if (env.CHROMIUM_PATH && isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
  return found() ?? ((await aptInstall('chromium')) ? found() : undefined);
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write((await browserPath()) ?? '');
