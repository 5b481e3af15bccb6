const addresses: readonly (readonly [string, string])[] = [
  ['POST /v1/conversations/{conversationId}/messages', 'say something; the answer is its receipt'],
  ['GET /v1/conversations', 'your conversations, each with /snapshot and /events'],
  ['GET /v1/runs/{runId}', 'a run, with /turns, /events and /reports'],
  ['GET /v1/interactions', 'what waits for your answer; live at /v1/inbox/events'],
  ['GET /v1/actions', 'what was done outside, or may have been'],
  ['GET /v1/ops/{service}/…', 'for operators: dead letters, incidents, lag, blocked keys'],
  ['POST /session', 'sign a browser in with a token; DELETE signs it out'],
  ['GET /openapi.json', 'all of it, described'],
];

const rows = addresses.map(([address, what]) => `<tr><td><code>${address}</code><td>${what}`).join('\n');

export const frontPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fairlead</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
  body { max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
  table { border-collapse: collapse }
  td { padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
<h1>Fairlead</h1>
<p>Keeps long agent work true while people change their minds, answer late and disconnect, and while processes and
remote systems fail. What was asked, what was executed, what really happened outside and what is shown as the result
stay four different things.
<p>This is the one address of its services. Everything under <code>/v1</code> needs a bearer token;
<code>npx fairlead token --account alice</code> prints one.
<table>
${rows}
</table>
`;
