// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import io.retroscope.examples.zerocopy.ZerocopyCase.Variant;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class ZerocopyCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_faults_findsWhatIsOnFewerThanTwoDisks() throws Exception {
    assertThat(run(StandbyNode.class, true, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
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
    assertThat(run(StandbyNode.class, false, 0)).as(trial.output()).isZero();
    for (String question :
        new String[] {
          "on fewer than two disks", "durable falls", "other bytes", "auxiliary needed"
        }) {
      assertThat(trial.printed())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(UnstampedStandby.class, false, 2_000_000)).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("FAILS +no node has bytes before the primary has them");
  }

  @Test
  void run_standbyThatSkipsGaps_isFoundWithOtherBytes() {
    assertThat(run(CarelessStandby.class, true, 0)).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("other bytes +[1-9]\\d* rows live, the same over the past")
        .containsPattern("FAILS +primary and standby have the client's input");
  }

  private int run(Class<?> standby, boolean faults, long behindMicros) {
    CaseStudy study = new ZerocopyCase(new Variant(standby.getName(), faults, behindMicros));
    return trial.run(faults ? study : study.withoutFaults(), 1, out);
  }
}
