// Packages that ship ES modules only: jest runs CommonJS, so they are transformed like our own code.
const esmOnly = [
  'typebox',
  '@fastify/type-provider-typebox',
  'jose',
  'canonicalize',
  'yaml',
  '@seriousme/openapi-schema-validator',
  'p-[^/]+',
];

const swc = { ...require('./scripts/swc.json'), sourceMaps: 'inline' };

const project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '\\.(ts|mts|js|mjs)$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  moduleFileExtensions: ['ts', 'mjs', 'js', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.fairlead/'],
});

module.exports = {
  projects: ['unit', 'contract', 'simulation', 'integration', 'fault', 'e2e'].map(project),
};
