export declare const serverNames: readonly ['kafka', 'registry', 'postgres', 'redis'];
export declare const wantedServers: (env: NodeJS.ProcessEnv, databasesGiven?: boolean) => string[];
/** Takes one server of a home away, as a test of what then happens; `up({ only: [] })` brings it back. */
export declare const stopServer: (home: string, name: string) => Promise<unknown>;
