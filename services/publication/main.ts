import { runService } from '../platform/run-service';
import { groupTopics } from '../platform/service';
import type { Input } from '../platform/intake';
import { decide, keys, moreKeys } from './decide';
import type { Wake } from './decide-reports';
import { routes } from './http';
import { reportRoutes } from './http-reports';
import { messageOf, type AnyMessage, type Message } from './messages';
import { openReaders, type Readers } from './readers';
import { kinds } from './store';

const input = (group: 'publication' | 'publication.events', urgent: boolean): Input<AnyMessage> => ({
  group,
  topics: groupTopics(group),
  urgent,
  inbox: true,
  message: ({ name, value }) => messageOf(name, value),
});

void runService<Message, Wake>('publication', async (_env, _log, metrics) => {
  const listening = metrics.gauge('fairlead_event_readers', 'Clients that follow an event stream of this instance');
  listening.set(0);
  let readers: Readers | null = null;
  const opened = (): Readers => {
    if (readers === null) throw new Error('the event streams open with the service');
    return readers;
  };
  return {
    name: 'publication',
    kinds,
    keys,
    moreKeys,
    decide,
    // Reports hold up a run, so they are fetched at once; the timeline may gather for some ms.
    inputs: [input('publication', true), input('publication.events', false)],
    writes: { 'publication.events.v1': ['ReportPublished', 'VersionSuperseded', 'DocumentConflicted'] },
    perform: async ({ streams }) => readers?.wake(streams),
    routes: (app, api) => {
      routes(opened)(app, api);
      reportRoutes(app, api);
    },
    beforeMetrics: async () => listening.set(readers?.count() ?? 0),
    start: async (api) => {
      const live = openReaders(api.pool, api.hints, api.log);
      readers = live;
      return async () => live.stop();
    },
  };
});
