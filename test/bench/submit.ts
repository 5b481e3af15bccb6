import { localToken } from '../../services/cli/remote';
import { idsOf } from '../../services/platform/identity';

const account = 'bench';

/** Sends messages for the scripted agent, each in a conversation of its own; resolves with their runs. */
export const submitScripted = async (stamp: string, texts: readonly string[]): Promise<string[]> => {
  const url = process.env['ADMISSION_URL'] ?? '';
  const token = await localToken({ account, roles: [], app: 'local', tenant: 'local' });
  return Promise.all(
    texts.map(async (content, n) => {
      const clientMessageId = `${stamp}-${n}`;
      const response = await fetch(`${url}/v1/conversations/${clientMessageId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=0' },
        body: JSON.stringify({ clientMessageId, content, relation: 'new_task', mode: 'parallel', agent: 'scripted' }),
      });
      if (response.status >= 300) throw new Error(`admission answered ${response.status}: ${await response.text()}`);
      await response.body?.cancel();
      return idsOf({ tenant: 'local', app: 'local', account, clientMessageId }).runId;
    }),
  );
};
