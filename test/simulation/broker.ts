import { topicsOf, type GroupName } from '../../schemas/topics';
import type { RecordName } from '../../schemas/generated/records';
import type { Random } from './random';

export interface Rec {
  readonly topic: string;
  readonly key: string;
  readonly type: RecordName;
  readonly eventId: string;
  readonly value: unknown;
  /** Where it lies; a record that its producer sent twice lies in two places. */
  readonly offset: number;
}

/** One group's place in one log, and what was set aside as a dead letter and waits for its redrive. */
interface Place {
  readonly group: GroupName;
  readonly topic: string;
  readonly log: Rec[];
  position: number;
}

export interface Delivery {
  readonly group: GroupName;
  readonly record: Rec;
  /** Commits the position; a redelivery has none to commit. */
  readonly done: () => void;
}

export interface Broker {
  readonly append: (record: Omit<Rec, 'offset'>) => void;
  /** Next records of some places of these groups, each place in its order, the places in any. */
  readonly fetch: (groups: readonly GroupName[], most: number) => Delivery[];
  /** Some record that this group has read already, from long ago perhaps. */
  readonly old: (groups: readonly GroupName[]) => Delivery | undefined;
  /** Takes the next record out of its order; the answer brings it back later. */
  readonly setAside: (groups: readonly GroupName[]) => Delivery | undefined;
  /** Forgets how far some place has been read: an offset that was not committed in time. */
  readonly rewind: (groups: readonly GroupName[]) => void;
  readonly pending: (groups: readonly GroupName[]) => boolean;
  readonly idle: () => boolean;
  /** Everything that these groups ever had to read, in the order it was sent. */
  readonly history: (groups: readonly GroupName[]) => { readonly group: GroupName; readonly record: Rec }[];
}

/** Topics as logs per key: order holds within (topic, key) and nowhere else. Every read may come again. */
export const openBroker = (
  random: Random,
  groups: readonly GroupName[],
  /** A group that gets nothing of a topic for now. */
  stalled: (group: GroupName, topic: string) => boolean,
): Broker => {
  const places: Place[] = [];
  const byKey = new Map<string, Rec[]>();
  const readers = new Map<string, GroupName[]>();
  for (const group of groups)
    for (const topic of topicsOf(group)) readers.set(topic, [...(readers.get(topic) ?? []), group]);

  const of = (wanted: readonly GroupName[], fits: (place: Place) => boolean): Place | undefined => {
    const found = places.filter(
      (place) => wanted.includes(place.group) && fits(place) && !stalled(place.group, place.topic),
    );
    return found.length === 0 ? undefined : random.pick(found);
  };
  const unread = (place: Place): boolean => place.position < place.log.length;
  let offset = 0;

  return {
    append: (record) => {
      const name = `${record.topic} ${record.key}`;
      let log = byKey.get(name);
      if (log === undefined) {
        log = [];
        byKey.set(name, log);
        for (const group of readers.get(record.topic) ?? [])
          places.push({ group, topic: record.topic, log, position: 0 });
      }
      log.push({ ...record, offset: (offset += 1) });
    },
    fetch: (wanted, most) => {
      const read = new Map<Place, number>();
      const got: Delivery[] = [];
      while (got.length < most) {
        const place = of(wanted, (one) => (read.get(one) ?? one.position) < one.log.length);
        if (place === undefined) return got;
        const at = read.get(place) ?? place.position;
        read.set(place, at + 1);
        // In order: what comes after an uncommitted record is read again with it.
        const done = (): void => void (place.position += place.position === at ? 1 : 0);
        got.push({ group: place.group, record: place.log[at] as Rec, done });
      }
      return got;
    },
    old: (wanted) => {
      const place = of(wanted, (one) => one.position > 0);
      if (place === undefined) return undefined;
      return {
        group: place.group,
        record: place.log[random.whole(0, place.position - 1)] as Rec,
        done: () => undefined,
      };
    },
    setAside: (wanted) => {
      const place = of(wanted, unread);
      if (place === undefined) return undefined;
      const record = place.log[place.position] as Rec;
      place.position += 1;
      return { group: place.group, record, done: () => undefined };
    },
    rewind: (wanted) => {
      const place = of(wanted, (one) => one.position > 0);
      if (place !== undefined) place.position = random.whole(Math.max(0, place.position - 6), place.position - 1);
    },
    pending: (wanted) =>
      places.some((place) => unread(place) && wanted.includes(place.group) && !stalled(place.group, place.topic)),
    idle: () => !places.some(unread),
    history: (wanted) =>
      places
        .filter(({ group }) => wanted.includes(group))
        .flatMap(({ group, log }) => log.map((record) => ({ group, record })))
        .sort((a, b) => a.record.offset - b.record.offset),
  };
};
