// Prints what the images ship as a CycloneDX list. `npm sbom --omit=dev` leaves out what a development package asks for
// too (here @swc/core), so the list is made from the lock file itself.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json'));
const { name, version, license } = JSON.parse(read('package.json'));

const purl = (of, at) => `pkg:npm/${of.replace('@', '%40')}@${at}`;

/** `sha512-<base64>` as the lock has it, in the words of CycloneDX. */
const hashes = (integrity) =>
  integrity === undefined
    ? []
    : [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }];

const components = Object.entries(packages)
  .filter(([path, { dev }]) => path !== '' && dev !== true)
  .map(([path, entry]) => {
    const of = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return {
      type: 'library',
      'bom-ref': path,
      name: of,
      version: entry.version,
      scope: entry.optional === true ? 'optional' : 'required',
      purl: purl(of, entry.version),
      hashes: hashes(entry.integrity),
      licenses: entry.license === undefined ? [] : [{ expression: entry.license }],
    };
  });

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: { type: 'application', name, version, purl: purl(name, version), licenses: [{ expression: license }] },
    // The same lock file makes the same list.
    properties: [{ name: 'package-lock', value: createHash('sha256').update(read('package-lock.json')).digest('hex') }],
  },
  components,
};
console.log(JSON.stringify(bom, null, 2));
