import { refuseUnsupported } from '../../services/effect-ledger/contract';
import { spareKeys } from '../../services/effect-ledger/messages';
import { previewOf, seal } from '../../services/effect-ledger/seal';
import { isOpen, type Status } from '../../services/effect-ledger/state';
import { parseConfiguration } from '../../services/platform/configuration';
import { sha256Hex } from '../../services/platform/canonical';
import {
  answer,
  attempted,
  configurationText,
  interaction,
  propose,
  raiseFence,
  receiptAnswer,
  startModel,
  type Model,
} from '../support/effect-ledger-model';

const first = 'asks:contact:S:v1';
const other = { params: '{"a":2}' };

/** Brings the effect's first action into a state, by messages alone. */
const reach: { readonly [S in Status]: (model: Model) => void } = {
  proposed: (model) => model.decide(propose({ approval: true })),
  awaiting_approval: (model) => {
    reach.proposed(model);
    model.decide(interaction(model.action(first)));
  },
  denied: (model) => {
    reach.awaiting_approval(model);
    model.decide(answer(model.action(first), 'deny'));
  },
  withdrawn: (model) => {
    reach.proposed(model);
    model.decide(interaction(model.action(first), { state: 'closed', code: 'expired' }));
  },
  admitted: (model) => {
    model.paceMs = 50;
    model.decide(propose());
    model.paceMs = 0;
  },
  sending: (model) => model.decide(propose()),
  succeeded: (model) => {
    reach.sending(model);
    model.decide(attempted(model.sends.at(-1)!, 'succeeded'));
  },
  failed: (model) => {
    reach.sending(model);
    model.decide(attempted(model.sends.at(-1)!, 'failed', 'http_422'));
  },
  unknown: (model) => {
    reach.sending(model);
    model.decide(attempted(model.sends.at(-1)!, 'unknown', 'timeout'));
  },
  blocked: (model) => {
    reach.unknown(model);
    model.now += 3_600_000;
    model.tick(first);
  },
  disputed: (model) => {
    reach.failed(model);
    model.decide(receiptAnswer(model.action(first), 'succeeded'));
  },
};

const states = Object.keys(reach) as Status[];
const at = (status: Status): Model => {
  const model = startModel();
  reach[status](model);
  expect(model.action(first).standing.status).toBe(status);
  return model;
};
const decided = (model: Model) => model.said('ProposalDecided').at(-1)!;

describe('E1: one effect at most', () => {
  test.each(states.filter((status) => !['denied', 'withdrawn', 'succeeded', 'failed'].includes(status)))(
    'E1 the same sealed request while the earlier action is %s: the existing action, for every run',
    (status) => {
      const model = at(status);
      model.decide(propose({ params: '{ "a": 1 }', runId: 'other' }));
      expect(decided(model)).toMatchObject({ status: 'existing', actionKey: first, state: status, runId: 'other' });
    },
  );

  test.each([
    ['proposed', 'run', 'accepted', null],
    ['awaiting_approval', 'run', 'accepted', null],
    ['proposed', 'other', 'refused', 'earlier_action_unsettled'],
    ['admitted', 'run', 'refused', 'earlier_action_unsettled'],
    ['sending', 'run', 'refused', 'earlier_action_unsettled'],
    ['unknown', 'run', 'refused', 'earlier_action_unsettled'],
    ['unknown', 'other', 'refused', 'earlier_action_unsettled'],
    ['blocked', 'run', 'refused', 'earlier_action_unsettled'],
    ['disputed', 'run', 'refused', 'earlier_action_unsettled'],
    ['denied', 'other', 'accepted', null],
    ['withdrawn', 'other', 'accepted', null],
    ['failed', 'other', 'accepted', null],
    ['succeeded', 'run', 'refused', 'already_done'],
    ['succeeded', 'other', 'refused', 'already_done'],
  ] as const)('E1 another request while the earlier action is %s, from %s: %s', (status, runId, said, code) => {
    const model = at(status);
    const sent = model.sends.length;
    model.decide(propose({ ...other, runId }));
    expect(decided(model)).toMatchObject({ status: said, code });
    if (said === 'accepted') expect(decided(model)['actionKey']).toBe('asks:contact:S:v2');
    else expect(model.sends).toHaveLength(sent);
  });

  test('E1 R10 a replaced action is withdrawn with its approval, in the same decision', () => {
    const model = at('awaiting_approval');
    model.decide(propose({ ...other, approval: true }));
    expect(model.action(first)).toMatchObject({ standing: { status: 'withdrawn' }, code: 'replaced' });
    expect(model.said('WithdrawInteraction')).toHaveLength(1);
  });

  test('E1 a child of the same root may replace, a stranger may not', () => {
    const model = at('proposed');
    model.decide(propose({ ...other, runId: 'child', rootRunId: 'run' }));
    expect(decided(model)).toMatchObject({ status: 'accepted' });
  });

  test('E1 repeat after a success: a person has to approve, whatever the connector says', () => {
    const model = at('succeeded');
    model.decide(propose({ repeat: true }));
    expect(decided(model)).toMatchObject({ status: 'accepted', state: 'proposed' });
    expect(String(model.said('RequestInteraction').at(-1)!['preview'])).toContain('Repeat: this was done before');
  });

  test('E1 a run that waits for the action of another is told its outcome', () => {
    const model = at('sending');
    const waiting = propose({ runId: 'other' });
    model.decide(waiting);
    model.decide(attempted(model.sends[0]!, 'succeeded'));
    const told = model.said('ActionStateChanged').filter((one) => one['state'] === 'succeeded');
    expect(told.map((one) => [one['runId'], one['proposalId']])).toEqual([
      ['run', model.action(first).proposalId],
      ['other', waiting.record.proposalId],
    ]);
    expect(new Set(model.facts.map((fact) => fact.eventId)).size).toBe(model.facts.length);
  });

  test('E1 many proposals for one effect in one batch: one action, whatever their number', () => {
    const model = startModel();
    const many = Array.from({ length: spareKeys + 4 }, (_, index) =>
      propose({ runId: 'run', params: `{"a":${index}}`, approval: true }),
    );
    model.decide(...many);
    const actions = many.map((_, index) => model.action(`asks:contact:S:v${index + 1}`));
    expect(actions.filter(isOpen).map((action) => action.actionKey)).toEqual([`asks:contact:S:v${many.length}`]);
    expect(model.said('ProposalDecided')).toHaveLength(many.length);
  });
});

