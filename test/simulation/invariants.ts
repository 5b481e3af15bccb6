import type {
  AmendRun,
  ControlRun,
  FenceAcknowledged,
  MessageStored,
  PublishReport,
  ReceiptIssued,
  StartRun,
  SupersedeVersion,
} from '../../schemas/generated/records';
import { isSettled, movesForward, stageOf } from '../../services/admission/receipts';
import type { Conversation, Message } from '../../services/admission/state';
import { fenceIdOf, type Action } from '../../services/effect-ledger/state';
import type { Interaction } from '../../services/hil/state';
import type { Document } from '../../services/publication/document';
import type { ReportRun, Stream } from '../../services/publication/state';
import type { Tree } from '../../services/run-executor/tree-state';
import { isRun, isTerminal, type Run, type RunRow } from '../../services/run-executor/state';
import type { Source } from '../../schemas/turn-protocol/output';
import type { Slots } from '../../services/run-executor/slots';
import { waitingFor } from '../../services/run-executor/waiting-for';
import { forgetsAfterMs } from './configuration';
import { decideAgain, readAgain, remember, type Past } from './history';
import { all, changes, facts, runChanges, runsOf, stateOf } from './looking';
import { serviceNames } from './services';
import { difference, readOn, snapshotOf } from './snapshots';
import type { Watch, World } from './world';

/** A rule that was broken, named so that a mutation can say which one it expects. */
export class Violation extends Error {
  constructor(
    readonly invariant: string,
    detail: string,
  ) {
    super(`${invariant}: ${detail}`);
  }
}

type Broken = (detail: string) => never;
type Invariant = (broken: Broken) => Watch;

/** By value: what a store gave back and what a decision has just made come from different parsers. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A whole past costs as much again, so that it is decided twice in some worlds only. */
const livesTwice = (world: World): boolean => world.seed % 4 === 1;

/** What its sender called a message. */
const idOfMessage = (world: World, messageId: string): string | undefined =>
  stateOf<Message>(world, 'admission', 'message', messageId)?.clientMessageId;

const unattempted: ReadonlySet<string> = new Set(['failed', 'denied', 'withdrawn']);

