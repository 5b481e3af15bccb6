import type { Fact, Stream } from '../../services/publication/state';
import { all, stateOf } from './looking';
import type { World } from './world';

type Item = Readonly<Record<string, unknown>>;
/** What a client shows of one conversation: each thing once, by its kind and its id. */
type Picture = ReadonlyMap<string, string>;

/** Which field names a thing within its kind, as a client tells things apart. */
const idOf: Readonly<Record<string, (item: Item) => unknown>> = {
  message: (item) => item['messageId'],
  receipt: (item) => item['messageId'],
  run: (item) => item['runId'],
  interaction: (item) => item['interactionRef'],
  action: (item) => `${String(item['actionKey'])} of ${String(item['runId'])}`,
  report: (item) => `${String(item['runId'])} ${String(item['version'])}.${String(item['seq'])}`,
};

interface Row {
  readonly seq: number;
  readonly kind: string;
  readonly item: string;
}

const rowsOf = (world: World, stream: string): Row[] =>
  (world.services.publication.rows.get('timeline') ?? []).flatMap(({ values }) =>
    values['stream'] === stream
      ? [{ seq: Number(values['seq']), kind: String(values['kind']), item: String(values['item']) }]
      : [],
  );

const nameOf = ({ kind, item }: Row): string | null => {
  const id = idOf[kind]?.(JSON.parse(item) as Item) ?? null;
  return id === null ? null : `${kind} ${String(id)}`;
};

/** What GET of a conversation gives: the newest event of each thing that is kept, and the number it is good for. */
export const snapshotOf = (world: World, stream: string): { readonly seq: number; readonly picture: Picture } => {
  const rows = new Map(rowsOf(world, stream).map((row) => [row.seq, row]));
  const picture = new Map<string, string>();
  for (const { id, state } of all<Fact>(world, 'publication', 'fact')) {
    if (state.stream !== stream || !state.kept) continue;
    const row = rows.get(state.seq);
    const name = row === undefined ? null : nameOf(row);
    if (name === null && idOf[state.kind] === undefined) continue;
    picture.set(name ?? `${state.kind} of ${id}`, row?.item ?? 'nothing');
  }
  return { seq: stateOf<Stream>(world, 'publication', 'stream', stream)?.seq ?? 0, picture };
};

/** A client that had this picture and read on from its number. */
export const readOn = (
  world: World,
  stream: string,
  from: { readonly seq: number; readonly picture: Picture },
): Picture => {
  const picture = new Map(from.picture);
  for (const row of rowsOf(world, stream).sort((a, b) => a.seq - b.seq)) {
    const name = row.seq > from.seq ? nameOf(row) : null;
    if (name !== null) picture.set(name, row.item);
  }
  return picture;
};

/** The first thing that two pictures show differently. */
export const difference = (one: Picture, other: Picture): string | null => {
  for (const name of new Set([...one.keys(), ...other.keys()]))
    if (one.get(name) !== other.get(name))
      return `${name} is ${one.get(name) ?? 'not there'} in the one and ${other.get(name) ?? 'not there'} in the other`;
  return null;
};
