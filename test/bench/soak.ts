import { parseArgs } from 'node:util';
import { audit } from '../../services/cli/audit';
import { startKiller } from './soak-kills';
import { openTraffic } from './soak-traffic';

// Mixed traffic over all relations while something dies every few seconds; then quiet; then counts that must agree.

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    'kill-every-sec': { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    json: { type: 'boolean', default: false },
  },
});

const people = 6;
/** After the last kill: dead sessions and leases run out, what waits is asked again, people answer what is left. */
const quietMs = 5 * 60_000;

/** Small, seeded and good enough to repeat a mix of traffic; the order of events is the machine's. */
const random = (seed: number): (() => number) => {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const main = async (): Promise<boolean> => {
  const minutes = Number(options.minutes);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  const seed = Number(options.seed);
  say(
    `${minutes} minutes of traffic by ${people} people, something killed every ${options['kill-every-sec']} s, seed ${seed}`,
  );
  const traffic = openTraffic(random(seed), people);
  const killer = startKiller(random(seed + 1), Number(options['kill-every-sec']) * 1_000, say);
  const until = Date.now() + minutes * 60_000;
  const crowd = Array.from({ length: people }, async (_, person) => {
    while (Date.now() < until) await traffic.act(person);
  });
  await Promise.all(crowd);
  const kills = await killer.stop();
  say(`quiet: ${traffic.sent()} messages were sent, ${kills} processes killed; what is left is answered and awaited`);
  const findings = [...(await traffic.settle(quietMs)), ...(await audit()), await traffic.effects()];
  if (options.json)
    console.log(JSON.stringify({ messages: traffic.sent(), kills, counts: traffic.counts(), findings }));
  else {
    console.log(JSON.stringify(traffic.counts()));
    for (const { what, ok, found } of findings) console.log(`${ok ? 'ok  ' : 'BAD '} ${what}${ok ? '' : `: ${found}`}`);
  }
  return findings.every(({ ok }) => ok);
};

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
