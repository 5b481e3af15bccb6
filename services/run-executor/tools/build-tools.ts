import { checkHttpUrl, type BuildContext } from '../agents/build-agents';
import type { ToolSpec } from '../agents/chat/functions';
import { resolveHeaders, type HeaderConfig } from '../agents/headers';
import { loadFunction } from '../../platform/load-module';
import { httpTool } from './http-tool';
import { priceSeries, priceSeriesSpec } from './price-series';
import { functionTool, toolTimeoutMs, type CallableTool, type Tool } from './tool';

export interface ToolConfig {
  url?: string;
  module?: string;
  builtin?: string;
  headers?: HeaderConfig;
  timeoutMs?: number;
  description?: string;
  schema?: Record<string, unknown>;
}

/** The tools that come with Fairlead; a configured tool of the same name takes the place of one. */
const builtinFunctions: ReadonlyMap<string, Tool> = new Map([['price-series', priceSeries]]);

/** What a model is told of the tools it may call; a tool without a schema takes any object. */
export const toolSpecs = (config: Readonly<Record<string, ToolConfig>>): ToolSpec[] => [
  ...(Object.hasOwn(config, 'price-series') ? [] : [priceSeriesSpec]),
  ...Object.entries(config).map(([name, entry]) => ({
    name,
    description: entry.description ?? `The tool ${name}; it only reads.`,
    schema: entry.schema ?? { type: 'object' },
  })),
];

/** Makes every configured tool callable, or throws one error that names the path of what is wrong. */
export const buildTools = (
  config: Readonly<Record<string, ToolConfig>>,
  context: BuildContext,
): ReadonlyMap<string, CallableTool> => {
  const configured = Object.entries(config).map(([name, entry]): [string, CallableTool] => {
    try {
      return [name, buildTool(entry, context)];
    } catch (error) {
      throw new Error(`tools.${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
  const builtin = [...builtinFunctions].map(([name, tool]): [string, CallableTool] => [name, functionTool(tool)]);
  return new Map([...builtin, ...configured]);
};

const buildTool = (entry: ToolConfig, context: BuildContext): CallableTool => {
  const timeoutMs = entry.timeoutMs ?? toolTimeoutMs;
  const places = [entry.url, entry.module, entry.builtin].filter((place) => place !== undefined);
  if (places.length !== 1) throw new Error('needs exactly one of url, module, builtin');
  if (entry.builtin !== undefined) {
    const tool = builtinFunctions.get(entry.builtin);
    if (tool === undefined) throw new Error(`builtin ${entry.builtin}: unknown; there is price-series`);
    return functionTool(tool, { timeoutMs });
  }
  if (entry.module !== undefined)
    return functionTool(loadFunction(entry.module, context.baseDir) as Tool, { timeoutMs });
  const headers = entry.headers ?? {};
  resolveHeaders(headers, context.env);
  return httpTool({ url: checkHttpUrl(entry.url ?? ''), headers, timeoutMs, env: context.env });
};
