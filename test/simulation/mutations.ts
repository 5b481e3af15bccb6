import type { Decision, Emit, View } from '../../services/platform/decision';
import type { Deciders } from '../support/in-memory';
import type { InvariantName } from './invariants';
import type { Models, ServiceName } from './services';

type Decide = Deciders<unknown, unknown>['decide'];
// Mutations reach into messages and states of every service by name, so here these are open records.
interface Open extends Record<string, unknown> {
  readonly type: string;
  readonly record: Record<string, unknown>;
}
type Broken = (decide: Decide, message: Open, view: View, context: Parameters<Decide>[2]) => Decision;

export interface Mutation {
  readonly breaks: InvariantName;
  readonly how: string;
  readonly service: ServiceName;
  readonly broken: Broken;
}

/** A view on which one kind of aggregate looks different. */
const seenAs = (view: View, kind: string, change: (state: Open) => unknown): View => ({
  ...view,
  get: <S>(name: string, id: string) => {
    const state = view.get<Open>(name, id);
    return (name === kind && state !== undefined ? change(state) : state) as S | undefined;
  },
});

const withPuts = (decision: Decision, kind: string, change: (state: Open) => unknown): Decision => ({
  ...decision,
  put: (decision.put ?? []).map((one) => (one.key.kind === kind ? { ...one, state: change(one.state as Open) } : one)),
});

const withFacts = (decision: Decision, change: (fact: Emit, value: Open) => Emit | null): Decision => ({
  ...decision,
  emit: (decision.emit ?? []).flatMap((fact) => change(fact, fact.value as unknown as Open) ?? []),
});

const silent: Decision = {};
const said = (fact: Emit, change: object): Emit => ({ ...fact, value: { ...fact.value, ...change } as never });
const ended: ReadonlySet<string> = new Set(['completed', 'partial', 'failed', 'cancelled', 'interrupted']);

const dropped =
  (status: readonly string[]): Broken =>
  (decide, message, view, context) =>
    withFacts(decide(view, message, context) as Decision, (fact, value) =>
      fact.type === 'MessageDecided' && status.includes(String(value['status'])) ? null : fact,
    );

/** What a start of what was said would look like. */
const startOf = (value: Open): object => ({ ...value, relation: 'new_task', dependsOnRunId: null });

/** A state that no transaction keeps: what a decider must not have. */
let decisions = 0;

