import type { ServerCommand } from './kafka.mjs';

export declare const localAdminUrl: (home: string, port: number) => string | undefined;
export declare const removeData: (home: string) => void;
export declare const postgresCommand: (options: { home: string; bin: string; port: number }) => Promise<ServerCommand>;
