/** How often a condition is looked at; every wait of a test has a deadline and no wait is longer than needed. */
const lookEveryMs = 20;

/** Resolves with the first truthy answer; after the deadline it fails and names what never came. */
export const until = async <T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 20_000,
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
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}; last: ${String(last)}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
};
