import type { TurnInput } from '../../schemas/turn-protocol/input';

const body = 'r'.repeat(500);

/** One step, one effect, one report of 500 bytes: the work that anchors and bench share. */
export default (input: TurnInput): Promise<unknown> => {
  const [action] = input.actions;
  if (action === undefined)
    return Promise.resolve({
      for: input.for,
      actions: [{ proposalId: 'p', connector: 'stub', operation: 'do', subject: input.for.taskId, params: { n: 1 } }],
    });
  if (action.state === 'succeeded')
    return Promise.resolve({
      for: input.for,
      report: { body, contentType: 'text/plain', sources: [{ actionKey: action.actionKey }] },
    });
  if (action.state === 'failed' || action.state === 'blocked')
    return Promise.resolve({ for: input.for, fail: { code: 'effect', message: action.state } });
  return Promise.resolve({ for: input.for });
};
