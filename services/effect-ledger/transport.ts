import { notSentName, type ConnectorModule, type ConnectorRequest } from '../../schemas/connector/module';
import { loadDefault } from '../platform/load-module';
import type { Configuration } from '../platform/configuration';
import { BadSetting } from '../platform/environment';
import { within } from '../platform/pause';
import { call, type Called } from './call';
import { fillUrl, headersOf, type Contract } from './contract';

/** What a connector is asked to do once. The contract says what the answer means, whoever carries it. */
export type Carry = Omit<ConnectorRequest, 'signal'>;

type What = 'submit' | 'receipt' | 'cancel';

export type Transport = (contract: Contract, what: What, carry: Carry) => Promise<Called>;

const maxBodyCharacters = 64 * 1024;

const isModule = (loaded: unknown): loaded is ConnectorModule =>
  typeof loaded === 'object' && loaded !== null && typeof (loaded as { submit?: unknown }).submit === 'function';

const byModule = async (module: ConnectorModule, what: What, carry: Carry): Promise<Called> => {
  const work = module[what];
  if (work === undefined) return { kind: 'not_sent', code: `no_${what}` };
  if (!carry.mayWrite()) return { kind: 'not_sent', code: 'send_by_passed' };
  const ending = new AbortController();
  try {
    const answer = await within(work({ ...carry, signal: ending.signal }), carry.timeoutMs, () => new Error('timeout'));
    const { status, body = '', headers = {} } = answer;
    if (!Number.isInteger(status)) return { kind: 'lost', code: 'unreadable_answer' };
    const truncated = body.length > maxBodyCharacters;
    return { kind: 'answered', answer: { status, body: body.slice(0, maxBodyCharacters), truncated, headers } };
  } catch (error) {
    if (error instanceof Error && error.name === notSentName)
      return { kind: 'not_sent', code: error.message === '' ? 'not_sent' : error.message };
    return { kind: 'lost', code: error instanceof Error && error.message === 'timeout' ? 'timeout' : 'module_error' };
  } finally {
    ending.abort();
  }
};

const byHttp = async (contract: Contract, what: What, carry: Carry): Promise<Called> => {
  const target = what === 'submit' ? contract.submit : what === 'receipt' ? contract.receipt : contract.cancel;
  if (target === null) return { kind: 'not_sent', code: `no_${what}` };
  const configured = headersOf(contract, process.env);
  if (configured === null) return { kind: 'not_sent', code: 'header_missing' };
  const headers: Record<string, string> =
    what === 'receipt'
      ? configured
      : {
          ...configured,
          ...(carry.body === null ? {} : { 'content-type': 'application/json' }),
          [contract.submit.idempotencyHeader.toLowerCase()]: carry.actionKey,
          'fairlead-operation': carry.operation,
        };
  return call({
    method: carry.target?.method ?? target.method,
    url: carry.target?.url ?? fillUrl(target.url, carry),
    headers: carry.traceparent === null ? headers : { ...headers, traceparent: carry.traceparent },
    body: carry.body,
    timeoutMs: carry.timeoutMs,
    allow: contract.allowAddresses,
    mayWrite: carry.mayWrite,
  });
};

/** How remotes are reached. Modules are loaded with the configuration, so that one that cannot be is said at once. */
export const openTransport = (): {
  readonly transport: Transport;
  readonly accept: (config: Configuration, baseDir: string) => void;
} => {
  const modules = new Map<string, ConnectorModule>();
  return {
    accept: (config, baseDir) => {
      for (const [name, { module }] of Object.entries(config.connectors ?? {})) {
        if (module === undefined || modules.has(module)) continue;
        let loaded: unknown;
        try {
          loaded = loadDefault(module, baseDir);
        } catch (error) {
          const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
          throw new BadSetting('FAIRLEAD_CONFIG', `connectors.${name}.module: ${why}`);
        }
        if (!isModule(loaded))
          throw new BadSetting(
            'FAIRLEAD_CONFIG',
            `connectors.${name}.module: the default export must have a function submit`,
          );
        modules.set(module, loaded);
      }
    },
    transport: (contract, what, carry) => {
      if (contract.module === null) return byHttp(contract, what, carry);
      const module = modules.get(contract.module);
      return module === undefined
        ? Promise.resolve({ kind: 'not_sent', code: 'module_missing' })
        : byModule(module, what, carry);
    },
  };
};
