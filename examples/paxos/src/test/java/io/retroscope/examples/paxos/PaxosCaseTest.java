// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.paxos.PaxosCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class PaxosCaseTest {
  private static final long FAIL_MILLIS = 2_000;

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_zoneFails_findsItsGroupBehind() throws Exception {
    assertThat(run(variant(PaxosNode.class, true, Layout.MAJORITY, 0))).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("group behind +[1-9]\\d* rows live, the same over the past")
        .containsPattern("two values +0 rows live, the same over the past")
        .containsPattern("PIG: the leader has 8.0 messages per round")
        .containsPattern("PAXOS: the leader has 50.0 messages per round")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("paxos.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("paxos.txt"))).contains("PIG while a zone fails");
  }

  @Test
  void run_noFaults_findsNothing() {
    assertThat(run(variant(PaxosNode.class, false, Layout.MAJORITY, 0)))
        .as(trial.output())
        .isZero();
    for (String question :
        new String[] {
          "group behind",
          "two values",
          "no majority",
          "too many messages",
          "conflict",
          "not one owner"
        }) {
      assertThat(trial.printed())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  /** The clocks of the zones differ, and only stamps order what happens in them. */
  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(variant(UnstampedNode.class, false, Layout.MAJORITY, 2_000_000))).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("FAILS +no replica accepts a slot before it is proposed");
  }

  @Test
  void run_leaderThatWaitsForFive_isFoundWithoutMajority() {
    assertThat(run(variant(PaxosNode.class, false, 5, 0))).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("no majority +[1-9]\\d* rows live, the same over the past")
        .containsPattern("FAILS +[1-9]\\d* stretches in which what is chosen has no majority");
  }

  private static Variant variant(Class<?> node, boolean faults, int needed, long behindMicros) {
    return new Variant(node.getName(), faults, FAIL_MILLIS, needed, behindMicros);
  }

  private int run(Variant variant) {
    CaseStudy study = new PaxosCase(variant);
    return trial.run(variant.faults() ? study : study.withoutFaults(), 1, out);
  }
}
