/** RFC 3339, as every JSON answer and turn input says times. */
export const at = (ms: number): string => new Date(ms).toISOString();
