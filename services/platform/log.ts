import { pino, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

/** Never in a log, whatever object they hang on. */
const redacted = [
  '*.authorization',
  '*.password',
  '*.secret',
  'headers.authorization',
  'req.headers.authorization',
  'req.headers.cookie',
];

export const openLog = (service: string, instance: string, level: string): Logger =>
  pino({
    level,
    base: { service, instance, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: redacted,
  });
