// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Does each object have one owner? Five regions, with the delays between real ones, move objects to
 * their users by several policies. Owners that are in a hurry serve an object until the next one
 * has it.
 */
public final class MigrationCase implements CaseStudy {
  /** Two regions serve an object: each is right to, by its own log. */
  static final Question TWICE =
      new Question(
          "owned twice",
          "object",
          "SELECT NAME(v) AS object FROM regions FOR EACH VARIABLE v LIKE 'obj\\_%'"
              + " WHEN COUNT n IN NODES : (v@n) >= 2 EMIT EDGES;");

  /** No region serves an object: it is under way. */
  static final Question NONE =
      new Question(
          "owned by none",
          "object",
          "SELECT NAME(v) AS object FROM regions FOR EACH VARIABLE v LIKE 'obj\\_%'"
              + " WHEN COUNT n IN NODES : (v@n) = 0 EMIT EDGES;");

  /** A region has more than a quarter of the objects. */
  static final Question TOO_MANY =
      new Question(
          "more than a quarter",
          "count",
          "SELECT count FROM regions WHEN EXISTS n IN NODES : (count@n > %d) EMIT EDGES;"
              .formatted(Regions.LARGEST_SHARE));

  private static final String SOUNDSCAPE =
      """
      # Two regions serve an object, for as long as it lasts.
      SELECT v FROM regions FOR EACH VARIABLE v LIKE 'obj\\_%'
        WHEN COUNT n IN NODES : (v@n) >= 2 EMIT INTERVALS PLAY trumpet NOTE 60;
      # An object is under way, for as long as it lasts.
      SELECT v FROM regions FOR EACH VARIABLE v LIKE 'obj\\_%'
        WHEN COUNT n IN NODES : (v@n) = 0 EMIT INTERVALS PLAY pluck NOTE 67;
      # How unevenly the objects are spread, all the time.
      SELECT count FROM regions PLAY pad AS BACKGROUND FOLLOW MAX(count) RANGE 4 TO 20;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param regionClass the program of the regions
   * @param faults whether users move, and owners are in a hurry in an act
   * @param behindMicros by how much the clock of each region is behind that of the one before it
   */
  record Variant(String regionClass, boolean faults, long behindMicros) {}

  /** With users that move. */
  public MigrationCase() {
    this(new Variant(RegionNode.class.getName(), true, 0));
  }

  MigrationCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "migration";
  }

  @Override
  public List<Question> questions() {
    return List.of(TWICE, NONE, TOO_MANY);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new MigrationCase(new Variant(variant.regionClass(), false, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return MigrationScene.start(folder, server, variant);
  }
}
