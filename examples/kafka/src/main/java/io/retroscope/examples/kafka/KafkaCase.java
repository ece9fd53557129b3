// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Who owns the partition? Two consumers of one group share four partitions. Now and then one of
 * them does not poll in time, and does not know that Kafka has given its partitions to the other.
 */
public final class KafkaCase implements CaseStudy {
  /** A partition with two owners. */
  static final Question OWNED_TWICE =
      new Question(
          "owned twice",
          "owns",
          "SELECT owns FROM `group`"
              + " WHEN EXISTS a, b IN NODES :"
              + " (a != b AND Cardinality(owns@a INTERSECT owns@b) > 0) EMIT EDGES;");

  /** A partition without an owner. */
  static final Question OWNED_BY_NONE =
      new Question(
          "owned by none for 100 ms",
          "owns",
          "SELECT owns FROM `group`"
              + " WHEN Cardinality(owns@c1 UNION owns@c2) < 4 FOR 100ms EMIT EDGES;");

  /** Commits of those who are no owners any more. */
  static final Question REFUSED =
      new Question(
          "commit refused",
          "refused",
          "SELECT refused FROM `group` WHEN Changed(refused) AND SUM(refused) > 0;");

  private static final String SOUNDSCAPE =
      """
      # A partition with two owners: both handle its orders.
      SELECT owns FROM `group`
        WHEN EXISTS a, b IN NODES : (a != b AND Cardinality(owns@a INTERSECT owns@b) > 0)
        FOR 200ms PLAY alarm AS ALARM;
      # One strike per partition too many, at the side of the consumer that has all of them.
      SELECT owns FROM `group` WHEN EXISTS n IN NODES : (Cardinality(owns@n) > 2) EMIT EDGES
        PLAY wood EACH n IN NODES : (Cardinality(owns@n) > 2) LEVEL Cardinality(owns@n) STEPS {3, 4} PLACE n;
      # A batch that was handled for nothing.
      SELECT refused FROM `group` WHEN Changed(refused) AND SUM(refused) > 0 PLAY pluck NOTE 43;
      """;

  private final String consumerClass;
  private final List<Fault> faults;
  private final long skewMicros;

  /** The faults, in turn. */
  enum Fault {
    /** A batch that takes longer than {@code max.poll.interval.ms}. */
    SLOW_BATCH,
    /** A process that is stopped, longer than {@code session.timeout.ms}. */
    STOPPED
  }

  /** Both faults in turn. */
  public KafkaCase() {
    this(OrderConsumer.class.getName(), List.of(Fault.SLOW_BATCH, Fault.STOPPED), 0);
  }

  /**
   * A variant for tests.
   *
   * @param faults none for a control run
   * @param skewMicros added to the clocks of the consumers
   */
  KafkaCase(String consumerClass, List<Fault> faults, long skewMicros) {
    this.consumerClass = consumerClass;
    this.faults = List.copyOf(faults);
    this.skewMicros = skewMicros;
  }

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public List<Question> questions() {
    return List.of(OWNED_TWICE, OWNED_BY_NONE, REFUSED);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new KafkaCase(consumerClass, List.of(), skewMicros);
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    BrokerProcess broker =
        BrokerProcess.start(
            folder.resolve("kafka"),
            KafkaScene.TOPIC,
            KafkaScene.PARTITION_COUNT,
            "group.min.session.timeout.ms=500");
    return KafkaScene.start(broker, folder, server, consumerClass, faults, skewMicros);
  }
}
