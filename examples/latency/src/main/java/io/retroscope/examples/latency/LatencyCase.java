// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Who is slow, and who is suspected with reason? Three nodes of the tester ping each other. All
 * links of one are slow at times, and another is stopped at times.
 */
public final class LatencyCase implements CaseStudy {
  /** A node for which all others are slow, but not itself: its links are. */
  static final Question SLOW_NODE =
      new Question(
          "all peers slow",
          "best",
          "SELECT round, best, self FROM clt"
              + " WHEN EXISTS n IN NODES : (best@n > 100000 AND self@n < 20000) EMIT EDGES;");

  /** A suspicion of a node that still sends. */
  static final Question FALSE_SUSPICION =
      new Question(
          "suspected, but alive",
          "suspects",
          "SELECT suspects FROM clt WHEN EXISTS a, b IN NODES :"
              + " (b IN suspects@a AND Age(sent)@b <= 800ms) EMIT EDGES;");

  /** A suspicion of a node that does not. */
  static final Question TRUE_SUSPICION =
      new Question(
          "suspected with reason",
          "suspects",
          "SELECT suspects FROM clt WHEN EXISTS a, b IN NODES :"
              + " (b IN suspects@a AND Age(sent)@b > 800ms) EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # A node for which all others are slow: its links are.
      SELECT best FROM clt WHEN EXISTS n IN NODES : (best@n > 100000 AND self@n < 20000) EMIT EDGES
        PLAY wood EACH n IN NODES : (best@n > 100000) LEVEL best@n / 100000 STEPS {1, 2, 4, 8} PLACE n;
      # A suspicion without reason, then one with reason.
      SELECT suspects FROM clt WHEN EXISTS a, b IN NODES : (b IN suspects@a AND Age(sent)@b <= 800ms)
        EMIT EDGES PLAY glass NOTE 84;
      SELECT suspects FROM clt WHEN EXISTS a, b IN NODES : (b IN suspects@a AND Age(sent)@b > 800ms)
        PLAY alarm AS ALARM;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param nodeClass the program of the nodes
   * @param faults whether links are slow and a node is stopped
   * @param alignmentPatience how long the oracle waits for the log server's offsets of clocks
   */
  record Variant(String nodeClass, boolean faults, Duration alignmentPatience) {}

  /** With slow links and stops. */
  public LatencyCase() {
    this(new Variant(LatencyNode.class.getName(), true, Deadline.PATIENCE));
  }

  LatencyCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public List<Question> questions() {
    return List.of(SLOW_NODE, FALSE_SUSPICION, TRUE_SUSPICION);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new LatencyCase(new Variant(variant.nodeClass(), false, variant.alignmentPatience()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return LatencyScene.start(folder, server, variant);
  }
}
