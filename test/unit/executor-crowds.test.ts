import { executor, factsOf, report, saidAbout } from '../support/executor';

const action = {
  proposalId: 'p',
  connector: 'contact-api',
  operation: 'share',
  subject: 's',
  params: { to: 'dana' },
} as const;

describe('many at once, and an answer that never comes', () => {
  test('case 5 R6 R14: fifty updates while the run moves to another owner: one boundary, their order, a fate for each', () => {
    const x = executor();
    x.start();
    const { epoch } = x.run();
    const names = Array.from({ length: 50 }, (_, n) => `u${n}`);
    let version = 1;
    for (const [n, name] of names.entries()) {
      if (n % 5 === 0) x.amend(name, { expectedVersion: version++, content: name });
      else x.observe(name, name);
      if (n !== 20) continue;
      x.world.now += 7_000;
      x.tick('m1', { instance: 'two' });
      expect([x.run().lease?.owner, x.run().epoch > epoch]).toEqual(['two', true]);
      x.answer({ again: true }, 'm1', epoch);
      expect(x.run().turns).toBe(0);
    }
    const sent = x.answer({ again: true });
    expect(x.input(sent).changes.map((one) => ('text' in one ? one.text : one.kind))).toEqual(names);
    expect(names.map((name) => saidAbout(sent, x.ids(name).messageId))).toEqual(names.map(() => ['update_applied']));
    expect(x.run()).toMatchObject({ pending: [], turns: 1 });
    expect(x.input(sent).requirements).toMatchObject({ version });
  });

  test('case 8 R15: of a hundred runs of one kind one is cancelled, and ninety-nine go on to their end', () => {
    const x = executor();
    const names = Array.from({ length: 100 }, (_, n) => `r${n}`);
    for (const name of names) x.start(name, { mode: 'parallel' });
    const sent = x.control('stop', {}, 'r42');
    expect(saidAbout(sent, x.ids('stop').messageId)).toContain('control_confirmed');
    const aborted = sent.performs.filter(({ type }) => type === 'abort');
    expect(aborted).toEqual([{ type: 'abort', runId: x.ids('r42').runId }]);
    const others = names.filter((name) => name !== 'r42');
    for (const name of others) {
      x.answer({ report }, name);
      x.published(true, name);
    }
    expect(x.run('r42').status).toBe('cancelled');
    expect(new Set(others.map((name) => x.run(name).status))).toEqual(new Set(['completed']));
  });

  test('case 61 R25 E7: a fence that is never acknowledged is raised again, an incident says so, and its late answer frees the run', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'awaiting_approval' });
    x.amend('m2');
    x.answer({});
    const raised: string[] = [];
    const incidents: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      x.world.now = Math.min(...x.run().requests.map(({ askAt }) => askAt));
      const sent = x.tick();
      raised.push(...sent.facts.filter(({ type }) => type === 'RaiseFence').map(({ eventId }) => eventId));
      incidents.push(
        ...sent.rows.flatMap(({ table, values }) => (table === 'incidents' ? [String(values['id'])] : [])),
      );
      expect(x.run().turn).toBeNull();
    }
    expect([raised.length > 3, new Set(raised).size]).toEqual([true, raised.length]);
    expect(incidents.filter((id) => id.endsWith('/fence/1'))).toHaveLength(1);
    const sealed = x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] });
    expect(x.input(sealed).requirements.version).toBe(2);
  });

  test('case 61 R15: a run whose fence nobody acknowledges is still cancelled, once the fence is', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'awaiting_approval' });
    x.amend('m2');
    expect(saidAbout(x.control('stop'), x.ids('stop').messageId)).toEqual(['control_requested']);
    x.world.now += 3_600_000;
    expect(factsOf(x.tick(), 'RaiseFence')).toMatchObject([{ mode: 'closed' }]);
    x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] });
    expect(x.run()).toMatchObject({ status: 'cancelled', cause: 'user' });
  });
});
