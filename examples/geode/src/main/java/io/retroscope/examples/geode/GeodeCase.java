// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Has one version two values? Two servers of Geode write the same entry of a replicated region at
 * the same ticks; then a client sends messages that get their versions in five ways.
 */
public final class GeodeCase implements CaseStudy {
  /** Two writers gave the same version, and neither knows the other's value yet. */
  static final Question TWO_VALUES =
      new Question(
          "one version, two values",
          "value",
          "SELECT version, value FROM geode WHEN EXISTS a, b IN NODES :"
              + " (version@a = version@b AND value@a != value@b) EMIT EDGES;");

  /** A new member of a region that uses it without what had been put before. */
  static final Question NOT_FLUSHED =
      new Question(
          "used before its flush",
          "first",
          "SELECT told, first FROM geode"
              + " WHEN EXISTS n IN NODES : (first@n < told@n) EMIT EDGES;");

  /** A message with different versions at two servers. */
  static final Question TWO_VERSIONS =
      new Question(
          "message, two versions",
          "stamped",
          "SELECT message, stamped FROM patterns WHEN EXISTS a, b IN NODES :"
              + " (message@a = message@b AND stamped@a != stamped@b) EMIT EDGES;");

  /** A message that the client takes as done, while a server does not have it. */
  static final Question EARLY =
      new Question(
          "acknowledged early",
          "message",
          "SELECT acknowledged, message FROM patterns WHEN EXISTS n IN NODES :"
              + " (message@n < acknowledged@client) EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # One version has two values, for as long as it lasts.
      SELECT version, value FROM geode
        WHEN EXISTS a, b IN NODES : (version@a = version@b AND value@a != value@b) EMIT INTERVALS
        PLAY trumpet NOTE 60;
      # A message is taken as done before all servers have it.
      SELECT acknowledged FROM patterns
        WHEN EXISTS n IN NODES : (message@n < acknowledged@client) EMIT EDGES PLAY glass NOTE 76;
      # What must not occur.
      SELECT message, stamped FROM patterns
        WHEN EXISTS a, b IN NODES : (message@a = message@b AND stamped@a != stamped@b)
        PLAY alarm AS ALARM;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param serverClass the program of the servers
   * @param twoWriters whether a second server writes too
   * @param behindMicros by how much the clock of each server is behind that of the one before it
   */
  record Variant(String serverClass, boolean twoWriters, long behindMicros) {}

  /** With two writers. */
  public GeodeCase() {
    this(new Variant(ServerNode.class.getName(), true, 0));
  }

  GeodeCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "geode";
  }

  @Override
  public List<Question> questions() {
    return List.of(TWO_VALUES, NOT_FLUSHED, TWO_VERSIONS, EARLY);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new GeodeCase(new Variant(variant.serverClass(), false, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return GeodeScene.start(folder, server, variant);
  }
}
