export declare const provision: (
  cache: string,
  names: readonly string[],
) => Promise<{ readonly kafka?: string; readonly postgres?: string }>;
