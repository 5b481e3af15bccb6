import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageDecided, SubmitClarification } from '../../schemas/generated/records';
import { codes } from '../../services/platform/errors';
import { decided, submit, world as admissionWorld } from '../support/admission-world';
import { executor, factsOf, report } from '../support/executor';
import {
  approval,
  clarify,
  decided as decidedByHil,
  requested,
  respond,
  world as hilWorld,
} from '../support/hil-world';

type Said = () => { readonly status: string; readonly code: string | null };
type X = ReturnType<typeof executor>;

const ofRuns =
  (lead: (x: X) => Parameters<typeof factsOf>[0], more: Parameters<typeof executor>[0] = {}): Said =>
  () => {
    const x = executor(more);
    x.start('m1');
    const all = factsOf(lead(x), 'MessageDecided') as unknown as MessageDecided[];
    return all.at(-1) as MessageDecided;
  };

const failed = (x: X): X => {
  x.outcome({ kind: 'defect', message: 'boom' });
  return x;
};
const completed = (x: X): X => {
  x.answer({ report });
  x.published();
  return x;
};
/** On its way to being cancelled: an action that is being sent keeps it there. */
const cancelling = (x: X): X => {
  x.answer({ actions: [{ proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} }] });
  x.proposalAccepted('p', { state: 'sending' });
  x.control('k');
  return x;
};
const partial = (x: X): X => {
  x.answer({});
  x.world.now = x.run().budget.hardDeadline;
  x.world.settle({ type: 'tick', kind: 'run', id: x.run().runId });
  return x;
};

const ofHil =
  (lead: (say: ReturnType<typeof hilWorld>['say']) => void, more: Partial<SubmitClarification> = {}, at = 100): Said =>
  () => {
    const { say } = hilWorld();
    lead(say);
    const now = decidedByHil(say(clarify(more), at).facts);
    const later = () => decidedByHil(say({ type: 'tick', kind: 'clarification', id: 'msg_1' }, at + 60_000).facts);
    return (now[0] ?? later()[0]) as { status: string; code: string | null };
  };

