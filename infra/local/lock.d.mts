export declare const takeLock: (path: string, what: string) => Promise<() => void>;
export declare const withLock: <T>(path: string, what: string, work: () => Promise<T>) => Promise<T>;
