// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Do replicas execute in one order? Five replicas of Speculative Paxos execute each request when
 * its multicast arrives, and roll back if others had another order. The multicasts are ordered by a
 * sequencer, or a twentieth of them passes it, or all do.
 */
public final class OrderingCase implements CaseStudy {
  /** Replicas that have executed equally many requests, but not the same ones in one order. */
  static final Question OTHER_ORDER =
      new Question(
          "different orders",
          "digest",
          "SELECT length, digest FROM spec"
              + " WHEN EXISTS a, b IN NODES : (length@a = length@b AND digest@a != digest@b)"
              + " EMIT EDGES;");

  /** A reconciliation: some replicas are in the next view, others are not. */
  static final Question VIEWS =
      new Question(
          "different views",
          "view",
          "SELECT view FROM spec WHEN EXISTS a, b IN NODES : (view@a != view@b) EMIT EDGES;");

  /** Speculative Paxos excludes it: a client took as done what fewer than four replicas have. */
  static final Question TOO_EARLY =
      new Question(
          "done too early",
          "length",
          "SELECT taken, length FROM spec"
              + " WHEN COUNT(taken) > 0 AND (COUNT n IN NODES : (length@n >= MAX(taken))) < 4"
              + " EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # Replicas have executed in different orders.
      SELECT length, digest FROM spec
        WHEN EXISTS a, b IN NODES : (length@a = length@b AND digest@a != digest@b) EMIT EDGES
        PLAY wood NOTE 60;
      # A reconciliation, for as long as it lasts.
      SELECT view FROM spec WHEN EXISTS a, b IN NODES : (view@a != view@b) EMIT INTERVALS
        PLAY trumpet NOTE 55;
      # How far the replicas are apart, all the time.
      SELECT length FROM spec PLAY pad AS BACKGROUND FOLLOW SPREAD(length) RANGE 0 TO 20;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param stack the file with the stack of protocols
   * @param percents of the acts, how many multicasts pass the sequencer
   * @param needed the number of equal replies with which a client takes a request as done
   * @param behindMicros by how much the clocks of the replicas are behind those of the clients
   * @param seed of the clients' requests
   */
  record Variant(String stack, List<Integer> percents, int needed, long behindMicros, long seed) {
    Variant {
      percents = List.copyOf(percents);
    }

    /** A sequencer, a twentieth that passes it, no sequencer. */
    static Variant usual(long seed) {
      return new Variant(
          Group.STACK,
          List.of(0, 5, 100),
          new Quorums(OrderingScene.REPLICAS.size()).superquorum(),
          0,
          seed);
    }
  }

  /** The usual variant. */
  public OrderingCase() {
    this(Variant.usual(System.nanoTime()));
  }

  OrderingCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "ordering";
  }

  @Override
  public List<Question> questions() {
    return List.of(OTHER_ORDER, VIEWS, TOO_EARLY);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new OrderingCase(
        new Variant(
            variant.stack(), List.of(0), variant.needed(), variant.behindMicros(), variant.seed()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return OrderingScene.start(folder, server, variant);
  }
}
