// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.stage.CaseRun;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.DemoOptions;
import io.retroscope.examples.zerocopy.ZerocopyCase.Variant;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class ZerocopyCaseTest {
  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_faults_findsWhatIsOnFewerThanTwoDisks() throws Exception {
    assertThat(run(StandbyNode.class, true, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("on fewer than two disks +[1-9]\\d* rows live, the same over the past")
        .containsPattern("durable falls +2 rows live, the same over the past")
        .containsPattern("other bytes +0 rows live, the same over the past")
        .containsPattern("auxiliary needed +[1-9]\\d* rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("zerocopy.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("zerocopy.txt"))).contains("262,144");
  }

  @Test
  void run_noFaults_findsNothing() {
    assertThat(run(StandbyNode.class, false, 0)).as(printed + "\n" + complaints).isZero();
    for (String question :
        new String[] {
          "on fewer than two disks", "durable falls", "other bytes", "auxiliary needed"
        }) {
      assertThat(printed.toString())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(UnstampedStandby.class, false, 2_000_000)).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("FAILS +no node has bytes before the primary has them");
  }

  @Test
  void run_standbyThatSkipsGaps_isFoundWithOtherBytes() {
    assertThat(run(CarelessStandby.class, true, 0)).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("other bytes +[1-9]\\d* rows live, the same over the past")
        .containsPattern("FAILS +primary and standby have the client's input");
  }

  private int run(Class<?> standby, boolean faults, long behindMicros) {
    CaseStudy study = new ZerocopyCase(new Variant(standby.getName(), faults, behindMicros));
    DemoOptions options = new DemoOptions(1, out, false, false, 0, false);
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
