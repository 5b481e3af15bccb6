import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import type { AgentOutcome } from '../../services/run-executor/agents/agent';
import { approverRole, type ConnectorName } from './configuration';
import type { Random } from './random';

/** From this turn on an agent wants to come to an end. */
const wearyAfterTurns = 6;

const sometimes = <T>(random: Random, probability: number, make: () => T): T | undefined =>
  random.chance(probability) ? make() : undefined;

/** A small part of large texts, so that bytes travel outside the documents too. */
const words = (random: Random, text: string): string => (random.chance(0.1) ? text.padEnd(5_000, '.') : text);

const action = (random: Random, input: TurnInput, index: number): NonNullable<TurnOutput['actions']>[number] => ({
  ...(random.chance(0.7) ? { proposalId: `p${random.whole(1, 3)}.${input.for.turn}.${index}` } : {}),
  // Few effects, so that runs meet each other's; most at a remote that would do a thing twice.
  connector: random.weighed<ConnectorName>([
    [5, 'asks'],
    [2, 'dedups'],
    [2, 'resends'],
    [1, 'blind'],
  ]),
  operation: random.chance(0.8) ? 'contact' : 'share',
  subject: random.weighed([
    [4, 'S1'],
    [1, 'S2'],
  ]),
  ...(random.chance(0.8) ? { params: { text: random.pick(['hello', 'good day']) } } : { body: words(random, 'plain') }),
  ...(random.chance(0.4) ? { approval: true } : {}),
  ...(random.chance(0.2) ? { repeat: true } : {}),
});

const question = (random: Random, input: TurnInput, index: number): NonNullable<TurnOutput['ask']>[number] => {
  const common = {
    questionId: `q${input.for.turn}.${index}`,
    question: 'Which one?',
    ...(random.chance(0.5) ? { expiresInSec: random.whole(5, 600) } : {}),
    ...(random.chance(0.4) ? { holdsReport: true } : {}),
    ...(random.chance(0.2) ? { remindAfterSec: random.whole(1, 60), escalateTo: `role:${approverRole}` } : {}),
  };
  if (random.chance(0.25))
    return {
      ...common,
      kind: 'permission',
      grant: random.pick(['connector:blind', 'connector:asks', 'tool:unheard-of']),
    };
  return {
    ...common,
    kind: 'question',
    ...(random.chance(0.5)
      ? {
          choices: [
            { id: 'a', label: 'This' },
            { id: 'b', label: 'That' },
          ],
        }
      : {}),
    ...(random.chance(0.3) ? { mode: 'blocking' as const } : {}),
    ...sometimes(random, 0.4, () => ({ to: random.pick(['parent', 'parent', `role:${approverRole}`]) })),
    ...(random.chance(0.2) ? { default: 'a' } : {}),
  };
};

/** Runs of one account write a few documents, from the text that holds, from an older one, or from none. */
const document = (random: Random, texts: () => readonly string[]): { document?: string; basedOn?: string } => {
  if (!random.chance(0.3)) return {};
  const known = texts();
  const from = known.length > 0 && random.chance(0.7) ? random.pick(known) : null;
  return { document: random.pick(['d1', 'd1', 'd2']), ...(from === null ? {} : { basedOn: from }) };
};

const report = (random: Random, input: TurnInput, texts: () => readonly string[]) => {
  const cited = input.toolResults.filter((result) => result.ok && (!result.needsRecheck || random.chance(0.2)));
  const sources = [
    ...cited.slice(0, 2).map(({ callId }) => ({ callId })),
    ...input.actions.slice(0, 1).map(({ actionKey }) => ({ actionKey })),
    ...input.materials.slice(0, 2).map(({ ref }) => ({ materialRef: ref })),
    ...(random.chance(0.05) ? [random.pick([{ actionKey: 'asks:contact:S9:v1' }, { callId: 'c0.0' }])] : []),
  ];
  return {
    body: words(random, `the report of v${input.requirements.version} in turn ${input.for.turn}`),
    contentType: 'text/plain' as const,
    ...document(random, texts),
    ...(random.chance(0.5) ? { sources } : {}),
  };
};

