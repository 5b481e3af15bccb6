import type { Run } from './state';
import type { ActionState, Kept, QuestionState, ToolCallState } from './turn-state';

/** The name stays, with hash and size; the words are nowhere any more. */
const gone = (kept: Kept): Kept => ({ ...kept, inline: null });
const goneOrNull = (kept: Kept | null): Kept | null => (kept === null ? null : gone(kept));

const call = (one: ToolCallState): ToolCallState => ({
  ...one,
  input: gone(one.input),
  output: goneOrNull(one.output),
  error: one.error === null ? null : { code: one.error.code, message: '' },
});

const action = (one: ActionState): ActionState => ({
  ...one,
  request: { params: goneOrNull(one.request.params), body: goneOrNull(one.request.body) },
  note: null,
  receipt: one.receipt === null ? null : { ...one.receipt, body: null },
});

const question = ({ event: _event, late: _late, ...one }: QuestionState): QuestionState => ({
  ...one,
  question: '',
  choices: [],
  schema: null,
  defaultAnswer: null,
  answer: one.answer === null ? null : { ...one.answer, text: null, choice: null, value: null },
});

/**
 * An ended run without what people, agents, tools and remotes said: identity, states, versions, fates, grants, hashes
 * and times stay. What is built on it later finds its pieces unavailable; a Continue is refused, as its original cannot
 * be verified (A11).
 */
export const withoutContent = (run: Run, purgedAt: number): Run => ({
  ...run,
  purgedAt,
  title: null,
  detail: null,
  requirements: {
    version: run.requirements.version,
    texts: [],
    structured: null,
    history: run.requirements.history.map((one) => ({ ...one, text: gone(one.text), understood: null })),
  },
  pending: [],
  fates: run.fates.map((fate) => ({ ...fate, withEffective: false })),
  calls: run.calls.map(call),
  actions: run.actions.map(action),
  questions: run.questions.map(question),
  publications: run.publications.map((one) => ({ ...one, body: gone(one.body) })),
  ...(run.published === undefined ? {} : { published: run.published.map((one) => ({ ...one, body: gone(one.body) })) }),
  agentState: null,
  summary: null,
  openQuestions: [],
  changes: [],
  sealedChanges: 0,
  transition: null,
  materials: null,
  children: run.children.map((one) => ({
    ...one,
    report: one.report === null ? null : { ...one.report, body: gone(one.report.body) },
  })),
});
