import type { IncomingMessage, ServerResponse } from 'node:http';
import { ListTasksRequest, ListTasksResponse, taskStateFromJSON } from '@a2a-js/sdk';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { restStatusFor } from '@a2a-js/sdk/errors';
import { restHandler } from '@a2a-js/sdk/server/express';
import { UnauthenticatedUser, type A2ARequestHandler } from '@a2a-js/sdk/server';
import express from 'express';
import { callAt, contextOf, isLegacy } from './call';

/** Who speaks is checked before a request comes here, so the SDK need not know. */
const userBuilder = (): Promise<UnauthenticatedUser> => Promise.resolve(new UnauthenticatedUser());

const waitsForClient = '"state":"TASK_STATE_INPUT_REQUIRED"';

/** In the earlier version the event that leaves the turn to the client ends the stream, so it says so. */
const sayFinal = (response: ServerResponse): void => {
  const write = response.write.bind(response) as (chunk: unknown, ...more: unknown[]) => boolean;
  response.write = ((chunk: unknown, ...more: unknown[]) => {
    if (typeof chunk !== 'string' || !chunk.startsWith('data: {"statusUpdate"') || !chunk.includes(waitsForClient))
      return write(chunk, ...more);
    const event = JSON.parse(chunk.slice('data: '.length)) as { statusUpdate: Record<string, unknown> };
    return write(`data: ${JSON.stringify({ statusUpdate: { ...event.statusUpdate, final: true } })}\n\n`, ...more);
  }) as ServerResponse['write'];
};

/** An error is told in the form of AIP-193, whose media type is plain JSON. */
const sayErrorsAsJson = (response: ServerResponse): void => {
  const writeHead = response.writeHead.bind(response) as (...told: unknown[]) => ServerResponse;
  response.writeHead = ((status: number, ...more: unknown[]) => {
    if (status >= 400 && String(response.getHeader('content-type')).startsWith('application/a2a+json'))
      response.setHeader('content-type', 'application/json; charset=utf-8');
    return writeHead(status, ...more);
  }) as ServerResponse['writeHead'];
};

interface LegacyTask {
  readonly status?: { readonly state?: string; readonly message?: unknown };
  readonly history?: readonly unknown[];
}

/** A message of the earlier version calls its parts content, and cancelled has two l. */
const messageInLegacy = (message: unknown): unknown => {
  const { parts, ...rest } = message as { readonly parts?: unknown };
  return { ...rest, content: parts };
};
const taskInLegacy = (task: unknown): unknown => {
  const { status, history, ...rest } = task as LegacyTask;
  const state = status?.state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : status?.state;
  const { message, ...told } = status ?? {};
  return {
    ...rest,
    status: { ...told, state, ...(message === undefined ? {} : { update: messageInLegacy(message) }) },
    ...(history === undefined ? {} : { history: history.map(messageInLegacy) }),
  };
};

const referencesOf = (body: unknown): string[] => {
  const { message } = (typeof body === 'object' && body !== null ? body : {}) as { readonly message?: unknown };
  const { referenceTaskIds } = (typeof message === 'object' && message !== null ? message : {}) as {
    readonly referenceTaskIds?: unknown;
  };
  return Array.isArray(referenceTaskIds) ? referenceTaskIds.filter((id) => typeof id === 'string') : [];
};

export interface Rest {
  /** Answers the request by the SDK's own routes; its body has been read already. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, body: unknown, legacy: boolean) => void;
}

/** The HTTP+JSON binding of both versions, as the SDK has it: for Express, which is a function of request and answer. */
export const openRest = (handler: A2ARequestHandler): Rest => {
  const app = express();
  app.disable('x-powered-by');
  // On paper the earlier version has this list too; its SDK has it only in the later one's form.
  app.get('/a2a/v1/tasks', (request, response, next) => {
    if (!isLegacy(contextOf(request.headers))) return next();
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    const { status, ...asked } = Object.fromEntries(query);
    const params = {
      ...ListTasksRequest.fromJSON({
        ...asked,
        pageSize: query.has('pageSize') ? Number(query.get('pageSize')) : undefined,
        historyLength: query.has('historyLength') ? Number(query.get('historyLength')) : undefined,
        includeArtifacts: query.get('includeArtifacts') === 'true',
      }),
      ...(status === undefined ? {} : { status: taskStateFromJSON(status) }),
    };
    handler.listTasks(params, contextOf(request.headers)).then(
      (list) => {
        const { tasks = [], ...rest } = ListTasksResponse.toJSON(list) as { readonly tasks?: readonly unknown[] };
        response.json({ nextPageToken: '', ...rest, tasks: tasks.map(taskInLegacy) });
      },
      (error: unknown) =>
        void response
          .status(restStatusFor(error))
          .json(LegacyRestTransportHandler.mapToLegacyHTTPError(error as Error)),
    );
  });
  app.use('/a2a', restHandler({ requestHandler: handler, userBuilder, legacyCompat: { enabled: true } }));
  app.use((request, response) => {
    response
      .status(404)
      .type('application/problem+json')
      .json({
        type: 'about:blank',
        title: 'no such route or entry',
        status: 404,
        code: 'not_found',
        detail: `no route ${request.method} ${request.path}`,
      });
  });
  return {
    handle: (request, response, body, legacy) => {
      if (body !== undefined) Object.assign(request, { body });
      if (legacy) {
        sayFinal(response);
        callAt(request.headers).references = referencesOf(body);
      } else sayErrorsAsJson(response);
      app(request, response);
    },
  };
};
