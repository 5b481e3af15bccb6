/**
 * Named places where a test can make this process die, fail or hold. Inert unless FAIRLEAD_FAILPOINTS is set, so that
 * the crash matrix runs against exactly the code that ships.
 *
 * FAIRLEAD_FAILPOINTS="relay.sent=exit,batch.commit=throw:2" - the number says on which pass it fires (default 1).
 */
/** `gather` holds all passes and dies at the last of them, so that all stand at this very place when it happens. */
type Action = 'exit' | 'throw' | 'hold' | 'gather';
interface Armed {
  readonly action: Action;
  passesLeft: number;
}

const parse = (text: string): Map<string, Armed> =>
  new Map(
    text
      .split(',')
      .filter(Boolean)
      .map((entry) => {
        const [name = '', rest = 'exit'] = entry.split('=');
        const [action = 'exit', passes = '1'] = rest.split(':');
        return [name.trim(), { action: action as Action, passesLeft: Number(passes) }];
      }),
  );

const armed = parse(process.env['FAIRLEAD_FAILPOINTS'] ?? '');

/** For tests inside one process. */
export const arm = (name: string, action: Action, pass = 1): void => void armed.set(name, { action, passesLeft: pass });
export const disarmAll = (): void => armed.clear();

export const failpoint = async (name: string): Promise<void> => {
  if (armed.size === 0) return;
  const point = armed.get(name);
  if (point === undefined) return;
  if (--point.passesLeft > 0) {
    if (point.action === 'gather') await new Promise<never>(() => undefined);
    return;
  }
  armed.delete(name);
  if (point.action === 'exit' || point.action === 'gather') process.kill(process.pid, 'SIGKILL');
  if (point.action === 'throw') throw new Error(`failpoint ${name}`);
  await new Promise<never>(() => undefined);
};
