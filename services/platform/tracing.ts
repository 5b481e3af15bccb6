import { within } from './pause';
import type { Attributes, Span as OtelSpan, SpanContext, SpanKind as OtelKind } from '@opentelemetry/api';

const kinds = { server: 1, client: 2, producer: 3, consumer: 4, internal: 0 } as const;
export type SpanKind = keyof typeof kinds;

export interface SpanOptions {
  readonly kind: SpanKind;
  /** The trace it belongs to, as W3C traceparent; null begins one. */
  readonly parent: string | null;
  /** Traces it also worked for, as a batch does. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
  readonly startedAtMs?: number;
}

/** One piece of work in a trace. */
export interface Span {
  /** For what follows from it; what came in where nothing is recorded. */
  readonly traceparent: string | null;
  end(error?: unknown): void;
}

/** What a message went through, told to a collector (X5). Off, it costs nothing and hands on what came in. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
  close(): Promise<void>;
}

/** Links beyond these are left out: a batch may have some hundred messages. */
const maxLinks = 128;
/** A collector that does not answer does not hold up a stop. */
const goodbyeMs = 1_500;

export const noTracing: Tracing = {
  start: (_name, { parent }) => ({ traceparent: parent, end: () => undefined }),
  close: () => Promise.resolve(),
};

const contextOf = (traceparent: string): SpanContext | null => {
  const [, traceId, spanId, flags] = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
};

const traceparentOf = (span: OtelSpan): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
};

/**
 * Spans go to `OTEL_EXPORTER_OTLP_ENDPOINT` over HTTP, in batches and beside the work; a collector that is away loses
 * spans and nothing else. The libraries are only loaded where an endpoint is set: they cost memory.
 */
export const openTracing = async (service: string, instance: string, endpoint: string | null): Promise<Tracing> => {
  if (endpoint === null) return noTracing;
  const [{ ROOT_CONTEXT, trace, SpanStatusCode }, { BasicTracerProvider, BatchSpanProcessor }, exporter, resources] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': `fairlead-${service}`,
      'service.instance.id': instance,
    }),
    spanProcessors: [
      new BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  const tracer = provider.getTracer('fairlead');
  return {
    start: (name, { kind, parent, links = [], attributes = {}, startedAtMs }) => {
      const remote = parent === null ? null : contextOf(parent);
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[kind] as OtelKind,
          attributes,
          links: [...new Set(links)]
            .slice(0, maxLinks)
            .flatMap((link) => contextOf(link) ?? [])
            .map((context) => ({ context })),
          ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }),
        },
        remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote),
      );
      return {
        traceparent: traceparentOf(span),
        end: (error) => {
          if (error !== undefined)
            span.setStatus({
              code: SpanStatusCode.ERROR,
              message: error instanceof Error ? error.message : String(error),
            });
          span.end();
        },
      };
    },
    close: () => within(provider.shutdown(), goodbyeMs, () => new Error('no answer')).catch(() => undefined),
  };
};
