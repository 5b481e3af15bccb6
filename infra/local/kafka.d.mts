export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}
export declare const kafkaCommand: (options: { home: string; jars: string; port: number }) => Promise<ServerCommand>;
