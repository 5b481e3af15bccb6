// Types of the local stack for the tests and programs that bring one up.
export interface Session {
  readonly home: string;
  readonly started: readonly { readonly name: string; readonly pid: number; readonly port?: number }[];
  stop(): Promise<unknown>;
}

export interface Stack {
  readonly home: string;
  readonly urls: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  portOf(name: string): number;
}

export interface UpOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly only?: readonly string[];
  readonly session?: Session;
}

export declare const up: (options?: UpOptions) => Promise<Stack & { readonly session: Session }>;
export declare const down: (options?: {
  readonly env?: NodeJS.ProcessEnv;
}) => Promise<{ readonly name: string; readonly pid: number; readonly forced: boolean }[]>;
export declare const describeStack: (env?: NodeJS.ProcessEnv) => Stack;
export declare const joinStack: (env?: NodeJS.ProcessEnv) => Stack;
export declare const addresses: (env?: NodeJS.ProcessEnv) => string[];
