import * as api from './api';
import { fact, must, until } from './story';
import { produce } from './upstream';

const words =
  'Compare MSFT and AAPL over the last three years, say which data it rests on. Ask me how to count returns. Share it with dana@example.com';

export const aMessageArrives = async (conversation: string, stamp: string): Promise<{ readonly runId: string }> => {
  const clientMessageId = `ask-${stamp}`;
  await produce({
    conversationId: conversation,
    clientMessageId,
    content: words,
    account: 'alice',
    relation: 'NEW_TASK',
  });
  fact('upstream app', `produced to the ingress topic: “${words}”`, `id ${clientMessageId}`);
  const receipt = await until('admission issues a receipt and the run starts', async () => {
    const one = await api.receiptOf(conversation, clientMessageId);
    must(one.status !== 'refused', `the message was refused: ${one.code ?? ''} ${one.detail ?? ''}`);
    return one.status === 'run_started' && one;
  });
  const runId = receipt.runId ?? '';
  fact('admission', 'stored it under its identity and started a run', `run ${runId}`);
  const again = await api.send(conversation, { clientMessageId, content: words, relation: 'new_task' });
  must(again.duplicate && again.runId === runId, 'the same message over HTTP is recognised as the same');
  fact(
    'admission',
    'the same message again, this time over HTTP: recognised, nothing new starts',
    `duplicate of ${runId}`,
  );
  return { runId };
};

export const workBegins = async (runId: string): Promise<api.Interaction> => {
  const run = await until('the agent has read the prices', async () => {
    const one = await api.runOf(runId);
    return one.steps.length === 2 && one.steps.every((step) => step.status === 'done') && one;
  });
  fact('run-executor', 'sealed input 1 and asked the agent', `lease epoch ${run.leaseEpoch}`);
  for (const step of run.steps) fact('run-executor', 'a tool answered; its result is kept', step.callId);
  fact('agent', run.versions[0]?.understood ?? 'understood the request');
  return until('the ledger asks for an approval of the share', async () =>
    (await api.openRequests(runId)).find((item) => item.kind === 'approval'),
  );
};

export const changedMind = async (
  conversation: string,
  stamp: string,
  runId: string,
  asked: api.Interaction,
): Promise<void> => {
  fact(
    'effect-ledger',
    'the agent proposed to share the report; an approval is asked before anything is sent',
    asked.interactionRef,
  );
  const clientMessageId = `change-${stamp}`;
  fact('alice', '“Only the last year.”', 'amend, expected version 1');
  const receipt = await api.send(conversation, {
    clientMessageId,
    content: 'Only the last year.',
    relation: 'amend',
    targetRunId: runId,
    expectedVersion: 1,
  });
  must(receipt.requirementsVersion === 2, 'the amendment made version 2');
  const run = await until('version 2 is applied', async () => {
    const one = await api.runOf(runId);
    return one.appliedVersion === 2 && one;
  });
  const version = run.versions[1];
  fact(
    'run-executor',
    `version 2 received ${version?.receivedAt.slice(11, 23)} and applied ${version?.appliedAt?.slice(11, 23)}: two facts, two times`,
  );
  const stale = await api.alice
    .post(`/v1/conversations/${conversation}/messages`, {
      clientMessageId: `stale-${stamp}`,
      content: 'No, two years.',
      relation: 'amend',
      targetRunId: runId,
      expectedVersion: 1,
    })
    .then(
      () => 'accepted',
      (error: unknown) => (error as { body?: { code?: string } }).body?.code ?? 'failed',
    );
  must(stale === 'version_conflict', 'a change that still expects version 1 is a conflict');
  fact('run-executor', 'a change that still expected version 1 was refused, nothing was overwritten', stale);
  const old = await until('the approval asked under version 1 is withdrawn', async () => {
    const one = await api.interactionOf(asked.interactionRef);
    return one.state === 'closed' && one;
  });
  fact(
    'effect-ledger',
    'raised the fence: the share proposed under version 1 is withdrawn, its approval with it',
    old.interactionRef,
  );
};

