// For versions of the kit that cannot send headers of their own: passes on what comes, with the account's token, and with
// every message as a new one. Only for a stack on this machine: whoever reaches this port speaks as that account.
//   FAIRLEAD_TOKEN=$(npx fairlead token --account alice) node dist/examples/a2a-kit/front.js 9999
import * as http from 'node:http';

const to = new URL(process.env['FAIRLEAD_URL'] ?? 'http://127.0.0.1:7400');
const token = process.env['FAIRLEAD_TOKEN'] ?? '';

const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}`, 'fairlead-a2a-identity': 'request' };
  const { method, url: path } = request;
  const passed = http.request({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.pipe(passed);
});
server.listen(Number(process.argv[2] ?? 9999), '127.0.0.1');
