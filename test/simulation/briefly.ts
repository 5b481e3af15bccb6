const shown = [
  'status',
  'state',
  'code',
  'runId',
  'actionKey',
  'version',
  'revision',
  'number',
  'mode',
  'turn',
  'proposalId',
];

/** What of a record says most about it, for the history of a seed. */
export const briefly = (value: object): string =>
  shown
    .flatMap((name) => {
      const field = (value as Record<string, unknown>)[name];
      return field === null || field === undefined ? [] : [`${name}=${String(field)}`];
    })
    .join(' ');
