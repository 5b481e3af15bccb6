import { Type } from 'typebox';
import type { Principal } from '../platform/auth';
import { Refusal } from '../platform/errors';
import { listOf, page, problem, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import {
  listOfSchema,
  queuedSchema,
  runSchema,
  standingSchema,
  steeredSchema,
  taskSchema,
  turnSchema,
} from './answers';
import { blobs } from './keys';
import { conversationIdOf, type ExecutorMessage } from './messages';
import { terminalStatuses } from './run-status';
import { isRun, isTerminal, liveStatuses, type Run } from './state';
import { findRun, findTask, isDue, listRuns, listTurns, loadBlobs, queued, sealedInput, type StoredRun } from './store';
import { purgeRoutes } from './http-purge';
import { openTurnView, runView, turnView } from './view';
import { waitingFor } from './waiting-for';

const params = Type.Object({ runId: Type.String({ maxLength: 128 }) });
const reason = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 1_000 }) },
  { additionalProperties: false },
);
const states: readonly string[] = [...liveStatuses, ...terminalStatuses];

/** Operators read everything of their tenant; everybody else their own. Null = no limit to one account. */
const accountOf = (who: Principal): string | null => (who.roles.has('operator') ? null : who.account);

/** Why a run has to wait in the queue, for people. */
const reasonOf = (run: Run): string => {
  const [hold] = run.holds;
  if (hold !== undefined)
    return `${hold.kind === 'dependency' ? 'needs the report of' : 'waits for the end of'} ${hold.runId}`;
  if (run.behind !== null) return `waits behind ${run.behind} of its conversation`;
  if (run.slot?.state === 'waiting') return `no place free in ${run.slot.blockedBy ?? run.slot.counters.join(', ')}`;
  return 'no room in any process at the moment';
};

