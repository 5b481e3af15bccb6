import { canonicalBytes, sha256Hex } from './canonical';

/** Who submitted what under which id; the same for ever, whatever channel or instance it comes through (A1, A2). */
export interface Identity {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly clientMessageId: string;
}

/** Hex digits of an id's hash: 104 bits, so that two identities never meet. */
const idLength = 26;

const hashOf = (parts: readonly string[]): string => sha256Hex(canonicalBytes([...parts])).slice(0, idLength);

/** Everything a message starts is named by the message's identity, so a repeat names the same things. */
export const idsOf = (
  identity: Identity,
): { readonly messageId: string; readonly runId: string; readonly taskId: string } => {
  const hash = hashOf([identity.tenant, identity.app, identity.account, identity.clientMessageId]);
  return { messageId: `msg_${hash}`, runId: `run_${hash}`, taskId: `task_${hash}` };
};

export const interactionRefOf = (...parts: readonly string[]): string => `int_${hashOf(parts)}`;
