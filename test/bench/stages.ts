import { createServer } from 'node:http';
import Table from 'cli-table3';
import { percentile, rounded } from './load';

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Told {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** One step of a message's way, over all messages. */
export interface Stage {
  readonly service: string;
  readonly span: string;
  readonly perRun: number;
  /** When it began, counted from the first thing that is known of its message. */
  readonly fromMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Stages {
  readonly forget: () => void;
  readonly of: (runs: number) => Stage[];
  readonly close: () => void;
}

/** A collector of the services' traces (OTLP over HTTP): where the milliseconds of one message go. */
export const openStages = (port: number): Promise<Stages> => {
  let spans: (OtlpSpan & { readonly service: string })[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const told = JSON.parse(Buffer.concat(chunks).toString()) as Told;
      for (const { resource, scopeSpans } of told.resourceSpans) {
        const named = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const scope of scopeSpans)
          for (const span of scope.spans) spans.push({ ...span, service: named.replace('fairlead-', '') });
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  const ms = (nanos: string): number => Number(BigInt(nanos) / 1_000n) / 1_000;

  const stagesOf = (runs: number): Stage[] => {
    // A commit works for many messages and so begins a trace of its own: it has no place on one message's way.
    const ofMessages = spans.filter(({ name }) => name !== 'commit');
    const firsts = new Map<string, number>();
    for (const { traceId, startTimeUnixNano } of ofMessages)
      firsts.set(traceId, Math.min(firsts.get(traceId) ?? Infinity, ms(startTimeUnixNano)));
    const groups = new Map<string, { from: number[]; took: number[] }>();
    for (const { service, name, traceId, startTimeUnixNano, endTimeUnixNano } of ofMessages) {
      const key = `${service}\n${name}`;
      const group = groups.get(key) ?? { from: [], took: [] };
      group.from.push(ms(startTimeUnixNano) - (firsts.get(traceId) ?? 0));
      group.took.push(ms(endTimeUnixNano) - ms(startTimeUnixNano));
      groups.set(key, group);
    }
    const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
    return [...groups]
      .map(([key, { from, took }]) => ({
        service: key.split('\n')[0] ?? '',
        span: key.split('\n')[1] ?? '',
        perRun: rounded(took.length / runs),
        fromMs: rounded(percentile(sorted(from), 0.5)),
        p50Ms: rounded(percentile(sorted(took), 0.5)),
        p99Ms: rounded(percentile(sorted(took), 0.99)),
      }))
      .sort((a, b) => a.fromMs - b.fromMs);
  };

  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () =>
      resolve({
        forget: () => void (spans = []),
        of: stagesOf,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      }),
    );
  });
};

export const showStages = (stages: readonly Stage[]): string => {
  const table = new Table({
    head: ['service', 'span', 'per run', 'begins at p50 ms', 'takes p50 ms', 'p99 ms'],
    style: { head: [], border: [] },
  });
  for (const { service, span, perRun, fromMs, p50Ms, p99Ms } of stages)
    table.push([service, span, perRun, fromMs, p50Ms, p99Ms]);
  return table.toString();
};
