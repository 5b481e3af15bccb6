import type { RecordName } from '../../schemas/generated/records';
import { topicName } from '../../schemas/topics';
import { openAuth } from '../platform/auth';
import type { IngressBinding } from '../platform/configuration';
import type { Tick } from '../platform/decision';
import type { Input } from '../platform/intake';
import type { Hints } from '../platform/redis';
import { openConfiguration } from '../platform/live-configuration';
import { runService } from '../platform/run-service';
import { groupTopics, type ServiceSpec } from '../platform/service';
import { blobs, decide, keys, moreKeys } from './decide';
import { eventReader } from './events';
import { routes } from './http';
import { quotaRoutes } from './http-quotas';
import { ingressReader } from './ingress';
import type { Inbound, Settlement } from './messages';
import { policyOf } from './policy';
import { withQuota } from './quota';
import { rateLimits } from './rate-limits';
import { receiptsTopic } from './receipts';
import { startRetention } from './retention';
import { fullestQuotas, kinds, readSettled, readUndecided, startRewinding } from './store';
import { openWaiters, type Waiters } from './waiters';

const receiptsOf = (bindings: readonly IngressBinding[]): Record<string, readonly RecordName[]> =>
  Object.fromEntries(
    bindings.flatMap((one) => (one.receiptsTopic === undefined ? [] : [[one.receiptsTopic, ['ReceiptIssued']]])),
  );

void runService<Inbound, Settlement>('admission', async (env, log, metrics) => {
  const configuration = openConfiguration(env.configPath, log);
  const bindings = configuration.current().ingress ?? [];
  const policy = policyOf(configuration.current, bindings);
  const byTopic = new Map(bindings.map((one) => [topicName(env.topicPrefix, one.topic), one]));
  let hints: Hints | null = null;
  const limits = withQuota(
    policy.messagesPerDay,
    rateLimits(policy.rates, (name, ttlMs) => hints?.count(name, ttlMs) ?? Promise.resolve(null)),
  );
  const ingress: Input<Inbound | Tick> = {
    group: 'admission',
    topics: Object.fromEntries(bindings.map((one) => [one.topic, ['MessageSubmitted']])),
    urgent: true,
    inbox: false,
    message: ingressReader(byTopic, openAuth(env.auth), limits),
  };
  const events: Input<Inbound | Tick> = {
    group: 'admission.events',
    topics: groupTopics('admission.events'),
    urgent: false,
    inbox: true,
    message: eventReader,
  };
  const receiptSeconds = metrics.seconds(
    'fairlead_receipt_seconds',
    'Seconds from admission to the first settled receipt',
  );
  const undecided = metrics.gauge('fairlead_messages_undecided', 'Messages whose owner has not decided yet');
  const oldestUndecided = metrics.gauge('fairlead_message_oldest_undecided_age_seconds', 'Age of the oldest of them');
  const quotaUsed = metrics.gauge(
    'fairlead_tenant_quota_used_ratio',
    "Part of the day's messagesPerDay that is used, of the fullest tenants that have one",
    'tenant',
  );
  let waiters: Waiters | null = null;
  const spec: ServiceSpec<Inbound, Settlement> = {
    name: 'admission',
    kinds,
    keys,
    moreKeys,
    blobs,
    decide: (view, message, context) => decide(view, message, context, policy),
    inputs: bindings.length === 0 ? [events] : [ingress, events],
    writes: {
      [receiptsTopic]: ['ReceiptIssued'],
      ...receiptsOf(bindings),
      'admission.messages.v1': ['MessageStored'],
      'run.commands.v1': ['StartRun', 'AmendRun', 'ObserveRun', 'ControlRun'],
      'hil.responses.v1': ['SubmitClarification'],
      'content.purges.v1': ['ContentPurged'],
    },
    perform: async (settlement) => {
      receiptSeconds.observe(settlement.seconds);
      waiters?.settled(settlement);
    },
    routes: (app, running) => {
      hints = running.hints;
      waiters = openWaiters((messageIds) => readSettled(running.pool, messageIds));
      routes(app, running, waiters, limits);
      quotaRoutes(app, running, policy.quotas);
    },
    start: (running) => {
      const stopRetention = startRetention(running, policy.contentDays, log);
      const stopRewinding = startRewinding(running.pool, log);
      return Promise.resolve(() => {
        stopRetention();
        stopRewinding();
        waiters?.close();
        return Promise.resolve();
      });
    },
    beforeMetrics: async (running) => {
      const { count, oldestSeconds } = await readUndecided(running.pool);
      undecided.set(count);
      oldestUndecided.set(oldestSeconds);
      quotaUsed.reset();
      for (const [tenant, ratio] of await fullestQuotas(running.pool, policy.quotas()))
        quotaUsed.set({ tenant }, ratio);
    },
    configuration,
    readyWithoutBroker: true,
  };
  return spec;
});
