import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { Type } from 'avsc';
import type { RecordByName, RecordName } from '../../schemas/generated/records';
import { schemaText } from '../../schemas/generated/records';
import { Malformed, Transient } from './errors';
import type { Logger } from './log';
import { backoffMs, pause, within } from './pause';
import { steadyMs } from './clocks';

/** How long an id the registry does not know stays known as unknown; else each such record costs a request. */
const unknownForMs = 30_000;
/** Bound of the cache of foreign schema ids, so that garbage ids cannot grow it. */
const maxKnownIds = 2_000;
const registryTimeoutMs = 5_000;

export interface Decoded {
  readonly name: RecordName;
  readonly value: RecordByName[RecordName];
}

/**
 * Avro in the Confluent wire format. Writers use exactly the registered form of this build's schemas and register
 * nothing themselves; readers go by the writer's record name and resolve into this build's shape.
 */
export interface Codec {
  encode<R extends RecordName>(topic: string, type: R, value: RecordByName[R]): Buffer;
  /** Malformed for what never can be read, Transient while the registry does not answer. */
  decode(value: Buffer | null, accepts: ReadonlySet<RecordName>): Promise<Decoded>;
}

interface Resolved {
  readonly name: RecordName;
  readonly writer: Type;
  readonly resolver: ReturnType<Type['createResolver']> | null;
}

// An optional value is null or the value itself, never a wrapper naming its branch.
const typeOf = (text: string): Type => Type.forSchema(JSON.parse(text), { wrapUnions: false, registry: {} } as never);

const localTypes = (): Map<RecordName, Type> =>
  new Map((Object.keys(schemaText) as RecordName[]).map((name) => [name, typeOf(schemaText[name])]));

/** The registry may hold JSON schemas and Protobuf as well, and what it holds need not be a record. */
const avroOf = (schema: unknown, id: number): Type => {
  try {
    return typeOf(JSON.stringify(schema));
  } catch (error) {
    throw new Malformed('unknown_schema', `schema id ${id} is not Avro: ${String(error)}`);
  }
};

export interface Registered {
  readonly topic: string;
  readonly type: RecordName;
}