/** For each invariant one rule taken away, in the smallest way that leaves the rest as it is. */
export const mutations: readonly Mutation[] = [
  {
    breaks: 'A15 an event reaches runs of its own entity only',
    how: 'a run that takes an event is about whatever entity there is',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'run', (run) =>
        message.type === 'entity_event' ? { ...run, entity: { type: 'device', id: 'any' } } : run,
      ),
  },
  {
    breaks: 'A11 only an end that can be continued is continued',
    how: 'the executor takes every run for one that was interrupted',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      message.type === 'start' && message.record['relation'] === 'continue'
        ? (decide(
            seenAs(view, 'run', (run) => ({ ...run, status: 'interrupted', cause: 'owner_lost', turns: 1 })),
            { ...message, record: { ...message.record, parentFacts: null } },
            context,
          ) as Decision)
        : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'A1 one identity, one message, one run',
    how: 'admission forgets whom it has met',
    service: 'admission',
    broken: (decide, message, view, context) =>
      decide(message.type === 'submit' ? seenAs(view, 'message', () => undefined) : view, message, context) as Decision,
  },
  {
    breaks: 'A1 one identity, one message, one run',
    how: 'the executor starts a run whenever it is told to',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      decide(message.type === 'start' ? seenAs(view, 'run', () => undefined) : view, message, context) as Decision,
  },
  {
    breaks: 'A2 a repeated message gets the receipt of the first',
    how: 'a repeat is told that it was admitted, whatever has been decided',
    service: 'admission',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        value['duplicate'] === true ? said(fact, { status: 'admitted' }) : fact,
      ),
  },
  {
    breaks: 'A17 every submission gets a receipt',
    how: 'admission refuses without a word',
    service: 'admission',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) => (value['revision'] === 0 ? null : fact)),
  },
  {
    breaks: 'R25 a receipt only moves forward',
    how: 'admission takes old decisions for news',
    service: 'admission',
    broken: (decide, message, view, context) =>
      decide(
        message.type === 'decided'
          ? seenAs(view, 'message', (state) => ({
              ...state,
              ownerRevision: 0,
              receipt: { ...(state['receipt'] as object), status: 'admitted' },
            }))
          : view,
        message,
        context,
      ) as Decision,
  },
  {
    breaks: 'R25 every admitted message ends decided',
    how: 'the executor does not say that a run has started',
    service: 'run-executor',
    broken: dropped(['run_started']),
  },
  {
    breaks: 'R6 every received update is told its fate',
    how: 'the executor does not say what became of updates',
    service: 'run-executor',
    broken: dropped(['update_applied', 'update_superseded', 'update_not_applied', 'follow_up_created']),
  },
  {
    breaks: 'R2 a stale amendment changes nothing',
    how: 'expectedVersion is not looked at',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      if (message.type !== 'amend') return decide(view, message, context) as Decision;
      const run = view.get<{ requirements?: { version: number } }>('run', String(message.record['targetRunId']));
      const expectedVersion = run?.requirements?.version ?? 1;
      return decide(view, { ...message, record: { ...message.record, expectedVersion } }, context) as Decision;
    },
  },
  {
    breaks: 'R4 nothing older becomes current once a newer version was received',
    how: 'what an outdated turn wrote is published like any other',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        fact.type === 'PublishReport' && value['status'] === 'late' ? said(fact, { status: 'partial' }) : fact,
      ),
  },
  {
    breaks: 'P1 the current pointer never moves back',
    how: 'publication does not know what it has published',
    service: 'publication',
    broken: (decide, message, view, context) => {
      const fresh = { current: null, reports: [], supersededBelow: 1 };
      const forgetful = seenAs(view, 'report_run', (state) => ({ ...state, ...fresh }));
      return decide(message.type === 'publish' ? forgetful : view, message, context) as Decision;
    },
  },
  {
    breaks: 'P4 a run completes only with its report published',
    how: 'the executor does not wait for publication',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'run', (run) =>
        run['status'] === 'publishing' ? { ...run, status: 'completed' } : run,
      ),
  },
  {
    breaks: 'E1 an effect happens at most once',
    how: 'an attempt whose sender is lost counts as not sent',
    service: 'effect-ledger',
    broken: (decide, message, view, context) => {
      const id = String((message as unknown as { id?: string }).id ?? '');
      const action = message.type === 'tick' ? view.get<Open>('action', id) : undefined;
      const standing = action?.['standing'] as { status: string; lease?: { until: number } } | undefined;
      if (action === undefined || standing?.status !== 'sending' || (standing.lease?.until ?? 0) > context.now)
        return decide(view, message, context) as Decision;
      const number = (action['attempts'] as unknown[]).length;
      const lost = { type: 'attempted', actionKey: id, runId: action['runId'], number, outcome: 'not_sent' };
      return decide(view, { ...lost, code: null, httpStatus: null, body: null }, context) as Decision;
    },
  },
  {
    breaks: 'E3 a settled outcome is what happened',
    how: 'a receipt that is not there yet counts as a failure',
    service: 'effect-ledger',
    broken: (decide, message, view, context) =>
      decide(
        view,
        message.type === 'receipt' && message.record['outcome'] === 'absent'
          ? { ...message, record: { ...message.record, outcome: 'failed' } }
          : message,
        context,
      ) as Decision,
  },
  {
    breaks: 'E7 nothing starts behind an acknowledged fence',
    how: 'proposals do not look at the fence',
    service: 'effect-ledger',
    broken: (decide, message, view, context) => {
      const open = seenAs(view, 'fence', (fence) => ({ ...fence, mode: 'open', minVersion: 1 }));
      return decide(message.type === 'raise_fence' ? view : open, message, context) as Decision;
    },
  },
  {
    breaks: 'R15 nothing of an ended run starts',
    how: 'the ledger acknowledges a fence and does not raise it',
    service: 'effect-ledger',
    broken: (decide, message, view, context) => {
      const decision = decide(view, message, context) as Decision;
      if (message.type !== 'raise_fence') return decision;
      const acknowledged = (decision.emit ?? []).filter((fact) => fact.type === 'FenceAcknowledged');
      return { emit: acknowledged.map((fact) => ({ ...fact, id: `${fact.about.id}/fence/${context.now}` })) };
    },
  },
  {
    breaks: 'H2 adopted implies answered implies published',
    how: 'an answer counts as adopted when it is stored',
    service: 'hil',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'interaction', (state) =>
        message.type === 'respond' && state['status'] === 'answered'
          ? { ...state, adoptedAt: context.now, adoption: { ...(state['adoption'] as object), status: 'adopted' } }
          : state,
      ),
  },
  {
    breaks: 'H3 one answer is accepted and stays',
    how: 'an answered question takes another answer',
    service: 'hil',
    broken: (decide, message, view, context) => {
      const open = seenAs(view, 'interaction', (state) => ({ ...state, status: 'open' }));
      return decide(message.type === 'respond' ? open : view, message, context) as Decision;
    },
  },
  {
    breaks: 'H7 an approved action goes out only with a person’s word for these bytes',
    how: 'a published approval request counts as approved',
    service: 'effect-ledger',
    broken: (decide, message, view, context) => {
      if (message.type !== 'interaction' || message.record['state'] !== 'open')
        return decide(view, message, context) as Decision;
      const action = view.get<Open>('action', String(message.record['actionKey']));
      const previewSha256 = (action?.['approval'] as { previewSha256?: string } | null)?.previewSha256 ?? null;
      const response = { decision: 'approve', previewSha256, respondedBy: 'nobody' };
      const record = { ...message.record, state: 'answered', response };
      return decide(view, { ...message, record }, context) as Decision;
    },
  },
  {
    breaks: 'R11 a turn commits once, by its owner',
    how: 'the epoch of a result is not looked at',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const { runId = '' } = message as unknown as { runId?: string };
      const epoch = view.get<{ epoch?: number }>('run', runId)?.epoch ?? 0;
      const stale = message.type === 'answered' || message.type === 'tool_done';
      return decide(view, stale ? { ...message, epoch } : message, context) as Decision;
    },
  },
  {
    breaks: 'R12 a turn has one sealed input',
    how: 'a turn that is asked again is sealed again',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const decision = decide(view, message, context) as Decision;
      const asks = (decision.perform ?? []) as { type: string; runId: string; turn: number; attempt: number }[];
      const again = asks.filter((intent) => intent.type === 'ask' && intent.attempt > 1);
      const rows = again.map(({ runId, turn }) => ({
        table: 'inputs',
        values: { run_id: runId, turn, sha256: `as of ${context.now}`, bytes: Buffer.from('{}') },
      }));
      return { ...decision, rows: [...(decision.rows ?? []), ...rows] };
    },
  },
  {
    breaks: 'R18 a budget never grows',
    how: 'a new owner gets the turn back',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'run', (run) => {
        const budget = run['budget'] as { turnsLeft: number } | undefined;
        return message.type === 'tick' && budget !== undefined
          ? { ...run, budget: { ...budget, turnsLeft: budget.turnsLeft + 1 } }
          : run;
      }),
  },
  {
    breaks: 'R23 the end of a run is its end',
    how: 'a cancel reaches a run that has ended',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const alive = seenAs(view, 'run', (run) =>
        ended.has(String(run['status'])) ? { ...run, status: 'waiting' } : run,
      );
      return decide(message.type === 'control' ? alive : view, message, context) as Decision;
    },
  },
  {
    breaks: 'R16 nothing of a paused run starts',
    how: 'the ledger takes a fence on hold for an open one',
    service: 'effect-ledger',
    broken: (decide, message, view, context) =>
      decide(
        seenAs(view, 'fence', (fence) => ({ ...fence, mode: fence['mode'] === 'hold' ? 'open' : fence['mode'] })),
        message,
        context,
      ) as Decision,
  },
  {
    breaks: 'R21 children end before their parent, and their budget is its',
    how: 'a parent forgets its children',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      decide(
        seenAs(view, 'run', (run) => ({ ...run, children: [] })),
        message,
        context,
      ) as Decision,
  },
  {
    breaks: 'R19 a limited place is held once',
    how: 'a run that takes a slot sees nobody who holds one',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const held = view.get<{ held: unknown[] }>('slots', 'local')?.held ?? [];
      const decision = decide(
        seenAs(view, 'slots', (slots) => ({ ...slots, held: [] })),
        message,
        context,
      ) as Decision;
      return withPuts(decision, 'slots', (slots) => ({ ...slots, held: [...held, ...(slots['held'] as unknown[])] }));
    },
  },
  {
    breaks: 'R13 a run that waits names what it waits for',
    how: 'a waiting run forgets its questions and actions',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'run', (run) =>
        run['status'] === 'waiting' ? { ...run, questions: [], actions: [] } : run,
      ),
  },
  {
    breaks: 'R13 what a run waits for exists',
    how: 'the executor does not hear of answers',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      message.type === 'interaction' && message.record['state'] === 'answered'
        ? silent
        : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'R23 every run ends',
    how: 'the executor does not hear of acknowledged fences',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      message.type === 'fence' ? silent : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'R23 what an ended run believes of its actions is true',
    how: 'an ended run does not listen any more',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const run = message.type === 'action' ? view.get<Open>('run', String(message.record['runId'])) : undefined;
      return ended.has(String(run?.['status'])) ? silent : (decide(view, message, context) as Decision);
    },
  },
  {
    breaks: 'A13 admission sees no active run where none is left',
    how: 'admission does not hear of ends',
    service: 'admission',
    broken: (decide, message, view, context) =>
      message.type === 'run' && ended.has(String(message.record['state']))
        ? silent
        : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'P3 the timeline has no gap and no repeat',
    how: 'turns are numbered and not written',
    service: 'publication',
    broken: (decide, message, view, context) => {
      const decision = decide(view, message, context) as Decision;
      return { ...decision, rows: (decision.rows ?? []).filter(({ values }) => values['kind'] !== 'turn') };
    },
  },
  {
    breaks: 'P3 the timeline ends with what its owners say',
    how: 'publication does not hear of ends',
    service: 'publication',
    broken: (decide, message, view, context) =>
      (message as unknown as { event?: { ended: boolean } }).event?.ended === true
        ? silent
        : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'X1 no event id names two facts',
    how: 'all repeats of a message are answered under one id, whatever they find',
    service: 'admission',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        value['duplicate'] === true ? { ...fact, id: `${fact.about.id}/again` } : fact,
      ),
  },
  {
    breaks: 'X2 no record of our own is a dead letter',
    how: 'the executor chokes on observations',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      if (message.type === 'observe') throw new Error('choked');
      return decide(view, message, context) as Decision;
    },
  },
  {
    breaks: 'X3 a timer that fires has something to do',
    how: 'admission never asks again',
    service: 'admission',
    broken: (decide, message, view, context) =>
      message.type === 'tick' ? silent : (decide(view, message, context) as Decision),
  },
  {
    breaks: 'A6 words that were refused reach no agent',
    how: 'the executor takes an amendment and says that it is stale',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        fact.type === 'MessageDecided' && value['status'] === 'update_received'
          ? said(fact, { status: 'version_conflict', code: 'version_conflict' })
          : fact,
      ),
  },
  {
    breaks: 'A10 words meant for a question start and change nothing',
    how: 'an answer to nothing starts a run',
    service: 'admission',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        fact.type === 'SubmitClarification'
          ? { ...fact, type: 'StartRun', topic: 'run.commands.v1', value: startOf(value) as never }
          : fact,
      ),
  },
  {
    breaks: 'A14 a run that depends on another starts after its report',
    how: 'what a run depends on is not looked at',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      decide(
        view,
        message.type === 'start' ? { ...message, record: { ...message.record, dependsOnRunId: null } } : message,
        context,
      ) as Decision,
  },
  {
    breaks: 'A16 what was cancelled before it came is never begun',
    how: 'the executor does not look whether a message was cancelled ahead of its coming',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      decide(
        message.type === 'start'
          ? seenAs(view, 'run', (state) => (state['status'] === 'awaited' ? { ...state, cancels: [] } : state))
          : view,
        message,
        context,
      ) as Decision,
  },
  {
    breaks: 'A13 a queued run waits for the earlier ones of its conversation',
    how: 'every conversation looks empty',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      decide(
        seenAs(view, 'conversation', (state) => ({ ...state, waiting: [], active: [] })),
        message,
        context,
      ) as Decision,
  },
  {
    breaks: 'R9 each change of version is written down',
    how: 'a boundary keeps no transition',
    service: 'run-executor',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'run', (run) => ({
        ...run,
        transitions: view.get<Open>('run', String(run['runId']))?.['transitions'] ?? [],
      })),
  },
  {
    breaks: 'R22 what a report rests on is what its run has',
    how: 'the gate does not look at what is cited',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      const outcome = message['outcome'] as { raw?: { report?: { sources?: unknown } } } | undefined;
      const report = outcome?.raw?.report;
      if (message.type !== 'answered' || report?.sources === undefined)
        return decide(view, message, context) as Decision;
      const unseen = {
        ...message,
        outcome: { ...outcome, raw: { ...outcome?.raw, report: { ...report, sources: [] } } },
      };
      return withPuts(decide(view, unseen, context) as Decision, 'run', (run) => ({
        ...run,
        publications: (run['publications'] as Open[]).map((one) =>
          one['seq'] === (run['gated'] as Open | null)?.['seq'] && one['status'] !== 'late'
            ? { ...one, sources: JSON.stringify(report.sources) }
            : one,
        ),
      }));
    },
  },
  {
    breaks: 'R22 nothing that holds a report is open when it passes the gate',
    how: 'the gate takes everything for settled',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      if (message.type !== 'answered') return decide(view, message, context) as Decision;
      const run = view.get<Open>('run', String((message as unknown as { runId: string }).runId));
      const settled = seenAs(view, 'run', (state) => ({
        ...state,
        actions: (state['actions'] as Open[]).map((one) => ({ ...one, status: 'succeeded' })),
        questions: (state['questions'] as Open[]).map((one) => ({ ...one, holdsReport: false })),
      }));
      return withPuts(decide(settled, message, context) as Decision, 'run', (state) => ({
        ...state,
        actions: (state['actions'] as Open[]).map(
          (one) => (run?.['actions'] as Open[]).find((was) => was['proposalId'] === one['proposalId']) ?? one,
        ),
      }));
    },
  },
  {
    breaks: 'R25 whoever was asked has answered in the end',
    how: 'the ledger closes a fence and does not say so',
    service: 'effect-ledger',
    broken: (decide, message, view, context) =>
      withFacts(decide(view, message, context) as Decision, (fact, value) =>
        fact.type === 'FenceAcknowledged' && value['mode'] === 'closed' ? null : fact,
      ),
  },
  {
    breaks: 'E5 nothing is sent again where the remote may have forgotten the key',
    how: 'what a remote without receipts did not answer is sent again after some minutes',
    service: 'effect-ledger',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'action', (state) =>
        state['connector'] === 'resends' && (state['standing'] as { status: string }).status === 'unknown'
          ? { ...state, standing: { status: 'admitted', notBefore: context.now + 120_000 } }
          : state,
      ),
  },
  {
    breaks: 'E8 a settled outcome is never overwritten',
    how: 'a late word of the remote takes the place of what is settled',
    service: 'effect-ledger',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'action', (state) => {
        const before = view.get<Open>('action', String(state['actionKey']))?.['standing'] as
          { status: string } | undefined;
        return message.type === 'callback' && before?.status === 'succeeded'
          ? { ...state, standing: { status: 'failed' } }
          : state;
      }),
  },
  {
    breaks: 'E9 only a confirmed success is compensated, once, with a person’s word',
    how: 'whatever is compensated counts as a success',
    service: 'effect-ledger',
    broken: (decide, message, view, context) => {
      if (message.type !== 'compensate') return decide(view, message, context) as Decision;
      const { actionKey } = message as unknown as { actionKey: string };
      const done = seenAs(view, 'action', (state) =>
        state['actionKey'] === actionKey ? { ...state, standing: { status: 'succeeded' } } : state,
      );
      const decision = decide(done, message, context) as Decision;
      const standing = view.get<Open>('action', actionKey)?.['standing'];
      return withPuts(decision, 'action', (state) =>
        state['actionKey'] === actionKey ? { ...state, standing } : state,
      );
    },
  },
  {
    breaks: 'H4 nobody but its recipient changes a request',
    how: 'everybody is taken for the recipient',
    service: 'hil',
    broken: (decide, message, view, context) => {
      const { ref, actor } = message as unknown as { ref?: string; actor?: object };
      const asked = view.get<Open>('interaction', ref ?? '')?.['asked'] as { recipient: string } | undefined;
      if (actor === undefined || asked === undefined) return decide(view, message, context) as Decision;
      const recipient = { ...actor, account: asked.recipient, roles: [asked.recipient] };
      return decide(view, { ...message, actor: recipient }, context) as Decision;
    },
  },
  {
    breaks: 'P3 a snapshot and what follows it is what stands',
    how: 'a thing keeps its first place when there is news of it',
    service: 'publication',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'fact', (fact) => ({ ...fact, seq: fact['firstSeq'] })),
  },
  {
    breaks: 'P5 no text of a document is lost or written over unseen',
    how: 'who writes second counts as having read the first',
    service: 'publication',
    broken: (decide, message, view, context) =>
      withPuts(decide(view, message, context) as Decision, 'document', (state) => {
        const newest = (state['texts'] as { sha256: string }[]).at(-1);
        return message.type === 'publish' ? { ...state, current: newest?.sha256, conflicts: [] } : state;
      }),
  },
  {
    breaks: 'X1 deciders that have seen nothing decide the same past alike',
    how: 'the executor counts its decisions in memory',
    service: 'run-executor',
    broken: (decide, message, view, context) => {
      decisions += 1;
      return withPuts(decide(view, message, context) as Decision, 'run', (run) => ({ ...run, decision: decisions }));
    },
  },
  {
    breaks: 'X1 reading everything once more changes nothing',
    how: 'hil notes when it last heard of a request',
    service: 'hil',
    broken: (decide, message, view, context) => {
      const decision = decide(view, message, context) as Decision;
      const id = message.type === 'request' ? String(message.record['interactionRef']) : null;
      const known = id === null ? undefined : view.get<Open>('interaction', id);
      if (id === null || known === undefined || (decision.put ?? []).length > 0) return decision;
      return { ...decision, put: [{ key: { kind: 'interaction', id }, state: { ...known, readAt: context.now } }] };
    },
  },
];

export const mutate =
  ({ service, broken }: Mutation) =>
  (models: Models): Models => {
    const model = models[service];
    const { decide } = model.deciders;
    const other: Decide = (view, message, context) => broken(decide, message as Open, view, context) as never;
    return { ...models, [service]: { ...model, deciders: { ...model.deciders, decide: other } } };
  };
