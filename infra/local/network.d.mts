export declare const isPortFree: (port: number) => Promise<boolean>;
export declare const freePort: () => Promise<number>;
export declare const freePortBase: (span: number, from?: number, to?: number) => Promise<number>;
