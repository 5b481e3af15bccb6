import { setTimeout as pause } from 'node:timers/promises';
import { kill, restart, victimNames } from './victims';

const deadForMs = 300;

/** Kills one service after the other, by the pid in its file, and starts it again a moment later. */
export const startKiller = (
  random: () => number,
  everyMs: number,
  say: (text: string) => void,
): { readonly stop: () => Promise<number> } => {
  let stopped = false;
  let kills = 0;

  const loop = async (): Promise<void> => {
    while (!stopped) {
      await pause(everyMs * (0.5 + random()));
      if (stopped) return;
      const victim = victimNames[Math.floor(random() * victimNames.length)];
      if (victim === undefined) continue;
      try {
        kill(victim);
        kills += 1;
      } catch {
        say(`${victim} was not there to be killed`);
      }
      await pause(deadForMs);
      restart(victim);
    }
  };
  const running = loop();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return kills;
    },
  };
};
