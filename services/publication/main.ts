import { startPurging } from '../platform/purges';
import { runService } from '../platform/run-service';
import { groupTopics } from '../platform/service';
import type { Input } from '../platform/intake';
import { openConfiguration } from '../platform/live-configuration';
import { withWebhooks } from './decide';
import type { Outside } from './decide-reports';
import { deliverer, type Hook } from './deliver';
import { routes } from './http';
import { documentRoutes } from './http-documents';
import { reportRoutes } from './http-reports';
import { messageOf, type AnyMessage, type Message } from './messages';
import { carryOut } from './purge';
import { openReaders, type Readers } from './readers';
import { kinds } from './store';

const input = (group: 'publication' | 'publication.events', urgent: boolean): Input<AnyMessage> => ({
  group,
  topics: groupTopics(group),
  urgent,
  inbox: true,
  message: ({ name, value }) => messageOf(name, value),
});

void runService<Message, Outside>('publication', async (env, log, metrics) => {
  const configuration = openConfiguration(env.configPath, log);
  const hookOf = (tenant: string): Hook | null => configuration.current().tenants[tenant]?.webhook ?? null;
  const { keys, moreKeys, decide } = withWebhooks((tenant) => hookOf(tenant) !== null);
  const deliver = deliverer(hookOf);
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
    configuration,
    perform: async (work, api) => (work.kind === 'wake' ? readers?.wake(work.streams) : deliver(work, api)),
    routes: (app, api) => {
      routes(opened)(app, api);
      reportRoutes(app, api);
      documentRoutes(app, api);
    },
    beforeMetrics: async () => listening.set(readers?.count() ?? 0),
    start: async (api) => {
      const live = openReaders(api.pool, api.hints, api.log);
      readers = live;
      const stopPurging = startPurging(api.pool, carryOut(api.pool), api.log);
      return async () => {
        stopPurging();
        live.stop();
        await Promise.resolve();
      };
    },
  };
});
