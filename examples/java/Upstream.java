import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An upstream app in Java, with Kafka's own client and Avro: puts a task on the ingress topic and reads its receipts. Prints one
 * JSON line: the statuses seen for its message.
 *
 * <pre>
 * eval "$(node infra/local/env.mjs)"      # KAFKA_BROKERS and SCHEMA_REGISTRY_URL of the local stack
 * mvn -q -f examples/java dependency:copy-dependencies
 * java -cp 'examples/java/target/dependency/*' examples/java/Upstream.java my-conversation my-message-1 "Compare IBM and AMZN"
 * </pre>
 *
 * Only two things are by hand that Confluent's serialisers do as well: asking the registry, and the five bytes before a value. The
 * message's id is its identity: the same program run again with it adds nothing, and is told so.
 */
public final class Upstream {
  private static final String INGRESS = "fairlead.ingress.messages.v1";
  private static final String RECEIPTS = "fairlead.admission.receipts.v1";
  private static final Set<String> DECIDED = Set.of("run_started", "refused", "conflict");
  private static final Duration WAIT = Duration.ofSeconds(40);
  /** Before each value: a zero, and the schema's id in four bytes. */
  private static final int PREFIX_BYTES = 5;

  private record Registered(int id, Schema schema) {}

  private static final class Registry {
    private final String url;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final Map<Integer, Schema> byId = new HashMap<>();

    Registry(String url) {
      this.url = url.replaceAll("/$", "");
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
      var request = HttpRequest.newBuilder(URI.create(url + path)).build();
      var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) throw new IOException(path + " answered " + answer.statusCode());
      return json.readTree(answer.body());
    }

    Registered newest(String subject) throws IOException, InterruptedException {
      JsonNode version = get("/subjects/" + subject + "/versions/latest");
      return new Registered(version.get("id").asInt(), parse(version));
    }

    Schema of(int id) throws IOException, InterruptedException {
      if (!byId.containsKey(id)) byId.put(id, parse(get("/schemas/ids/" + id)));
      return byId.get(id);
    }

    private static Schema parse(JsonNode answer) {
      return new Schema.Parser().parse(answer.get("schema").asText());
    }
  }

  private static byte[] encode(Registered as, GenericRecord record) throws IOException {
    var out = new ByteArrayOutputStream();
    out.write(ByteBuffer.allocate(PREFIX_BYTES).put((byte) 0).putInt(as.id()).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(as.schema()).write(record, encoder);
    encoder.flush();
    return out.toByteArray();
  }

  private static GenericRecord decode(Registry registry, byte[] value) throws IOException, InterruptedException {
    var bytes = ByteBuffer.wrap(value);
    if (bytes.get() != 0) throw new IOException("not in the wire format");
    var reader = new GenericDatumReader<GenericRecord>(registry.of(bytes.getInt()));
    return reader.read(null, DecoderFactory.get().binaryDecoder(value, PREFIX_BYTES, value.length - PREFIX_BYTES, null));
  }

  /** Fields that are not set have the schema's defaults, those that were added since this was written too. */
  private static GenericRecord message(Schema schema, String conversation, String id, String content) {
    return new GenericRecordBuilder(schema)
        .set("eventId", UUID.randomUUID().toString())
        .set("occurredAt", Instant.now().toEpochMilli())
        .set("conversationId", conversation)
        .set("clientMessageId", id)
        .set("content", content)
        .set("account", "alice")
        .set("relation", new GenericData.EnumSymbol(schema.getField("relation").schema(), "NEW_TASK"))
        .build();
  }

  private static void produce(String brokers, Registry registry, String conversation, String id, String content)
      throws IOException, InterruptedException, ExecutionException {
    Registered as = registry.newest(INGRESS + "-value");
    byte[] value = encode(as, message(as.schema(), conversation, id, content));
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "acks", "all");
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(INGRESS, conversation, value)).get();
    }
  }

  private static List<String> follow(String brokers, Registry registry, String id)
      throws IOException, InterruptedException {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", brokers, "group.id", "java-" + id, "auto.offset.reset", "earliest");
    var statuses = new ArrayList<String>();
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(RECEIPTS));
      Instant end = Instant.now().plus(WAIT);
      while (Instant.now().isBefore(end)) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          GenericRecord receipt = decode(registry, record.value());
          if (!id.equals(receipt.get("clientMessageId").toString())) continue;
          String status = receipt.get("status").toString();
          statuses.add(status);
          if (DECIDED.contains(status)) return statuses;
        }
      }
    }
    return statuses;
  }

  public static void main(String[] arguments) throws Exception {
    String brokers = System.getenv("KAFKA_BROKERS");
    var registry = new Registry(System.getenv("SCHEMA_REGISTRY_URL"));
    produce(brokers, registry, arguments[0], arguments[1], arguments[2]);
    System.out.println(new ObjectMapper().writeValueAsString(Map.of("statuses", follow(brokers, registry, arguments[1]))));
  }
}
