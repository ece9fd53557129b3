// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.kafka.TopicProbe.ProbeException;
import io.retroscope.server.live.MonotonicClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic that holds the events of a cluster of log servers. It must stay the same one, with the
 * same partitions. Thread-safe.
 */
public final class EventTopic implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(EventTopic.class);
  private static final long TIMEOUT_MILLIS = 6_000;

  /** The number of queries at the start until no broker is expected to answer. */
  static final int START_ATTEMPTS = 4;

  private static final String ALL =
      "a new copy is restored from the topic, which must have all records";

  private static final List<Needed> NEEDED =
      List.of(
          new Needed(
              "message.timestamp.type",
              "LogAppendTime",
              "the broker's time decides on every server alike which stamps are too far in the"
                  + " future"),
          new Needed("cleanup.policy", "delete", "compaction would remove events"),
          new Needed("retention.ms", "-1", ALL),
          new Needed("retention.bytes", "-1", ALL));

  private final KafkaOptions options;
  private final TopicProbe probe;
  private final TopicState first;

  /** A setting that the topic must have. */
  private record Needed(String name, String value, String reason) {
    @Override
    public String toString() {
      return name + "=" + value;
    }
  }

  private EventTopic(KafkaOptions options, TopicProbe probe) {
    this.options = options;
    this.probe = probe;
    this.first = explained(() -> patiently(this::probe));
    unsuitable()
        .ifPresent(
            sentence -> {
              throw new KafkaIngestException(sentence);
            });
  }

  /**
   * A setting of the topic that is not as a cluster needs it, in one sentence; empty if there is
   * none.
   *
   * @throws KafkaIngestException if the topic cannot be queried
   */
  public Optional<String> unsuitable() {
    for (Needed needed : NEEDED) {
      String value = explained(() -> patiently(() -> setting(needed.name)));
      if (!value.equals(needed.value)) {
        return Optional.of(unsuitable(needed, value));
      }
    }
    return Optional.empty();
  }

  /**
   * Looks at the topic.
   *
   * @throws KafkaIngestException if it cannot be used; the message names the setting
   */
  public static EventTopic open(KafkaOptions options, MonotonicClock clock) {
    if (options.brokers().isBlank()) {
      throw new KafkaIngestException(
          "no broker is given: a cluster needs --kafka HOST:PORT,... or bootstrap.servers");
    }
    TopicProbe probe;
    try {
      probe = new TopicProbe(options, clock);
    } catch (KafkaException e) {
      throw new KafkaIngestException(KafkaFault.of(e, options).sentence(), e);
    }
    try {
      return new EventTopic(options, probe);
    } catch (RuntimeException e) {
      probe.close();
      throw e;
    }
  }

  /** The options with which the topic is used. */
  public KafkaOptions options() {
    return options;
  }

  /** The identity, which changes if the topic is created again. */
  public Uuid id() {
    return first.id();
  }

  /** The number of partitions, numbered from 0. */
  public int partitionCount() {
    return first.ends().size();
  }

  /** The partition of a node, as Kafka's own partitioner chooses it. */
  public static int partition(String node, int partitionCount) {
    return partition(node.getBytes(StandardCharsets.UTF_8), partitionCount);
  }

  static int partition(byte[] key, int partitionCount) {
    return Utils.toPositive(Utils.murmur2(key)) % partitionCount;
  }

  /**
   * The offset of the next record of each partition.
   *
   * @throws KafkaIngestException if the topic cannot be queried, or is not the same any more
   */
  public Map<Integer, Long> ends() {
    TopicProbe.Ends now = explained(this::probeEnds);
    checkSame(now.id(), now.ends().size());
    return now.ends();
  }

  /**
   * The first available offset of a partition.
   *
   * @throws KafkaIngestException as for {@link #ends}
   */
  public long begin(int partition) {
    TopicState now = explained(this::probe);
    checkSame(now.id(), now.ends().size());
    return now.begin(partition);
  }

  /**
   * Takes over the records beside the topic from any other process that writes them; they are
   * created if there are none.
   *
   * @param suffix of the name of their topic
   * @throws KafkaIngestException if that is not possible; the message names the setting
   */
  public FencedTopic takeOver(String suffix) {
    try {
      return FencedTopic.open(options.at(options.topic() + suffix), probe);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaIngestException("interrupted while a topic was opened", e);
    }
  }

  /** Explains a failure of reading the topic in one sentence without secrets. */
  public String explainReading(Throwable failure) {
    return KafkaFault.of(failure, options).sentence();
  }

  /** Explains a failure of writing to the topic in one sentence without secrets. */
  public String explainWriting(Throwable failure) {
    return KafkaFault.of(failure, options, KafkaFault.Use.WRITE).sentence();
  }

  private void checkSame(Uuid id, int partitions) {
    if (!id.equals(first.id())) {
      throw new KafkaIngestException(
          "topic \"%s\" was created again while servers use it: their stores are of the old one; stop all servers, and give --data empty folders"
              .formatted(options.topic()));
    }
    if (partitions != partitionCount()) {
      throw new KafkaIngestException(grown(options.topic(), partitionCount(), partitions));
    }
  }

  /** The sentence about a topic whose number of partitions has changed. */
  public static String grown(String topic, int before, int now) {
    return "topic \"%s\" had %d partitions and has %d now, so that nodes are in other partitions than before: create a topic with %d partitions, and name it with --topic"
        .formatted(topic, before, now, now);
  }

  private TopicState probe() throws ProbeException, InterruptedException {
    synchronized (probe) {
      return probe.query(TIMEOUT_MILLIS);
    }
  }

  private TopicProbe.Ends probeEnds() throws ProbeException, InterruptedException {
    synchronized (probe) {
      return probe.ends(TIMEOUT_MILLIS);
    }
  }

  private static <T> T explained(Query<T> query) {
    try {
      return query.run();
    } catch (ProbeException e) {
      throw new KafkaIngestException(e.fault().sentence(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaIngestException("interrupted while the topic was queried", e);
    }
  }

  /** Repeats a query that no broker answers: a busy one may need longer than its timeout. */
  static <T> T patiently(Query<T> query) throws ProbeException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return query.run();
      } catch (ProbeException e) {
        if (e.fault().kind() != KafkaFault.Kind.UNREACHABLE || attempt == START_ATTEMPTS) {
          throw e;
        }
        logger.warn("{}; trying again", e.fault().sentence());
      }
    }
  }

  /** A query of the broker. */
  interface Query<T> {
    T run() throws ProbeException, InterruptedException;
  }

  private String setting(String name) throws ProbeException, InterruptedException {
    synchronized (probe) {
      return probe.setting(name, TIMEOUT_MILLIS);
    }
  }

  private String unsuitable(Needed needed, String value) {
    String topic = options.topic();
    return "topic \"%s\" has %s=%s, and a cluster needs %s, because %s: kafka-configs.sh --alter --entity-type topics --entity-name %s --add-config %s"
        .formatted(topic, needed.name, value, needed, needed.reason, topic, needed);
  }

  @Override
  public void close() {
    probe.close();
  }
}
