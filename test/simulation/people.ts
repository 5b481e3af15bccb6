import type { Interaction, Published } from '../../services/hil/state';
import type { Actor, Answer } from '../../services/hil/messages';
import type { Commit } from './process';
import type { Random } from './random';
import type { World } from './world';

const longestThoughtMs = 240_000;
/** Somebody who comes back when everything is over. */
const muchLaterMs = 5_000_000;

const answerTo = (random: Random, state: Published, id: string): Answer => {
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

/** Who a request is for, in the order in which they look; a role has two people, and the requester is no approver. */
const recipients = ({ asked }: Published): Actor[] => {
  const of = (account: string, roles: readonly string[]): Actor => ({ tenant: asked.tenant, account, roles });
  return asked.recipientKind === 'role'
    ? [of('carol', [asked.recipient]), of('dave', [asked.recipient])]
    : [of(asked.recipient, [])];
};

/** People read their inbox and answer once, twice, otherwise, late, as somebody else, or never. */
export const openPeople = (world: World, byChat: (state: Published, random: Random) => void) => {
  const meet = (ref: string, state: Published): void => {
    const { asked } = state;
    const person = `person asked ${ref} r${asked.requestRevision}`;
    const random = world.random.of(person);
    const [me, colleague] = recipients(state);
    if (me === undefined) return;
    const say = (message: object): void =>
      world.call('hil', { ref, ...message }, `${JSON.stringify(message)} about ${ref}`);
    let acts = 0;
    const later = (afterMs: number, what: string, run: () => void): void => {
      acts += 1;
      if (world.wanted(`${what} (${acts}, ${person})`)) world.agenda.add({ at: world.now + afterMs, what, run });
    };
    const respond = (id: string, actor = me): void =>
      say({ type: 'respond', actor, answer: answerTo(random, state, id) });
    const wait = (): number => random.whole(100, random.chance(0.5) ? 8_000 : longestThoughtMs);
    const stranger = { tenant: asked.tenant, account: 'mallory', roles: [] };
    if (random.chance(0.4)) later(wait(), 'a person looks', () => say({ type: 'seen', actor: me }));
    if (random.chance(0.15)) later(wait(), 'a stranger answers', () => respond('stranger', stranger));
    if (colleague !== undefined) {
      if (random.chance(0.8)) later(random.whole(10, 90), 'a person claims', () => say({ type: 'claim', actor: me }));
      if (random.chance(0.3)) later(wait(), 'a colleague claims', () => say({ type: 'claim', actor: colleague }));
      if (random.chance(0.3)) later(wait(), 'a colleague answers', () => respond('colleague', colleague));
      const requester = { tenant: asked.tenant, account: asked.account, roles: [asked.recipient] };
      if (random.chance(0.2)) later(wait(), 'the requester approves', () => respond('myself', requester));
    }
    if (asked.kind === 'question' && asked.recipientKind === 'account' && random.chance(0.3))
      later(wait(), 'a person answers by chat', () => byChat(state, random));
    if (!random.chance(0.8)) return;
    const first = wait();
    const id = `r-${ref.slice(-6)}`;
    const given = answerTo(random, state, id);
    const same = (): void => say({ type: 'respond', actor: me, answer: given });
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
