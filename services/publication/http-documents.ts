import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { checkText } from '../platform/content';
import { Refusal } from '../platform/errors';
import type { Http } from '../platform/http';
import type { Api } from '../platform/service';
import { documentSchema } from './answers';
import type { Resolution } from './decide-documents';
import { openConflicts, textOf, type Document } from './document';
import { time, type Item } from './items';
import type { AnyMessage } from './messages';
import { documentOf, documentTextsOf, type Known } from './store';

/** As long as a report may be. */
const maxBodyBytes = 700 * 1024;
/** Conflicts shown at once, each with its text; the oldest come first, because they are resolved first. */
const maxShown = 20;

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
const resolution = Type.Object(
  {
    basedOn: Type.Array(sha256, { minItems: 2, maxItems: 2, uniqueItems: true }),
    body: Type.String({ minLength: 1 }),
    contentType: Type.Union([
      Type.Literal('text/markdown'),
      Type.Literal('text/plain'),
      Type.Literal('application/json'),
    ]),
  },
  { additionalProperties: false },
);

const unknown = (): Refusal => new Refusal('unknown_document', 'no such document for this account');

export const documentRoutes = (app: Http, api: Api<AnyMessage>): void => {
  const find = async (request: FastifyRequest): Promise<Known<Document>> => {
    const { id } = request.params as { id: string };
    const { tenant, account, roles } = request.principal;
    const all = roles.has('integrator') || roles.has('operator');
    const found = await documentOf(api.pool, { tenant, account, all }, id);
    if (found === undefined) throw unknown();
    return found;
  };

  const shown = async ({ id, state }: Known<Document>): Promise<Item> => {
    const open = openConflicts(state).slice(0, maxShown);
    const bodies = await documentTextsOf(api.pool, id, [state.current, ...open.map((one) => one.sha256)]);
    const text = (hash: string): Item => {
      const known = textOf(state, hash);
      return {
        sha256: hash,
        contentType: known?.contentType ?? null,
        sizeBytes: known?.sizeBytes ?? null,
        basedOn: known?.basedOn ?? [],
        runId: known?.report?.runId ?? null,
        version: known?.report?.version ?? null,
        seq: known?.report?.seq ?? null,
        by: known?.by ?? null,
        at: time(known?.at ?? null),
        body: bodies.get(hash)?.toString('utf8') ?? null,
      };
    };
    return {
      documentId: state.documentId,
      account: state.account,
      current: text(state.current),
      conflicts: open.map((one) => ({ ...text(one.sha256), conflictsWith: one.conflictsWith })),
      resolved: state.conflicts.filter((one) => one.resolvedBy !== null).map((one) => ({ ...one, at: time(one.at) })),
    };
  };

  app.get('/v1/documents/:id', { schema: { params, response: { 200: documentSchema } } }, async (request) =>
    shown(await find(request)),
  );

  app.post(
    '/v1/documents/:id/resolutions',
    {
      config: { roles: ['integrator'] },
      schema: { params, body: resolution, response: { 200: documentSchema, 201: documentSchema } },
    },
    async (request, reply) => {
      const { id } = await find(request);
      const { basedOn, body, contentType } = request.body;
      checkText(body, 'body', maxBodyBytes);
      const { account } = request.principal;
      const bytes = Buffer.from(body);
      const said = (await api.submit({
        type: 'resolve',
        id,
        basedOn,
        body: bytes,
        contentType,
        account,
      })) as Resolution;
      if (said === 'unknown_document') throw unknown();
      if (said === 'moved')
        throw new Refusal(
          'version_conflict',
          'basedOn must be the text that holds now and one that is in conflict with it',
          'basedOn',
        );
      return reply.status(said === 'resolved' ? 201 : 200).send(await shown(await find(request)));
    },
  );
};