export const aQuestion = async (runId: string): Promise<void> => {
  const question = await until('the question is open', async () =>
    (await api.openRequests(runId)).find((item) => item.kind === 'question'),
  );
  fact('hil', `asks alice: “${question.question}”`, question.choices.map((choice) => choice.id).join(' | '));
  await api.respond(question.interactionRef, {
    requestRevision: question.requestRevision,
    clientResponseId: 'demo-answer',
    choice: 'annualised',
  });
  fact('alice', 'annualised');
  const adopted = await until('a turn adopts the answer', async () => {
    const one = await api.interactionOf(question.interactionRef);
    return one.adoptedAt !== null && one;
  });
  fact(
    'hil',
    `published ${time(adopted.publishedAt)}, answered ${time(adopted.answeredAt)}, adopted ${time(adopted.adoptedAt)}`,
    'adopted by the turn whose sealed input carried it',
  );
};

const time = (iso: string | null): string => iso?.slice(11, 23) ?? '–';

export const anApproval = async (runId: string): Promise<string> => {
  const approval = await until('the approval of version 2 is open', async () =>
    (await api.openRequests(runId)).find((item) => item.kind === 'approval' && item.requirementsVersion === 2),
  );
  const { body, headers } = await api.alice.bytes(`/v1/interactions/${approval.interactionRef}/preview`);
  const sha256 = (headers.get('etag') ?? '').replaceAll('"', '');
  fact('effect-ledger', 'sealed the request; this is what will be sent, byte for byte:', `sha256 ${sha256}`);
  for (const line of body.toString('utf8').split('\n')) console.log(`             | ${line.slice(0, 150)}`);
  await api.behave('share', 'accept_then_timeout');
  fact('demo remote', 'will act on the next share and then never answer', 'accept_then_timeout');
  await api.respond(approval.interactionRef, {
    requestRevision: approval.requestRevision,
    clientResponseId: 'demo-approval',
    decision: 'approve',
    previewSha256: sha256,
  });
  fact('alice', 'approved exactly these bytes');
  const run = await api.runOf(runId);
  const action = run.actions.find((one) => one.requirementsVersion === 2 && one.actionKey !== null);
  must(action?.actionKey !== undefined, 'the run knows its action');
  return action?.actionKey ?? '';
};

export const silentRemote = async (actionKey: string): Promise<void> => {
  const unknown = await until('the attempt times out and the action is unknown', async () => {
    const one = await api.actionOf(actionKey);
    return (one.state === 'unknown' || one.state === 'succeeded') && one.attempts.length > 0 && one;
  });
  fact(
    'effect-ledger',
    'attempt 1: no answer in 2 s. What happened is not known, so nothing is sent again',
    `attempt outcome ${unknown.attempts[0]?.outcome ?? ''}`,
  );
  const settled = await until('the receipt settles the action', async () => {
    const one = await api.actionOf(actionKey);
    return one.state === 'succeeded' && one;
  });
  const effects = await api.effectsFor(actionKey);
  must(effects === 1 && settled.attempts.length === 1, 'the remote acted once, in one attempt');
  fact(
    'receipt-query',
    'asked the remote by key: it was done. Settled as succeeded',
    `${actionKey}: 1 attempt, 1 effect at the remote`,
  );
};

export const theReport = async (runId: string): Promise<{ readonly version: number; readonly sha256: string }> => {
  const run = await until('the run completes', async () => {
    const one = await api.runOf(runId);
    must(
      !['failed', 'cancelled', 'interrupted'].includes(one.state),
      `the run ended ${one.state}: ${one.detail ?? one.cause ?? ''}`,
    );
    return one.state === 'completed' && one;
  });
  must(run.report?.version === 2, 'the report is that of version 2');
  fact(
    'publication',
    `stored the report of version ${run.report?.version} and moved the pointer; only then the run counted as completed`,
    `sha256 ${run.report?.sha256 ?? ''}`,
  );
  const { body, headers } = await api.alice.bytes(`/v1/runs/${runId}/reports/current`);
  must(headers.get('fairlead-requirements-version') === '2', 'current is version 2');
  for (const line of body.toString('utf8').split('\n').slice(0, 14))
    console.log(`             | ${line.slice(0, 150)}`);
  return { version: run.report?.version ?? 0, sha256: run.report?.sha256 ?? '' };
};
