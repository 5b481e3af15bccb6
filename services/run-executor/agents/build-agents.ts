import { inProcessAgent, type Agent, type AskableAgent } from './agent';
import { chatAgent, type ChatOptions } from './chat/chat';
import type { ToolSpec } from './chat/functions';
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
  baseUrl?: string;
  model?: string;
  apiKeyEnv?: string;
  stream?: boolean;
  contextTokens?: number;
  tools?: readonly string[];
  connectors?: readonly string[];
}

/** What an agent in this process may be told of the configuration around it. */
export interface Surroundings {
  readonly tools: readonly ToolSpec[];
  readonly connectors: readonly string[];
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
  around: Surroundings = { tools: [], connectors: [] },
): ReadonlyMap<string, AskableAgent> =>
  new Map(Object.entries(config).map(([name, entry]) => [name, named(name, () => buildAgent(entry, context, around))]));

const named = <T>(name: string, build: () => T): T => {
  try {
    return build();
  } catch (error) {
    throw new Error(`agents.${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const buildAgent = (entry: AgentConfig, context: BuildContext, around: Surroundings): AskableAgent => {
  const options = { turnTimeoutMs: entry.turnTimeoutMs ?? turnTimeoutMs };
  const places = [entry.url, entry.module, entry.builtin].filter((place) => place !== undefined);
  if (places.length !== 1) throw new Error('needs exactly one of url, module, builtin');
  if (entry.builtin === 'chat') return chatAgent({ ...options, ...chatOptions(entry, context, around) });
  if (entry.builtin !== undefined) return inProcessAgent(builtin(entry.builtin), options);
  if (entry.module !== undefined) return inProcessAgent(loadFunction(entry.module, context.baseDir) as Agent, options);
  const url = checkHttpUrl(entry.url ?? '');
  const headers = entry.headers ?? {};
  resolveHeaders(headers, context.env);
  return httpAgent({ url, headers, env: context.env, ...options });
};

const contextTokens = 100_000;

const chatOptions = (
  entry: AgentConfig,
  context: BuildContext,
  around: Surroundings,
): Omit<ChatOptions, 'turnTimeoutMs'> => {
  if (entry.baseUrl === undefined) throw new Error('builtin chat: baseUrl is missing');
  if (entry.model === undefined) throw new Error('builtin chat: model is missing');
  const { apiKeyEnv, tools, connectors } = entry;
  // Read at each call like every secret, and once now: a missing one stops the start.
  const apiKey = (): string | null =>
    apiKeyEnv === undefined ? null : (resolveHeaders({ key: { env: apiKeyEnv } }, context.env)['key'] ?? null);
  apiKey();
  return {
    baseUrl: checkHttpUrl(entry.baseUrl),
    model: entry.model,
    apiKey,
    stream: entry.stream ?? false,
    contextTokens: entry.contextTokens ?? contextTokens,
    tools: around.tools.filter((tool) => tools === undefined || tools.includes(tool.name)),
    connectors: around.connectors.filter((name) => connectors === undefined || connectors.includes(name)),
  };
};

const builtin = (name: string): Agent => {
  if (name === 'market-report') return marketReport;
  throw new Error(`builtin ${name}: unknown; there are market-report and chat`);
};

export const checkHttpUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Error(`url ${url}: not an HTTP URL`);
  return url;
};
