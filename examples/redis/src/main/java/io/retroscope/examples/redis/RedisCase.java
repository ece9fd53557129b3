// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Who holds the lock? Three workers share a lease in Redis. Now and then a holder pauses for longer
 * than its lease, and does not know that Redis has given the lock to another.
 */
public final class RedisCase implements CaseStudy {
  /** A lock with two holders. */
  static final Question HELD_TWICE =
      new Question(
          "held twice",
          "turn",
          "SELECT turn FROM lock WHEN COUNT n IN NODES : (holds@n) >= 2 EMIT EDGES;");

  /** A write that replaced one of a later turn. */
  static final Question STALE =
      new Question(
          "stale write", "stale", "SELECT stale FROM lock WHEN Changed(stale) AND SUM(stale) > 0;");

  /** A write that the store refused, because of its fencing token. */
  static final Question REFUSED =
      new Question(
          "refused by fencing",
          "refused",
          "SELECT refused FROM lock WHEN Changed(refused) AND SUM(refused) > 0;");

  /** Longer than a turn, shorter than a pause. */
  static final long LEASE_MILLIS = 250;

  private static final String SOUNDSCAPE =
      """
      # Two workers act as the holder: one strike for each stretch.
      SELECT turn FROM lock WHEN COUNT n IN NODES : (holds@n) >= 2 EMIT INTERVALS PLAY woodblock NOTE 72;
      # A write of an earlier turn replaced that of a later one.
      SELECT stale FROM lock WHEN Changed(stale) AND SUM(stale) > 0 PLAY pluck NOTE 43;
      # The same, refused.
      SELECT refused FROM lock WHEN Changed(refused) AND SUM(refused) > 0 PLAY glass NOTE 84;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param workerClass the program of the workers
   * @param pauseEvery every turn with a multiple of this number pauses; 0 for none
   * @param leaseMillis how long Redis gives the lock to a worker
   * @param skewMicros added to the clocks of all workers but the first
   */
  record Variant(String workerClass, int pauseEvery, long leaseMillis, long skewMicros) {}

  /** Every twentieth turn pauses. */
  public RedisCase() {
    this(new Variant(LeaseWorker.class.getName(), 20, LEASE_MILLIS, 0));
  }

  RedisCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public List<Question> questions() {
    return List.of(HELD_TWICE, STALE, REFUSED);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new RedisCase(
        new Variant(variant.workerClass(), 0, variant.leaseMillis(), variant.skewMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return LeaseScene.start(folder, server, variant);
  }
}
