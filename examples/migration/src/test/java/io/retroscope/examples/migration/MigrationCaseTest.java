// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.migration.MigrationCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class MigrationCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_usersMove_findsObjectsOwnedTwiceInAHurryOnly() throws Exception {
    assertThat(run(RegionNode.class, true, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("owned twice +[1-9]\\d* rows live, the same over the past")
        .containsPattern("owned by none +[1-9]\\d* rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("migration.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("migration.txt"))).contains("centre of gravity");
  }

  @Test
  void run_usersStay_findsNothing() {
    assertThat(run(RegionNode.class, false, 0)).as(trial.output()).isZero();
    for (String question : new String[] {"owned twice", "owned by none", "more than a quarter"}) {
      assertThat(trial.printed())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  /** The clocks of the regions differ, and only stamps order what happens in them. */
  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(UnstampedRegion.class, true, 1_000_000)).isEqualTo(1);
    assertThat(trial.printed()).containsPattern("FAILS +owned by none in each other hand-over");
  }

  private int run(Class<?> region, boolean faults, long behindMicros) {
    CaseStudy study = new MigrationCase(new Variant(region.getName(), true, behindMicros));
    return trial.run(faults ? study : study.withoutFaults(), 1, out);
  }
}
