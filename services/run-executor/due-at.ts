import { isTerminal, type RunRow } from './state';

/** When a run next needs a look; null = only a message can move it. */
export const dueAt = (row: RunRow): number | null => {
  if (row.status === 'awaited') return row.until;
  if (row.status === 'refused') return null;
  const requests = row.requests.map((request) => request.askAt);
  if (isTerminal(row.status)) return requests.length === 0 ? null : Math.min(...requests);
  const askedOfParent = row.questions.filter((one) => one.status === 'open' && one.recipient.kind === 'parent');
  const times = [
    ...requests,
    row.status === 'publishing' || row.status === 'closing' || row.status === 'cancelling'
      ? null
      : row.budget.hardDeadline,
    row.lease === null || row.lease.renewed === true ? null : row.lease.until,
    (row.pause ?? null) === null ? (row.turn?.retryAt ?? null) : null,
    row.readyAt,
    ...askedOfParent.map((one) => one.expiresAt),
    row.cancel?.settleBy ?? null,
  ].filter((time): time is number => time !== null);
  return times.length === 0 ? null : Math.min(...times);
};
