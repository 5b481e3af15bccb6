import type { MessageSubmitted } from '../../schemas/generated/records';
import type { Agenda } from './agenda';
import type { Broker } from './broker';
import type { Commit, Instance, Service } from './process';
import type { Random } from './random';
import type { Remote } from './remote';
import type { Desk, Models, ServiceName } from './services';
import type { Stalls } from './stalls';

export interface World {
  readonly seed: number;
  readonly random: Random;
  readonly agenda: Agenda;
  readonly broker: Broker;
  readonly services: Readonly<Record<ServiceName, Service>>;
  readonly remote: Remote;
  /** Everything that people have said so far. */
  readonly said: readonly MessageSubmitted[];
  readonly now: number;
  /** Whether services remember by event id what they have handled (X1). */
  readonly inbox: boolean;
  /** No more faults: what is left has to come to its end. */
  readonly calm: boolean;
  readonly note: (line: string) => void;
  /** Whether a fault or something said happens at all. Every such thing asks by a name of its own, so it can be left out. */
  readonly wanted: (name: string) => boolean;
  /** The same for what comes by chance: a kind and a number are its name. */
  readonly happens: (kind: string, probability: number) => boolean;
  readonly stalls: Stalls;
  readonly desk: Desk;
  /** How the services of this world differ from the real ones. */
  readonly mutate: (models: Models) => Models;
  /** Queues a result in the process that worked for it. */
  readonly submit: (instance: Instance, message: unknown, what: string) => void;
  /** Sends a command over HTTP to some process; no answer comes when it dies. */
  readonly call: (service: ServiceName, message: unknown, what: string, answered?: () => void) => void;
  readonly sealedInput: (runId: string, turn: number) => Buffer;
  /** A process dies with all it held in memory. */
  readonly crash: (instance: Instance, when: string) => void;
  readonly effect: (connector: string, actionKey: string) => void;
}

/** Looks on at everything that happens and throws where a rule is broken. */
export interface Watch {
  readonly commit?: (commit: Commit, world: World) => void;
  readonly effect?: (actionKey: string, world: World) => void;
  /** Nothing is on its way and nothing is due: whoever waits now waits for time or for the world outside. */
  readonly quiet?: (world: World) => void;
  readonly end?: (world: World) => void;
}

export interface Options {
  /** Made anew for each world: most remember what they saw. */
  readonly watches?: () => readonly Watch[];
  /** Replaces services by broken ones, to show that the watches see it. */
  readonly mutate?: (models: Models) => Models;
  /** False: every group reads everything that comes, as if nothing of the past was remembered (X1). */
  readonly inbox?: boolean;
  /** False: dead letters stay dead, and what they said is lost (R25). */
  readonly redriven?: boolean;
  readonly onNote?: (line: string) => void;
  /** Of all that could be left out only this happens; absent: everything. */
  readonly keep?: ReadonlySet<string>;
  readonly onOffered?: (name: string) => void;
}
