import { inProcessAgent, type Agent, type AskableAgent } from './agent';
import { resolveHeaders, type Environment, type HeaderConfig } from './headers';
import { httpAgent } from './http-agent';
import { loadFunction } from '../../platform/load-module';
import { marketReport } from './market-report/market-report';

/** The part of an agent's configuration that says where it is. */
export interface AgentConfig {
  url?: string;
  module?: string;
  builtin?: string;
  headers?: HeaderConfig;
  turnTimeoutMs?: number;
}

export interface BuildContext {
  env: Environment;
  /** Paths of modules are relative to this folder: that of the configuration file. */
  baseDir: string;
}

export const turnTimeoutMs = 600_000;

/** Makes every configured agent askable, or throws one error that names the path of what is wrong. */
export const buildAgents = (
  config: Readonly<Record<string, AgentConfig>>,
  context: BuildContext,
): ReadonlyMap<string, AskableAgent> =>
  new Map(Object.entries(config).map(([name, entry]) => [name, named(name, () => buildAgent(entry, context))]));

const named = <T>(name: string, build: () => T): T => {
  try {
    return build();
  } catch (error) {
    throw new Error(`agents.${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const buildAgent = (entry: AgentConfig, context: BuildContext): AskableAgent => {
  const options = { turnTimeoutMs: entry.turnTimeoutMs ?? turnTimeoutMs };
  const places = [entry.url, entry.module, entry.builtin].filter((place) => place !== undefined);
  if (places.length !== 1) throw new Error('needs exactly one of url, module, builtin');
  if (entry.builtin !== undefined) return inProcessAgent(builtin(entry.builtin), options);
  if (entry.module !== undefined) return inProcessAgent(loadFunction(entry.module, context.baseDir) as Agent, options);
  const url = checkHttpUrl(entry.url ?? '');
  const headers = entry.headers ?? {};
  resolveHeaders(headers, context.env);
  return httpAgent({ url, headers, env: context.env, ...options });
};

const builtin = (name: string): Agent => {
  if (name === 'market-report') return marketReport;
  if (name === 'chat') throw new Error('builtin chat: not implemented');
  throw new Error(`builtin ${name}: unknown; there are market-report and chat`);
};

export const checkHttpUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Error(`url ${url}: not an HTTP URL`);
  return url;
};
