import * as fc from 'fast-check';
import type { Context, View } from '../../services/platform/decision';
import { noTrace } from '../../services/platform/decision';
import { Malformed } from '../../services/platform/errors';
import { openDesk, realServices, serviceNames, type ServiceName } from './services';
import { randomOf } from './random';
import { openSimulation } from './simulation';
import type { Watch } from './world';

/** Worlds whose messages and states are mixed with one another. */
const worlds = 8;
const maxKept = 4_000;
const tries = 600;
const timeoutMs = 120_000;

interface Harvest {
  readonly messages: unknown[];
  /** JSON texts by kind. */
  readonly states: Map<string, string[]>;
  readonly blobs: Map<string, Buffer>;
}

/** Everything that five services were told and were in, in a few worlds. */
const harvest = (): Record<ServiceName, Harvest> => {
  const found = Object.fromEntries(
    serviceNames.map((name) => [name, { messages: [], states: new Map(), blobs: new Map() }]),
  ) as unknown as Record<ServiceName, Harvest>;
  const watch: Watch = {
    commit: ({ service, items, changes, rows }) => {
      const { messages, states, blobs } = found[service];
      for (const { message } of items) if (messages.length < maxKept) messages.push(message);
      for (const { key, after } of changes) {
        const known = states.get(key.kind) ?? [];
        if (known.length < maxKept) known.push(JSON.stringify(after));
        states.set(key.kind, known);
      }
      for (const { table, values } of rows)
        if (table === 'blobs') blobs.set(String(values['ref']), values['bytes'] as Buffer);
    },
  };
  for (let seed = 1; seed <= worlds; seed += 1) openSimulation(seed, { watches: () => [watch] }).run();
  return found;
};

const frozen = (value: unknown): unknown => {
  if (value !== null && typeof value === 'object' && !Buffer.isBuffer(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
};

/** Which of the states of its kind stands in a place; null = nothing does. */
type Choice = number | null;

/** A view in which any state may stand in any place: whoever asks twice sees the same, and may change nothing of it. */
const anyView = ({ states, blobs }: Harvest, choices: readonly Choice[]): View => {
  const seen = new Map<string, unknown>();
  let asked = 0;
  return {
    get: <S>(kind: string, id: string) => {
      const place = `${kind} ${id}`;
      if (!seen.has(place)) {
        const choice = choices[asked % choices.length] ?? null;
        const known = states.get(kind) ?? [];
        asked += 1;
        const text = choice === null ? undefined : known[choice % Math.max(1, known.length)];
        seen.set(place, text === undefined ? undefined : frozen(JSON.parse(text)));
      }
      return seen.get(place) as S | undefined;
    },
    revision: (_kind, id) => id.length,
    blob: (ref) => blobs.get(ref) ?? Buffer.from('{}'),
  };
};

const choices = fc.array(fc.oneof({ weight: 4, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant(null) }), {
  minLength: 1,
  maxLength: 6,
});

describe('deciders are total and deterministic', () => {
  const found = harvest();
  const models = realServices(randomOf(1), openDesk());

  test.each(serviceNames)(
    'X1 X4 %s: any message on any states returns, the same each time, and changes nothing that it was given',
    (name) => {
      const { decide } = models[name].deciders;
      const { messages } = found[name];
      expect(messages.length).toBeGreaterThan(100);
      fc.assert(
        fc.property(
          fc.nat(messages.length - 1),
          choices,
          fc.nat(200_000_000),
          fc.constantFrom(0, 1, 64),
          (at, standing, laterMs, capacity) => {
            const context: Context = {
              now: Date.parse('2026-01-01T00:00:00Z') + laterMs,
              instance: 'one',
              capacity,
              cause: 'cause',
              trace: noTrace,
            };
            const decideOnce = (): unknown => {
              try {
                return decide(anyView(found[name], standing), frozen(messages[at]), context);
              } catch (error) {
                // What contradicts its own aggregate is refused as a dead letter; anything else is a defect.
                if (!(error instanceof Malformed)) throw error;
                return error.code;
              }
            };
            expect(decideOnce()).toEqual(decideOnce());
          },
        ),
        { numRuns: tries, seed: 11 },
      );
    },
    timeoutMs,
  );
});
