import { randomUUID } from 'node:crypto';
import { headersOf, secretOf, type Contract } from './contract';
import { judgeReceipt, judgeResponse } from './outcome';
import type { Carry, Transport } from './transport';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string;
}

export interface Trial {
  readonly operation: string;
  readonly subject: string;
  /** The request's bytes, as an agent would send them. */
  readonly body: Buffer;
}

const receiptTries = 10;

const finding = (what: string, wrong: string | null, advice: string): Finding => ({
  what,
  ok: wrong === null,
  found: wrong ?? '',
  advice,
});

/**
 * Acts once at a sandbox under a key of its own and holds what comes back against what the contract promises: the
 * outcome, the repeat under the same key, the receipt, and what is said about a key that never was.
 */
export const tryContract = async (
  contract: Contract,
  transport: Transport,
  trial: Trial,
  wait: (ms: number) => Promise<void>,
): Promise<Finding[]> => {
  const { name } = contract;
  const actionKey = `${name}:${trial.operation}:${trial.subject}:v1`;
  const carry = (key: string, body: Buffer | null): Carry => ({
    actionKey: key,
    operation: trial.operation,
    subject: trial.subject,
    body,
    target: null,
    traceparent: null,
    timeoutMs: contract.submit.timeoutMs,
    mayWrite: () => true,
  });
  const findings: Finding[] = [];
  if (!contract.operations.includes(trial.operation))
    return [
      finding(`${name} has the operation ${trial.operation}`, 'it has not', `one of ${contract.operations.join(', ')}`),
    ];
  findings.push(
    finding(
      'headers are there',
      headersOf(contract, process.env) === null ? 'a variable they name is missing' : null,
      'set the variables that headers name; until then nothing is sent',
    ),
  );
  if (contract.callbackSecretEnv !== null)
    findings.push(
      finding(
        'the callback secret is there',
        secretOf(contract.callbackSecretEnv, process.env) === null ? `${contract.callbackSecretEnv} is missing` : null,
        'set it; until then every callback is answered 401',
      ),
    );

  const first = await transport(contract, 'submit', carry(actionKey, trial.body));
  const verdict = first.kind === 'answered' ? judgeResponse(contract.outcome, first.answer) : null;
  const said =
    first.kind === 'answered'
      ? `${first.answer.status} ${first.answer.body.slice(0, 200)}`
      : `${first.kind}: ${first.code}`;
  findings.push(
    finding(
      'a submission has a known outcome',
      verdict === null || verdict.outcome === 'unknown' ? `${said}: unknown by this contract` : null,
      'declare the status under outcome, or mend address, headers and allowAddresses',
    ),
  );
  if (first.kind === 'not_sent') return findings;

  if (contract.dedupRetentionMs !== null) {
    const second = await transport(contract, 'submit', carry(actionKey, trial.body));
    const again = second.kind === 'answered' ? judgeResponse(contract.outcome, second.answer) : null;
    findings.push(
      finding(
        'the same key again has the same outcome',
        again?.outcome === verdict?.outcome
          ? null
          : `${second.kind === 'answered' ? second.answer.status : second.code}`,
        'without that the remote does not deduplicate: take dedup away, or an unknown outcome is sent twice',
      ),
    );
  }

  const { receipt } = contract;
  if (receipt !== null) {
    let told = 'unreachable';
    for (let tries = 0; tries < receiptTries && (told === 'unreachable' || told === 'pending'); tries += 1) {
      if (tries > 0) await wait(receipt.firstAfterMs);
      const asked = await transport(contract, 'receipt', carry(actionKey, null));
      told = asked.kind === 'answered' ? judgeReceipt(receipt, asked.answer) : 'unreachable';
    }
    const expected = verdict?.outcome === 'unknown' ? ['succeeded', 'failed'] : [verdict?.outcome ?? ''];
    findings.push(
      finding(
        'the receipt by key tells the same',
        expected.includes(told) ? null : told,
        'mend receipt.url, statePath and the lists of states',
      ),
    );
    if (receipt.absent !== null) {
      const never = `${name}:${trial.operation}:never-${randomUUID()}:v1`;
      const asked = await transport(contract, 'receipt', carry(never, null));
      const outcome = asked.kind === 'answered' ? judgeReceipt(receipt, asked.answer) : 'unreachable';
      findings.push(
        finding(
          'a key that never was is absent',
          outcome === 'absent' ? null : outcome,
          'name the status under receipt.absent.status',
        ),
      );
    }
  }
  return findings;
};
