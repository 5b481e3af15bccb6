// Loaded before a service (`node --require`): its wall clock is off by the first of CLOCK_OFFSETS_MS, and by the next one
// from each SIGUSR2 on. Timers and the steady clock are as they are, as on a machine whose clock is set.
const offsets = (process.env['CLOCK_OFFSETS_MS'] ?? '0').split(',').map(Number);
let at = 0;
process.on('SIGUSR2', () => {
  at = Math.min(at + 1, offsets.length - 1);
});

const Right = Date;
const now = (): number => Right.now() + (offsets[at] ?? 0);
globalThis.Date = new Proxy(Right, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new Right(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
