import { hasEnded, type Interaction, type Run } from './facts';

/** One thing a message can be, with everything but its words filled in. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What happens, in a sentence, before it is sent. */
  readonly means: string;
  readonly needsWords: boolean;
}

const maxEnded = 3;

type Named = (run: Run) => string;

const ofLive = (run: Run, named: Named): Choice[] => {
  const target = { targetRunId: run.runId };
  const next = run.requirementsVersion + 1;
  const control = (verb: string, label: string, means: string): Choice => ({
    id: `${verb}-${run.runId}`,
    label: `${label} ${named(run)}`,
    fields: { relation: 'control', control: verb, ...target },
    means,
    needsWords: false,
  });
  const paused = run.state === 'paused' || run.state === 'pausing';
  return [
    {
      id: `amend-${run.runId}`,
      label: `Change ${named(run)} (v${run.requirementsVersion} → v${next})`,
      fields: { relation: 'amend', ...target, expectedVersion: run.requirementsVersion },
      means: `Adds to what is asked. If somebody changed it after v${run.requirementsVersion}, this is refused and nothing is overwritten.`,
      needsWords: true,
    },
    {
      id: `replace-${run.runId}`,
      label: `Replace what ${named(run)} is asked (v${run.requirementsVersion} → v${next})`,
      fields: { relation: 'amend', amendKind: 'replace', ...target, expectedVersion: run.requirementsVersion },
      means: 'The new words take the place of everything asked so far; what was done already stays done.',
      needsWords: true,
    },
    {
      id: `observe-${run.runId}`,
      label: `Add an observation to ${named(run)}`,
      fields: { relation: 'observe', ...target },
      means: 'The run learns it at its next step; what is asked stays the same.',
      needsWords: true,
    },
    paused
      ? control('resume', 'Resume', 'It goes on where it stood.')
      : control('pause', 'Pause', 'It stands still at its next boundary; nothing new is sent.'),
    control(
      'cancel',
      'Stop',
      'Nothing new is sent from the moment the ledger confirms it; what was sent already is settled first.',
    ),
    control('progress', 'Ask how far', 'Answers at once, changes nothing.'),
  ];
};

const ofEnded = (run: Run, named: Named): Choice => ({
  id: `continue-${run.runId}`,
  label: `Continue ${named(run)} (${run.state})`,
  fields: { relation: 'continue', continuationOfRunId: run.runId },
  means: 'A new run that starts from what that one established. The ended run stays as it is.',
  needsWords: true,
});

/** What can be said here now, from the runs and requests as they are known. */
export const choicesOf = (runs: readonly Run[], open: readonly Interaction[], named: Named): readonly Choice[] => {
  const live = runs.filter((run) => !hasEnded(run));
  const [running] = live;
  const over = runs.filter(hasEnded).slice(0, maxEnded);
  return [
    ...open
      .filter((item) => item.kind === 'question' && item.choices.length === 0)
      .map((item) => ({
        id: `answer-${item.interactionRef}`,
        label: `Answer: ${item.question}`,
        fields: {
          relation: 'clarification',
          interactionRef: item.interactionRef,
          requestRevision: item.requestRevision,
        },
        means: 'Your words are the answer to this question.',
        needsWords: true,
      })),
    {
      id: 'new',
      label: running === undefined ? 'New task' : `New task after ${named(running)}`,
      fields: { relation: 'new_task', mode: 'queue' },
      means: running === undefined ? 'Starts a run.' : 'A run of its own, started when the one before it is over.',
      needsWords: true,
    },
    ...(running === undefined
      ? []
      : [
          {
            id: 'beside',
            label: 'New task beside it',
            fields: { relation: 'new_task', mode: 'parallel' },
            means: 'A run of its own, at the same time.',
            needsWords: true,
          },
        ]),
    ...live.flatMap((run) => ofLive(run, named)),
    ...over.map((run) => ofEnded(run, named)),
    {
      id: 'unspecified',
      label: 'Let Fairlead decide',
      fields: { relation: 'unspecified' },
      means: 'Decided by what is running; where that is not clear, you are asked to choose.',
      needsWords: true,
    },
  ];
};
