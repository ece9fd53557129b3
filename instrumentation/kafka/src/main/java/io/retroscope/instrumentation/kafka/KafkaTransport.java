package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.Parcel;
import io.retroscope.sink.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.jspecify.annotations.Nullable;

/**
 * Produces each frame as a record and waits until the broker has all of them. One thread delivers;
 * another may close.
 */
final class KafkaTransport implements Transport {
  /*
   * An idempotent producer that was refused once (credentials, rights) may refuse all later records by itself, although
   * the broker would take them again. So a producer is given up after any failure that Kafka does not call retriable,
   * and the next attempt makes a new one.
   */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Map<String, Object> settings;
  private final String topic;
  private final String brokers;

  /* Guarded by this. */
  private @Nullable KafkaProducer<String, byte[]> producer;
  private boolean closed;

  KafkaTransport(
      Map<String, Object> settings, String brokers, String topic, Duration deliveryTimeout) {
    this.settings = guaranteed(settings, brokers, deliveryTimeout);
    this.topic = topic;
    this.brokers = brokers;
    try {
      producer = start();
    } catch (KafkaException e) {
      if (!KafkaFailure.isUnresolved(e)) {
        throw KafkaFailure.refusal(e, topic);
      }
      // A name server may come up after this service; deliver() tries again and says so.
    }
  }

  /** What the sink promises does not depend on what the settings say. */
  private static Map<String, Object> guaranteed(
      Map<String, Object> settings, String brokers, Duration deliveryTimeout) {
    Map<String, Object> all = new HashMap<>(settings);
    int timeoutMillis = Math.toIntExact(deliveryTimeout.toMillis());
    all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMillis);
    all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis);
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeoutMillis);
    all.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    return all;
  }

  /** Kafka looks for its own classes where the thread says, which need not be where it lies. */
  private KafkaProducer<String, byte[]> start() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(KafkaProducer.class.getClassLoader());
    try {
      return new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public Delivery deliver(List<Parcel> parcels) throws InterruptedException {
    try {
      for (Future<RecordMetadata> each : send(current(), parcels)) {
        each.get();
      }
      return Delivery.DELIVERED;
    } catch (InterruptException e) {
      throw interrupted(e);
    } catch (ExecutionException | RuntimeException e) {
      return failed(e);
    }
  }

  private synchronized KafkaProducer<String, byte[]> current() throws InterruptedException {
    if (closed) {
      throw new InterruptedException("closed");
    }
    KafkaProducer<String, byte[]> current = producer == null ? start() : producer;
    producer = current;
    return current;
  }

  /** Ends at the first that fails at once: each could take the whole timeout for that. */
  private List<Future<RecordMetadata>> send(
      KafkaProducer<String, byte[]> current, List<Parcel> parcels)
      throws ExecutionException, InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (Parcel parcel : parcels) {
      Future<RecordMetadata> future = current.send(record(parcel));
      if (future.isDone()) {
        future.get();
      }
      sent.add(future);
    }
    return sent;
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
  private Delivery failed(Exception failure) {
    String reason = KafkaFailure.of(failure, topic);
    if (KafkaFailure.isTooLarge(failure)) {
      return Delivery.refused(reason);
    }
    if (!KafkaFailure.isRetriable(failure)) {
      giveUpProducer();
    }
    return Delivery.retry(reason);
  }

  @Override
  public String target() {
    return "Kafka at " + brokers + ", topic " + topic + ",";
  }

  private synchronized void giveUpProducer() {
    KafkaProducer<String, byte[]> current = producer;
    producer = null;
    if (current != null) {
      current.close(CLOSE_TIMEOUT);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    giveUpProducer();
  }
}
