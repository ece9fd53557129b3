// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.latency.LatencyCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import io.retroscope.examples.stage.DemoOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class LatencyCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

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
    assertThat(run(LatencyNode.class, true, seconds)).as(trial.output()).isZero();
    assertThat(trial.printed())
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
    assertThat(run(LatencyNode.class, false, 1)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .doesNotContain("FAILS")
        .containsPattern("all peers slow\" holds in each of 0 times with slow links")
        .containsPattern("suspected, but alive +0 rows live")
        .containsPattern("suspected with reason +0 rows live");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(BrokenNodes.Unstamped.class, false, 1)).isEqualTo(1);
    assertThat(trial.complaints()).contains("the log server's offsets allow those that were set");
  }

  @Test
  @Tag("slow")
  void run_messagesNotRecorded_oracleFails() {
    assertThat(run(BrokenNodes.Unrecorded.class, false, 1)).isEqualTo(1);
    assertThat(trial.complaints()).contains("the log server's offsets allow those that were set");
  }

  private int run(Class<?> node, boolean faults, int seconds) {
    // Of broken nodes, the log server never knows the offsets.
    Duration patience = Duration.ofSeconds(node == LatencyNode.class ? 60 : 1);
    CaseStudy study = new LatencyCase(new Variant(node.getName(), true, patience));
    return trial.run(faults ? study : study.withoutFaults(), seconds, out);
  }
}
