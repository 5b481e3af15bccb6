export const owners = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
export type Owner = (typeof owners)[number];

export interface Route {
  readonly owner: Owner;
  /** Path at the owner, as it came: still percent-encoded. */
  readonly path: string;
}

/** First match wins. Paths are compared undecoded, so an id with an encoded slash stays one segment. */
const rules: readonly (readonly [RegExp, Owner])[] = [
  [/^\/v1\/conversations\/[^/]+\/messages(\/|$)/, 'admission'],
  [/^\/v1\/conversations\/[^/]+\/purge$/, 'run-executor'],
  [/^\/v1\/conversations(\/|$)/, 'publication'],
  [/^\/v1\/runs\/[^/]+\/(reports(\/|$)|events$)/, 'publication'],
  [/^\/v1\/account\/events$/, 'publication'],
  [/^\/v1\/documents\//, 'publication'],
  [/^\/v1\/runs(\/|$)/, 'run-executor'],
  [/^\/v1\/tasks\//, 'run-executor'],
  [/^\/v1\/queue$/, 'run-executor'],
  [/^\/v1\/interactions(\/|$)/, 'hil'],
  [/^\/v1\/inbox\/events$/, 'hil'],
  [/^\/v1\/actions(\/|$)/, 'effect-ledger'],
  [/^\/v1\/callbacks\//, 'effect-ledger'],
  [/^\/v1\/ops\/runs\//, 'run-executor'],
  [/^\/v1\/ops\/connectors\//, 'effect-ledger'],
];

/** Null = nobody owns it. Every service has operator routes, so those carry the service's name here. */
export const routeOf = (path: string): Route | null => {
  const [, service, rest] = /^\/v1\/ops\/([^/]+)(\/.+)$/.exec(path) ?? [];
  const named = owners.find((owner) => owner === service);
  if (named !== undefined && rest !== undefined) return { owner: named, path: `/v1/ops${rest}` };
  const rule = rules.find(([pattern]) => pattern.test(path));
  return rule === undefined ? null : { owner: rule[1], path };
};
