// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.latency.LatencyCase.Variant;
import io.retroscope.examples.stage.CaseRun;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.DemoOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LatencyCaseTest {
  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  /** Ends after the stop, the second fault, which begins in the fifth second. */
  @Test
  @Tag("slow")
  void run_slowLinksAndAStop_findsOneSuspicionWithReason() throws Exception {
    checkRun(6, 1);
  }

  @Test
  @Tag("slow")
  void run_twentySeconds_findsOneSuspicionWithReasonInEachStop() throws Exception {
    checkRun(DemoOptions.DEFAULT_SECONDS, 2);
  }

  private void checkRun(int seconds, int stops) throws Exception {
    assertThat(run(LatencyNode.class, true, seconds)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern(
            "holds +" + stops + " stops, [1-9]\\d* suspicions with reason, one in each stop")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("latency.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("latency-l3.svg"))).contains("majority");
    assertThat(Files.readString(out.resolve("latency-l1.txt")))
        .contains("l1-l3", "each (NQ)", "zone near-far");
    assertThat(out.resolve("latency-l1-histogram.svg")).isNotEmptyFile();
    assertThat(out.resolve("latency-l1-distribution.svg")).isNotEmptyFile();
    assertThat(out.resolve("latency-l1-means.svg")).isNotEmptyFile();
    assertThat(out.resolve("latency-shifts.svg"))
        .content()
        .contains("opacity='.15'")
        .containsPattern(">l3: [1-9]\\d* shifts");
    assertThat(out.resolve("latency-shifts.txt")).content().contains("typical > 100000", " for ");
  }

  /** A busy machine can make all peers slow in truth, which its oracle accounts for. */
  @Test
  void run_withoutFaults_suspectsNothing() {
    assertThat(run(LatencyNode.class, false, 1)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .doesNotContain("FAILS")
        .containsPattern("all peers slow\" holds in each of 0 times with slow links")
        .containsPattern("suspected, but alive +0 rows live")
        .containsPattern("suspected with reason +0 rows live");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(BrokenNodes.Unstamped.class, false, 1)).isEqualTo(1);
    assertThat(complaints.toString())
        .contains("the log server's offsets allow those that were set");
  }

  @Test
  @Tag("slow")
  void run_messagesNotRecorded_oracleFails() {
    assertThat(run(BrokenNodes.Unrecorded.class, false, 1)).isEqualTo(1);
    assertThat(complaints.toString())
        .contains("the log server's offsets allow those that were set");
  }

  private int run(Class<?> node, boolean faults, int seconds) {
    // Of broken nodes, the log server never knows the offsets.
    Duration patience = Duration.ofSeconds(node == LatencyNode.class ? 60 : 1);
    DemoOptions options = new DemoOptions(seconds, out, false, false, 0, false);
    CaseStudy study = new LatencyCase(new Variant(node.getName(), true, patience));
    return new CaseRun(
            faults ? study : study.withoutFaults(),
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
