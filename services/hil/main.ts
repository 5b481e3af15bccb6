import { startPurging } from '../platform/purges';
import { runService } from '../platform/run-service';
import { groupTopics } from '../platform/service';
import { decide, keys, moreKeys } from './decide';
import type { Wake } from './deciding';
import { routes } from './http';
import { openInbox, type Inbox } from './inbox';
import { messageOf, type Message } from './messages';
import { carryOut } from './purge';
import { countByState, kinds } from './store';

void runService<Message, Wake>('hil', async (_env, _log, metrics) => {
  const setStates = metrics.states('fairlead_interactions', 'Interactions by state', 'state', [
    'open',
    'answered',
    'closed',
  ]);
  const answerSeconds = metrics.seconds('fairlead_answer_seconds', 'Seconds until an answer over HTTP is stored');
  let inbox: Inbox | null = null;
  const opened = (): Inbox => {
    if (inbox === null) throw new Error('the live inbox opens with the service');
    return inbox;
  };
  return {
    name: 'hil',
    kinds,
    keys,
    moreKeys,
    decide,
    // People's answers and requests at once; ends of runs and adoptions may gather, as every run has several.
    inputs: (['hil', 'hil.events'] as const).map((group) => ({
      group,
      topics: groupTopics(group),
      urgent: group === 'hil',
      inbox: true,
      message: ({ name, value }) => messageOf(name, value),
    })),
    writes: { 'hil.events.v1': ['InteractionChanged', 'MessageDecided'] },
    perform: async ({ refs }) => inbox?.wake(refs),
    routes: routes(opened, (seconds) => answerSeconds.observe(seconds)),
    beforeMetrics: async (api) => setStates(await countByState(api.pool)),
    start: async (api) => {
      const live = openInbox(api.pool, api.hints, api.log);
      inbox = live;
      const stopPurging = startPurging(api.pool, carryOut(api.pool), api.log);
      return async () => {
        stopPurging();
        live.stop();
        await Promise.resolve();
      };
    },
  };
});
