import { actions, unknowns } from './actions';
import { parked, takeover, turns } from './executor';
import { identities } from './identities';
import { absorb } from './ingress';
import { micro } from './micro';
import { expiries, inbox } from './people';
import { listeners, snapshot } from './readers';
import { receipts } from './receipts';

/** Workloads of one figure each, printed as they are; what each measures is said beside its code. */
export const singles = [
  'ingress',
  'receipts',
  'turns',
  'takeover',
  'parked',
  'identities',
  'actions',
  'unknowns',
  'inbox',
  'expiries',
  'listeners',
  'snapshot',
  'micro',
] as const;
export type Single = (typeof singles)[number];

export const isSingle = (name: string): name is Single => singles.some((single) => single === name);

export interface Asked {
  readonly messages: number | null;
  readonly perSec: number | null;
  readonly inFlight: number;
  readonly admissionOnly: boolean;
}

const ingress = async (messages: number, untilSettled: boolean): Promise<object> => {
  await absorb(1_000, untilSettled);
  const { admittedSec, settledSec, admitted, settled } = await absorb(messages, untilSettled);
  return {
    channel: 'kafka',
    messages,
    admitted,
    settled,
    admittedPerSec: Math.round(messages / admittedSec),
    settledPerSec: settledSec === null ? null : Math.round(messages / settledSec),
  };
};

const admissionReceipts = async (perSec: number, messages: number): Promise<object> => {
  await receipts(perSec, Math.min(messages, perSec * 4));
  return { channel: 'http', ...(await receipts(perSec, messages)) };
};

const measured = (workload: Single, { messages, perSec, inFlight, admissionOnly }: Asked): Promise<object> => {
  const home = process.env['FAIRLEAD_HOME'] ?? '';
  switch (workload) {
    case 'ingress':
      return ingress(messages ?? 10_000, !admissionOnly);
    case 'receipts':
      return admissionReceipts(perSec ?? 500, messages ?? 10_000);
    case 'turns':
      return turns(inFlight, messages ?? 50);
    case 'takeover':
      return takeover(messages ?? 1_000);
    case 'parked':
      return parked(messages ?? 100_000, home);
    case 'identities':
      return identities(messages ?? 1_000_000, perSec ?? 500, 5_000, home);
    case 'actions':
      return actions(messages ?? 5_000, perSec ?? 100);
    case 'unknowns':
      return unknowns(messages ?? 10_000);
    case 'inbox':
      return inbox(messages ?? 100_000);
    case 'expiries':
      return expiries(messages ?? 10_000);
    case 'listeners':
      return listeners(inFlight, perSec ?? 100, home);
    case 'snapshot':
      return snapshot(messages ?? 10_000);
    case 'micro':
      return micro();
  }
};

export const single = async (workload: Single, asked: Asked): Promise<object> => ({
  workload,
  ...(await measured(workload, asked)),
});
