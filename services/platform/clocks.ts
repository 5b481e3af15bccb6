import { performance } from 'node:perf_hooks';

// What is decided goes by the database's clock. A process has two of its own, and which one is meant is said by name.

/** For how long something took or may still take: a clock that nobody sets. A wall clock set back would let a wait last as much longer. */
export const steadyMs = (): number => performance.now();

/** To compare with what others stamped, and to stamp what others read. It may be wrong, and may be set at any moment. */
export const wallMs = (): number => Date.now();
