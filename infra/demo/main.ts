import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pc from 'picocolors';
import { alice } from './api';
import { aMessageArrives, anApproval, aQuestion, changedMind, silentRemote, theReport, workBegins } from './chapters';
import { crash } from './crash';
import { chapter, elapsed } from './story';
import { summary } from './summary';

const tell = async (): Promise<void> => {
  const stamp = Date.now().toString(36);
  const conversation = `demo-${stamp}`;
  console.log(
    pc.dim(`conversation ${conversation}, account alice, tenant local. Every line is a fact that a service holds.`),
  );

  chapter('1. A message arrives, and the same message again');
  const { runId } = await aMessageArrives(conversation, stamp);
  chapter('2. Work begins');
  const first = await workBegins(runId);
  chapter('3. A changed mind');
  await changedMind(conversation, stamp, runId, first);
  chapter('4. A question and its answer');
  await aQuestion(runId);
  chapter('5. An approval, and exactly what will be sent');
  const actionKey = await anApproval(runId);
  chapter('6. The remote goes silent, and the receipt is found');
  await silentRemote(actionKey);
  chapter('7. The report, version 2');
  const report = await theReport(runId);
  chapter('8. A crash in the middle, and what it did not break');
  await crash(conversation, stamp);

  const { body } = await alice.bytes(`/v1/runs/${runId}/reports/current`);
  const folder = join(process.env['FAIRLEAD_HOME'] ?? '.fairlead', 'demo', 'runs', runId, 'reports');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `v${report.version}.md`);
  writeFileSync(path, body);
  chapter(`All of it happened, in ${elapsed()}. What each service did`);
  await summary();
  console.log(`\nThe report lies in ${path}`);
  console.log(
    [
      '\nTo try next (npm start keeps the stack up):',
      '  npx fairlead send "Compare IBM and AMZN since 2006" -c mine',
      '  npx fairlead watch mine',
      '  npx fairlead inbox',
    ].join('\n'),
  );
};

tell().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`\n${pc.red('The demo stopped:')} ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
