// What one command has started, so that it can end exactly that.
import { end, launch, running, withdraw } from './processes.mjs';
import { serverNames, stopServers } from './servers.mjs';

/** A service hands its turns over before it ends: SHUTDOWN_GRACE_MS (20 s) and some room. */
const serviceGraceMs = 25_000;

/** Services first, all at once, then the servers they use. */
export const stopProcesses = async (home, processes) => {
  const isServer = ({ name }) => serverNames.includes(name);
  const services = processes.filter((each) => !isServer(each));
  const ended = await Promise.all(services.map((each) => end(home, each, { graceMs: serviceGraceMs })));
  return [...ended, ...(await stopServers(home, processes.filter(isServer)))];
};

export const createSession = (home) => {
  const started = [];
  const session = {
    home,
    started,
    stopping: false,
    launch: (spec) => {
      if (session.stopping) throw new Error('stopping');
      const launched = launch(home, spec);
      if (launched.pid !== undefined) started.push(launched);
      return launched;
    },
    /** Ends what this command started; a pid that meanwhile belongs to another process of the home is left alone. */
    stop: async () => {
      session.stopping = true;
      const mine = started.filter(({ name, pid }) => running(home, name)?.pid === pid);
      const ended = await stopProcesses(home, mine);
      for (const { name, pid } of started) withdraw(home, name, pid);
      return ended;
    },
  };
  return session;
};
