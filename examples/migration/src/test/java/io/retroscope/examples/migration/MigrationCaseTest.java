// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.migration.MigrationCase.Variant;
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
final class MigrationCaseTest {
  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_usersMove_findsObjectsOwnedTwiceInAHurryOnly() throws Exception {
    assertThat(run(RegionNode.class, true, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("owned twice +[1-9]\\d* rows live, the same over the past")
        .containsPattern("owned by none +[1-9]\\d* rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("migration.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("migration.txt"))).contains("centre of gravity");
  }

  @Test
  void run_usersStay_findsNothing() {
    assertThat(run(RegionNode.class, false, 0)).as(printed + "\n" + complaints).isZero();
    for (String question : new String[] {"owned twice", "owned by none", "more than a quarter"}) {
      assertThat(printed.toString())
          .containsPattern(question + " +0 rows live, the same over the past");
    }
  }

  /** The clocks of the regions differ, and only stamps order what happens in them. */
  @Test
  void run_stampsIgnored_oracleFails() {
    assertThat(run(UnstampedRegion.class, true, 1_000_000)).isEqualTo(1);
    assertThat(printed.toString()).containsPattern("FAILS +owned by none in each other hand-over");
  }

  private int run(Class<?> region, boolean faults, long behindMicros) {
    CaseStudy study = new MigrationCase(new Variant(region.getName(), true, behindMicros));
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
