import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { asyncapiFile } from '../../schemas/asyncapi';
import { read, root } from '../support/documents';

/** Below it are hints: of what could be newer, or be said with more words. */
const error = 0;

test('docs/asyncapi.yaml is valid AsyncAPI 3.0, with every schema it refers to', async () => {
  const source = join(root, asyncapiFile);
  const { document, diagnostics } = await new Parser().parse(read(asyncapiFile), { source });
  expect(diagnostics.filter(({ severity }) => severity === error)).toEqual([]);
  expect(document?.version()).toBe('3.0.0');
  const payloads =
    document
      ?.messages()
      .all()
      .map((message) => [message.name(), message.hasPayload()]) ?? [];
  expect(payloads.length).toBeGreaterThan(20);
  expect(payloads.filter(([, has]) => has !== true)).toEqual([]);
});
