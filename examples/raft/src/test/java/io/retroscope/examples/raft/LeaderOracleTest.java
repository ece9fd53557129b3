// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.examples.raft.GroupClient.Role;
import io.retroscope.examples.stage.Match;
import java.util.List;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of both ends of a stretch, in milliseconds after SIGSTOP. */
final class LeaderOracleTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;

  /**
   * n2 leads from 2,000 on and says so at 2,020; n1 continues at 4,000 and follows from 4,080 on.
   */
  private static final Pause PAUSE =
      new Pause(
          "n1",
          at(0),
          new Role("n2", RaftPeerRole.LEADER, at(2_000), at(2_020)),
          at(4_000),
          at(4_001),
          new Role("n1", RaftPeerRole.FOLLOWER, at(4_080), at(4_110)));

  @ParameterizedTest
  @CsvSource({"1998, false", "1999, true", "2120, true", "2121, false"})
  void begin_atAMoment_isInItsLimitsOrNot(long millis, boolean holds) {
    assertThat(LeaderOracle.beginsAtTheElection(stretch(millis, 4_090), List.of(PAUSE)).holds())
        .isEqualTo(holds);
  }

  @ParameterizedTest
  @CsvSource({"4078, false", "4079, true", "4201, true", "4202, false"})
  void end_atAMoment_isInItsLimitsOrNot(long millis, boolean holds) {
    assertThat(LeaderOracle.endsAtTheContinuation(stretch(2_010, millis), List.of(PAUSE)).holds())
        .isEqualTo(holds);
  }

  @ParameterizedTest
  @CsvSource({"4131, true", "4132, false"})
  void end_answerSoonAfterTheRole_isAtMostALimitLater(long millis, boolean holds) {
    Pause quick =
        new Pause(
            "n1",
            at(0),
            PAUSE.elected(),
            at(4_000),
            at(4_001),
            new Role("n1", RaftPeerRole.FOLLOWER, at(4_030), at(4_031)));
    assertThat(LeaderOracle.endsAtTheContinuation(stretch(2_010, millis), List.of(quick)).holds())
        .isEqualTo(holds);
  }

  /** A role began no later than its answer says, but a signal bounds it as well. */
  @ParameterizedTest
  @CsvSource({"-1, 3999, false", "1, 4000, true"})
  void stretch_rolesBeforeTheSignals_isAfterThem(long begin, long end, boolean holds) {
    Pause early =
        new Pause(
            "n1",
            at(0),
            new Role("n2", RaftPeerRole.LEADER, at(-10), at(20)),
            at(4_000),
            at(4_001),
            new Role("n1", RaftPeerRole.FOLLOWER, at(3_990), at(4_010)));
    List<Match> stretch = stretch(begin, end);
    assertThat(LeaderOracle.beginsAtTheElection(stretch, List.of(early)).holds()).isEqualTo(holds);
    assertThat(LeaderOracle.endsAtTheContinuation(stretch, List.of(early)).holds())
        .isEqualTo(holds);
  }

  @Test
  void ends_noStretch_fail() {
    assertThat(LeaderOracle.beginsAtTheElection(List.of(), List.of(PAUSE)).holds()).isFalse();
    assertThat(LeaderOracle.endsAtTheContinuation(List.of(), List.of(PAUSE)).holds()).isFalse();
  }

  private static long at(long millis) {
    return START_MICROS + millis * 1_000;
  }

  private static List<Match> stretch(long fromMillis, long toMillis) {
    return List.of(
        new Match(
            HlcTimestamp.pack(at(fromMillis)),
            Map.of("endHlc", new Value.TimestampValue(HlcTimestamp.pack(at(toMillis))))));
  }
}
