import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { AskReceipt, ReceiptOutcome } from '../../schemas/generated/records';
import { contractOf } from '../../services/effect-ledger/contract';
import type { Outside, Send, SendCancel } from '../../services/effect-ledger/draft';
import type { CancelAnswered } from '../../services/effect-ledger/messages';
import type { AttemptOutcome } from '../../services/effect-ledger/outcome';
import { judgeReceipt, judgeResponse } from '../../services/effect-ledger/outcome';
import type { Intent } from '../../services/run-executor/draft';
import type { ToolResultOutcome } from '../../services/run-executor/tools/tool';
import { answerTurn } from './agents';
import type { Rec } from './broker';
import { configuration } from './configuration';
import { textsOf } from './looking';
import type { Operators } from './operators';
import type { Instance } from './process';
import type { Random } from './random';
import type { World } from './world';

/** A live work says so this often, unless its process stands still. */
const renewEveryMs = 2_000;
const agentTimeoutMs = 30_000;
const diesWithResult = 0.03;

/** A piece of outside work of one process. It ends with the process; what it did outside stays done. */
interface Work {
  readonly instance: Instance;
  readonly life: number;
  readonly runId: string;
  over: boolean;
}

const lives = (work: Work): boolean => !work.over && work.instance.alive && work.instance.life === work.life;

