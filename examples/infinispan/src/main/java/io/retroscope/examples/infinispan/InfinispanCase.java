// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * How far apart are the replicas? Three nodes hold one replicated cache. All links of one of them
 * go through a relay that is slow in bursts.
 */
public final class InfinispanCase implements CaseStudy {
  /** Replicas that are two or more versions apart. */
  static final Question APART =
      new Question(
          "replicas apart",
          "r1",
          "SELECT r1, SPREAD(r1) AS staleness FROM stock WHEN SPREAD(r1) >= 2 EMIT EDGES;");

  /** Members with different views of the cluster. */
  static final Question VIEWS =
      new Question(
          "different views",
          "view",
          "SELECT view FROM stock WHEN EXISTS a, b IN NODES : (view@a != view@b) EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # How far is each replica behind? One strike per step reached, at the side of the node.
      SELECT r1 FROM stock WHEN SPREAD(r1) >= 2 EMIT EDGES
        PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;
      # The worst one, all the time.
      SELECT r1 FROM stock PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;
      # The members disagree who is a member.
      SELECT view FROM stock WHEN EXISTS a, b IN NODES : (view@a != view@b) EMIT EDGES PLAY glass NOTE 72;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param nodeClass the program of the nodes
   * @param mode Infinispan's cache mode: {@code REPL_ASYNC} or {@code REPL_SYNC}
   * @param faults whether the relay is slow now and then
   * @param skewMicros added to the clocks of the replicas, but not the writer's
   * @param random the relay's delays
   */
  record Variant(String nodeClass, String mode, boolean faults, long skewMicros, Random random) {}

  /** Asynchronous replication. */
  public InfinispanCase() {
    this(new Variant(StockNode.class.getName(), "REPL_ASYNC", true, 0, new Random()));
  }

  InfinispanCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "infinispan";
  }

  @Override
  public List<Question> questions() {
    return List.of(APART, VIEWS);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new InfinispanCase(
        new Variant(
            variant.nodeClass(), variant.mode(), false, variant.skewMicros(), variant.random()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return CacheScene.start(folder, server, variant);
  }
}
