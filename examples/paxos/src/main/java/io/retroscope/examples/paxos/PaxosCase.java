// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Do the replicas agree, and how much does a leader send? Twenty-five replicas in four zones run
 * Paxos and PigPaxos; a zone of PigPaxos fails for a while. Some of them run EPaxos and WPaxos,
 * whose clients share a key and an object.
 */
public final class PaxosCase implements CaseStudy {
  /** How far replicas are behind in {@link #BEHIND}, in slots. */
  static final int BEHIND_SLOTS = 60;

  /** Eight replicas, a relay group, have not accepted the last slots. */
  static final Question BEHIND =
      new Question(
          "group behind",
          "slots",
          ("SELECT Concat('slot ', String(MIN(accepted)), ' of ', String(MAX(accepted))) AS slots"
                  + " FROM paxos WHEN (COUNT n IN NODES : (accepted@n < MAX(accepted) - %d)) >= %d"
                  + " EMIT EDGES;")
              .formatted(BEHIND_SLOTS, Layout.GROUP_SIZE));

  /** Replicas that have executed equally many commands, but not the same ones in one order. */
  static final Question TWO_VALUES =
      new Question(
          "two values",
          "head",
          "SELECT head FROM paxos WHEN COUNT(DISTINCT head) > COUNT(DISTINCT place) EMIT EDGES;");

  /** A slot is executed as chosen that fewer than a majority have accepted. */
  static final Question NO_MAJORITY =
      new Question(
          "no majority",
          "committed",
          ("SELECT committed FROM paxos WHEN MAX(committed) > 0"
                  + " AND (COUNT n IN NODES : (accepted@n >= MAX(committed))) < %d EMIT EDGES;")
              .formatted(Layout.MAJORITY));

  /** A leader that sends and receives more per round than its fanout needs. */
  static final Question MESSAGES =
      new Question(
          "too many messages",
          "relayed",
          ("SELECT relayed, relayedRounds, direct, directRounds FROM leader WHEN EXISTS n IN NODES"
                  + " : (relayed@n > %d * relayedRounds@n OR direct@n > %d * directRounds@n) EMIT"
                  + " EDGES;")
              .formatted(2 * (Layout.ZONES.size() - 1) + 2, 2 * (Layout.REPLICAS.size() - 1) + 2));

  /** Commands of EPaxos that conflict with others: they need a second round trip. */
  static final Question CONFLICTS =
      new Question(
          "conflict", "slow", "SELECT slow FROM epaxos WHEN Changed(slow) AND SUM(slow) > 0;");

  /** An object of WPaxos that moves: none owns it, or two do. */
  static final Question MOVES =
      new Question(
          "not one owner",
          "ballot",
          "SELECT owns, ballot FROM wpaxos"
              + " WHEN MAX(ballot) > 0 AND (COUNT n IN NODES : (owns@n)) != 1 EMIT EDGES;");

  private static final String SOUNDSCAPE =
      """
      # A relay group has not accepted the last slots, for as long as it lasts.
      SELECT accepted FROM paxos
        WHEN (COUNT n IN NODES : (accepted@n < MAX(accepted) - 60)) >= 8 EMIT INTERVALS
        PLAY trumpet NOTE 55;
      # Replicas do not agree.
      SELECT head FROM paxos WHEN COUNT(DISTINCT head) > COUNT(DISTINCT place) EMIT EDGES
        PLAY glass NOTE 84;
      # A command of EPaxos needs a second round trip.
      SELECT slow FROM epaxos WHEN Changed(slow) AND SUM(slow) > 0 PLAY wood NOTE 60;
      # The shared object of WPaxos moves to another zone.
      SELECT owns FROM wpaxos WHEN MAX(ballot) > 0 AND (COUNT n IN NODES : (owns@n)) != 1
        EMIT INTERVALS PLAY pluck NOTE 67;
      # How far the replicas are apart, all the time.
      SELECT accepted FROM paxos PLAY pad AS BACKGROUND FOLLOW SPREAD(accepted) RANGE 0 TO 200;
      """;

  private final Variant variant;

  /**
   * A variant of the run.
   *
   * @param nodeClass the program of the zones
   * @param faults whether a zone fails, and clients share what they change
   * @param failMillis for how long at least
   * @param needed the number of replicas that must accept a value
   * @param behindMicros by how much the clock of each zone is behind that of the one before it
   */
  record Variant(String nodeClass, boolean faults, long failMillis, int needed, long behindMicros) {
    /** A zone fails for ten seconds. */
    static Variant usual() {
      return new Variant(PaxosNode.class.getName(), true, 10_000, Layout.MAJORITY, 0);
    }
  }

  /** The usual variant. */
  public PaxosCase() {
    this(Variant.usual());
  }

  PaxosCase(Variant variant) {
    this.variant = variant;
  }

  @Override
  public String name() {
    return "paxos";
  }

  @Override
  public List<Question> questions() {
    return List.of(BEHIND, TWO_VALUES, NO_MAJORITY, MESSAGES, CONFLICTS, MOVES);
  }

  @Override
  public String soundscape() {
    return SOUNDSCAPE;
  }

  @Override
  public CaseStudy withoutFaults() {
    return new PaxosCase(
        new Variant(
            variant.nodeClass(),
            false,
            variant.failMillis(),
            variant.needed(),
            variant.behindMicros()));
  }

  @Override
  public Scene start(Path folder, URI server)
      throws StageException, IOException, InterruptedException {
    return PaxosScene.start(folder, server, variant);
  }
}
