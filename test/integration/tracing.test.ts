import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openWorld, type World } from '../support/platform-world';
import { until } from '../support/until';

jest.setTimeout(60_000);

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** A collector as far as a client can tell: it takes what is sent to it. */
const collector = async (): Promise<{ server: Server; url: string; spans: Span[] }> => {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const told = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      for (const resource of told.resourceSpans) for (const scope of resource.scopeSpans) spans.push(...scope.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

describe('traces', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld('tracing');
  });
  afterAll(() => world.close());

  test('X5: a message’s trace goes through the service and out with what it led to, and its commit links to it', async () => {
    const { server, spans, url } = await collector();
    try {
      const toy = await world.spawn('a', { OTEL_EXPORTER_OTLP_ENDPOINT: url });
      const stored = await world.tail(world.stored);
      const [traceId, spanId] = ['1'.repeat(32), '2'.repeat(16)];
      await world.submit([['traced', 'm1']], { traceparent: `00-${traceId}-${spanId}-01` });
      await until('it is out', () => stored.firsts().length === 1);
      toy.kill('SIGTERM');
      expect(await toy.exited).toBe(0);
      const handled = await until('it is told', () => spans.find((span) => span.name.endsWith(' process')));
      expect(handled).toMatchObject({ name: 'ingress.messages.v1 process', traceId, parentSpanId: spanId });
      expect(stored.records[0]?.headers['traceparent']).toBe(`00-${traceId}-${handled.spanId}-01`);
      const commit = spans.find(({ name, links }) => name === 'commit' && (links ?? []).length > 0);
      expect(commit?.links).toEqual([expect.objectContaining({ traceId, spanId: handled.spanId })]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('X3: a collector that is away costs spans and nothing else', async () => {
    const toy = await world.spawn('b', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const stored = await world.tail(world.stored);
    await world.submit([['untold', 'm2']]);
    await until('it is out', () => stored.firsts('untold').length === 1);
    toy.kill('SIGTERM');
    expect(await toy.exited).toBe(0);
  });
});
