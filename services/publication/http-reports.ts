import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../platform/errors';
import { listOf, page, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import { sendRange } from './byte-range';
import { reportsSchema } from './answers';
import { readerOf } from './http';
import { reportItem } from './items';
import type { AnyMessage } from './messages';
import { shownStatus, type Report, type ReportRun } from './state';
import { mayRead, reportBytesOf, reportRunOf, runFactOf } from './store';

const runId = Type.String({ minLength: 1, maxLength: 200 });
const number = Type.String({ maxLength: 20 });
const pageQuery = Type.Object({
  limit: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ maxLength: 50 })),
});

const unknownReport = (): Refusal => new Refusal('unknown_report', 'no such report for this account');

/** Text of our own agents is UTF-8; a browser would guess otherwise. */
const contentTypeOf = (type: string): string => (/^text\/[\w.+-]+$/.test(type) ? `${type}; charset=utf-8` : type);

const newest = (reports: readonly Report[]): Report | undefined =>
  reports.reduce<Report | undefined>((best, one) => (best === undefined || one.seq > best.seq ? one : best), undefined);

export const reportRoutes = (app: Http, api: Api<AnyMessage>): void => {
  const runOf = async (request: FastifyRequest, id: string): Promise<ReportRun | undefined> => {
    const run = await reportRunOf(api.pool, id);
    return run !== undefined && mayRead(run, readerOf(request)) ? run : undefined;
  };

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    run: ReportRun | undefined,
    report: Report | undefined,
  ): Promise<FastifyReply> => {
    if (run === undefined || report === undefined) throw unknownReport();
    if (run.purgedAt !== undefined) throw new Refusal('content_purged', 'the bytes of this report were purged');
    const etag = `"${report.sha256}"`;
    void reply
      .header('etag', etag)
      .header('cache-control', 'private, no-cache')
      .header('fairlead-requirements-version', String(report.version))
      .header('fairlead-report-seq', String(report.seq))
      .header('fairlead-report-status', shownStatus(run, report))
      // What an agent wrote is shown, never run, even when somebody opens it as a page.
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('x-content-type-options', 'nosniff');
    if (request.headers['if-none-match'] === etag) return reply.status(304).send();
    const bytes = await reportBytesOf(api.pool, run.runId, report.version, report.seq);
    if (bytes === undefined) throw unknownReport();
    return sendRange(request, reply.type(contentTypeOf(report.contentType)), bytes, etag);
  };

  app.get(
    '/v1/runs/:runId/reports',
    { schema: { params: Type.Object({ runId }), querystring: pageQuery, response: { 200: reportsSchema } } },
    async (request) => {
      const { limit, after } = page(request.query);
      const run = await runOf(request, request.params.runId);
      if (run === undefined) {
        const reader = readerOf(request);
        const fact = await runFactOf(api.pool, reader.tenant, request.params.runId);
        if (fact === undefined || !mayRead(fact, reader))
          throw new Refusal('unknown_run', 'no such run for this account');
        return { items: [], next: null };
      }
      const all = [...run.reports].reverse();
      const name = (report: Report): string => `${report.version}.${report.seq}`;
      const from = after === null ? 0 : all.findIndex((report) => name(report) === after) + 1;
      if (after !== null && from === 0)
        throw new Refusal('field_invalid', 'after must be the next of an earlier list', 'after');
      const { items, next } = listOf(all.slice(from), limit, name);
      return { items: items.map((report) => reportItem(run, report)), next };
    },
  );

  app.get('/v1/runs/:runId/reports/current', { schema: { params: Type.Object({ runId }) } }, async (request, reply) => {
    const run = await runOf(request, request.params.runId);
    const current = run?.current;
    const report = run?.reports.find((one) => one.version === current?.version && one.seq === current.seq);
    return send(request, reply, run, report);
  });

  app.get(
    '/v1/runs/:runId/reports/:version',
    { schema: { params: Type.Object({ runId, version: number }) } },
    async (request, reply) => {
      const run = await runOf(request, request.params.runId);
      const { version } = request.params;
      return send(request, reply, run, newest(run?.reports.filter((one) => String(one.version) === version) ?? []));
    },
  );

  app.get(
    '/v1/runs/:runId/reports/:version/:seq',
    { schema: { params: Type.Object({ runId, version: number, seq: number }) } },
    async (request, reply) => {
      const run = await runOf(request, request.params.runId);
      const { version, seq } = request.params;
      const report = run?.reports.find((one) => String(one.version) === version && String(one.seq) === seq);
      return send(request, reply, run, report);
    },
  );
};
