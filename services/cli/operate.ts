import type { Command } from 'commander';
import { lagCommand } from './lag';
import { quotasCommand } from './quotas';
import { plain, print, printJson } from './show';
import { audit } from './audit';
import { examine } from './doctor';
import { doctorConnector } from './settle';

export const operateCommands = (program: Command): void => {
  lagCommand(program);
  quotasCommand(program);
  const doctor = program
    .command('doctor')
    .description('checks the installation and says what to do')
    .option('--audit', 'counts what the services hold against what they told each other; wants a quiet stack')
    .option('--json', 'for machines')
    .action(async (options: { audit?: boolean; json?: boolean }) => {
      const findings = await (options.audit === true ? audit() : examine());
      if (options.json === true) printJson(findings);
      else
        for (const finding of findings)
          print(
            `${finding.ok ? 'ok  ' : 'BAD '} ${finding.what}${finding.found === '' ? '' : `: ${plain(finding.found)}`}${finding.ok ? '' : `\n     ${finding.advice}`}`,
          );
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });
  doctorConnector(doctor);
};
