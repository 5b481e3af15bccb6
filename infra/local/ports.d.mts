export declare const portSpan: number;
export declare const repoRoot: () => string;
export declare const home: (env?: NodeJS.ProcessEnv) => string;
export declare const cacheDir: (env?: NodeJS.ProcessEnv) => string;
export declare const ports: (env?: NodeJS.ProcessEnv) => Readonly<Record<string, number>>;
export declare const runDir: (home?: string) => string;
export declare const announcedPort: (name: string, home?: string) => number | undefined;
