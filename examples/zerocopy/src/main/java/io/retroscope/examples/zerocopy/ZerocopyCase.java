// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Are acknowledged bytes on two disks? A primary ships its log to a standby without copies in user
 * space; an auxiliary steps in while the standby is missing.
 */
public final class ZerocopyCase implements CaseStudy {
  /** The primary has acknowledged what fewer than two nodes have on their disks. */
  static final Question TOO_FEW =
      new Question(
          "on fewer than two disks",
          "durable",
          "SELECT acknowledged, durable FROM ship WHEN COUNT(acknowledged) > 0"
              + " AND (COUNT n IN NODES : (durable@n >= MAX(acknowledged))) < 2 EMIT EDGES;");

  /** The standby has less on its disk than it said before. */
  static final Question FALLS =
      new Question(
          "durable falls",
          "durable",
          "SELECT durable FROM ship COMPUTE GLOBAL most"
              + " AND most := Max(Coalesce(most, 0), Coalesce(durable@a2, 0))"
              + " WHEN durable@a2 < most EMIT EDGES;");

  /** Nodes have equally many bytes of the log, but not the same ones. */
  static final Question OTHER_BYTES =
      new Question(
          "other bytes",
          "head",
          "SELECT head FROM ship"
              + " WHEN EXISTS a, b IN NODES : (durable@a = durable@b AND head@a != head@b)"
              + " EMIT EDGES;");

  /** The auxiliary has a part of the log. */
  static final Question AUXILIARY =
      new Question(
          "auxiliary needed",
          "durable",
          "SELECT durable FROM ship WHEN durable@x1 IS NOT NULL EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # Acknowledged, but on fewer than two disks, for as long as it lasts.
      SELECT durable FROM ship WHEN COUNT(acknowledged) > 0
        AND (COUNT n IN NODES : (durable@n >= MAX(acknowledged))) < 2 EMIT INTERVALS
        PLAY trumpet NOTE 60;
      # The standby has less than it had.
      SELECT durable FROM ship COMPUTE GLOBAL most
        AND most := Max(Coalesce(most, 0), Coalesce(durable@a2, 0))
        WHEN durable@a2 < most EMIT EDGES PLAY glass NOTE 84;
      # The auxiliary is needed, for as long as it is.
      SELECT durable FROM ship WHEN durable@x1 IS NOT NULL EMIT INTERVALS PLAY horn NOTE 48;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param standbyClass the program of the standby
   * @param faults whether the standby is stopped, lies and crashes, and the primary acknowledges
   *     early
   * @param behindMicros by how much the clock of the standby is behind the others
   */
  record Variant(String standbyClass, boolean faults, long behindMicros) {}

  /** With faults. */
  public ZerocopyCase() {
    this(new Variant(StandbyNode.class.getName(), true, 0));
  }

  ZerocopyCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "zerocopy";
  }

  @Override
  public List<Question> questions() {
    return List.of(TOO_FEW, FALLS, OTHER_BYTES, AUXILIARY);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new ZerocopyCase(new Variant(variant.standbyClass(), false, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return ZerocopyScene.start(folder, server, variant);
  }
}
