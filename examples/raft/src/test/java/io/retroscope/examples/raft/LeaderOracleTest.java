// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.examples.raft.Pause.Change;
import io.retroscope.examples.stage.Match;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of both ends of a stretch, in milliseconds after SIGSTOP. */
final class LeaderOracleTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final RoleNote LEADS = note("n2", RoleNote.LEADER, 1_990, 2_020);
  private static final RoleNote FOLLOWS = note("n1", RoleNote.FOLLOWER, 4_070, 4_090);

  /**
   * n2 leads from 2,000 on and has recorded it by 2,020; n1 continues at 4,000, follows from 4,080
   * on, and has recorded it by 4,090.
   */
  private static final Pause PAUSE =
      new Pause(
          "n1", at(0), new Change(at(2_000), LEADS), at(4_000), new Change(at(4_080), FOLLOWS));

  @ParameterizedTest
  @CsvSource({"1998, false", "1999, true", "2021, true", "2022, false"})
  void begin_atAMoment_isInItsLimitsOrNot(long millis, boolean holds) {
    assertThat(LeaderOracle.beginsAtTheElection(stretch(millis, 4_090), List.of(PAUSE)).holds())
        .isEqualTo(holds);
  }

  @ParameterizedTest
  @CsvSource({"4078, false", "4079, true", "4091, true", "4092, false"})
  void end_atAMoment_isInItsLimitsOrNot(long millis, boolean holds) {
    assertThat(LeaderOracle.endsAtTheContinuation(stretch(2_010, millis), List.of(PAUSE)).holds())
        .isEqualTo(holds);
  }

  /** A role began no later than its answer says, but a note and a signal bound it as well. */
  @ParameterizedTest
  @CsvSource({"-1, 3999, false", "1, 4000, true"})
  void stretch_rolesBeforeTheSignals_isAfterThem(long begin, long end, boolean holds) {
    Pause early =
        new Pause(
            "n1",
            at(0),
            new Change(at(-10), note("n2", RoleNote.LEADER, -10, 20)),
            at(4_000),
            new Change(at(3_990), note("n1", RoleNote.FOLLOWER, 3_990, 4_010)));
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

  @Test
  void onePerPause_stretchesOutsideOfPauses_holdsBetweenNotedRolesOnly() {
    List<Match> inPause = stretch(2_010, 4_085);
    List<Match> two = List.of(inPause.get(0), stretch(6_000, 6_100).get(0));
    assertThat(onePerPause(inPause)).isTrue();
    assertThat(onePerPause(List.of())).as("none").isFalse();
    RoleNote leads = note("n3", RoleNote.LEADER, 5_990, 6_010);
    assertThat(onePerPause(two, leads, note("n2", RoleNote.FOLLOWER, 6_090, 6_110))).isTrue();
    assertThat(onePerPause(two, leads)).as("its end is not noted").isFalse();
    assertThat(onePerPause(two, leads, note("n2", RoleNote.FOLLOWER, 6_102, 6_110)))
        .as("noted too late")
        .isFalse();
    assertThat(onePerPause(two)).as("not noted").isFalse();
    assertThat(onePerPause(two, note("n3", RoleNote.FOLLOWER, 5_990, 6_010)))
        .as("noted as a follower")
        .isFalse();
  }

  private static boolean onePerPause(List<Match> two, RoleNote... notes) {
    List<Pause> pauses = List.of(PAUSE);
    return LeaderOracle.onePerPause(two, LeaderOracle.inPauses(two, pauses), pauses, List.of(notes))
        .holds();
  }

  private static RoleNote note(String member, String role, long fromMillis, long toMillis) {
    return new RoleNote(member, role, at(fromMillis), at(toMillis));
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