export const routes = (app: Http, api: Api<ExecutorMessage>): void => {
  const { pool } = api;

  /** Another account's run is answered exactly as one that does not exist. */
  const seen = async (who: Principal, runId: string): Promise<{ readonly run: Run; readonly revision: number }> => {
    const found = await findRun(pool, runId);
    const visible =
      found !== undefined &&
      isRun(found.row) &&
      found.row.tenant === who.tenant &&
      (accountOf(who) === null || found.row.account === who.account);
    if (!visible) throw new Refusal('unknown_run', 'no such run', 'runId');
    return { run: found.row as Run, revision: found.revision };
  };

  const refsOf = (run: Run): readonly string[] =>
    // The texts of versions are shown of ended runs too.
    isTerminal(run.status)
      ? [...run.requirements.history, ...run.requirements.texts].flatMap(({ text }) =>
          text.inline === null ? [text.ref] : [],
        )
      : blobs(
          { type: 'tick', kind: 'run', id: run.runId },
          { get: <S>() => run as S, revision: () => 1, blob: () => undefined },
        );

  const shown = async ({
    run,
    revision,
  }: {
    readonly run: Run;
    readonly revision: number;
  }): Promise<ReturnType<typeof runView>> => {
    const loaded = await loadBlobs(pool, refsOf(run));
    const missing = run.purgedAt === undefined ? '' : null;
    return runView(run, revision, (kept) => kept.inline ?? loaded.get(kept.ref)?.toString('utf8') ?? missing);
  };
  const shownRows = (rows: readonly StoredRun[]): Promise<ReturnType<typeof runView>[]> =>
    Promise.all(rows.flatMap(({ row, revision }) => (isRun(row) ? [shown({ run: row, revision })] : [])));

  app.get('/v1/runs/:runId', { schema: { params, response: { 200: runSchema } } }, async (request) =>
    shown(await seen(request.principal, request.params.runId)),
  );

  app.get(
    '/v1/runs/:runId/turns',
    { schema: { params, response: { 200: listOfSchema(turnSchema) } } },
    async (request) => {
      const { run } = await seen(request.principal, request.params.runId);
      const { limit, after } = page(request.query as never);
      if (after !== null && !/^\d{1,9}$/.test(after))
        throw new Refusal('field_invalid', 'after must be a turn number', 'after');
      const rows = await listTurns(pool, run.runId, after === null ? null : Number(after), limit + 1);
      const { items, next } = listOf(rows, limit, (row) => String(row.number));
      const open = after === null ? openTurnView(run) : null;
      return { items: [...(open === null ? [] : [open]), ...items.map(turnView)], next };
    },
  );

  app.get('/v1/runs/:runId/turns/:n/input', async (request, reply) => {
    const { runId, n } = request.params as { runId: string; n: string };
    const { run } = await seen(request.principal, runId);
    if (run.purgedAt !== undefined) throw new Refusal('content_purged', 'the content of this run was purged');
    const input = /^\d{1,9}$/.test(n) ? await sealedInput(pool, run.runId, Number(n)) : undefined;
    if (input === undefined) throw new Refusal('not_found', 'no such turn has been sealed', 'n');
    return reply.header('etag', `"${input.sha256}"`).type('application/json').send(input.bytes);
  });

  app.post('/v1/runs/:runId/resume', { schema: { params, response: { 200: standingSchema } } }, async (request) => {
    const { runId } = request.params;
    const standing = ({ run }: { readonly run: Run }) => ({
      runId,
      state: run.status,
      cause: run.cause,
      report: run.report,
    });
    const found = await seen(request.principal, runId);
    // An ended run executes nothing (R17); of the others only what is due by now moves, a lost owner's work above all.
    if (isTerminal(found.run.status) || !(await isDue(pool, runId))) return standing(found);
    await api.submit({ type: 'tick', kind: 'run', id: runId });
    return standing(await seen(request.principal, runId));
  });

  app.get('/v1/runs', { schema: { response: { 200: listOfSchema(runSchema) } } }, async (request) => {
    const asked = request.query as Record<string, string | undefined>;
    const { limit, after } = page(asked);
    if (after !== null && !/^run_[0-9a-f]{26}$/.test(after))
      throw new Refusal('field_invalid', 'after must be a runId', 'after');
    const olderThanSec = asked['olderThanSec'] === undefined ? null : Number(asked['olderThanSec']);
    if (olderThanSec !== null && (!Number.isInteger(olderThanSec) || olderThanSec < 0 || olderThanSec > 2_000_000_000))
      throw new Refusal('field_invalid', 'olderThanSec must be a whole number of seconds', 'olderThanSec');
    const state = asked['state'] ?? null;
    if (state !== null && !states.includes(state))
      throw new Refusal('field_invalid', `state must be one of ${states.join(', ')}`, 'state');
    const rows = await listRuns(pool, {
      tenant: request.principal.tenant,
      account: accountOf(request.principal),
      conversationId: asked['conversationId'] ?? null,
      taskId: asked['taskId'] ?? null,
      state,
      olderThanSec,
      after,
      limit: limit + 1,
    });
    const { items, next } = listOf(rows, limit, ({ row }) => row.runId);
    return { items: await shownRows(items), next };
  });

  app.get('/v1/tasks/:taskId', { schema: { response: { 200: taskSchema } } }, async (request) => {
    const { taskId } = request.params as { taskId: string };
    const who = request.principal;
    const task = await findTask(pool, taskId);
    if (task === undefined || task.tenant !== who.tenant || (accountOf(who) !== null && task.account !== who.account))
      throw new Refusal('not_found', 'no such task', 'taskId');
    const rows = await listRuns(pool, {
      tenant: who.tenant,
      account: accountOf(who),
      conversationId: null,
      taskId,
      state: null,
      olderThanSec: null,
      after: null,
      limit: 500,
    });
    return {
      taskId,
      conversationId: task.conversation_id,
      entity:
        task.entity_type === null || task.entity_id === null ? null : { type: task.entity_type, id: task.entity_id },
      title: task.title,
      createdAt: task.created_at.toISOString(),
      runs: await shownRows(rows),
    };
  });

  app.get('/v1/queue', { schema: { response: { 200: listOfSchema(queuedSchema) } } }, async (request) => {
    const rows = await queued(pool, request.principal.tenant, accountOf(request.principal));
    const items = rows
      .flatMap(({ row }) => (isRun(row) ? [row] : []))
      .sort((a, b) => a.order - b.order || (a.runId < b.runId ? -1 : 1))
      .map((run, index) => ({
        place: index + 1,
        runId: run.runId,
        conversationId: run.conversationId,
        priority: run.priority,
        enqueuedAt: new Date(run.enqueuedAt).toISOString(),
        reason: reasonOf(run),
        waitingFor: waitingFor(run),
      }));
    return { items, next: null };
  });

  purgeRoutes(app, api);

  for (const verb of ['cancel', 'release-lease', 'pause', 'resume'] as const)
    app.post(
      `/v1/ops/runs/:runId/${verb}`,
      { config: { roles: ['operator'] }, schema: { params, body: reason, response: { 200: steeredSchema } } },
      async (request, reply) => {
        const { run } = await seen(request.principal, request.params.runId);
        const answer = (await api.submit({
          type: 'steer',
          runId: run.runId,
          conversation: conversationIdOf(run),
          verb,
          reason: request.body.reason,
        })) as { state: string; code?: 'run_ended' };
        if (answer.code !== undefined) return problem(reply, 'run_ended', `the run is ${answer.state}`);
        return { runId: run.runId, state: answer.state };
      },
    );
};