export const invariants = {
  'A1 one identity, one message, one run': (broken) => {
    const stored = new Set<string>();
    const runs = new Map<string, string>();
    return {
      commit: (commit) => {
        for (const { messageId } of facts<MessageStored>(commit, 'MessageStored'))
          if (stored.size === stored.add(messageId).size) broken(`${messageId} was stored twice`);
        for (const { before, after } of runChanges(commit)) {
          if (before !== undefined && (after.turns < before.turns || after.enqueuedAt !== before.enqueuedAt))
            broken(`${after.runId} began anew`);
          if (after.spawned !== null) continue;
          const known = runs.get(after.messageId);
          if (known !== undefined && known !== after.runId)
            broken(`${after.messageId} started ${known} and ${after.runId}`);
          runs.set(after.messageId, after.runId);
        }
      },
    };
  },

  'A2 a repeated message gets the receipt of the first': (broken) => {
    const newest = new Map<string, ReceiptIssued>();
    return {
      commit: (commit, world) => {
        for (const receipt of facts<ReceiptIssued>(commit, 'ReceiptIssued')) {
          const { messageId, duplicate, revision, status } = receipt;
          if (messageId !== null && (newest.get(messageId)?.revision ?? 0) <= revision) newest.set(messageId, receipt);
          if (!duplicate || commit.items.length > 1) continue;
          const known = stateOf<Message>(world, 'admission', 'message', messageId ?? '')?.receipt;
          if (known?.status !== status || known.revision !== revision)
            broken(`${receipt.clientMessageId}: ${status} instead of ${known?.status}`);
        }
      },
      end: (world) => {
        for (const { id, state } of all<Message>(world, 'admission', 'message'))
          if (newest.get(id)?.status !== state.receipt.status)
            broken(`${id}: told ${newest.get(id)?.status}, stored ${state.receipt.status}`);
      },
    };
  },

  'A6 words that were refused reach no agent': (broken) => {
    const sealed: string[] = [];
    return {
      commit: ({ rows }) => {
        for (const { table, values } of rows) if (table === 'inputs') sealed.push(String(values['bytes']));
      },
      end: (world) => {
        for (const { state } of all<Message>(world, 'admission', 'message')) {
          if (!['refused', 'version_conflict'].includes(state.receipt.status)) continue;
          if (sealed.some((input) => input.includes(`«${state.clientMessageId}»`)))
            broken(`${state.clientMessageId} was ${state.receipt.status}, and an agent has read it`);
        }
        // Of two contents under one id the first that is admitted counts, and only that.
        const read = (words: string): boolean => sealed.some((input) => input.includes(words));
        for (const { clientMessageId } of world.said)
          if (read(`«not ${clientMessageId}»`) && read(`«${clientMessageId}»`))
            broken(`an agent has read what conflicts with ${clientMessageId}`);
      },
    };
  },

  'A10 words meant for a question start and change nothing': (broken) => ({
    commit: (commit, world) => {
      const words = new Set(
        world.said.filter(({ relation }) => relation === 'CLARIFICATION').map((one) => one.clientMessageId),
      );
      for (const record of [
        ...facts<StartRun>(commit, 'StartRun'),
        ...facts<AmendRun>(commit, 'AmendRun'),
        ...facts<ControlRun>(commit, 'ControlRun'),
      ])
        if (words.has(record.clientMessageId)) broken(`${record.clientMessageId} becomes ${record.eventId}`);
    },
  }),

  'A14 a run that depends on another starts after its report': (broken) => ({
    commit: (commit, world) => {
      for (const { before, after } of runChanges(commit)) {
        if (after.startedAt === null || (before !== undefined && before.startedAt !== null)) continue;
        const said = world.said.find((one) => one.clientMessageId === idOfMessage(world, after.messageId));
        if (said?.dependsOnRunId == null || after.spawned !== null || after.relation !== 'new_task') continue;
        const other = stateOf<ReportRun>(world, 'publication', 'report_run', said.dependsOnRunId);
        if (!(other?.reports ?? []).some((one) => one.sha256 === after.dependency?.sha256))
          broken(`${after.runId} starts without the report of ${said.dependsOnRunId}`);
      }
    },
  }),

  'A16 what was cancelled before it came is never begun': (broken) => ({
    commit: (commit) => {
      // Of several messages at once one may have refused the cancel.
      if (commit.items.length !== 1) return;
      for (const { id, before, after } of changes<RunRow>(commit, 'run-executor', 'run')) {
        if (before?.status !== 'awaited' || before.until === null || !isRun(after)) continue;
        const cancelled = before.cancels.some(({ status }) => status !== 'refused');
        if (cancelled && (after.startedAt !== null || after.turns > 0)) broken(`${id} was begun`);
      }
    },
    end: (world) => {
      for (const { id, state } of all<Message>(world, 'admission', 'message')) {
        if (state.receipt.status !== 'cancelled_before_start') continue;
        const run = stateOf<RunRow>(world, 'run-executor', 'run', state.receipt.runId ?? '');
        if (isRun(run) && (run.startedAt !== null || run.turns > 0)) broken(`${id} was begun`);
      }
    },
  }),

  'A13 a queued run waits for the earlier ones of its conversation': (broken) => ({
    commit: (commit, world) => {
      if (commit.items.length !== 1) return;
      for (const { before, after } of runChanges(commit)) {
        const starts = after.startedAt !== null && (before === undefined || before.startedAt === null);
        if (!starts || after.mode !== 'queue' || after.spawned !== null) continue;
        for (const other of runsOf(world))
          if (
            other.runId !== after.runId &&
            other.spawned === null &&
            other.tenant === after.tenant &&
            other.account === after.account &&
            other.conversationId === after.conversationId &&
            other.enqueuedAt < after.enqueuedAt &&
            ['queued', 'running', 'waiting', 'pausing', 'publishing', 'closing'].includes(other.status) &&
            other.order < after.order
          )
            broken(`${after.runId} starts although ${other.runId} is ${other.status}`);
      }
    },
  }),

  'A17 every submission gets a receipt': (broken) => {
    const told = new Set<string>();
    return {
      commit: (commit) => {
        for (const { account, clientMessageId } of facts<ReceiptIssued>(commit, 'ReceiptIssued'))
          told.add(`${account} ${clientMessageId}`);
      },
      end: (world) => {
        for (const { account, clientMessageId } of world.said)
          if (!told.has(`${account} ${clientMessageId}`)) broken(`${clientMessageId} of ${account} was never answered`);
      },
    };
  },

  'R25 a receipt only moves forward': (broken) => ({
    commit: (commit) => {
      for (const { id, before, after } of changes<Message>(commit, 'admission', 'message'))
        if (
          before !== undefined &&
          before.receipt.status !== after.receipt.status &&
          !movesForward(before.receipt.status, after.receipt.status)
        )
          broken(`${id} went from ${before.receipt.status} to ${after.receipt.status}`);
    },
  }),

  'R25 every admitted message ends decided': (broken) => ({
    end: (world) => {
      for (const { id, state } of all<Message>(world, 'admission', 'message')) {
        const { status, runId, relation } = state.receipt;
        // A queued run that failed or ran out of time never started; its message is told its end under the same status.
        const run = stateOf<RunRow>(world, 'run-executor', 'run', runId ?? '');
        const unstarted = isRun(run) && run.startedAt === null && isTerminal(run.status) && run.status !== 'cancelled';
        if (status === 'run_queued' && unstarted) continue;
        if (!isSettled(status) || stageOf(status) < 2)
          broken(`${id} (${state.clientMessageId}, ${relation}) ends as ${status}`);
      }
    },
  }),

  'R6 every received update is told its fate': (broken) => ({
    end: (world) => {
      for (const { id, state } of all<Message>(world, 'admission', 'message'))
        if (['update_received', 'event_merged', 'event_unconfirmed'].includes(state.receipt.status))
          broken(`${id} was received and never heard of again`);
      for (const run of runsOf(world))
        if (run.pending.length > 0) broken(`${run.runId} ended ${run.status} with updates pending`);
    },
  }),

  'A15 an event reaches runs of its own entity only': (broken) => ({
    commit: (commit, world) => {
      for (const { after } of runChanges(commit))
        for (const update of after.pending) {
          if (update.kind !== 'entity_event') continue;
          const said = world.said.find(
            (one) => one.clientMessageId === update.clientMessageId && one.account === after.account,
          );
          if (said?.entityType !== after.entity?.type || said?.entityId !== after.entity?.id)
            broken(`${update.clientMessageId} about ${said?.entityId} reached a run about ${after.entity?.id}`);
        }
    },
  }),

  'A11 only an end that can be continued is continued': (broken) => ({
    commit: (commit, world) => {
      for (const { before, after } of runChanges(commit)) {
        if (before !== undefined || after.continuationOfRunId === null) continue;
        const parent = stateOf<Run>(world, 'run-executor', 'run', after.continuationOfRunId);
        if (!['completed', 'partial', 'interrupted'].includes(parent?.status ?? ''))
          broken(`${after.runId} goes on from a run that is ${parent?.status}`);
        if (after.grants.connectors.some((name) => parent?.grants.connectors.includes(name) !== true))
          broken(`${after.runId} may do more than the run it goes on from`);
      }
    },
  }),

  'R2 a stale amendment changes nothing': (broken) => ({
    commit: (commit) => {
      if (commit.items.length !== 1) return;
      const message = commit.items[0]?.message as { type: string; record: { expectedVersion: number } };
      if (message.type !== 'amend') return;
      for (const { before, after } of runChanges(commit))
        if (
          before !== undefined &&
          after.requirements.version > before.requirements.version &&
          message.record.expectedVersion !== before.requirements.version
        )
          broken(
            `${after.runId}: an amendment of v${message.record.expectedVersion} was taken at v${before.requirements.version}`,
          );
    },
  }),

  'R4 nothing older becomes current once a newer version was received': (broken) => {
    const announced = new Map<string, number>();
    return {
      commit: (commit, world) => {
        for (const { version, runId, status, attempt } of facts<PublishReport>(commit, 'PublishReport')) {
          const current = stateOf<Run>(world, 'run-executor', 'run', runId)?.requirements.version ?? 0;
          if (attempt === 1 && status !== 'late' && commit.items.length === 1 && version < current)
            broken(`${runId} publishes v${version} as ${status} although v${current} was received`);
        }
        for (const { message } of commit.items) {
          const { type, record } = message as { type: string; record: SupersedeVersion };
          if (commit.service === 'publication' && type === 'supersede')
            announced.set(record.runId, Math.max(record.version, announced.get(record.runId) ?? 0));
        }
        if (commit.items.length !== 1) return;
        for (const { id, before, after } of changes<ReportRun>(commit, 'publication', 'report_run'))
          if (!same(before?.current ?? null, after.current) && (after.current?.version ?? 0) < (announced.get(id) ?? 0))
            broken(`v${after.current?.version} of ${id} becomes current after v${announced.get(id)} was announced`);
      },
      end: (world) => {
        for (const run of runsOf(world))
          if (run.report !== null && run.report.version < run.requirements.version)
            broken(
              `${run.runId} completed with v${run.report.version} although v${run.requirements.version} was received`,
            );
      },
    };
  },

  'R9 each change of version is written down': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        if (before === undefined) continue;
        const kept = after.transitions.slice(0, before.transitions.length);
        if (!same(kept, before.transitions)) broken(`${after.runId} rewrites its transitions`);
        if (
          before.appliedVersion > 0 &&
          after.appliedVersion > before.appliedVersion &&
          after.transitions.length === before.transitions.length
        )
          broken(`${after.runId} applies v${after.appliedVersion} and does not say what it left behind`);
      }
    },
  }),

  'R22 what a report rests on is what its run has': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        if (after.status !== 'publishing' || before?.status === 'publishing') continue;
        const gated = after.publications.find(
          ({ version, seq }) => version === after.gated?.version && seq === after.gated.seq,
        );
        for (const { callId, actionKey } of JSON.parse(gated?.sources ?? '[]') as Source[]) {
          const call = after.calls.find((one) => one.callId === callId);
          if (callId !== undefined && call?.status !== 'done') broken(`${after.runId} cites ${callId}`);
          // What a child did is not known by key.
          if (actionKey === undefined || after.children.length > 0) continue;
          if (!after.actions.some((one) => one.actionKey === actionKey)) broken(`${after.runId} cites ${actionKey}`);
        }
      }
    },
  }),

  'R22 nothing that holds a report is open when it passes the gate': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        if (after.status !== 'publishing' || before?.status === 'publishing') continue;
        const gated = after.publications.find(
          (one) => one.version === after.gated?.version && one.seq === after.gated.seq,
        );
        // What it reports as unsettled was unknown at the gate. That it is sent again meanwhile (E5) may be heard in the
        // same transaction, behind the report.
        const action = after.actions.find(
          (one) =>
            ['proposing', 'proposed', 'awaiting_approval', 'admitted', 'sending'].includes(one.status) &&
            gated?.unsettledActions.includes(one.actionKey ?? one.proposalId) !== true,
        );
        const question = after.questions.find((one) => one.holdsReport && ['asking', 'open'].includes(one.status));
        const child = after.children.find((one) => one.state === null);
        if (action !== undefined) broken(`${after.runId} reports while ${action.proposalId} is ${action.status}`);
        if (question !== undefined) broken(`${after.runId} reports while ${question.questionId} is ${question.status}`);
        if (child !== undefined) broken(`${after.runId} reports while ${child.childId} works`);
        if ((after.gated?.version ?? 0) < after.requirements.version)
          broken(`${after.runId} reports v${after.gated?.version} at v${after.requirements.version}`);
      }
    },
  }),

  'R25 whoever was asked has answered in the end': (broken) => ({
    end: (world) => {
      for (const run of runsOf(world))
        for (const request of run.requests) broken(`${run.runId} still asks for ${request.id}`);
      for (const name of serviceNames) {
        const rows = [...world.services[name].outbox.values()].flat();
        if (rows.length > 0) broken(`${name} has not sent ${rows[0]?.eventId}`);
      }
    },
  }),

  'P1 the current pointer never moves back': (broken) => ({
    commit: (commit) => {
      for (const { id, before, after } of changes<ReportRun>(commit, 'publication', 'report_run')) {
        const from = before?.current ?? null;
        const to = after.current;
        if (from === null) continue;
        if (to === null || to.version < from.version || (to.version === from.version && to.seq < from.seq))
          broken(`${id}: from ${JSON.stringify(from)} to ${JSON.stringify(to)}`);
      }
    },
  }),

  'P4 a run completes only with its report published': (broken) => ({
    commit: (commit, world) => {
      for (const { after } of runChanges(commit)) {
        if (after.status !== 'completed') continue;
        const kept = stateOf<ReportRun>(world, 'publication', 'report_run', after.runId)?.reports ?? [];
        if (!kept.some((one) => one.sha256 === after.report?.sha256 && one.accepted))
          broken(`${after.runId} has no published report`);
      }
    },
  }),

  'E1 an effect happens at most once': (broken) => ({
    effect: (actionKey, world) => {
      const count = world.remote.effects.get(actionKey) ?? 0;
      if (count > 1) broken(`${actionKey} happened ${count} times`);
    },
  }),

  'E5 nothing is sent again where the remote may have forgotten the key': (broken) => ({
    commit: (commit) => {
      for (const { id, before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
        if (after.attempts.length === (before?.attempts.length ?? 0)) continue;
        const first = after.attempts.slice(0, -1).find((one) => one.outcome !== 'not_sent');
        if (first === undefined) continue;
        const knownMs = forgetsAfterMs.get(after.connector) ?? 0;
        if (commit.now >= first.startedAt + knownMs)
          broken(`${id} is sent again ${commit.now - first.startedAt} ms after its first attempt`);
      }
    },
  }),

  'E8 a settled outcome is never overwritten': (broken) => {
    const may: Readonly<Record<string, readonly string[]>> = {
      succeeded: ['succeeded', 'disputed'],
      failed: ['failed', 'disputed'],
      denied: ['denied'],
      withdrawn: ['withdrawn'],
    };
    return {
      commit: (commit) => {
        if (commit.items.length !== 1) return;
        for (const { id, before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
          const allowed = may[before?.standing.status ?? ''];
          if (allowed !== undefined && !allowed.includes(after.standing.status))
            broken(`${id} was ${before?.standing.status} and is ${after.standing.status}`);
          if (before !== undefined && !same(after.evidence.slice(0, before.evidence.length), before.evidence))
            broken(`${id} has lost evidence`);
        }
      },
    };
  },

  'E9 only a confirmed success is compensated, once, with a person’s word': (broken) => ({
    commit: (commit, world) => {
      for (const { id, before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
        const original = after.compensation?.of;
        if (original == null) continue;
        const { status } = stateOf<Action>(world, 'effect-ledger', 'action', original)?.standing ?? {};
        if (before === undefined && status !== 'succeeded') broken(`${id} compensates ${original}, which is ${status}`);
        if (after.approval === null) broken(`${id} compensates without anybody's word`);
      }
    },
  }),

  'E3 a settled outcome is what happened': (broken) => ({
    end: (world) => {
      for (const { id, state } of all<Action>(world, 'effect-ledger', 'action')) {
        const happened = world.remote.effects.has(id);
        // A person's word is recorded as such, and people are wrong at times (E6).
        if (state.evidence.some((one) => one.by === 'attestation')) continue;
        if (state.standing.status === 'succeeded' && !happened) broken(`${id} counts as done and was not`);
        if (unattempted.has(state.standing.status) && happened)
          broken(`${id} counts as ${state.standing.status} and was done`);
        if (
          ['proposed', 'awaiting_approval', 'admitted', 'sending', 'unknown', 'disputed'].includes(
            state.standing.status,
          )
        )
          broken(`${id} is still ${state.standing.status} at the end of time`);
      }
    },
  }),

  'E7 nothing starts behind an acknowledged fence': (broken) => {
    const fences = new Map<string, { minVersion: number; mode: string }>();
    return {
      commit: (commit) => {
        if (commit.service !== 'effect-ledger') return;
        for (const { before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
          const fence = fences.get(fenceIdOf(after));
          if (fence === undefined || after.attempts.length === (before?.attempts.length ?? 0)) continue;
          if (fence.mode === 'closed' || after.requirementsVersion < fence.minVersion)
            broken(`${after.actionKey} of v${after.requirementsVersion} starts behind ${JSON.stringify(fence)}`);
        }
        for (const { runId, minVersion, mode } of facts<FenceAcknowledged>(commit, 'FenceAcknowledged'))
          fences.set(runId, { minVersion, mode });
      },
    };
  },

  'R15 nothing of an ended run starts': (broken) => ({
    commit: (commit, world) => {
      for (const { before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
        // A compensation has a fence of its own, and may start when the run is over (E9).
        if (after.compensation != null || after.attempts.length === (before?.attempts.length ?? 0)) continue;
        const run = stateOf<RunRow>(world, 'run-executor', 'run', after.runId);
        if (isRun(run) && isTerminal(run.status)) broken(`${after.actionKey} starts although its run is ${run.status}`);
      }
    },
  }),

  'H2 adopted implies answered implies published': (broken) => ({
    commit: (commit, world) => {
      for (const { id, after } of changes<Interaction>(commit, 'hil', 'interaction')) {
        if (after.status !== 'answered') continue;
        if (after.answeredAt < after.publishedAt) broken(`${id} was answered before it was published`);
        if (after.adoption.status !== 'adopted') continue;
        if (after.adoptedAt === null || after.adoptedAt < after.answeredAt)
          broken(`${id} was adopted before it was answered`);
        const { turn, inputSha256, runId } = after.adoption;
        if (after.asked.kind !== 'question') continue;
        if (turn === null || runId === null) return broken(`${id} was adopted by nobody`);
        const input = world.sealedInput(runId, turn).toString('utf8');
        if (!input.includes(id))
          broken(`${id} was adopted by turn ${turn}, whose input ${inputSha256} does not carry it`);
      }
    },
  }),

  'H4 nobody but its recipient changes a request': (broken) => ({
    commit: (commit) => {
      if (commit.items.length !== 1) return;
      const message = commit.items[0]?.message as { type: string; actor?: { account: string; roles: string[] } };
      if (message.actor === undefined) return;
      const { account, roles } = message.actor;
      for (const { id, after } of changes<Interaction>(commit, 'hil', 'interaction')) {
        if (after.status === 'awaited') continue;
        const { recipientKind, recipient } = after.asked;
        const to = after.nudges?.escalatedAt == null ? null : after.nudges.escalateTo;
        const is = (kind: string, name: string): boolean => (kind === 'role' ? roles.includes(name) : account === name);
        if (!is(recipientKind, recipient) && (to === null || !is(to.kind, to.name)))
          broken(`${account} said ${message.type} to ${id}, which is for ${recipient}`);
      }
    },
  }),

  'H3 one answer is accepted and stays': (broken) => ({
    commit: (commit) => {
      for (const { id, before, after } of changes<Interaction>(commit, 'hil', 'interaction'))
        if (before?.status === 'answered' && (after.status !== 'answered' || !same(before.response, after.response)))
          broken(`${id} was answered and is answered otherwise now`);
    },
  }),

  'H7 an approved action goes out only with a person’s word for these bytes': (broken) => ({
    commit: (commit, world) => {
      for (const { before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
        const { approval } = after;
        if (approval === null || after.attempts.length === (before?.attempts.length ?? 0)) continue;
        const asked = stateOf<Interaction>(world, 'hil', 'interaction', approval.interactionRef);
        const response = asked?.status === 'answered' ? asked.response : null;
        if (response?.decision !== 'approve' || response.previewSha256 !== approval.previewSha256)
          broken(`${after.actionKey} starts without an approval of its preview`);
      }
    },
  }),

  'R11 a turn commits once, by its owner': (broken) => ({
    commit: (commit) => {
      const [item] = commit.items;
      if (commit.service !== 'run-executor' || commit.items.length !== 1 || item === undefined) return;
      const message = item.message as { type: string; epoch: number; turn: number };
      if (message.type !== 'answered' && message.type !== 'tool_done') return;
      for (const { before, after } of runChanges(commit)) {
        if (
          before !== undefined &&
          before.runId === (item.message as { runId: string }).runId &&
          message.epoch !== before.epoch
        )
          broken(`${after.runId}: epoch ${message.epoch} committed ${message.type} under epoch ${before.epoch}`);
      }
    },
  }),

  'R12 a turn has one sealed input': (broken) => {
    const sealed = new Map<string, unknown>();
    return {
      commit: ({ rows }) => {
        for (const { table, values } of rows) {
          if (table !== 'inputs') continue;
          const name = `${String(values['run_id'])}/${String(values['turn'])}`;
          if (sealed.has(name) && sealed.get(name) !== values['sha256']) broken(`${name} was sealed twice`);
          sealed.set(name, values['sha256']);
        }
      },
    };
  },

  'R18 a budget never grows': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        if (before === undefined) continue;
        const from = before.budget;
        const to = after.budget;
        // Only what it lent to a child that has ended now may come back.
        const back = after.children.filter(
          (child) =>
            child.state !== null && !before.children.some((one) => one.childId === child.childId && one.state !== null),
        );
        const turnsBack = back.reduce((sum, child) => sum + child.lent.turns, 0);
        const costBack = back.reduce((sum, child) => sum + (child.lent.cost ?? 0), 0);
        if (
          to.turnsLeft > from.turnsLeft + turnsBack ||
          (to.costLeft ?? 0) > (from.costLeft ?? 0) + costBack ||
          to.hardDeadline !== from.hardDeadline ||
          to.turnsLeft < 0
        )
          broken(`${after.runId}: from ${JSON.stringify(from)} to ${JSON.stringify(to)}`);
      }
    },
  }),

  'R23 the end of a run is its end': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        if (before === undefined || !isTerminal(before.status)) continue;
        const kept =
          before.status === after.status &&
          before.cause === after.cause &&
          before.turns === after.turns &&
          same(before.report, after.report);
        if (!kept) broken(`${after.runId} ended ${before.status} and is ${after.status} now`);
      }
    },
  }),

  'R13 a run that waits names what it waits for': (broken) => ({
    commit: (commit) => {
      for (const { after } of runChanges(commit)) {
        if (isTerminal(after.status) || after.status === 'running') continue;
        if (waitingFor(after).length === 0 && after.readyAt === null)
          broken(`${after.runId} is ${after.status} and waits for nothing`);
      }
    },
  }),

  'R13 what a run waits for exists': (broken) => ({
    quiet: (world) => {
      for (const run of runsOf(world)) {
        const no = (why: string): never => broken(`${run.runId} is ${run.status}: ${why}`);
        if (isTerminal(run.status)) continue;
        const worked = run.lease !== null || (run.turn?.retryAt ?? run.readyAt) !== null;
        if (run.status === 'running' && !worked) no('nobody works on it');
        for (const { kind, ref } of waitingFor(run)) {
          if (kind === 'answer' && ref === 'resume') {
            if (run.pause === null) no('waits for a resume and was never asked to pause');
          } else if (kind === 'answer' && ref.startsWith('turn/')) {
            if (`turn/${run.turn?.number}` !== ref) no(`waits for ${ref}, which is not asked`);
          } else if (kind === 'answer') {
            const question = run.questions.find((one) => one.interactionRef === ref);
            if (question?.recipient.kind === 'parent' && question.status === 'open') continue;
            const asked = stateOf<Interaction>(world, 'hil', 'interaction', ref);
            const asking = run.requests.some((one) => one.id === `interaction/${ref}` && one.known !== true);
            if (!asking && asked?.status !== 'open') no(`waits for an answer to ${ref}, which is ${asked?.status}`);
          }
          if (kind === 'action') {
            const known = run.actions.filter(
              (one) => one.status !== 'refused' && (one.actionKey ?? one.proposalId) === ref,
            );
            const status = stateOf<Action>(world, 'effect-ledger', 'action', ref)?.standing.status;
            for (const one of known)
              if (one.status !== status && !run.requests.some((request) => request.id === `propose/${one.proposalId}`))
                no(`takes ${ref} (${one.proposalId}) for ${one.status}, and it is ${status}`);
          }
          if (kind === 'slot' && run.slot?.state === 'waiting') {
            const slots = stateOf<Slots>(world, 'run-executor', 'slots', run.tenant);
            if (slots?.held.length === 0) no('waits for a slot, and nobody holds one');
          } else if (kind === 'slot' && run.readyAt === null && run.holds.length === 0) {
            const others = runsOf(world).filter(
              (other) => other.runId !== run.runId && other.conversationId === run.conversationId,
            );
            if (!others.some((other) => !isTerminal(other.status))) no('no other run holds its place');
          }
          if (kind === 'dependency' || kind === 'cancel' || kind === 'child') {
            const other = stateOf<RunRow>(world, 'run-executor', 'run', ref);
            if (!isRun(other) || isTerminal(other.status)) no(`waits for ${ref}, which has ended`);
          }
          if ((kind === 'fence' || kind === 'publication') && run.requests.length === 0)
            no(`waits for ${kind} ${ref} and has not asked`);
        }
      }
    },
  }),

  'R16 nothing of a paused run starts': (broken) => ({
    commit: (commit, world) => {
      for (const { before, after } of runChanges(commit))
        if (
          before?.status === 'paused' &&
          after.status === 'paused' &&
          (after.turn?.attempt !== before.turn?.attempt || after.turn?.number !== before.turn?.number)
        )
          broken(`${after.runId} was asked while it was paused`);
      for (const { id, before, after } of changes<Action>(commit, 'effect-ledger', 'action')) {
        if (after.compensation != null || after.attempts.length <= (before?.attempts.length ?? 0)) continue;
        const run = stateOf<RunRow>(world, 'run-executor', 'run', after.runId);
        if (isRun(run) && run.status === 'paused') broken(`${id} was attempted while ${after.runId} was paused`);
      }
    },
  }),

  'R21 children end before their parent, and their budget is its': (broken) => ({
    commit: (commit) => {
      for (const { before, after } of runChanges(commit)) {
        const open = after.children.filter((child) => child.state === null);
        if (isTerminal(after.status) && open.length > 0) broken(`${after.runId} ended before ${open[0]?.runId}`);
        if (before === undefined && after.spawned !== null && after.budget.turnsLeft > 14)
          broken(`${after.runId} has more turns than its parent ever had`);
      }
    },
    end: (world) => {
      for (const run of runsOf(world))
        for (const child of run.children) {
          const row = stateOf<RunRow>(world, 'run-executor', 'run', child.runId);
          if (isRun(row) && row.status !== child.state)
            broken(`${child.runId} is ${row.status}, known as ${child.state}`);
        }
      for (const { id, state } of all<Tree>(world, 'run-executor', 'tree'))
        if (state.live.length > 0 || state.parked !== null) broken(`the tree of ${id} keeps ${JSON.stringify(state)}`);
    },
  }),

  'R19 a limited place is held once': (broken) => ({
    commit: (commit) => {
      for (const { after } of changes<Slots>(commit, 'run-executor', 'slots'))
        for (const counter of ['agent:parallel', 'resource:desk'])
          if (after.held.filter((claim) => claim.counters.includes(counter)).length > 1)
            broken(`${counter} is held by ${after.held.map((claim) => claim.runId).join(' and ')}`);
    },
    end: (world) => {
      for (const { state } of all<Slots>(world, 'run-executor', 'slots'))
        if (state.held.length + state.waiting.length > 0) broken(`left behind: ${JSON.stringify(state)}`);
    },
  }),

  'R23 every run ends': (broken) => ({
    end: (world) => {
      for (const run of runsOf(world))
        if (!isTerminal(run.status))
          broken(`${run.runId} is ${run.status} at the end of time, waiting for ${JSON.stringify(waitingFor(run))}`);
    },
  }),

  'R23 what an ended run believes of its actions is true': (broken) => ({
    end: (world) => {
      for (const run of runsOf(world))
        for (const action of run.actions) {
          const truth =
            action.actionKey === null || action.status === 'refused'
              ? null
              : stateOf<Action>(world, 'effect-ledger', 'action', action.actionKey);
          if (truth !== null && truth?.standing.status !== action.status)
            broken(`${run.runId} takes ${action.actionKey} for ${action.status}, and it is ${truth?.standing.status}`);
        }
    },
  }),

  'A13 admission sees no active run where none is left': (broken) => ({
    end: (world) => {
      for (const { id, state } of all<Conversation>(world, 'admission', 'conversation'))
        for (const run of state.active) broken(`${id} still counts ${run.runId} as ${run.state} r${run.stateRevision}`);
    },
  }),

  'P3 the timeline has no gap and no repeat': (broken) => ({
    end: (world) => {
      const numbers = new Map<string, number[]>();
      const add = (stream: unknown, seq: unknown): void =>
        void numbers.set(String(stream), [...(numbers.get(String(stream)) ?? []), Number(seq)]);
      for (const { values } of world.services.publication.rows.get('timeline') ?? []) {
        add(values['stream'], values['seq']);
        add(values['account_stream'], values['account_seq']);
      }
      for (const { id, state } of all<Stream>(world, 'publication', 'stream')) {
        const given = [...(numbers.get(id) ?? [])].sort((a, b) => a - b);
        if (given.length !== state.seq || given.some((seq, index) => seq !== index + 1))
          broken(`${id} has ${given.join(' ')} and stands at ${state.seq}`);
      }
    },
  }),

  'P3 the timeline ends with what its owners say': (broken) => ({
    end: (world) => {
      const newest = new Map<string, { readonly stream: string; readonly item: Record<string, unknown> }>();
      for (const { values } of world.services.publication.rows.get('timeline') ?? []) {
        const item = JSON.parse(String(values['item'])) as Record<string, unknown>;
        const kind = String(values['kind']);
        const name = { run: 'runId', action: 'actionKey', interaction: 'interactionRef', receipt: 'messageId' }[kind];
        if (name !== undefined)
          newest.set(`${kind} ${String(item[name])} ${String(values['stream'])}`, {
            stream: String(values['stream']),
            item,
          });
      }
      const shown = (kind: string, id: string): unknown[] =>
        [...newest].flatMap(([name, { item }]) =>
          name.startsWith(`${kind} ${id} `) ? [item['state'] ?? item['status']] : [],
        );
      const check = (kind: string, id: string, truth: string): void => {
        const states = shown(kind, id);
        if (states.length === 0 || states.some((state) => state !== truth))
          broken(`${kind} ${id} is shown as ${states.join(', ')} and is ${truth}`);
      };
      for (const run of runsOf(world)) check('run', run.runId, run.status);
      for (const { id, state } of all<Action>(world, 'effect-ledger', 'action'))
        check('action', id, state.standing.status);
      for (const { id, state } of all<Interaction>(world, 'hil', 'interaction'))
        if (state.status !== 'awaited') check('interaction', id, state.status);
      for (const { id, state } of all<Message>(world, 'admission', 'message'))
        check('receipt', id, state.receipt.status);
    },
  }),

  'P3 a snapshot and what follows it is what stands': (broken) => {
    const taken: { readonly stream: string; readonly at: ReturnType<typeof snapshotOf> }[] = [];
    let commits = 0;
    return {
      commit: (commit, world) => {
        // Now and then somebody opens a page.
        for (const { id, after } of changes<Stream>(commit, 'publication', 'stream'))
          if (after.conversationId !== null && (commits += 1) % 25 === 1)
            taken.push({ stream: id, at: snapshotOf(world, id) });
      },
      end: (world) => {
        for (const { stream, at } of taken) {
          const found = difference(readOn(world, stream, at), snapshotOf(world, stream).picture);
          if (found !== null) broken(`from ${at.seq} of ${stream} on: ${found}`);
        }
      },
    };
  },

  'P5 no text of a document is lost or written over unseen': (broken) => ({
    commit: (commit) => {
      for (const { id, before, after } of changes<Document>(commit, 'publication', 'document')) {
        if (before === undefined) continue;
        if (!same(after.texts.slice(0, before.texts.length), before.texts)) broken(`${id} has lost a text`);
        if (before.current === after.current || commit.items.length !== 1) continue;
        const text = after.texts.findLast((one) => one.sha256 === after.current);
        const replaced = before.texts.findLast((one) => one.sha256 === before.current);
        const own = text?.report != null && text.report.runId === replaced?.report?.runId;
        const message = commit.items[0]?.message as { record?: { basedOn: string | null }; basedOn?: string[] };
        const from = message.basedOn ?? [message.record?.basedOn];
        if (!own && !from.includes(before.current))
          broken(`${id}: ${after.current} takes the place of ${before.current}`);
      }
    },
  }),

  'X1 no event id names two facts': (broken) => {
    const said = new Map<string, unknown>();
    return {
      commit: (commit) => {
        for (const { topic, eventId, type, value } of commit.facts) {
          const name = `${topic} ${eventId}`;
          // What was told of a submission that nobody stored is told once, whatever a redelivery finds (A6).
          if (type === 'ReceiptIssued' && (value as { revision?: number }).revision === 0) continue;
          const before = said.get(name);
          if (before !== undefined && !same(before, { type, value }))
            broken(`${name} says two things: ${JSON.stringify(before)} and ${JSON.stringify({ type, value })}`);
          said.set(name, { type, value });
        }
      },
    };
  },

  'X1 deciders that have seen nothing decide the same past alike': (broken) => {
    const past: Past = new Map();
    return {
      commit: (commit, world) => {
        if (livesTwice(world)) remember(past, commit);
      },
      end: (world) => {
        const found = livesTwice(world) ? decideAgain(past, world) : null;
        if (found !== null) broken(found);
      },
    };
  },

  'X2 no record of our own is a dead letter': (broken) => ({
    commit: ({ errors, service }) => {
      for (const error of errors)
        broken(`${service}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    },
  }),

  'X3 a timer that fires has something to do': (broken) => {
    const idle = new Map<string, number>();
    return {
      commit: ({ service, items, facts: said, performs, now }, world) => {
        const message = items[0]?.message as { type: string; kind: string; id: string } | undefined;
        if (items.length !== 1 || message?.type !== 'tick' || !world.calm) return;
        const name = `${message.kind}\u0001${message.id}`;
        const due = world.services[service].due.get(name);
        const again = due !== undefined && due <= now && said.length === 0 && performs.length === 0;
        const times = again ? (idle.get(`${service} ${name}`) ?? 0) + 1 : 0;
        idle.set(`${service} ${name}`, times);
        if (times > 30)
          broken(`${service} looks at ${message.kind} ${message.id} again and again, and nothing comes of it`);
      },
    };
  },
  // The last one: it goes on with the world that the others have looked at.
  'X1 reading everything once more changes nothing': (broken) => ({
    end: (world) => {
      const found = readAgain(world);
      if (found !== null) broken(found);
    },
  }),
} as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;

/** What is only a picture of somebody else's facts is as complete as the records that came: it needs every redrive. */
const pictures: ReadonlySet<InvariantName> = new Set<InvariantName>([
  'A13 admission sees no active run where none is left',
  'A17 every submission gets a receipt',
  'P3 the timeline ends with what its owners say',
  'R6 every received update is told its fate',
  'R13 what a run waits for exists',
  'R23 what an ended run believes of its actions is true',
  'R25 every admitted message ends decided',
  'R25 whoever was asked has answered in the end',
  'X1 reading everything once more changes nothing',
]);

export const watchOf = (name: InvariantName): Watch =>
  (invariants as Record<InvariantName, Invariant>)[name]((detail) => {
    throw new Violation(name, detail);
  });

export const allWatches = (): Watch[] => (Object.keys(invariants) as InvariantName[]).map(watchOf);

/** What holds although dead letters are never looked at again. */
export const watchesWithoutRedrive = (): Watch[] =>
  (Object.keys(invariants) as InvariantName[]).filter((name) => !pictures.has(name)).map(watchOf);
