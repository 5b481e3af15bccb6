import { useCallback, useEffect, useState } from 'react';
import { get } from './api';
import type { Interaction, List, LiveEvent } from './facts';
import { useLive } from './live';
import { Empty, Lost, Problem } from './parts';
import { Request } from './request';

const recentCount = 20;

type Known = ReadonlyMap<string, Interaction>;

/** Newer news replaces older, never the other way round. */
const isNewer = (item: Interaction, known: Interaction | undefined): boolean =>
  known === undefined || stamp(item) >= stamp(known);
const stamp = (item: Interaction): number =>
  item.requestRevision * 8 +
  (item.seenAt === null ? 0 : 1) +
  (item.state === 'open' ? 0 : 2) +
  (item.adoptedAt === null ? 0 : 4);

export const withItem = (known: Known, item: Interaction): Known =>
  isNewer(item, known.get(item.interactionRef)) ? new Map(known).set(item.interactionRef, item) : known;

const expiry = (item: Interaction): number => (item.expiresAt === null ? Infinity : Date.parse(item.expiresAt));
const soonest = (a: Interaction, b: Interaction): number =>
  expiry(a) - expiry(b) ||
  (a.publishedAt ?? '').localeCompare(b.publishedAt ?? '') ||
  a.interactionRef.localeCompare(b.interactionRef);
const lastChange = (item: Interaction): string => item.adoptedAt ?? item.answeredAt ?? item.expiresAt ?? '';

export const InboxPage = () => {
  const [known, setKnown] = useState<Known>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [told, setTold] = useState(false);
  /** What was open when the page came stays in its place when it is answered: nothing moves under the reader. */
  const [place, setPlace] = useState<readonly string[]>([]);
  const take = useCallback((item: Interaction) => setKnown((before) => withItem(before, item)), []);

  const readRecent = useCallback(() => {
    const lists = (['answered', 'closed'] as const).map((state) =>
      get<List<Interaction>>(`/v1/interactions?state=${state}&limit=${recentCount}`),
    );
    Promise.all(lists).then(
      (found) => {
        setError(null);
        for (const item of found.flatMap(({ items }) => items)) take(item);
      },
      (no: unknown) => setError(no),
    );
  }, [take]);

  const onEvent = useCallback(
    ({ kind, item }: LiveEvent): void => {
      if (kind !== 'snapshot') return take(item as Interaction);
      const { items } = item as { items: readonly Interaction[] };
      const open = new Set(items.map((one) => one.interactionRef));
      // What was open and is not any more was settled while nobody listened; how, the lists say.
      setKnown((before) => {
        const kept = [...before].filter(([ref, one]) => one.state !== 'open' || open.has(ref));
        return items.reduce(withItem, new Map(kept) as Known);
      });
      setTold(true);
      readRecent();
    },
    [take, readRecent],
  );
  const connection = useLive('/v1/inbox/events', onEvent);

  const all = [...known.values()];
  const openRefs = all
    .filter((item) => item.state === 'open')
    .sort(soonest)
    .map((item) => item.interactionRef);
  const openKey = openRefs.join(' ');
  useEffect(() => {
    setPlace((before) => [...before, ...openKey.split(' ').filter((ref) => ref !== '' && !before.includes(ref))]);
  }, [openKey]);

  const inPlace = place.flatMap((ref) => known.get(ref) ?? []);
  const waiting = openRefs.length;
  const rest = all
    .filter((item) => item.state !== 'open' && !place.includes(item.interactionRef))
    .sort((a, b) => lastChange(b).localeCompare(lastChange(a)))
    .slice(0, recentCount);

  return (
    <>
      <h1>Inbox</h1>
      <Lost connection={connection} />
      {error === null ? null : <Problem error={error} />}
      <section aria-labelledby="waiting">
        <h2 id="waiting">
          {waiting === 0 ? 'Nothing waits for you' : `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`}
        </h2>
        {told && inPlace.length === 0 ? (
          <Empty
            command={
              'npx fairlead send "Compare MSFT and AAPL over the last three years. Ask me how to count returns."'
            }
          >
            Questions, permissions and approvals of your runs appear here, soonest expiry first. This makes one:
          </Empty>
        ) : null}
        {inPlace.map((item) => (
          <Request key={item.interactionRef} item={item} onChange={take} />
        ))}
      </section>
      {rest.length === 0 ? null : (
        <section aria-labelledby="recent">
          <h2 id="recent">Recent</h2>
          {rest.map((item) => (
            <Request key={item.interactionRef} item={item} onChange={take} />
          ))}
        </section>
      )}
    </>
  );
};
