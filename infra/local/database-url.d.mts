export declare const serviceRole: (service: string) => string;
export declare const rolePassword: (adminUrl: string, role: string) => string;
export declare const serviceDatabaseUrl: (adminUrl: string, service: string) => string;
export declare const databaseVariable: (service: string) => string;
