import type { Logger } from './log';

/** Does `step` again and again, at once while there is more to do. Returns how to stop. */
export const repeatedly = (step: () => Promise<boolean>, everyMs: number, log: Logger): (() => void) => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const go = async (): Promise<void> => {
    let more = false;
    try {
      more = await step();
    } catch (error) {
      log.warn({ err: error }, 'work in the background failed; it is tried again');
    }
    if (!stopped) timer = setTimeout(() => void go(), more ? 0 : everyMs);
  };
  timer = setTimeout(() => void go(), 0);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};