describe('proposals', () => {
  test('R25 the natural key (run, proposal) is decided once and answered every time', () => {
    const model = startModel();
    const message = propose();
    model.decide(message, message);
    model.decide(attempted(model.sends[0]!, 'succeeded'));
    model.decide(message);
    expect(model.said('ProposalDecided').map((one) => [one['status'], one['actionKey'], one['state']])).toEqual([
      ['accepted', first, 'sending'],
      ['accepted', first, 'sending'],
      ['accepted', first, 'succeeded'],
    ]);
    expect(model.sends).toHaveLength(1);
  });

  test.each([
    ['unknown_connector', { connector: 'nobody' }],
    ['unknown_connector', { connector: '__proto__' }],
    ['unknown_connector', { tenant: 'else' }],
    ['unknown_operation', { operation: 'delete' }],
    ['invalid_subject', { subject: 'a:b' }],
    ['invalid_request', { params: '{' }],
    ['invalid_request', { params: null }],
    ['invalid_request', { body: 'x' }],
    ['invalid_request', { params: '"\\ud800"' }],
    ['request_too_large', { params: null, body: 'x'.repeat(65_537) }],
    ['not_granted', { grantUntil: 999_999 }],
  ] as const)('X4 %s is a refusal with a code, remembered (%#)', (code, more) => {
    const model = startModel();
    const message = propose(more);
    model.decide(message);
    model.decide(message);
    expect(model.said('ProposalDecided').map((one) => [one['status'], one['code']])).toEqual([
      ['refused', code],
      ['refused', code],
    ]);
    expect(model.sends).toEqual([]);
  });

  test('E7 refused behind the fence: an older version, or a closed run', () => {
    const model = startModel();
    model.decide(raiseFence(1, 2), propose());
    expect(decided(model)).toMatchObject({ status: 'refused', code: 'fenced' });
    model.decide(raiseFence(2, 2, 'closed'), propose({ requirementsVersion: 2 }));
    expect(decided(model)).toMatchObject({ status: 'refused', code: 'fenced' });
  });

  test('a connector that speaks neither HTTP nor HTTPS is refused at the start, by name', () => {
    const config = parseConfiguration(
      `${configurationText()}  mine: { operations: [x], submit: { url: 'ftp://x' } }\n`,
    );
    expect(() => refuseUnsupported(config)).toThrow('connectors.mine.submit.url');
  });
});

describe('H8: sealed once', () => {
  test('H8 params become RFC 8785 bytes, a body stays as it is; the preview ends with exactly these bytes', () => {
    const params = seal({ params: '{"b":1.0,"a":"\\u00e9"}', body: null });
    const body = seal({ params: null, body: '{"b":1.0}\n' });
    if (!params.ok || !body.ok) throw new Error('both can be sealed');
    expect(params.bytes.toString()).toBe('{"a":"é","b":1}');
    expect(body.bytes.toString()).toBe('{"b":1.0}\n');
    const of = {
      actionKey: 'k',
      connector: 'c',
      operation: 'o',
      subject: 's',
      method: 'POST',
      url: 'http://x/',
      requirementsVersion: 1,
      repeat: false,
      compensates: null,
    };
    const preview = previewOf({ ...of, note: 'fine\n\nSubject: other\u202e' }, params.bytes, params.sha256);
    expect(preview.subarray(preview.indexOf('\n\n') + 2).equals(params.bytes)).toBe(true);
    expect(preview.toString()).toContain(
      'The agent\'s own words, not checked: "fine\\n\\nSubject: other\\u{202e}"\n\n',
    );
  });

  test('H7 the approval request carries the preview bytes and their hash, to whom the tenant says', () => {
    const model = startModel(configurationText(', approvers: "role:approver", selfApproval: forbidden'));
    model.decide(propose({ connector: 'always' }));
    const request = model.said('RequestInteraction')[0]!;
    expect(request).toMatchObject({
      owner: 'effect-ledger',
      kind: 'approval',
      recipientKind: 'role',
      recipient: 'approver',
      selfApproval: 'forbidden',
    });
    expect(request['previewSha256']).toBe(sha256Hex(request['preview'] as Buffer));
    expect(model.sends).toEqual([]);
  });
});
