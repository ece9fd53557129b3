// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.raft.RaftCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class RaftCaseTest {
  private static final long BEHIND_MICROS = 60_000;

  /** Longer than an entry takes to reach a server of a busy machine. */
  private static final long FAR_BEHIND_MICROS = 2_000_000;

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_leaderStopped_findsTwoLeadersInDifferentTerms() throws Exception {
    assertThat(run(RaftNode.class, true, 7, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("two leaders +[1-9]\\d* rows live, the same over the past")
        .containsPattern("two leaders in one term +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("raft.wav"))).isPositive();
    assertThat(Files.size(out.resolve("raft.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"leader\"");
  }

  @Test
  void run_withoutPauses_findsNoTwoLeaders() {
    assertThat(run(RaftNode.class, false, 4, BEHIND_MICROS)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("two leaders +0 rows live, the same")
        .containsPattern("leader of an old term +0 rows live, the same")
        .containsPattern("two leaders in one term +0 rows live, the same")
        .containsPattern(
            "holds +no server applied a value before .*\\([1-9]\\d* applied, 0 too early")
        .doesNotContain("FAILS");
  }

  @Test
  void run_roleAndTermRecordedApart_oracleFails() {
    assertThat(run(BrokenServers.Apart.class, true, 2, 0)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("no term has two leaders");
  }

  /** Of two leaders, at least one is not the server whose clock is the furthest behind. */
  @Test
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(BrokenServers.Unstamped.class, true, 2, FAR_BEHIND_MICROS)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("no server applied a value before a leader proposed it");
  }

  @Test
  void run_steppingDownNotRecorded_oracleFails() {
    assertThat(run(BrokenServers.Forgetful.class, true, 2, 0)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("each ends after SIGCONT");
  }

  private int run(Class<?> server, boolean pauses, int seconds, long behindMicros) {
    CaseStudy study = new RaftCase(new Variant(server.getName(), true, behindMicros));
    return trial.run(pauses ? study : study.withoutFaults(), seconds, out);
  }
}
