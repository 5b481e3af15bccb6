import type { MessageSubmitted } from '../../schemas/generated/records';
import { unsaid } from '../../schemas/unsaid';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings, topicPrefixOf } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { steadyProducer } from '../../services/platform/steady-producer';

const log = openLog('demo', 'demo', 'silent');

/** Produces one message to the real ingress topic, as an upstream app does. */
export const produce = async (
  message: Pick<MessageSubmitted, 'conversationId' | 'clientMessageId' | 'content' | 'account'> &
    Partial<MessageSubmitted>,
): Promise<void> => {
  const topic = `${topicPrefixOf(process.env)}ingress.messages.v1`;
  const codec = await openCodec(process.env['SCHEMA_REGISTRY_URL'] ?? '', [{ topic, type: 'MessageSubmitted' }], log);
  const broker = openBroker(kafkaSettings(process.env), 'demo-upstream', log);
  // A topic made a moment ago may still be electing its leader: an upstream app tries again.
  const producer = steadyProducer(broker, log, () => false);
  const value: MessageSubmitted = {
    ...unsaid,
    eventId: `demo-${message.clientMessageId}-${Date.now()}`,
    occurredAt: Date.now(),

    ...message,
  };
  await producer.send([
    {
      topic,
      partition: null,
      key: Buffer.from(message.conversationId),
      value: codec.encode(topic, 'MessageSubmitted', value),
      headers: {},
    },
  ]);
  await producer.close();
  await broker.close();
};
