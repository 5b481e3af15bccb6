import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { connect } from './remote';
import type { Finding } from './doctor';
import { fields, print, printJson } from './show';

interface Settled {
  readonly actionKey: string;
  readonly state: string;
  readonly code: string | null;
  readonly approval: { readonly interactionRef: string } | null;
}

const path = (actionKey: string): string => `/v1/actions/${encodeURIComponent(actionKey)}`;

const show = (action: Settled, options: { readonly json?: boolean }): void => {
  if (options.json === true) return printJson(action);
  fields([
    ['action', action.actionKey],
    ['state', action.state],
    ['code', action.code],
    ['approval', action.approval?.interactionRef ?? null],
  ]);
};

interface As {
  readonly as: string;
  readonly json?: boolean;
}

/** What an operator does about an action whose outcome is not what it should be, or not known. */
export const settleCommands = (program: Command): void => {
  program
    .command('attest')
    .description('record what became of an action, with evidence, where nobody else can tell')
    .argument('<actionKey>')
    .requiredOption('--outcome <outcome>', 'succeeded or failed')
    .requiredOption('--evidence <text>', 'what was found, and where')
    .option('--as <account>', 'the operator', 'operator')
    .option('--json', 'for machines')
    .action(async (actionKey: string, options: As & { outcome: string; evidence: string }) => {
      const { outcome, evidence } = options;
      const { body } = await connect(['operator'], options.as).post<Settled>(`${path(actionKey)}/attestations`, {
        outcome,
        evidence,
      });
      show(body, options);
    });

  program
    .command('compensate')
    .description('propose an action that answers to a confirmed success; it needs an approval of its own')
    .argument('<actionKey>')
    .requiredOption('--operation <operation>')
    .requiredOption('--subject <subject>')
    .option('--params <json>', 'what is sent', '{}')
    .option('--as <account>', 'the operator', 'operator')
    .option('--json', 'for machines')
    .action(async (actionKey: string, options: As & { operation: string; subject: string; params: string }) => {
      const { operation, subject } = options;
      const { body } = await connect(['operator'], options.as).post<Settled>(`${path(actionKey)}/compensations`, {
        operation,
        subject,
        params: JSON.parse(options.params) as unknown,
      });
      show(body, options);
    });
};

const ledgerDoctor = join(__dirname, '..', 'effect-ledger', 'doctor.js');

/** `doctor connector <name>`: acts once at the remote, so it has to be told that this is a sandbox. */
export const doctorConnector = (doctor: Command): void => {
  doctor
    .command('connector')
    .description('try a contract against a sandbox: acts there once, under a key of its own')
    .argument('<name>')
    .option('--operation <operation>', 'the first one configured')
    .option('--params <json>', 'what is sent', '{}')
    .option('--sandbox', 'yes, what this connector leads to is a sandbox')
    .option('--json', 'for machines')
    .action(
      async (name: string, options: { operation?: string; params: string; sandbox?: boolean; json?: boolean }) => {
        if (options.sandbox !== true)
          throw new Error(`this acts once at the other side of ${name}; say --sandbox when it is one`);
        const { stdout } = await promisify(execFile)(process.execPath, [
          ledgerDoctor,
          name,
          options.operation ?? '',
          options.params,
        ]).catch((error: { stderr?: string }) => {
          throw new Error((error.stderr ?? '').trim() || 'the contract could not be tried');
        });
        const findings = JSON.parse(stdout) as Finding[];
        if (options.json === true) printJson(findings);
        else
          for (const one of findings)
            print(`${one.ok ? 'ok  ' : 'BAD '} ${one.what}${one.ok ? '' : `: ${one.found}\n     ${one.advice}`}`);
        if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
      },
    );
};
