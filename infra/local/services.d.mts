// Types of the processes above the servers, for tests that start their own.
export interface ProcessDefinition {
  readonly name: string;
  readonly service: string;
  readonly main: string;
  readonly database: boolean;
  readonly port?: string;
  readonly role?: string;
}

interface Where {
  readonly home: string;
  readonly urls: Readonly<Record<string, string>>;
  readonly portOf: (name: string) => number;
  readonly env?: NodeJS.ProcessEnv;
}

export declare const statefulServices: readonly string[];
export declare const processes: readonly ProcessDefinition[];
export declare const processEnv: (
  definition: ProcessDefinition,
  where: Where & { readonly port: number; readonly instance: string },
) => NodeJS.ProcessEnv;