export const openCodec = async (
  registryUrl: string,
  writes: readonly Registered[],
  log: Logger,
  stopping: () => boolean = () => false,
): Promise<Codec> => {
  const openRegistry = (): SchemaRegistry =>
    new SchemaRegistry({
      host: registryUrl.replace(/\/$/, ''),
      retry: { retries: 0 },
      clientId: 'fairlead',
    } as never);
  let registry = openRegistry();
  const types = localTypes();
  const knownIds = new Map<number, Resolved>();
  const unknownIds = new Map<number, number>();
  const ids = new Map<string, number>();

  const bounded = <T>(request: Promise<T>): Promise<T> =>
    within(request, registryTimeoutMs, () => {
      // The client would hand the request that hangs to whoever asks for the same id, for ever.
      registry = openRegistry();
      return new Transient('the schema registry does not answer');
    });

  const lookUp = async ({ topic, type }: Registered): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        const id = await bounded(
          registry.getRegistryIdBySchema(`${topic}-fairlead.${type}`, {
            type: 'AVRO',
            schema: schemaText[type],
          } as never),
        );
        ids.set(`${topic} ${type}`, id);
        return;
      } catch (error) {
        if (stopping()) throw new Transient('stopped while waiting for the schema registry');
        // Not registered is a matter of deployment order: `fairlead topics apply` may still be on its way.
        if (tries % 10 === 0) log.warn({ err: error, topic, type }, 'waiting for the schema registry');
        await pause(backoffMs(tries, 100, 3_000));
      }
    }
  };
  await Promise.all(writes.map(lookUp));

  /** The registry's own answer; null while it gives none. Its client reports trouble on the way like a bad request. */
  const statusOfId = async (id: number): Promise<number | null> => {
    try {
      const answer = await fetch(`${registryUrl.replace(/\/$/, '')}/schemas/ids/${id}`, {
        signal: AbortSignal.timeout(registryTimeoutMs),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  };

  /** Why an id could not be resolved; it is the record's fault only while the registry still knows an id of our own. */
  const blame = async (id: number, error: unknown): Promise<Error> => {
    const status = await statusOfId(id);
    const own = ids.values().next().value;
    if (status === 404 && (own === undefined || (await statusOfId(own)) === 200))
      return new Malformed('unknown_schema', `schema id ${id} is not in the registry`);
    if (status === 200 && (error as { status?: number }).status === undefined)
      return new Malformed('unknown_schema', `schema id ${id} is not Avro: ${String(error)}`);
    return new Transient('the schema registry does not answer', error);
  };

  const resolve = async (id: number): Promise<Resolved> => {
    const known = knownIds.get(id);
    if (known !== undefined) return known;
    const missedAt = unknownIds.get(id);
    if (missedAt !== undefined && steadyMs() - missedAt < unknownForMs)
      throw new Malformed('unknown_schema', `schema id ${id} is not in the registry`);
    // The wire has room for a sign, the registry has not.
    if (id < 0) throw new Malformed('unknown_schema', `schema id ${id} cannot be`);
    let found: unknown;
    try {
      found = await bounded(registry.getSchema(id));
    } catch (error) {
      const reason = error instanceof Transient ? error : await blame(id, error);
      if (reason instanceof Malformed) {
        if (unknownIds.size >= maxKnownIds) unknownIds.clear();
        unknownIds.set(id, steadyMs());
      }
      throw reason;
    }
    const writer = avroOf(found, id);
    const name = (writer.name ?? '').replace(/^fairlead\./, '') as RecordName;
    const reader = types.get(name);
    if (reader === undefined)
      throw new Malformed('unexpected_record', `schema id ${id} is ${writer.name ?? 'not a record'}`);
    let resolver: Resolved['resolver'];
    try {
      // The same schema needs no resolver, and reading without one is several times cheaper.
      resolver = reader.fingerprint().equals(writer.fingerprint()) ? null : reader.createResolver(writer);
    } catch (error) {
      throw new Malformed('incompatible_schema', `schema id ${id} cannot be read as ${name}: ${String(error)}`);
    }
    const resolved: Resolved = { name, writer, resolver };
    if (knownIds.size >= maxKnownIds) knownIds.clear();
    knownIds.set(id, resolved);
    return resolved;
  };

  return {
    encode: (topic, type, value) => {
      const id = ids.get(`${topic} ${type}`);
      const avro = types.get(type);
      if (id === undefined || avro === undefined)
        throw new Error(`${type} is not one of the records this service writes to ${topic}`);
      let body: Buffer;
      try {
        body = avro.toBuffer(value);
      } catch {
        const paths: string[] = [];
        avro.isValid(value, { errorHook: (path) => paths.push(path.join('.')) });
        throw new Error(`${type} does not fit its schema at ${paths.slice(0, 5).join(', ')}`);
      }
      const head = Buffer.alloc(5);
      head.writeInt32BE(id, 1);
      return Buffer.concat([head, body]);
    },
    decode: async (value, accepts) => {
      if (value === null) throw new Malformed('null_value', 'the record has no value');
      if (value.length < 5 || value[0] !== 0)
        throw new Malformed('not_avro', 'the value is not in the Confluent wire format');
      const resolved = await resolve(value.readInt32BE(1));
      if (!accepts.has(resolved.name))
        throw new Malformed('unexpected_record', `${resolved.name} does not belong on this topic`);
      const reader = types.get(resolved.name) as Type;
      try {
        return {
          name: resolved.name,
          value: reader.fromBuffer(value.subarray(5), resolved.resolver ?? undefined) as Decoded['value'],
        };
      } catch (error) {
        throw new Malformed(
          'not_decodable',
          `the value does not follow its schema: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  };
};
