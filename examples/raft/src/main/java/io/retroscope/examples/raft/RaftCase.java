// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Who leads? A group of three Raft servers. Now and then its leader is stopped, and does not know
 * that the others have elected another.
 */
public final class RaftCase implements CaseStudy {
  /** Two leaders at the same instant. */
  static final Question TWO_LEADERS =
      new Question(
          "two leaders",
          "role",
          "SELECT role, term FROM raft WHEN COUNT n IN NODES : (role@n = 'leader') >= 2 EMIT"
              + " EDGES;");

  /** A leader while another server knows a later term. */
  static final Question OLD_TERM =
      new Question(
          "leader of an old term",
          "term",
          "SELECT role, term FROM raft"
              + " WHEN EXISTS n IN NODES : (role@n = 'leader' AND term@n < MAX(term)) EMIT EDGES;");

  /** What Raft excludes. */
  static final Question ONE_TERM =
      new Question(
          "two leaders in one term",
          "term",
          "SELECT role, term FROM raft"
              + " WHEN EXISTS a, b IN NODES :"
              + " (a != b AND role@a = 'leader' AND role@b = 'leader' AND term@a = term@b)"
              + " EMIT EDGES;");

  /** A server that applies entries much later than another. */
  static final Question BEHIND =
      new Question(
          "applied far apart",
          "applied",
          "SELECT applied FROM raft WHEN SPREAD(applied) >= 10 EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # Two leaders: one tone for as long as it lasts, higher in later terms.
      SELECT role, term FROM raft WHEN COUNT n IN NODES : (role@n = 'leader') >= 2 EMIT INTERVALS
        PLAY trumpet NOTE 48 + 2 * MAX(term);
      # Entries that the last server has not applied, all the time.
      SELECT applied FROM raft PLAY pad AS BACKGROUND FOLLOW SPREAD(applied) RANGE 0 TO 40;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param serverClass the program of the servers
   * @param pauses whether leaders are stopped
   * @param behindMicros by how much the clock of each server is behind that of the one before it
   */
  record Variant(String serverClass, boolean pauses, long behindMicros) {}

  /** Leaders are stopped. */
  public RaftCase() {
    this(new Variant(RaftNode.class.getName(), true, 0));
  }

  RaftCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "raft";
  }

  @Override
  public List<Question> questions() {
    return List.of(TWO_LEADERS, OLD_TERM, ONE_TERM, BEHIND);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new RaftCase(new Variant(variant.serverClass(), false, variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return RaftScene.start(folder, server, variant);
  }
}
