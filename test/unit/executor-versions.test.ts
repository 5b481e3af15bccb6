import { executor, factsOf, report, saidAbout } from '../support/executor';

describe('requirements and updates', () => {
  test('R1 R4 an amendment is received at once and applied with the sealed input that carries it', () => {
    const x = executor();
    x.start();
    const received = x.amend('m2');
    expect(saidAbout(received, x.ids('m2').messageId)).toEqual(['update_received']);
    expect(x.run().requirements.version).toBe(2);
    expect(x.run().appliedVersion).toBe(1);
    const sealed = x.answer({});
    expect(saidAbout(sealed, x.ids('m2').messageId)).toEqual(['update_applied']);
    expect(x.run().appliedVersion).toBe(2);
    expect(x.input(sealed).requirements.texts.map(({ text }) => text)).toEqual(['do it', 'only the new products']);
    expect(x.input(sealed).for.requirementsVersion).toBe(2);
  });

  test('R1 R2 a stale expectedVersion changes nothing and brings the effective set', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const before = x.run();
    const sent = x.amend('m3', { expectedVersion: 1 });
    const [decided] = factsOf(sent, 'MessageDecided');
    expect(decided).toMatchObject({
      status: 'version_conflict',
      requirementsVersion: 2,
      effectiveRequirements: {
        texts: [
          { version: 1, text: 'do it' },
          { version: 2, text: 'only the new products' },
        ],
      },
    });
    expect({ ...x.run(), fates: [] }).toEqual({ ...before, fates: [] });
  });

  test('R1 another account, tenant or conversation is answered like an unknown run', () => {
    const x = executor();
    x.start();
    for (const change of [{ account: 'bob' }, { tenant: 'other' }, { conversationId: 'c2' }]) {
      const sent = x.amend('m2', change);
      expect(factsOf(sent, 'MessageDecided')[0]).toMatchObject({ status: 'refused', code: 'unknown_run' });
    }
    expect(x.run().requirements.version).toBe(1);
  });

  test('A6 what was refused for want of a run stays refused when that run comes and the request is read again', () => {
    const x = executor();
    expect(saidAbout(x.amend('m2'), x.ids('m2').messageId)).toEqual(['refused']);
    expect(saidAbout(x.amend('m2', { attempt: 2 }), x.ids('m2').messageId)).toEqual(['refused']);
    expect(saidAbout(x.observe('m3'), x.ids('m3').messageId)).toEqual(['refused']);
    x.start();
    for (const sent of [x.amend('m2', { attempt: 3 }), x.observe('m3')])
      expect(factsOf(sent, 'MessageDecided')).toMatchObject([{ status: 'refused', code: 'unknown_run', revision: 1 }]);
    expect(x.run().requirements.version).toBe(1);
    expect(x.run().pending).toEqual([]);
    expect(saidAbout(x.amend('m4'), x.ids('m4').messageId)).toEqual(['update_received']);
  });

  test('R1 A6 A16 accounts that name one run before it comes: each keeps its own, and the run is one account’s', () => {
    const x = executor();
    x.control('b1', { account: 'bob', namedByMessage: true });
    x.amend('b2', { account: 'bob' });
    x.amend('m2');
    const sent = x.start();
    expect(saidAbout(sent, x.ids('m1').messageId)).toEqual(['run_started']);
    expect(factsOf(sent, 'MessageDecided')).toMatchObject([
      { messageId: x.ids('b1').messageId, status: 'refused', code: 'unknown_run', account: 'bob' },
      { messageId: x.ids('m1').messageId, account: 'alice' },
    ]);
    expect(x.run().status).toBe('running');
    expect(saidAbout(x.amend('m2', { attempt: 2 }), x.ids('m2').messageId)).toEqual(['refused']);
    expect(x.run().fates.map(({ messageId }) => messageId)).not.toContain(x.ids('b2').messageId);
  });

  test('R4 publication hears of the new version before any report of it', () => {
    const x = executor();
    x.start();
    const sent = x.amend('m2');
    expect(factsOf(sent, 'SupersedeVersion')).toMatchObject([{ version: 2 }]);
  });

  test('R5 supplement keeps, replace clears, structured values merge by RFC 7396', () => {
    const x = executor();
    x.start('m1', { requirements: '{"a":1,"b":{"c":2,"d":3}}' });
    x.amend('m2', { requirements: '{"b":{"c":null},"e":[1]}' });
    expect(x.run().requirements.structured).toEqual({ a: 1, b: { d: 3 }, e: [1] });
    x.amend('m3', { expectedVersion: 2, amendKind: 'replace', content: 'start over' });
    expect(x.run().requirements.texts).toHaveLength(1);
    expect(x.run().requirements.structured).toBeNull();
  });

  test('R6 all updates pending at a boundary are absorbed, and each message is told its fate', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    x.observe('m3');
    x.amend('m4', { expectedVersion: 2, amendKind: 'replace', content: 'all new' });
    const sent = x.answer({});
    expect(saidAbout(sent, x.ids('m2').messageId)).toEqual(['update_superseded']);
    expect(saidAbout(sent, x.ids('m3').messageId)).toEqual(['update_applied']);
    expect(saidAbout(sent, x.ids('m4').messageId)).toEqual(['update_applied']);
    expect(x.input(sent).changes.map(({ kind }) => kind)).toEqual(['amended', 'observed', 'amended']);
    expect(x.run().pending).toEqual([]);
  });

  test('R6 case 6 an update pending when the budget ends becomes a follow-up or is told not applied', () => {
    const x = executor({ agent: { budget: { turns: 1 } } });
    x.start();
    x.amend('m2');
    x.observe('m3');
    const sent = x.answer({ again: true });
    expect(x.run()).toMatchObject({ status: 'partial', cause: 'budget_turns' });
    expect(saidAbout(sent, x.ids('m2').messageId)[0]).toBe('follow_up_created');
    expect(saidAbout(sent, x.ids('m3').messageId)).toEqual(['update_not_applied']);
    expect(x.run('m2')).toMatchObject({ status: 'running', parentRunId: x.ids('m1').runId });
  });

  test('R6 at any other end the update is told run_ended with the cause', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const sent = x.outcome({ kind: 'defect', message: 'boom' });
    expect(x.run()).toMatchObject({ status: 'failed', cause: 'defect' });
    expect(factsOf(sent, 'MessageDecided').find((one) => one['messageId'] === x.ids('m2').messageId)).toMatchObject({
      status: 'update_not_applied',
      code: 'run_ended',
      detail: 'failed: defect',
    });
  });

  test('R7 results of an older version need a recheck until a turn of the new version reuses them', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: [{ callId: 'a', tool: 'price-series', input: {} }] });
    x.toolDone('a');
    x.amend('m2');
    x.answer({});
    expect(x.run().calls[0]).toMatchObject({ status: 'done', needsRecheck: true });
    const refused = x.answer({ report: { ...report, sources: [{ callId: 'a' }] } });
    expect(x.input(refused).changes).toMatchObject([{ kind: 'report_refused', code: 'stale_source', detail: 'a' }]);
    x.answer({ results: { reuse: ['a'] }, report: { ...report, sources: [{ callId: 'a' }] } });
    expect(x.run().status).toBe('publishing');
  });

  test('R8 output of a superseded turn: state is committed, the rest is withheld and told', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const sent = x.answer({
      state: { step: 1 },
      toolCalls: [{ callId: 'a', tool: 'price-series', input: {} }],
      actions: [{ proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} }],
      ask: [{ questionId: 'q', kind: 'question', question: '?' }],
      publish: report,
    });
    const input = x.input(sent);
    expect(input.state).toEqual({ value: { step: 1 }, requirementsVersion: 1 });
    expect(input.changes.filter(({ kind }) => kind === 'withheld')).toMatchObject([
      { what: 'toolCalls', ids: ['a'] },
      { what: 'actions', ids: ['p'] },
      { what: 'questions', ids: ['q'] },
      { what: 'publish', ids: ['v1'] },
    ]);
    expect(factsOf(sent, 'ProposeEffect')).toEqual([]);
    expect(factsOf(sent, 'RequestInteraction')).toEqual([]);
    expect(factsOf(sent, 'PublishReport')).toMatchObject([{ status: 'late', version: 1 }]);
  });

  test('R9 a change of version writes one immutable transition, shown in the next input', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const sent = x.answer({});
    expect(x.input(sent).transition).toMatchObject({ from: { version: 1 }, to: { version: 2 } });
    expect(x.run().transitions).toHaveLength(1);
    expect(x.input(x.answer({ again: true })).transition).toBeNull();
  });

  test('R3 amendment first: the report of the older version never passes the gate', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const sent = x.answer({ report });
    expect(x.run().status).toBe('running');
    expect(factsOf(sent, 'PublishReport')).toMatchObject([{ status: 'late', version: 1 }]);
    x.answer({ report });
    expect(x.run()).toMatchObject({ status: 'publishing', gated: { version: 2 } });
  });

  test('R3 gate first: the amendment becomes a linked follow-up and the report goes through', () => {
    const x = executor();
    x.start();
    x.answer({ report });
    expect(x.run().status).toBe('publishing');
    const sent = x.amend('m2');
    expect(saidAbout(sent, x.ids('m2').messageId)[0]).toBe('follow_up_created');
    expect(x.run('m2')).toMatchObject({ parentRunId: x.ids('m1').runId, requirements: { version: 1 } });
    x.published();
    expect(x.run().status).toBe('completed');
  });

  test('R25 A2 a message delivered again gets the fate it has, and changes nothing', () => {
    const x = executor();
    x.start();
    x.amend('m2');
    const before = x.run();
    const again = x.amend('m2', { attempt: 2 });
    expect(saidAbout(again, x.ids('m2').messageId)).toEqual(['update_received']);
    expect(x.run()).toEqual(before);
    expect(saidAbout(x.start(), x.ids('m1').messageId)).toEqual(['run_started']);
    expect(x.run()).toEqual(before);
  });

  test('R1 texts in force have a bound, and what exceeds it is refused by field', () => {
    const x = executor();
    x.start('m1', { content: 'a'.repeat(256 * 1024) });
    x.amend('m2', { content: 'b'.repeat(256 * 1024) });
    const sent = x.amend('m3', { expectedVersion: 2, content: 'c' });
    expect(factsOf(sent, 'MessageDecided')[0]).toMatchObject({
      status: 'refused',
      code: 'content_too_large',
      field: 'content',
    });
    expect(x.run().requirements.version).toBe(2);
  });
});
