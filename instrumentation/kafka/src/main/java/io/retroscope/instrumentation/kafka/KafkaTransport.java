package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.Parcel;
import io.retroscope.sink.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Produces each frame as a record and waits until the broker has all of them. Used by one thread.
 */
final class KafkaTransport implements Transport {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final KafkaProducer<String, byte[]> producer;
  private final String topic;
  private final String brokers;

  KafkaTransport(Map<String, Object> settings, String topic, Duration deliveryTimeout) {
    Map<String, Object> all = new HashMap<>(settings);
    int timeoutMillis = Math.toIntExact(deliveryTimeout.toMillis());
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMillis);
    all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis);
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeoutMillis);
    this.topic = topic;
    this.brokers = String.valueOf(settings.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG));
    try {
      producer = new KafkaProducer<>(all, new StringSerializer(), new ByteArraySerializer());
    } catch (KafkaException e) {
      throw new IllegalArgumentException(
          "Kafka's producer cannot start: " + KafkaFailure.of(e, topic), e);
    }
  }

  @Override
  public Delivery deliver(List<Parcel> parcels) throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try {
      for (Parcel parcel : parcels) {
        sent.add(producer.send(record(parcel)));
      }
    } catch (InterruptException e) {
      throw interrupted(e);
    } catch (KafkaException e) {
      return delivery(e);
    }
    Optional<Delivery> failed = Optional.empty();
    for (Future<RecordMetadata> each : sent) {
      try {
        each.get();
      } catch (ExecutionException e) {
        failed = failed.or(() -> Optional.of(delivery(e)));
      }
    }
    return failed.orElse(Delivery.DELIVERED);
  }

  private static InterruptedException interrupted(InterruptException e) {
    InterruptedException plain = new InterruptedException("while sending to Kafka");
    plain.initCause(e);
    // Kafka sets the flag again as it throws; the exception says it.
    Thread.interrupted();
    return plain;
  }

  private ProducerRecord<String, byte[]> record(Parcel parcel) {
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(topic, parcel.node(), parcel.bytes());
    Headers headers = record.headers();
    headers.add("node", parcel.node().getBytes(StandardCharsets.UTF_8));
    headers.add("incarnation", parcel.incarnation().getBytes(StandardCharsets.UTF_8));
    headers.add("block", Long.toString(parcel.number()).getBytes(StandardCharsets.UTF_8));
    return record;
  }

  /** Only what no repetition can change is refused: rights and topics come and go. */
  private Delivery delivery(Throwable cause) {
    String reason = KafkaFailure.of(cause, topic);
    return KafkaFailure.isTooLarge(cause) ? Delivery.refused(reason) : Delivery.retry(reason);
  }

  @Override
  public String target() {
    return "Kafka at " + brokers + ", topic " + topic + ",";
  }

  @Override
  public void close() {
    producer.close(CLOSE_TIMEOUT);
  }
}
