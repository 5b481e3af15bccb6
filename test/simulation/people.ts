import type { Interaction, Published } from '../../services/hil/state';
import type { Answer } from '../../services/hil/messages';
import type { Commit } from './process';
import type { World } from './world';

const longestThoughtMs = 240_000;
/** Somebody who comes back when everything is over. */
const muchLaterMs = 5_000_000;

const answerTo = (world: World, state: Published, id: string): Answer => {
  const { random } = world;
  const { asked } = state;
  const nothing = { text: null, choice: null, value: null, decision: null, previewSha256: null };
  const common = { ...nothing, requestRevision: random.chance(0.95) ? asked.requestRevision : 7, clientResponseId: id };
  if (asked.kind === 'question')
    return asked.choices.length > 0 && random.chance(0.9)
      ? { ...common, choice: random.pick(asked.choices).id }
      : { ...common, text: random.pick(['This', 'whatever', 'the second']) };
  const previewSha256 = random.chance(0.95) ? asked.previewSha256 : '0'.repeat(64);
  return { ...common, decision: random.chance(0.75) ? 'approve' : 'deny', previewSha256 };
};

/** People read their inbox and answer once, twice, otherwise, late, as somebody else, or never. */
export const openPeople = (world: World, byChat: (state: Published) => void) => {
  const { random } = world;

  const later = (afterMs: number, what: string, run: () => void): void =>
    world.agenda.add({ at: world.now + afterMs, what, run });

  const say = (ref: string, message: object): void =>
    world.call('hil', { ref, ...message }, `${JSON.stringify(message)} about ${ref}`);

  const meet = (ref: string, state: Published): void => {
    const { asked } = state;
    const me = { tenant: asked.tenant, account: asked.recipient, roles: [] };
    const respond = (id: string, account = me.account): void =>
      say(ref, { type: 'respond', actor: { ...me, account }, answer: answerTo(world, state, id) });
    const wait = (): number => random.whole(100, random.chance(0.5) ? 8_000 : longestThoughtMs);
    if (random.chance(0.4)) later(wait(), 'a person looks', () => say(ref, { type: 'seen', actor: me }));
    if (random.chance(0.15)) later(wait(), 'a stranger answers', () => respond('stranger', 'mallory'));
    if (asked.kind === 'question' && random.chance(0.3)) later(wait(), 'a person answers by chat', () => byChat(state));
    if (!random.chance(0.8)) return;
    const first = wait();
    const id = `r-${ref.slice(-6)}`;
    const given = answerTo(world, state, id);
    const same = (): void => say(ref, { type: 'respond', actor: me, answer: given });
    later(random.chance(0.1) ? muchLaterMs : first, 'a person answers', same);
    if (random.chance(0.3)) later(first + random.whole(0, 3_000), 'a person answers again', same);
    if (random.chance(0.2)) later(wait(), 'a person answers otherwise', () => respond(`${id}-other`));
    if (random.chance(0.1)) later(first + random.whole(0, 3_000), 'the same id with other words', () => respond(id));
  };

  return {
    watch: (commit: Commit): void => {
      if (commit.service !== 'hil') return;
      for (const { key, before, after } of commit.changes) {
        if (key.kind !== 'interaction') continue;
        const state = after as Interaction;
        const was = before() as Interaction | undefined;
        if (state.status === 'open' && (was === undefined || was.status === 'awaited')) meet(key.id, state);
      }
    },
  };
};