interface Asked {
  readonly random: Random;
  readonly input: TurnInput;
  readonly calm: boolean;
  /** Whether what goes wrong here does go wrong. */
  readonly troubled: () => boolean;
  readonly texts: () => readonly string[];
}

/** One turn of an agent with a mind of its own that keeps to the protocol. */
const output = ({ random, input, calm, troubled, texts }: Asked): Partial<TurnOutput> => {
  const weary = calm || input.for.turn >= wearyAfterTurns || input.budget.turnsLeft <= 1;
  if (!weary && random.chance(0.02) && troubled()) return { fail: { code: 'cannot', message: 'no idea' } };
  const stale = input.toolResults.filter((result) => result.needsRecheck).map(({ callId }) => callId);
  const open = input.for.turn > 1 ? `q${input.for.turn - 1}.0` : null;
  const asked = input.changes.flatMap((one) =>
    one.kind === 'child_asks' && random.chance(0.7)
      ? [
          {
            childId: one.childId,
            questionId: one.questionId,
            ...(random.chance(0.6) ? { text: 'as you like' } : { escalate: true }),
          },
        ]
      : [],
  );
  const parts: Partial<TurnOutput> = {
    ...(asked.length > 0 ? { answerChildren: asked } : {}),
    ...(stale.length > 0 ? { results: random.chance(0.6) ? { reuse: stale } : { drop: stale } } : {}),
    ...(random.chance(0.5) ? { state: { turn: input.for.turn, note: words(random, 'on my way') } } : {}),
    ...(random.chance(0.3) ? { usage: { cost: random.whole(0, 2) } } : {}),
    ...(random.chance(0.2) ? { understood: 'as asked' } : {}),
    ...(open !== null && random.chance(0.1) ? { withdraw: [open] } : {}),
  };
  if (random.chance(weary ? 0.9 : 0.15))
    return {
      ...parts,
      report: report(random, input, texts),
      ...sometimes(random, 0.05, () => ({ ask: [question(random, input, 0)] })),
    };
  const many = (most: number): number[] => Array.from({ length: random.whole(1, most) }, (_, index) => index);
  return {
    ...parts,
    ...sometimes(random, 0.35, () => ({
      toolCalls: many(2).map((index) => ({
        callId: `c${input.for.turn}.${index}`,
        tool: random.chance(0.9) ? 'look-up' : 'unheard-of',
        input: { n: index },
      })),
    })),
    ...sometimes(random, weary ? 0 : 0.45, () => ({ actions: many(2).map((index) => action(random, input, index)) })),
    ...sometimes(random, weary ? 0 : 0.3, () => ({ ask: many(2).map((index) => question(random, input, index)) })),
    ...sometimes(random, weary ? 0 : 0.12, () => ({
      spawn: many(2).map((index) => ({
        childId: `k${input.for.turn}.${index}`,
        agent: random.pick(['scripted', 'parallel', 'unheard-of']),
        text: 'look into it',
        ...(random.chance(0.4) ? { budget: { turns: random.whole(1, 4) } } : {}),
      })),
    })),
    ...sometimes(random, 0.2, () => ({
      publish: { body: `so far v${input.requirements.version}`, contentType: 'text/plain' as const },
    })),
    ...sometimes(random, 0.3, () => ({ again: true })),
  };
};

/** Mostly an answer; sometimes none in time, or none at all. */
export const answerTurn = (asked: Asked): AgentOutcome => {
  const { random, input, calm, troubled } = asked;
  const trouble = calm ? 1 : random.next();
  if (trouble < 0.08 && troubled()) {
    if (trouble < 0.04) return { kind: 'retry', reason: 'timeout' };
    if (trouble < 0.07) return { kind: 'retry', reason: 'unreachable' };
    return { kind: 'output', raw: { for: input.for, nonsense: true } };
  }
  return {
    kind: 'output',
    raw: JSON.parse(JSON.stringify({ for: input.for, ...output(asked) })) as unknown,
  };
};
