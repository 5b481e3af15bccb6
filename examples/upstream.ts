// An upstream program: hands in a task, follows it, answers what it asks, and has the report in the end.
// With a stack running (npm start):
//   FAIRLEAD_TOKEN=$(npx fairlead token --account alice) node dist/examples/upstream.js my-conversation
import { createClient, type FairleadClient, type Report } from '../services/client/client';

const request = 'Compare MSFT and AAPL over the last year, and wait for my answer on how to count returns';

interface Asked {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly kind: string;
  readonly state: string;
  readonly question: string;
}

export const work = async (
  client: FairleadClient,
  conversationId: string,
  say: (line: string) => void,
): Promise<Report> => {
  // Keep the id with your own record of the request: the same id later is the same task, never a second one.
  const clientMessageId = `${conversationId}-1`;
  const receipt = await client.send(conversationId, { clientMessageId, content: request, relation: 'new_task' });
  const { runId } = await client.receiptWhen(receipt, (now) => now.runId !== null || now.code !== null);
  if (runId === null) throw new Error(`refused: ${receipt.code ?? receipt.status}`);
  say(`run ${runId}`);

  for await (const { kind, item } of client.watch({ runId })) {
    if (kind === 'run') say(`run is ${String(item['state'])}`);
    if (kind !== 'interaction') continue;
    const asked = item as unknown as Asked;
    if (asked.kind !== 'question' || asked.state !== 'open') continue;
    say(`asked: ${asked.question}`);
    await client.answer(asked.interactionRef, {
      requestRevision: asked.requestRevision,
      clientResponseId: `${asked.interactionRef}-answer`,
      choice: 'annualised',
    });
  }
  return client.report(runId);
};

if (require.main === module)
  work(createClient(), process.argv[2] ?? `example-${Date.now()}`, console.log).then(
    (report) => console.log(`${report.sha256}\n\n${report.bytes.toString('utf8')}`),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
