// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.Pace;
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
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
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
 * A transport that produces each frame as a record and waits until the broker has acknowledged all
 * of them. One thread delivers; another may close.
 */
final class KafkaTransport implements Transport {
  /*
   * An idempotent producer that was refused once (credentials, permissions) may refuse all later
   * records itself, although the broker would accept them again. A producer is therefore closed
   * after any failure that Kafka does not classify as retriable, and the next attempt creates a new
   * one.
   *
   * When a send times out, a later one may still arrive. Within an incarnation that is harmless,
   * because blocks are numbered. But at the start of the next incarnation, readers treat the
   * previous one as ended. Its first block is therefore sent only when all earlier blocks have
   * arrived.
   */
  /**
   * The pace unless the service chooses its own; a compromise between the lag of live queries and
   * the cost of idle nodes.
   */
  private static final Pace DEFAULT_PACE = Pace.of(Duration.ofMillis(200), false);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Supplier<Producer<String, byte[]>> producers;
  private final String brokers;
  private final String topic;

  /* Guarded by this. */
  private @Nullable Producer<String, byte[]> producer;
  private boolean closed;

  /** A transport with producers from a supplier. */
  KafkaTransport(Supplier<Producer<String, byte[]>> producers, String brokers, String topic) {
    this.producers = producers;
    this.brokers = brokers;
    this.topic = topic;
    try {
      producer = producers.get();
    } catch (KafkaException e) {
      if (!KafkaFailure.isUnresolved(e)) {
        throw KafkaFailure.refusal(e, topic);
      }
      // A name server may start after this service; deliver() retries and logs this.
    }
  }

  /** A transport to a real broker. */
  static KafkaTransport to(
      Map<String, Object> settings, String brokers, String topic, Duration deliveryTimeout) {
    Map<String, Object> all = guaranteed(settings, brokers, deliveryTimeout);
    return new KafkaTransport(() -> start(all), brokers, topic);
  }

  /** The settings on which the sink's guarantees depend override the service's. */
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

  /**
   * Starts a producer with Kafka's own class loader as the thread's context class loader, in which
   * Kafka looks up its classes.
   */
  private static Producer<String, byte[]> start(Map<String, Object> settings) {
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
      Producer<String, byte[]> current = current();
      for (int from = 0, to; from < parcels.size(); from = to) {
        to = endOfIncarnation(parcels, from);
        for (Future<RecordMetadata> each : send(current, parcels.subList(from, to))) {
          each.get();
        }
      }
      return Delivery.DELIVERED;
    } catch (InterruptException e) {
      throw interrupted(e);
    } catch (ExecutionException | RuntimeException e) {
      return failed(e);
    }
  }

  private synchronized Producer<String, byte[]> current() throws InterruptedException {
    if (closed) {
      throw new InterruptedException("closed");
    }
    Producer<String, byte[]> current = producer == null ? producers.get() : producer;
    producer = current;
    return current;
  }

  private static int endOfIncarnation(List<Parcel> parcels, int from) {
    String incarnation = parcels.get(from).incarnation();
    int to = from + 1;
    while (to < parcels.size() && parcels.get(to).incarnation().equals(incarnation)) {
      to++;
    }
    return to;
  }

  /** Stops at the first immediate failure, because each could take the whole timeout. */
  private List<Future<RecordMetadata>> send(Producer<String, byte[]> current, List<Parcel> parcels)
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
    // Kafka sets the interrupt flag again when it throws; the exception already reports it.
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

  /** Only permanent failures are refusals, because permissions and topics may change. */
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

  /**
   * The pace is constant, because there is no return channel on which a server could request a
   * faster one.
   */
  @Override
  public Pace pace(Pace wanted) {
    return wanted.chosen() ? wanted : DEFAULT_PACE;
  }

  @Override
  public String target() {
    return "Kafka at " + brokers + ", topic " + topic + ",";
  }

  private synchronized void giveUpProducer() {
    Producer<String, byte[]> current = producer;
    producer = null;
    if (current == null) {
      return;
    }
    // After its timeout, Kafka waits without a limit for its own thread, which may be resolving a
    // name.
    Thread closing = new Thread(() -> close(current), "retroscope-kafka-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(CLOSE_TIMEOUT.plus(CLOSE_TIMEOUT).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(Producer<String, byte[]> producer) {
    try {
      producer.close(CLOSE_TIMEOUT);
    } catch (KafkaException e) {
      // Records that it still held are sent again by the next producer.
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    giveUpProducer();
  }
}
