import pc from 'picocolors';

/** How long any one step may take before the demo says that it did not happen. */
const stepLimitMs = 45_000;
const pollMs = 100;

const startedAt = Date.now();

/** A person's words or somebody else's text on the reader's terminal: one line, no control characters. */
// eslint-disable-next-line no-control-regex
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

export const chapter = (title: string): void => console.log(`\n${pc.bold(title)}`);

/** One fact: when, who says it, what, and its proof. */
export const fact = (who: string, what: string, proof = ''): void => {
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(5);
  console.log(
    `${pc.dim(`${seconds} s`)}  ${who.padEnd(14)}  ${plain(what)}${proof === '' ? '' : pc.dim(`  ${plain(proof)}`)}`,
  );
};

/** Waits until `look` finds what must happen; fails loudly, naming it, when it does not. */
export const until = async <T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> => {
  let last: unknown = null;
  for (const deadline = Date.now() + stepLimitMs; Date.now() < deadline;) {
    try {
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found;
      last = null;
    } catch (error) {
      // A fact that contradicts the story will not become right by waiting.
      if (error instanceof Broken) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(
    `this did not happen within ${stepLimitMs / 1_000} s: ${what}${last === null ? '' : ` (last trouble: ${last instanceof Error ? last.message : JSON.stringify(last)})`}`,
  );
};

class Broken extends Error {}

export const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Broken(`this is not as it should be: ${what}`);
};

export const elapsed = (): string => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
