import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { checkText } from '../platform/content';
import { Refusal } from '../platform/errors';
import { issueOf, problem, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import { signatureHeader, verifies } from '../platform/signature';
import { excerptOf } from './call';
import type { CallbackAnswer } from './decide-callback';
import type { Message } from './messages';

const bodyLimitBytes = 256 * 1024;

const body = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: 200 }),
  actionKey: Type.String({ minLength: 1, maxLength: 600 }),
  state: Type.Union([Type.Literal('succeeded'), Type.Literal('failed'), Type.Literal('pending')]),
  receipt: Type.Optional(Type.Unknown()),
});

export interface CallbackDeps {
  /** Null for a connector that is not configured, or takes no callbacks. */
  readonly callbackOf: (connector: string) => { readonly tenant: string; readonly secret: string | null } | null;
  /** The database's clock. */
  readonly now: () => Promise<number>;
}

const parsed = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    throw new Refusal('malformed', 'the body is not valid JSON', 'body');
  }
};

/** A remote reports by itself. Its proof covers the very bytes, so they are read before anything is made of them (E10). */
export const callbackRoutes = (app: Http, api: Api<Message>, deps: CallbackDeps): void => {
  void app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    raw.post<{ Params: { connector: string } }>(
      '/v1/callbacks/:connector',
      { config: { open: true }, bodyLimit: bodyLimitBytes },
      async (request, reply) => {
        const { connector } = request.params;
        const known = deps.callbackOf(connector);
        if (known === null) return problem(reply, 'not_found', `no connector ${connector} takes callbacks`);
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const header = request.headers[signatureHeader];
        const now = await deps.now();
        if (
          known.secret === null ||
          !verifies(typeof header === 'string' ? header : undefined, known.secret, bytes, now)
        )
          return problem(reply, 'unauthenticated', 'the signature does not fit, or its time is too far away');
        const value = parsed(bytes);
        const [issue] = Value.Errors(body, value);
        if (issue !== undefined) {
          const { code, field } = issueOf(issue as never);
          throw new Refusal(code, `${field}: ${issue.message}`, field);
        }
        const { eventId, actionKey, state, receipt } = value as {
          eventId: string;
          actionKey: string;
          state: 'succeeded' | 'failed' | 'pending';
          receipt?: unknown;
        };
        for (const [field, text] of Object.entries({ eventId, actionKey })) checkText(text, field, bodyLimitBytes);
        const { tenant } = known;
        const kept =
          receipt == null ? null : excerptOf(typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
        if (kept !== null) checkText(kept, 'receipt', bodyLimitBytes);
        const said = (await api.submit({
          type: 'callback',
          connector,
          tenant,
          eventId,
          actionKey,
          state,
          receipt: kept,
        })) as CallbackAnswer;
        if (said === 'unknown_action') return problem(reply, 'unknown_action', `no action ${actionKey}`);
        return reply.status(said === 'taken' ? 202 : 200).send({ eventId, actionKey, duplicate: said === 'repeated' });
      },
    );
  });
};
