// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** Is the ring whole? Six nodes form a Chord ring; two others join it and leave it in turn. */
public final class ChordCase implements CaseStudy {
  /** A node whose successor has another predecessor. */
  static final Question BROKEN =
      new Question(
          "ring not whole",
          "succ",
          "SELECT succ, pred FROM ring"
              + " WHEN EXISTS n IN NODES : (pred@(succ@n) != n) EMIT EDGES;");

  /** A node that is the successor of none: lookups do not find its keys. */
  static final Question GAP =
      new Question(
          "node not reached",
          "succ",
          "SELECT succ FROM ring"
              + " WHEN EXISTS n IN NODES :"
              + " (succ@n IS NOT NULL AND (COUNT m IN NODES : (succ@m = n)) = 0)"
              + " EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # A successor has another predecessor, for as long as it lasts.
      SELECT succ, pred FROM ring WHEN EXISTS n IN NODES : (pred@(succ@n) != n) EMIT INTERVALS
        PLAY trumpet NOTE 55;
      # A node is not reached.
      SELECT succ FROM ring
        WHEN EXISTS n IN NODES : (succ@n IS NOT NULL AND (COUNT m IN NODES : (succ@m = n)) = 0)
        EMIT EDGES PLAY glass NOTE 72;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param nodeClass the program of the nodes
   * @param changes whether nodes join and leave
   * @param behindMicros by how much the clock of each node is behind that of the one before it
   */
  record Variant(String nodeClass, boolean changes, long behindMicros) {}

  /** Nodes join and leave. */
  public ChordCase() {
    this(new Variant(ChordNode.class.getName(), true, 0));
  }

  ChordCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "chord";
  }

  @Override
  public List<Question> questions() {
    return List.of(BROKEN, GAP);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new ChordCase(new Variant(variant.nodeClass(), false, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return ChordScene.start(folder, server, variant);
  }
}
