import type { Interaction, Receipt, Run, WaitingFor } from './facts';

/** The three meanings of colour; null is plain. */
export type Tone = 'needs' | 'wrong' | 'settled' | null;

/** What became of a message, in plain words; never more than its newest receipt says. */
export const fateOf = (receipt: Receipt): { readonly text: string; readonly tone: Tone } => {
  const version = receipt.requirementsVersion;
  const why = receipt.detail ?? receipt.code ?? '';
  switch (receipt.status) {
    case 'admitted':
      return { text: 'stored; its owner has not decided yet', tone: null };
    case 'run_queued':
      return { text: 'a run is queued for it', tone: null };
    case 'run_started':
      return { text: 'started a run', tone: 'settled' };
    case 'cancelled_before_start':
      return { text: 'cancelled before it started', tone: null };
    case 'update_received':
      return { text: `received${version === null ? '' : ` as v${version}`}, applies at the next step`, tone: null };
    case 'update_applied':
      return { text: `${version === null ? '' : `became v${version}, `}received and applied`, tone: 'settled' };
    case 'update_superseded':
      return { text: 'received; a later change took its place before it was applied', tone: null };
    case 'update_not_applied':
      return { text: 'received, not applied: the run ended first', tone: 'wrong' };
    case 'follow_up_created':
      return { text: 'the run had ended; a follow-up run was started', tone: 'settled' };
    case 'version_conflict':
      return { text: `not taken: the requirements had changed meanwhile. ${why}`, tone: 'wrong' };
    case 'conflict':
      return { text: `not taken: ${why}`, tone: 'wrong' };
    case 'refused':
      return { text: `refused: ${why}`, tone: 'wrong' };
    case 'response_received':
      return { text: 'answer received, waiting for the turn that takes it', tone: null };
    case 'response_adopted':
      return { text: 'answer adopted', tone: 'settled' };
    case 'response_void':
      return { text: `answer void: ${receipt.adoption?.reason ?? why}`, tone: 'wrong' };
    case 'response_late':
      return { text: 'answer stored, not applied: it came too late', tone: 'wrong' };
    case 'control_requested':
      return { text: 'requested, not confirmed yet', tone: null };
    case 'control_confirmed':
      return { text: `confirmed${receipt.result === null ? '' : `: ${receipt.result.state}`}`, tone: 'settled' };
    case 'control_superseded':
      return { text: 'another control took its place', tone: null };
    case 'too_late':
      return { text: `too late: the run is ${receipt.result?.state ?? 'over'}`, tone: 'wrong' };
    case 'progress_reported':
      return {
        text: `the run is ${receipt.progress?.state ?? ''}, ${receipt.progress?.turns ?? 0} turns so far`,
        tone: 'settled',
      };
    case 'event_merged':
      return { text: 'merged into the run', tone: 'settled' };
    case 'event_unconfirmed':
      return { text: 'kept; whether it belongs to the run is being asked', tone: 'needs' };
    case 'event_ignored':
      return { text: 'not used', tone: null };
    default:
      return { text: receipt.status.replaceAll('_', ' '), tone: null };
  }
};

export const toneOfRun = (run: Pick<Run, 'state' | 'waitingFor'>): Tone => {
  switch (run.state) {
    case 'completed':
      return 'settled';
    case 'failed':
    case 'interrupted':
    case 'partial':
      return 'wrong';
    case 'parked':
    case 'paused':
      return 'needs';
    default:
      return run.waitingFor.some((one) => one.kind === 'answer') ? 'needs' : null;
  }
};

const reasons: Readonly<Record<string, string>> = {
  slot: 'a free place',
  tools: 'the tool',
  action: 'the action',
  answer: 'an answer',
  child: 'a run it started',
  dependency: 'the run before it',
  fence: 'the ledger to confirm that nothing old is sent',
  publication: 'the report to be stored',
  retry: 'the next try of its agent',
  cancel: 'another run to stop',
};

export const waitsFor = (one: WaitingFor): string => reasons[one.kind] ?? one.kind;

export const toneOfAction = (state: string): Tone => {
  switch (state) {
    case 'succeeded':
      return 'settled';
    case 'unknown':
    case 'blocked':
    case 'disputed':
    case 'failed':
      return 'wrong';
    case 'awaiting_approval':
      return 'needs';
    default:
      return null;
  }
};

/** What an action's state means for whoever reads it. */
export const meaningOfAction = (state: string): string => {
  switch (state) {
    case 'proposed':
      return 'proposed; nothing was sent';
    case 'awaiting_approval':
      return 'waits for an approval; nothing was sent';
    case 'denied':
      return 'denied; nothing was sent';
    case 'withdrawn':
      return 'withdrawn; nothing was sent';
    case 'admitted':
      return 'will be sent as soon as its connector has room';
    case 'sending':
      return 'being sent right now';
    case 'succeeded':
      return 'done, with evidence';
    case 'failed':
      return 'did not happen, with evidence';
    case 'unknown':
      return 'we do not know yet whether it happened; the remote is being asked';
    case 'blocked':
      return 'we do not know whether it happened, and nobody can be asked any more: a person has to say';
    case 'disputed':
      return 'evidence contradicts itself: a person has to say';
    default:
      return state;
  }
};

/** Why a request is not open any more, or what happens while it is. */
export const standOf = (item: Interaction): string => {
  if (item.state === 'open') {
    if (item.mode === 'blocking') return 'The run waits for this answer.';
    if (item.kind === 'approval') return 'Nothing is sent until this is approved.';
    return item.default === null || item.default === undefined
      ? 'The run goes on meanwhile.'
      : `The run goes on meanwhile with: ${JSON.stringify(item.default)}.`;
  }
  if (item.late) return 'Answered too late: the answer is stored, not applied. It can come along with a Continue.';
  if (item.state === 'closed')
    switch (item.code) {
      case 'expired':
        return 'Expired without an answer.';
      case 'withdrawn':
      case 'interaction_closed':
        return 'Withdrawn: the run does not need it any more.';
      case 'fenced':
        return 'Withdrawn: what is asked changed before it was answered. Nothing was sent.';
      case 'run_ended':
        return 'Closed: the run ended before it was answered.';
      default:
        return `Closed${item.code === null ? '' : `: ${item.code.replaceAll('_', ' ')}`}.`;
    }
  switch (item.adoption?.status) {
    case 'adopted':
      return 'Answered and adopted.';
    case 'void':
      return `Answered, but void: ${(item.adoption.reason ?? '').replaceAll('_', ' ')}.`;
    default:
      return 'Answered; received, waiting to be taken.';
  }
};

export const answerWords = (item: Interaction): string | null => {
  const { response } = item;
  if (response === null) return null;
  if (response.decision != null) return response.decision === 'approve' ? 'approved' : 'denied';
  if (response.choice != null)
    return item.choices.find((choice) => choice.id === response.choice)?.label ?? response.choice;
  if (response.text != null) return response.text;
  return response.value === undefined || response.value === null ? null : JSON.stringify(response.value);
};

const maxTitleCharacters = 60;

/** What a run is about, for people: its title, else the first of the words it was asked with. */
/** In the place of what was purged. */
export const purgedWords = 'The words were purged; that they were said stays.';

export const titleOf = (title: string | null, words: string | null | undefined, id: string): string => {
  if (title !== null) return title;
  const line = words?.trim().split('\n')[0] ?? '';
  if (line === '') return `Run ${shortId(id)}`;
  return line.length > maxTitleCharacters ? `${line.slice(0, maxTitleCharacters - 1)}…` : line;
};

export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id);
