// Ctrl-C and SIGTERM of a command that has started processes: end these, then exit as a signal would.
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Resolves with the signal's name; a further signal while the command is cleaning up changes nothing. */
export const firstSignal = () =>
  new Promise((resolve) => {
    for (const name of Object.keys(exitCodes)) process.on(name, () => resolve(name));
  });

/** Runs `work`; when a signal comes first, runs `cleanUp` and exits. */
export const interruptible = async (work, cleanUp) => {
  const signalled = firstSignal().then((name) => ({ signal: name }));
  const outcome = await Promise.race([work().then((value) => ({ value })), signalled]);
  if (!('signal' in outcome)) return outcome.value;
  await cleanUp();
  process.exit(exitCodes[outcome.signal]);
};