/** Every refusal of a stored message: who decides it, for which relation, its code, and what leads to it. */
const refusals: readonly (readonly [owner: 'run-executor' | 'hil', relation: string, code: string, said: Said])[] = [
  ['run-executor', 'amend', 'version_conflict', ofRuns((x) => x.amend('a', { expectedVersion: 9 }))],
  ['run-executor', 'amend', 'unknown_run', ofRuns((x) => x.amend('a', { account: 'mallory' }))],
  ['run-executor', 'amend', 'run_ended', ofRuns((x) => failed(x).amend('a'))],
  ['run-executor', 'amend', 'run_not_accepting', ofRuns((x) => cancelling(x).amend('a'))],
  [
    'run-executor',
    'amend',
    'content_too_large',
    ofRuns((x) => {
      x.amend('a1', { content: 'x'.repeat(262_144) });
      return x.amend('a2', { content: 'x'.repeat(262_144), expectedVersion: 2 });
    }),
  ],
  ['run-executor', 'observe', 'unknown_run', ofRuns((x) => x.observe('o', 'it rains', 'nobody'))],
  ['run-executor', 'observe', 'run_ended', ofRuns((x) => completed(x).observe('o'))],
  ['run-executor', 'observe', 'run_not_accepting', ofRuns((x) => cancelling(x).observe('o'))],
  ['run-executor', 'control', 'unknown_run', ofRuns((x) => x.control('p', { control: 'pause' }, 'nobody'))],
  ['run-executor', 'new_task', 'unknown_run', ofRuns((x) => x.start('m2', { dependsOnRunId: 'run_none' }))],
  ['run-executor', 'new_task', 'unknown_agent', ofRuns((x) => x.start('m2', { agent: 'nobody' }))],
  [
    'run-executor',
    'follow_up',
    'unknown_run',
    ofRuns((x) => x.start('m2', { relation: 'follow_up', parentRunId: 'run_none' })),
  ],
  ['run-executor', 'continue', 'unknown_run', ofRuns((x) => x.continue('n', { continuationOfRunId: 'run_none' }))],
  ['run-executor', 'continue', 'not_continuable', ofRuns((x) => failed(x).continue('n'))],
  [
    'run-executor',
    'continue',
    'original_unverifiable',
    ofRuns((x) => {
      partial(x).alter((run) => {
        run.requirements.history = run.requirements.history.map((one) => ({
          ...one,
          text: { ...one.text, inline: 'something else' },
        }));
      });
      return x.continue('n');
    }),
  ],
  [
    'run-executor',
    'continue',
    'parent_contradiction',
    ofRuns((x) =>
      completed(x).continue('n', {
        parentFacts: {
          stateRevision: 99,
          state: 'failed',
          cause: null,
          requirementsVersion: 1,
          reportSha256: null,
        },
      }),
    ),
  ],
  [
    'run-executor',
    'continue',
    'unknown_interaction',
    ofRuns((x) => completed(x).continue('n', { interactionRef: 'int_none', requestRevision: 1 })),
  ],
  [
    'run-executor',
    'continue',
    'old_revision',
    ofRuns((x) => {
      x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?' }], again: true });
      const ref = x.run().questions[0]?.interactionRef ?? '';
      return completed(x).continue('n', { interactionRef: ref, requestRevision: 7 });
    }),
  ],
  ['run-executor', 'entity_event', 'not_granted', ofRuns((x) => x.event('e'))],
  ['hil', 'clarification', 'unknown_interaction', ofHil(() => undefined)],
  ['hil', 'clarification', 'not_answerable_by_text', ofHil((say) => void say(approval(), 10))],
  ['hil', 'clarification', 'old_revision', ofHil((say) => void say(requested({ requestRevision: 2 }), 10))],
  ['hil', 'clarification', 'expired', ofHil((say) => void say(requested({ expiresAt: 50 }), 10))],
  [
    'hil',
    'clarification',
    'contract_violated',
    ofHil((say) => void say(requested({ choices: [{ id: 'a', label: 'A' }] }), 10)),
  ],
  [
    'hil',
    'clarification',
    'already_answered',
    ofHil((say) => {
      say(requested(), 10);
      say(respond({ text: 'Rome' }), 20);
    }),
  ],
  [
    'hil',
    'clarification',
    'response_conflict',
    ofHil((say) => {
      say(requested(), 10);
      say(respond({ text: 'Rome', clientResponseId: 'm1' }), 20);
    }),
  ],
  [
    'hil',
    'clarification',
    'interaction_closed',
    ofHil((say) => {
      say(requested(), 10);
      say(
        {
          type: 'withdraw',
          record: {
            ...{ eventId: 'w', occurredAt: 20, tenant: 't', app: 'a', account: 'alice', conversationId: 'c1' },
            ...{ taskId: 'task_1', runId: 'run_1', revision: 4, interactionRef: 'int_1' },
            ...{ code: 'withdrawn', reason: 'not needed', attempt: 1 },
          },
        },
        20,
      );
    }),
  ],
];

/** Codes of the table in docs/codes.md with what it says of them. */
const documented = new Map(
  [
    ...readFileSync(join(__dirname, '../../docs/codes.md'), 'utf8').matchAll(
      /^\| `(\w+)` +\| (\d+) +\| (yes|no) +\| (\w+)/gm,
    ),
  ].map(([, code = '', http, stored, by]) => [code, { http: Number(http), stored: stored === 'yes', by }]),
);

describe('A6 X4 the codes of owners: what refuses a stored message, by relation', () => {
  test.each(refusals)('A6 %s, %s: %s', (_owner, relation, code, said) => {
    const decision = said();
    expect(decision).toMatchObject({
      status: code === 'version_conflict' ? 'version_conflict' : 'refused',
      code,
    });
    // What the person hears is stored, final, and has the HTTP status of the docs.
    const { send } = admissionWorld();
    send(
      relation === 'clarification'
        ? submit({ relation: 'CLARIFICATION', interactionRef: 'i', requestRevision: 1 })
        : submit(),
    );
    const told = send(decided('m1', 1, decision.status, { code }));
    expect(told.receipt).toMatchObject({ status: decision.status, code, revision: 2 });
    expect(told.performs).toMatchObject([{ http: documented.get(code)?.http }]);
  });

  test('every code that the docs call stored is shown, and none is decided that the docs do not know', () => {
    const shown = new Set(refusals.map(([, , code]) => code));
    const stored = [...documented].filter(([, one]) => one.stored).map(([code]) => code);
    expect(stored.filter((code) => !shown.has(code))).toEqual([]);
    expect([...shown].filter((code) => !documented.has(code))).toEqual([]);
    expect([...shown].filter((code) => !Object.hasOwn(codes, code))).toEqual([]);
    // Two that admission decides as well, before anything is stored: configuration and sizes move on under a stored message.
    expect([...shown].filter((code) => documented.get(code)?.stored !== true).sort()).toEqual([
      'content_too_large',
      'unknown_agent',
    ]);
  });
});
