import { ListTasksRequest, taskStateFromJSON } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE, RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext, type A2ARequestHandler } from '@a2a-js/sdk/server';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isLegacy } from './call';

type Envelope = Record<string, unknown>;
export type Answer = Envelope | AsyncGenerator<Envelope, void, undefined>;

export const isStream = (answer: Answer): answer is AsyncGenerator<Envelope, void, undefined> =>
  Symbol.asyncIterator in answer;

export const parseError: Envelope = {
  jsonrpc: '2.0',
  id: null,
  error: { code: A2A_ERROR_CODE.PARSE_ERROR, message: 'the body is not valid JSON' },
};

const file = Type.Union([Type.Object({ bytes: Type.String() }), Type.Object({ uri: Type.String() })]);
/** The SDK reads a message of the earlier version without looking at what its parts hold. */
const sending = Type.Object({
  message: Type.Object({
    messageId: Type.String({ minLength: 1 }),
    role: Type.Union([Type.Literal('user'), Type.Literal('agent')]),
    parts: Type.Array(
      Type.Union([
        Type.Object({ kind: Type.Literal('text'), text: Type.String() }),
        Type.Object({ kind: Type.Literal('data'), data: Type.Record(Type.String(), Type.Unknown()) }),
        Type.Object({ kind: Type.Literal('file'), file }),
      ]),
      { minItems: 1 },
    ),
    taskId: Type.Optional(Type.String()),
    contextId: Type.Optional(Type.String()),
    referenceTaskIds: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  configuration: Type.Optional(
    Type.Object({
      blocking: Type.Optional(Type.Boolean()),
      historyLength: Type.Optional(Type.Integer({ minimum: 0 })),
      acceptedOutputModes: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});

const sends: ReadonlySet<unknown> = new Set(['message/send', 'message/stream']);
const listing = 'tasks/list';

const legacyStates: Readonly<Record<string, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
};

interface StatusUpdate {
  readonly kind?: string;
  readonly status?: { readonly state?: string };
}

/** In the earlier version the event that leaves the turn to the client ends the stream, so it says so. */
const withFinal = (envelope: Envelope): Envelope => {
  const result = envelope['result'] as StatusUpdate | undefined;
  return result?.kind === 'status-update' && result.status?.state === 'input-required'
    ? { ...envelope, result: { ...result, final: true } }
    : envelope;
};

async function* finals(stream: AsyncGenerator<Envelope, void, undefined>): AsyncGenerator<Envelope, void, undefined> {
  for await (const envelope of stream) yield withFinal(envelope);
}

export interface JsonRpc {
  readonly handle: (body: unknown, context: ServerCallContext) => Promise<Answer>;
  readonly errorOf: (error: unknown, context: ServerCallContext) => Envelope;
}

export const openJsonRpc = (handler: A2ARequestHandler): JsonRpc => {
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  const current = new JsonRpcTransportHandler(handler);

  const errorOf: JsonRpc['errorOf'] = (error, context) =>
    (isLegacy(context)
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error as Error)
      : JsonRpcTransportHandler.mapToJSONRPCError(error as Error)) as unknown as Envelope;

  /** The earlier version has the method on paper; its SDK does not, so the tasks are only put into its form here. */
  const list = async (params: unknown, context: ServerCallContext): Promise<unknown> => {
    const { status, ...asked } = (params ?? {}) as Record<string, unknown>;
    const state = status === undefined ? undefined : (legacyStates[String(status)] ?? String(status));
    const request = {
      ...ListTasksRequest.fromJSON(asked),
      ...(state === undefined ? {} : { status: taskStateFromJSON(state) }),
    };
    const { tasks, ...rest } = await handler.listTasks(request, context);
    const inForm = tasks.map((task) =>
      new LegacyRestTransportHandler({ ...handler, getTask: () => Promise.resolve(task) }).getTask(task.id, context),
    );
    return { tasks: await Promise.all(inForm), ...rest };
  };

  const handleLegacy = async (body: unknown, context: ServerCallContext): Promise<Answer> => {
    const { id = null, jsonrpc, method, params } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
    const refused = (error: Error): Envelope => ({ jsonrpc: '2.0', id, error: errorOf(error, context) });
    const isRequest = jsonrpc === '2.0' && (id === null || typeof id === 'string' || Number.isInteger(id));
    if (isRequest && sends.has(method) && !Value.Check(sending, params)) {
      const [issue] = Value.Errors(sending, params);
      return refused(
        new RequestMalformedError(
          `params${issue?.instancePath.replaceAll('/', '.') ?? ''}: ${issue?.message ?? 'invalid'}`,
        ),
      );
    }
    if (isRequest && method === listing) {
      try {
        return { jsonrpc: '2.0', id, result: await list(params, context) };
      } catch (error) {
        return refused(error as Error);
      }
    }
    const answer = (await legacy.handle(body as never, context)) as unknown as Answer;
    if (isStream(answer)) return finals(answer);
    return isRequest ? answer : { ...answer, id: typeof id === 'object' ? null : id };
  };

  return {
    errorOf,
    handle: async (body, context) => {
      const { id = null, method } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
      // The method's name tells the version where the header was left out.
      const named =
        typeof method === 'string' &&
        context.requestedVersion === '0.3' &&
        isV1JsonRpcMethod(method) &&
        !isLegacyJsonRpcMethod(method);
      if (named)
        return (await current.handle(
          body as never,
          new ServerCallContext({ state: context.state, requestedVersion: '1.0' }),
        )) as unknown as Answer;
      if (!isLegacy(context) && context.requestedVersion !== '1.0')
        return {
          jsonrpc: '2.0',
          id,
          error: errorOf(
            new VersionNotSupportedError(`this address speaks 1.0 and 0.3, not ${context.requestedVersion}`),
            context,
          ),
        };
      if (isLegacy(context)) return handleLegacy(body, context);
      return (await current.handle(body as never, context)) as unknown as Answer;
    },
  };
};
