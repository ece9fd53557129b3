// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.paxos.PaxosCase.Variant;
import io.retroscope.examples.stage.CaseRun;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.DemoOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class PaxosCaseTest {
  private static final long FAIL_MILLIS = 2_000;

  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_zoneFails_findsItsGroupBehind() throws Exception {
    assertThat(run(variant(PaxosNode.class, true, Layout.MAJORITY, 0)))
        .as(printed + "\n" + complaints)
        .isZero();
    assertThat(printed.toString())
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
        .as(printed + "\n" + complaints)
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
      assertThat(printed.toString())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  /** The clocks of the zones differ, and only stamps order what happens in them. */
  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(variant(UnstampedNode.class, false, Layout.MAJORITY, 2_000_000))).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("FAILS +no replica accepts a slot before it is proposed");
  }

  @Test
  void run_leaderThatWaitsForFive_isFoundWithoutMajority() {
    assertThat(run(variant(PaxosNode.class, false, 5, 0))).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("no majority +[1-9]\\d* rows live, the same over the past")
        .containsPattern("FAILS +[1-9]\\d* stretches in which what is chosen has no majority");
  }

  private static Variant variant(Class<?> node, boolean faults, int needed, long behindMicros) {
    return new Variant(node.getName(), faults, FAIL_MILLIS, needed, behindMicros);
  }

  private int run(Variant variant) {
    CaseStudy study = new PaxosCase(variant);
    DemoOptions options = new DemoOptions(1, out, false, false, 0, false);
    return new CaseRun(
            variant.faults() ? study : study.withoutFaults(),
            options,
            new PrintWriter(printed, true),
            new PrintWriter(complaints, true))
        .run();
  }

  @AfterEach
  void nothingRuns() {
    assertThat(
            ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::info))
        .isEmpty();
  }
}
