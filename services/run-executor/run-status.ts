export const terminalStatuses = ['completed', 'partial', 'failed', 'cancelled', 'interrupted'] as const;

export type Terminal = (typeof terminalStatuses)[number];
