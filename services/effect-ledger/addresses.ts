import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { AddressClass } from './contract';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Everything that is not the public internet: private nets, link-local, carrier nets, this host, multicast. */
const inside = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  // The unspecified address, and IPv4 addresses in an old IPv6 spelling.
  ['::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fec0::', 10],
  // Carry an IPv4 address inside, which a gateway would reach for us.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(net, prefix, 'ipv6');

/** IPv4 addresses in IPv6 clothes count as what they are. */
const unmapped = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

export const classOf = (address: string): AddressClass => {
  const plain = unmapped(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(plain, family)) return 'loopback';
  return inside.check(plain, family) ? 'private' : 'public';
};

export class AddressNotAllowed extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

/** A name is resolved once, and the address it is checked with is the one that is connected to. */
export const allowedLookup =
  (allowed: ReadonlySet<AddressClass>) =>
  (
    hostname: string,
    options: object,
    callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const good = addresses.filter(({ address }) => allowed.has(classOf(address)));
      const [first] = good;
      if (first === undefined)
        return callback(new AddressNotAllowed(`${hostname} does not resolve to an allowed address`), []);
      if ((options as { all?: boolean }).all === true) return callback(null, good);
      callback(null, first.address, first.family);
    });
  };
