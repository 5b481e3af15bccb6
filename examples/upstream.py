"""An upstream app in another language: produces to the ingress topic with confluent-kafka and its AvroSerializer, and
reads the receipts. Prints one JSON line: the statuses seen for its message.

    pip install 'confluent-kafka[avro,schemaregistry]==2.16.1'
    KAFKA_BROKERS=127.0.0.1:19092 SCHEMA_REGISTRY_URL=http://127.0.0.1:18081/apis/ccompat/v7 \\
        python3 examples/upstream.py my-conversation my-message-1 none

The message's own id is its identity: produced again, it is the same message. The schema is the registry's, so that a field added later
is no trouble; the record key may be anything, Fairlead keys its own topics by conversation."""
import json
import os
import sys
import time

from confluent_kafka import Consumer, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

brokers, registry_url = os.environ["KAFKA_BROKERS"], os.environ["SCHEMA_REGISTRY_URL"]
conversation, message_id, codec = sys.argv[1], sys.argv[2], sys.argv[3]
ingress, receipts = "fairlead.ingress.messages.v1", "fairlead.admission.receipts.v1"

registry = SchemaRegistryClient({"url": registry_url})
schema = registry.get_latest_version(f"{ingress}-value").schema.schema_str
serialize = AvroSerializer(registry, schema, conf={"auto.register.schemas": False, "use.latest.version": True})
deserialize = AvroDeserializer(registry)

consumer = Consumer({"bootstrap.servers": brokers, "group.id": f"python-{message_id}", "auto.offset.reset": "earliest"})
consumer.subscribe([receipts])

fields = {field["name"]: field.get("default") for field in json.loads(schema)["fields"]}
message = {**fields, "eventId": f"py-{message_id}", "occurredAt": int(time.time() * 1000), "conversationId": conversation,
           "clientMessageId": message_id, "content": "Compare IBM and AMZN since 2006 \u2014 \u00fc\u00f6\u00e4 \U0001f600", "account": "alice",
           "relation": "NEW_TASK"}
producer = Producer({"bootstrap.servers": brokers, "compression.type": codec})
producer.produce(ingress, key="a-foreign-key", value=serialize(message, SerializationContext(ingress, MessageField.VALUE)))
producer.flush(10)

statuses, deadline = [], time.time() + 40
while time.time() < deadline:
    record = consumer.poll(0.5)
    if record is None or record.error():
        continue
    receipt = deserialize(record.value(), SerializationContext(receipts, MessageField.VALUE))
    if receipt["clientMessageId"] != message_id:
        continue
    statuses.append(receipt["status"])
    if receipt["status"] in ("run_started", "refused", "conflict"):
        break
consumer.close()
print(json.dumps({"statuses": statuses, "runId": receipt["runId"]}))
