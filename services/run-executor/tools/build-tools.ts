import { checkHttpUrl, type BuildContext } from '../agents/build-agents';
import { resolveHeaders, type HeaderConfig } from '../agents/headers';
import { loadFunction } from '../agents/load-module';
import { httpTool } from './http-tool';
import { priceSeries } from './price-series';
import { functionTool, toolTimeoutMs, type CallableTool, type Tool } from './tool';

export interface ToolConfig {
  url?: string;
  module?: string;
  headers?: HeaderConfig;
  timeoutMs?: number;
}

/** The tools that come with Fairlead; a configured tool of the same name takes the place of one. */
const builtinTools: ReadonlyMap<string, CallableTool> = new Map([['price-series', functionTool(priceSeries)]]);

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
  return new Map([...builtinTools, ...configured]);
};

const buildTool = (entry: ToolConfig, context: BuildContext): CallableTool => {
  const timeoutMs = entry.timeoutMs ?? toolTimeoutMs;
  if ((entry.url === undefined) === (entry.module === undefined)) throw new Error('needs exactly one of url, module');
  if (entry.module !== undefined)
    return functionTool(loadFunction(entry.module, context.baseDir) as Tool, { timeoutMs });
  const headers = entry.headers ?? {};
  resolveHeaders(headers, context.env);
  return httpTool({ url: checkHttpUrl(entry.url ?? ''), headers, timeoutMs, env: context.env });
};
