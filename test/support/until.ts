/** How often a condition is looked at; every wait of a test has a deadline and no wait is longer than needed. */
const lookEveryMs = 20;

/** What the failure of a wait should say besides: worlds add what their instances and their database are doing. */
export const witnesses = new Set<() => Promise<string>>();

/** Resolves with the first truthy answer; after the deadline it fails and names what never came. */
export const until = async <T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<T, false | null | undefined>> => {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      last = await condition();
      if (last !== undefined && last !== null && last !== false) return last as Exclude<T, false | null | undefined>;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const said = await Promise.all([...witnesses].map((witness) => witness().catch(String)));
      throw new Error([`not within ${withinMs} ms: ${what}; last: ${String(last)}`, ...said].join('\n'));
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
};
