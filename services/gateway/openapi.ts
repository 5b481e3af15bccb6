import { owners, routeOf, type Owner } from './route-table';

const timeoutMs = 2_000;

interface Document {
  readonly paths?: Readonly<Record<string, unknown>>;
}

/** The owner's operator routes carry its name here. */
const pathHere = (owner: Owner, path: string): string =>
  routeOf(path)?.owner === owner ? path : path.replace(/^\/v1\/ops\//, `/v1/ops/${owner}/`);

/** One description of everything behind this address, from what the owners say of themselves just now. */
export const openapiOf = async (addresses: Readonly<Record<Owner, URL>>): Promise<Record<string, unknown>> => {
  const absent: string[] = [];
  const parts = await Promise.all(
    owners.map(async (owner) => {
      try {
        const answer = await fetch(new URL('/openapi.json', addresses[owner]), {
          signal: AbortSignal.timeout(timeoutMs),
        });
        const { paths = {} } = (await answer.json()) as Document;
        return Object.entries(paths).map(([path, item]) => [pathHere(owner, path), item] as const);
      } catch {
        absent.push(owner);
        return [];
      }
    }),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      version: '1',
      description: absent.length === 0 ? 'All services.' : `Without ${absent.join(', ')}: not answering right now.`,
    },
    paths: Object.fromEntries(parts.flat().sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};