export const openOutside = (world: World, hear: Operators['hear']) => {
  const { random } = world;
  const works = new Set<Work>();

  const begin = (instance: Instance, runId: string): Work => {
    const work = { instance, life: instance.life, runId, over: false };
    instance.active += 1;
    works.add(work);
    return work;
  };
  const end = (work: Work): void => {
    if (lives(work)) work.instance.active -= 1;
    work.over = true;
    works.delete(work);
  };
  /** Brings a result home, unless its process is gone by then. */
  const bring = (work: Work, afterMs: number, what: string, message: () => unknown): void =>
    world.agenda.add({
      at: world.now + afterMs,
      what,
      run: () => {
        if (!lives(work)) return;
        if (world.happens('death with a result', diesWithResult))
          return world.crash(work.instance, 'with a result in its hands');
        world.submit(work.instance, message(), what);
        end(work);
      },
    });

  const renew = (work: Work, message: unknown): void =>
    world.agenda.add({
      at: world.now + renewEveryMs,
      what: `renew ${work.runId}`,
      run: () => {
        if (!lives(work)) return;
        if (work.instance.stoppedUntil <= world.now) world.submit(work.instance, message, `renew ${work.runId}`);
        renew(work, message);
      },
    });

  /** A process that stands still for a while comes back with a result that nobody waits for any more. */
  const duration = (random: Random, longestMs: number): { readonly afterMs: number; readonly stalled: boolean } => {
    if (world.happens('stall', 0.08)) return { afterMs: random.whole(6_000, 60_000), stalled: true };
    return { afterMs: random.chance(0.6) ? random.whole(10, 800) : random.whole(800, longestMs), stalled: false };
  };

  /** A model proposes something sensible, something it was never shown, or nothing at all. */
  const propose = (instance: Instance, { entity, messageId, question }: Extract<Intent, { type: 'triage' }>): void => {
    if (random.chance(0.2)) return;
    const work = begin(instance, messageId);
    const proposal = random.pick([
      null,
      { runId: null },
      { runId: 'run_unseen' },
      { runId: question.candidates[0]?.runId ?? null },
    ]);
    bring(work, random.whole(10, 8_000), `proposal about ${messageId}`, () => ({
      type: 'triaged',
      entity,
      messageId,
      proposal,
    }));
  };

  const execute = (instance: Instance, intent: Intent): void => {
    if (intent.type === 'abort') {
      for (const work of works) if (work.runId === intent.runId && work.instance === instance) end(work);
      return;
    }
    if (intent.type === 'triage') return propose(instance, intent);
    const { runId, conversation, turn, epoch } = intent;
    const of = { runId, conversation, turn, epoch };
    const work = begin(instance, runId);
    const name = `turn ${turn} of ${runId}`;
    const own = random.of(`${name} ${intent.type === 'ask' ? intent.attempt : intent.callId}`);
    const { afterMs, stalled } = duration(own, 12_000);
    if (!stalled) renew(work, { type: 'renew', ...of });
    if (intent.type === 'ask') {
      const bytes = intent.inputBytes ?? world.sealedInput(runId, turn);
      const input = JSON.parse(bytes.toString('utf8')) as TurnInput;
      const troubled = (): boolean => !world.calm && world.wanted(`trouble in ${name}/${intent.attempt}`);
      const outcome = answerTurn({ random: own, input, calm: world.calm, troubled, texts: () => textsOf(world) });
      const late = outcome.kind === 'retry' && outcome.reason === 'timeout' ? agentTimeoutMs : afterMs;
      bring(work, late, `answer to turn ${turn} of ${runId}`, () => ({ type: 'answered', ...of, outcome }));
      return;
    }
    const outcome: ToolResultOutcome = own.chance(0.9)
      ? { ok: true, output: { rows: own.chance(0.1) ? 'x'.repeat(5_000) : 1 } }
      : { ok: false, error: { code: 'not_found', message: 'no such thing' } };
    bring(work, afterMs, `result of ${intent.callId} of ${runId}`, () => ({
      type: 'tool_done',
      ...of,
      callId: intent.callId,
      outcome,
    }));
  };

  const send = (instance: Instance, intent: Send): void => {
    const work = begin(instance, intent.runId);
    const { actionKey, runId, number, connector, timeoutMs } = intent;
    const what = `attempt ${number} of ${actionKey}`;
    const attempted =
      (outcome: AttemptOutcome, code: string | null, status: number | null, body: string | null) => () => ({
        type: 'attempted',
        actionKey,
        runId,
        number,
        outcome,
        code,
        httpStatus: status,
        body,
      });
    const write = (): void => {
      if (!lives(work)) return;
      const { stoppedUntil } = instance;
      if (stoppedUntil > world.now) return world.agenda.add({ at: stoppedUntil, what: `write ${what}`, run: write });
      // The last look before the first byte (E2).
      if (world.now >= intent.sendBy) return bring(work, 1, what, attempted('not_sent', 'send_by_passed', null, null));
      const contract = contractOf(configuration, intent.tenant, connector);
      if (contract === null) return bring(work, 1, what, attempted('not_sent', 'connector_gone', null, null));
      const { effectAfterMs, answerAfterMs, called, behaviour } = world.remote.react(
        connector,
        actionKey,
        number,
        timeoutMs,
        world.now,
      );
      if (behaviour === 'reject' || behaviour === 'processing')
        hear(connector, actionKey, behaviour === 'reject' ? 'failed' : 'pending');
      world.note(`remote gets ${what}: ${behaviour}`);
      if (effectAfterMs !== null)
        world.agenda.add({
          at: world.now + effectAfterMs,
          what: `effect of ${actionKey}`,
          run: () => world.effect(connector, actionKey),
        });
      if (called.kind !== 'answered')
        return bring(
          work,
          answerAfterMs,
          what,
          attempted(called.kind === 'lost' ? 'unknown' : 'not_sent', called.code, null, null),
        );
      const { outcome, code } = judgeResponse(contract.outcome, called.answer);
      bring(work, answerAfterMs, what, attempted(outcome, code, called.answer.status, called.answer.body));
    };
    const { afterMs } = duration(random.of(`${what} on its way`), 4_000);
    world.agenda.add({ at: world.now + afterMs, what: `write ${what}`, run: write });
  };

  /** The remote's own cancel: it may come too late, be lost on its way there or back, or be taken. */
  const cancel = (instance: Instance, { actionKey, runId, number, sendBy }: SendCancel): void => {
    const work = begin(instance, runId);
    const what = `cancel ${number} of ${actionKey}`;
    const answer = (outcome: CancelAnswered['outcome'], httpStatus: number | null): void =>
      bring(work, random.of(what).whole(5, 2_000), what, () => ({
        type: 'cancel_answered',
        actionKey,
        outcome,
        httpStatus,
      }));
    if (world.now >= sendBy || world.happens('cancel lost', 0.2)) return answer('lost', null);
    const status = world.remote.cancel(actionKey, world.now);
    world.note(`remote is told to cancel ${actionKey}: ${status}`);
    if (world.happens('answer to cancel lost', 0.2)) return answer('lost', null);
    answer(status === 200 ? 'accepted' : 'refused', status);
  };

  /** The receipt-query role: owns nothing, one try a record, and may be asked the same thing twice. */
  const query = (record: Rec): void => {
    const ask = record.value as AskReceipt;
    const receipt = contractOf(configuration, ask.tenant, ask.connector)?.receipt;
    const answer =
      world.now >= ask.askBefore || receipt == null
        ? null
        : world.remote.receipt(ask.connector, ask.actionKey, world.now);
    const outcome: ReceiptOutcome = answer === null || receipt == null ? 'unreachable' : judgeReceipt(receipt, answer);
    const { tenant, app, account, conversationId, taskId, runId, actionKey, connector, query: number } = ask;
    const askedAt = world.now;
    // The one try of this record is gone with its process; the ledger asks again.
    if (world.happens('query lost', 0.05)) return;
    world.agenda.add({
      at: world.now + random.whole(5, world.happens('slow receipt', 0.15) ? 90_000 : 2_000),
      what: `receipt of ${actionKey}: ${outcome}`,
      run: () =>
        world.broker.append({
          topic: 'effect.receipt-answers.v1',
          key: actionKey,
          type: 'ReceiptAnswered',
          eventId: `${actionKey}/query/${number}/${outcome}`,
          value: {
            ...{ tenant, app, account, conversationId, taskId, runId, actionKey, connector, query: number, outcome },
            eventId: `${actionKey}/query/${number}/${outcome}`,
            occurredAt: world.now,
            httpStatus: answer?.status ?? null,
            body: answer?.body ?? null,
            askedAt,
            answeredAt: world.now,
          },
        }),
    });
  };

  return {
    query,
    perform: (instance: Instance, intent: unknown): void => {
      if (instance.service === 'run-executor') execute(instance, intent as Intent);
      if (instance.service !== 'effect-ledger') return;
      const outside = intent as Outside;
      if (outside.kind === 'send') send(instance, outside);
      else cancel(instance, outside);
    },
  };
};
