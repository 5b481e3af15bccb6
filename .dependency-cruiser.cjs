/** The shape of the house: what two services share is a schema or belongs in platform. */
module.exports = {
  forbidden: [
    {
      name: 'no-import-between-services',
      comment: 'a service knows platform and the schemas; the command line may also use the client; nothing else',
      severity: 'error',
      from: { path: '^services/([^/]+)/', pathNot: '^services/(cli|console)/' },
      to: { path: '^services/', pathNot: ['^services/$1/', '^services/platform/'] },
    },
    {
      name: 'cli-and-console-use-the-client',
      severity: 'error',
      from: { path: '^services/(cli|console)/' },
      to: { path: '^services/', pathNot: '^services/($1|platform|client)/' },
    },
    {
      name: 'platform-knows-no-service',
      severity: 'error',
      from: { path: '^services/platform/' },
      to: { path: '^services/', pathNot: '^services/platform/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'upstream programs install it without the rest',
      severity: 'error',
      from: { path: '^services/client/' },
      to: { path: '^services/platform/' },
    },
    {
      name: 'one-file-knows-the-broker-client',
      comment: 'so that another client can replace it',
      severity: 'error',
      from: { path: '^services/', pathNot: '^services/platform/' },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'schemas-depend-on-nothing',
      severity: 'error',
      from: { path: '^schemas/' },
      to: { path: '^services/', pathNot: '^services/platform/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
};
