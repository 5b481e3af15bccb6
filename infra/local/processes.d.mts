export interface Running {
  readonly name: string;
  readonly pid: number;
  readonly port: number | undefined;
}

export declare const isAlive: (pid: number) => boolean;
export declare const startedAfter: (pid: number, path: string) => boolean;
export declare const running: (home: string, name: string) => Running | undefined;
export declare const allRunning: (home: string) => Running[];
export declare const announce: (home: string, name: string, pid: number, port?: number) => void;
export declare const withdraw: (home: string, name: string, pid: number) => void;
export declare const logPath: (home: string, name: string) => string;
export declare const lastLines: (home: string, name: string, count?: number) => string;
